//! `recto_error`: the error object that a failed function returns.

use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_text, pointer};
use crate::phase::phase_number;
use crate::status::*;
use recto::{Error, ErrorKind};
use std::ffi::{CString, c_char};
use std::fmt::{Debug, Display};
use std::io;

/// The details of an error: the status, a message for people, and further fields for programs. An error never contains
/// the API key, a password, or the query of a presigned URL.
///
/// A function that fails returns one through `err`; the caller frees it with recto_error_free(). What the accessors
/// return is valid until the error is freed.
///
/// Threads: one at a time.
pub struct recto_error {
    status: recto_status,
    message: CString,
    /// The error of the core; missing for errors that arose in this crate.
    details: Option<Details>,
}

struct Details {
    error: Error,
    advice: Option<CString>,
    method: Option<CString>,
    url: Option<CString>,
    code: Option<CString>,
    title: Option<CString>,
    detail: Option<CString>,
    request_id: Option<CString>,
    operation_id: Option<CString>,
    document: Option<CString>,
    token: Option<CString>,
    body: Option<CString>,
}

/// What the body of an exported function returns.
pub(crate) type Outcome<T = ()> = Result<T, Box<recto_error>>;

impl recto_error {
    /// An error that arose in this crate.
    pub(crate) fn new(status: recto_status, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { status, message: c_text(message), details: None })
    }

    /// A required argument is NULL.
    pub(crate) fn null(argument: &str) -> Box<Self> {
        Self::new(RECTO_E_NULL, format!("the argument {argument} is NULL"))
    }

    /// A setting has a value that cannot be read.
    pub(crate) fn invalid_setting(name: &str, value: impl Debug, expected: impl Display) -> Box<Self> {
        Self::new(RECTO_E_CONFIG, format!("the setting {name} is {value:?}; give {expected}"))
    }

    /// No memory for a result.
    pub(crate) fn out_of_memory(error: &io::Error) -> Box<Self> {
        Self::new(RECTO_E_IO, format!("the result does not fit into memory: {error}"))
    }

    pub(crate) fn status(&self) -> recto_status {
        self.status
    }

    #[cfg(test)]
    pub(crate) fn message(&self) -> &std::ffi::CStr {
        &self.message
    }

    fn details<'a, T>(&'a self, read: impl FnOnce(&'a Details) -> Option<T>) -> Option<T> {
        self.details.as_ref().and_then(read)
    }
}

impl From<Error> for Box<recto_error> {
    fn from(error: Error) -> Self {
        let text = |text: Option<&str>| text.map(c_text);
        Box::new(recto_error {
            status: status_of(error.kind()),
            message: c_text(error.to_string()),
            details: Some(Details {
                advice: text(error.advice()),
                method: text(error.method()),
                url: text(error.url()),
                code: text(error.code()),
                title: text(error.title()),
                detail: text(error.detail()),
                request_id: text(error.request_id()),
                operation_id: text(error.operation_id()),
                document: text(error.document()),
                token: text(error.token()),
                body: text(error.body()),
                error,
            }),
        })
    }
}

fn status_of(kind: ErrorKind) -> recto_status {
    match kind {
        ErrorKind::Config => RECTO_E_CONFIG,
        ErrorKind::InvalidRequest => RECTO_E_INVALID,
        ErrorKind::Auth => RECTO_E_AUTH,
        ErrorKind::PermissionDenied => RECTO_E_PERMISSION,
        ErrorKind::NotFound => RECTO_E_NOT_FOUND,
        ErrorKind::RateLimited => RECTO_E_RATE_LIMITED,
        ErrorKind::PayloadTooLarge => RECTO_E_TOO_LARGE,
        ErrorKind::Server => RECTO_E_SERVER,
        ErrorKind::Transport => RECTO_E_TRANSPORT,
        ErrorKind::RequestTimeout => RECTO_E_TIMEOUT,
        ErrorKind::WaitTimeout => RECTO_E_WAIT_TIMEOUT,
        ErrorKind::OperationFailed => RECTO_E_OPERATION_FAILED,
        ErrorKind::OutcomeUnknown => RECTO_E_OUTCOME_UNKNOWN,
        ErrorKind::Protocol => RECTO_E_PROTOCOL,
        ErrorKind::Cancelled => RECTO_E_CANCELLED,
        ErrorKind::Io => RECTO_E_IO,
        // `ErrorKind` is non-exhaustive; the test `every_error_kind_has_its_own_status` finds a kind that is missing
        // here.
        _ => RECTO_E_UNKNOWN,
    }
}

/// Frees an error. NULL is allowed and does nothing.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_free(error: *mut recto_error) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(error) };
}

/// The status that the function returned; RECTO_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_status(error: *const recto_error) -> recto_status {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(error, RECTO_OK, |error| error.status) }
}

/// A message of one line: what happened, to which document or operation, and what to do next. Never NULL; empty for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_message(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(error, c"".as_ptr(), |error| error.message.as_ptr()) }
}

/// What to do next, which is also part of the message; NULL if there is no advice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_advice(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.advice.as_ref()))
        })
    }
}

/// The phase of the call in which the error happened, a RECTO_PHASE_ value; 0 if the phase is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_phase(error: *const recto_error) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, 0, |error| error.details(|details| details.error.phase()).map_or(0, phase_number))
    }
}

/// The HTTP status of the response; 0 if there was no response.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_http_status(error: *const recto_error) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, 0, |error| error.details(|details| details.error.status()).map_or(0, i32::from))
    }
}

/// The HTTP method of the request; NULL if there was no request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_method(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.method.as_ref()))
        })
    }
}

/// The URL of the request, without its query; NULL if there was no request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_url(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| pointer(error.details(|details| details.url.as_ref())))
    }
}

/// The error code of the service, such as "file_not_found"; NULL if the response has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_code(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| pointer(error.details(|details| details.code.as_ref())))
    }
}

/// The title that the service gives to this kind of error; NULL if the response has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_title(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| pointer(error.details(|details| details.title.as_ref())))
    }
}

/// The service's explanation of this error; NULL if the response has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_detail(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.detail.as_ref()))
        })
    }
}

/// The request identifier, under which the service logged the request; NULL if the response has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_request_id(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.request_id.as_ref()))
        })
    }
}

/// The identifier of the operation concerned; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_operation_id(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.operation_id.as_ref()))
        })
    }
}

/// The document that the call was about, as the caller named it: its path, its name, or "file" and its identifier; NULL
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_document(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| {
            pointer(error.details(|details| details.document.as_ref()))
        })
    }
}

/// With RECTO_E_WAIT_TIMEOUT: the token with which recto_resume() resumes the operation. Otherwise NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_token(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| pointer(error.details(|details| details.token.as_ref())))
    }
}

/// The beginning of the response body, or the raw result of a failed operation; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_body(error: *const recto_error) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, std::ptr::null(), |error| pointer(error.details(|details| details.body.as_ref())))
    }
}

/// How many requests were made, including the last one; 0 if there were none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_attempts(error: *const recto_error) -> u32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, 0, |error| error.details.as_ref().map_or(0, |details| details.error.attempts()))
    }
}

/// How long the client should wait before the next request, as requested by the service (Retry-After), in milliseconds;
/// -1 if the service did not request a delay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_retry_after_ms(error: *const recto_error) -> i64 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, -1, |error| {
            let after = error.details(|details| details.error.retry_after());
            after.map_or(-1, |after| i64::try_from(after.as_millis()).unwrap_or(i64::MAX))
        })
    }
}

/// 1 if the same call can succeed later without a change; otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_error_is_retryable(error: *const recto_error) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(error, 0, |error| {
            error.details.as_ref().is_some_and(|details| details.error.is_retryable()).into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_kind_has_its_own_status() {
        let mut statuses: Vec<_> = ErrorKind::ALL.iter().map(|kind| status_of(*kind)).collect();
        statuses.sort_unstable();
        statuses.dedup();
        assert_eq!(statuses.len(), ErrorKind::ALL.len());
        assert!(!statuses.contains(&RECTO_E_UNKNOWN) && !statuses.contains(&RECTO_OK));
    }
}
