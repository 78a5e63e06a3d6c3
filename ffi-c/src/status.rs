//! `recto_status`, which every function that can fail returns: the constants and their names.

use std::ffi::{CStr, c_char};

/// The outcome of a call: 0 is success, a negative value is an error. Later versions may return values that this header
/// does not define: treat any negative value as an error, and any positive value as success.
pub type recto_status = i32;

/// Success.
pub const RECTO_OK: recto_status = 0;
/// Success, and there are no more items: the end of an iteration.
pub const RECTO_DONE: recto_status = 1;
/// No error: the call in the background still runs.
pub const RECTO_PENDING: recto_status = 2;
/// A required argument is NULL.
pub const RECTO_E_NULL: recto_status = -1;
/// An argument or an option is invalid, or a text is not valid UTF-8.
pub const RECTO_E_INVALID: recto_status = -2;
/// The configuration is wrong or incomplete.
pub const RECTO_E_CONFIG: recto_status = -3;
/// The service did not accept the key (401).
pub const RECTO_E_AUTH: recto_status = -4;
/// The key does not permit the request (403).
pub const RECTO_E_PERMISSION: recto_status = -5;
/// The file or operation does not exist (404, 410).
pub const RECTO_E_NOT_FOUND: recto_status = -6;
/// Too many requests (429).
pub const RECTO_E_RATE_LIMITED: recto_status = -7;
/// The document is larger than the service accepts (413).
pub const RECTO_E_TOO_LARGE: recto_status = -8;
/// The service failed (5xx).
pub const RECTO_E_SERVER: recto_status = -9;
/// The service could not be reached, the connection broke, or the certificate is not trusted.
pub const RECTO_E_TRANSPORT: recto_status = -10;
/// A request took longer than its time limit.
pub const RECTO_E_TIMEOUT: recto_status = -11;
/// The operation did not end within the wait timeout. It continues in the service, and recto_resume() resumes it by its
/// token.
pub const RECTO_E_WAIT_TIMEOUT: recto_status = -12;
/// The operation failed.
pub const RECTO_E_OPERATION_FAILED: recto_status = -13;
/// It is unknown whether the operation started.
pub const RECTO_E_OUTCOME_UNKNOWN: recto_status = -14;
/// The response of the service is invalid.
pub const RECTO_E_PROTOCOL: recto_status = -15;
/// The call was cancelled.
pub const RECTO_E_CANCELLED: recto_status = -16;
/// A local file cannot be read or written.
pub const RECTO_E_IO: recto_status = -17;
/// The client was created before fork() and is used in the child.
pub const RECTO_E_FORKED: recto_status = -18;
/// An internal error in the library. The process can continue.
pub const RECTO_E_PANIC: recto_status = -19;
/// An error that this version does not define.
pub const RECTO_E_UNKNOWN: recto_status = -99;

/// The constants with their names. The constants are not declared by a macro, because cbindgen does not expand macros.
macro_rules! names {
    ($($name:ident),+ $(,)?) => { &[$(($name, name(concat!(stringify!($name), "\0")))),+] };
}

const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

const NAMES: &[(recto_status, &CStr)] = names![
    RECTO_OK,
    RECTO_DONE,
    RECTO_PENDING,
    RECTO_E_NULL,
    RECTO_E_INVALID,
    RECTO_E_CONFIG,
    RECTO_E_AUTH,
    RECTO_E_PERMISSION,
    RECTO_E_NOT_FOUND,
    RECTO_E_RATE_LIMITED,
    RECTO_E_TOO_LARGE,
    RECTO_E_SERVER,
    RECTO_E_TRANSPORT,
    RECTO_E_TIMEOUT,
    RECTO_E_WAIT_TIMEOUT,
    RECTO_E_OPERATION_FAILED,
    RECTO_E_OUTCOME_UNKNOWN,
    RECTO_E_PROTOCOL,
    RECTO_E_CANCELLED,
    RECTO_E_IO,
    RECTO_E_FORKED,
    RECTO_E_PANIC,
    RECTO_E_UNKNOWN,
];

/// The name of a status, such as "RECTO_E_TIMEOUT"; "RECTO_E_UNKNOWN" for a value that this version does not define.
/// Static: never freed, never NULL.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn recto_status_name(status: recto_status) -> *const c_char {
    NAMES.iter().find(|(value, _)| *value == status).map_or(c"RECTO_E_UNKNOWN", |(_, name)| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_unique() {
        // SAFETY: the function returns static texts that end in NUL.
        let name = |status| unsafe { CStr::from_ptr(recto_status_name(status)) }.to_str().unwrap();
        assert_eq!(name(RECTO_OK), "RECTO_OK");
        assert_eq!(name(RECTO_E_WAIT_TIMEOUT), "RECTO_E_WAIT_TIMEOUT");
        assert_eq!(name(i32::MIN), "RECTO_E_UNKNOWN");
        let mut values: Vec<_> = NAMES.iter().map(|(value, _)| value).collect();
        values.sort();
        values.dedup();
        assert_eq!(values.len(), NAMES.len());
    }
}
