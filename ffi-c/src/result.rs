//! `recto_result`: the result of an operation.

use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_text, pointer};
use recto::{OperationResult, SignedUrl};
use std::ffi::{CString, c_char};
use std::ptr::null;

/// The result of an operation: a result file or a validation report. What the accessors return is valid until the
/// result is freed.
///
/// Threads: one at a time.
pub struct recto_result {
    operation_type: CString,
    status: CString,
    output: Option<Output>,
    validation: Option<Validation>,
    request_id: Option<CString>,
    json: CString,
}

struct Output {
    file_id: Option<CString>,
    name: Option<CString>,
    url: Option<CString>,
}

struct Validation {
    is_conforming: Option<bool>,
    conformance: Option<CString>,
    errors: Vec<CString>,
}

impl From<OperationResult> for recto_result {
    fn from(result: OperationResult) -> Self {
        Self {
            operation_type: c_text(result.operation_type.as_str()),
            status: c_text(result.status.as_str()),
            output: result.output.map(|output| Output {
                file_id: output.file_id.map(c_text),
                name: output.name.map(c_text),
                url: output.url.as_ref().map(SignedUrl::expose).map(c_text),
            }),
            validation: result.validation.map(|report| Validation {
                is_conforming: report.is_conforming,
                conformance: report.conformance.map(c_text),
                errors: report.errors.into_iter().map(c_text).collect(),
            }),
            request_id: result.request_id.map(c_text),
            json: c_text(result.raw.to_string()),
        }
    }
}

/// `operationType`, as in the response to the start of the operation, such as "optimize". NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_operation_type(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, null(), |result| result.operation_type.as_ptr()) }
}

/// The status as the service spells it, such as "finished". NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_status(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, null(), |result| result.status.as_ptr()) }
}

/// 1 if there is a result file; otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_has_output(result: *const recto_result) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, 0, |result| result.output.is_some().into()) }
}

/// The identifier of the result file; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_output_file_id(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, null(), |result| {
            pointer(result.output.as_ref().and_then(|output| output.file_id.as_ref()))
        })
    }
}

/// The name of the result file; NULL if there is none. It is not sanitised: make it safe before you use it as a file
/// name, as recto_operation_save() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_output_name(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, null(), |result| {
            pointer(result.output.as_ref().and_then(|output| output.name.as_ref()))
        })
    }
}

/// The URL to download the result file from; NULL if there is none. Its query is a secret: it gives access to the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_output_url(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, null(), |result| {
            pointer(result.output.as_ref().and_then(|output| output.url.as_ref()))
        })
    }
}

/// 1 if there is a validation report; otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_has_validation(result: *const recto_result) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, 0, |result| result.validation.is_some().into()) }
}

/// 1 if the document conforms, 0 if it does not, -1 if there is no report or it does not state this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_is_conforming(result: *const recto_result) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, -1, |result| {
            result.validation.as_ref().and_then(|report| report.is_conforming).map_or(-1, i32::from)
        })
    }
}

/// The conformance level that the document declares, such as "pdf15"; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_conformance(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, null(), |result| {
            pointer(result.validation.as_ref().and_then(|report| report.conformance.as_ref()))
        })
    }
}

/// The number of findings in the validation report.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_error_count(result: *const recto_result) -> usize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, 0, |result| result.validation.as_ref().map_or(0, |report| report.errors.len()))
    }
}

/// The finding at `index`, counted from 0, as a text for people; NULL after the last finding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_error_at(result: *const recto_result, index: usize) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(result, null(), |result| {
            pointer(result.validation.as_ref().and_then(|report| report.errors.get(index)))
        })
    }
}

/// The request identifier, under which the service logged the request for this result; NULL if the service sent none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_request_id(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, null(), |result| pointer(result.request_id.as_ref())) }
}

/// The whole response of the service as JSON, including fields that this version does not know. It may contain the URL
/// of the result file, which is a secret. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_json(result: *const recto_result) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(result, null(), |result| result.json.as_ptr()) }
}

/// Frees a result. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_result_free(result: *mut recto_result) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(result) };
}
