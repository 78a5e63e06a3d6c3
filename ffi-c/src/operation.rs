//! `recto_operation`: starting operations, waiting for them, fetching what came of them.

use crate::call::{core_call, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::memory::buffer::Buffer;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::c_text;
use crate::result::recto_result;
use crate::status::*;
use crate::upload::{ReadCallback, WriteCallback, recto_read_fn, recto_write_fn};
use recto::{FileId, Operation, OperationKind, Source};
use serde_json::Value;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

/// A started operation. It outlives its client's handle; freeing it does not stop it in the service.
///
/// Threads: one at a time.
pub struct recto_operation {
    shared: Arc<ClientState>,
    operation: Operation,
    id: CString,
    name: CString,
    operation_type: CString,
    token: CString,
}

/// Starts an operation on a file that is in the service, and gives its handle, freed with recto_operation_free().
///
/// `operation` is one of the names above, such as RECTO_OPTIMIZE. `options` is the `options` object of the interface
/// specification as JSON, such as "{\"profile\": \"web\"}", or NULL for none. `call` may be NULL.
///
/// Errors: RECTO_E_INVALID, before anything is sent, for options that the service could only refuse;
/// RECTO_E_OUTCOME_UNKNOWN where nobody knows whether the operation was started; and those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_start(
    client: *const recto_client,
    operation: *const c_char,
    file_id: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, file_id: text, options: optional_text, call: optional => {
            let request = OperationRequest::read(operation, options)?;
            out.give(request.start(client, Source::file(FileId::new(file_id)), call)?)
        }
    )
}

/// Uploads a file of this machine and starts an operation on it: recto_upload_path() and recto_start() in one call,
/// which refuses what cannot work before it uploads.
///
/// Errors: besides those of the two, RECTO_E_INVALID for a file whose extension is none that the operation takes,
/// unless the call has recto_call_set_force().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_start_path(
    client: *const recto_client,
    operation: *const c_char,
    path: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, operation: text, path: path, options: optional_text, call: optional => {
        let request = OperationRequest::read(operation, options)?;
        out.give(request.start(client, Source::path(path), call)?)
    })
}

/// Uploads `length` bytes under `name` and starts an operation on them: recto_upload_data() and recto_start() in one.
///
/// Errors: as recto_start_path().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_start_data(
    client: *const recto_client,
    operation: *const c_char,
    data: *const c_void,
    length: usize,
    name: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, data + length: bytes, name: text, options: optional_text,
        call: optional => {
            let request = OperationRequest::read(operation, options)?;
            out.give(request.start(client, Source::bytes(data, name), call)?)
        }
    )
}

/// Uploads what `read` gives under `name` and starts an operation on it: recto_upload_stream() and recto_start() in
/// one.
///
/// Errors: as recto_start_path() and recto_upload_stream().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_start_stream(
    client: *const recto_client,
    operation: *const c_char,
    read: recto_read_fn,
    userdata: *mut c_void,
    length: i64,
    name: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, name: text, options: optional_text, call: optional => {
            let request = OperationRequest::read(operation, options)?;
            let start = |source| request.start(client, source, call);
            out.give(ReadCallback::during(read, userdata, length, name, start)?)
        }
    )
}

/// Gives a handle of an operation that was started before, perhaps by another process; `token` is what
/// recto_operation_token() or recto_error_token() returned. Nothing is sent. The handle is freed with
/// recto_operation_free().
///
/// Errors: RECTO_E_INVALID for what is no token, RECTO_E_CONFIG for one of another service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_resume(
    client: *const recto_client,
    token: *const c_char,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, token: text => {
        let operation = client.0.call(|client| client.resume(token))?;
        out.give(recto_operation::new(&client.0, operation))
    })
}

/// The identifier that the service gave it. Lives as long as the handle; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_id(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.id.as_ptr()) }
}

/// Which operation it is, such as "stamp-qr". Lives as long as the handle; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_name(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.name.as_ptr()) }
}

/// `operationType` as the service's answer to the start had it, such as "stampQR". Lives as long as the handle; NULL for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_type(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.operation_type.as_ptr()) }
}

/// What recto_resume() takes to go on with it, in another process too: it holds the identifier, the operation and the
/// base URL, but no key and no presigned address. Lives as long as the handle; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_token(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.token.as_ptr()) }
}

/// Asks the service once how far it is, and gives the status as it spells it, such as "inProgress" or "finished", freed
/// with recto_free(). A failed operation has a failed status here, and is no error. `call` may be NULL.
///
/// Errors: those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_status(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        out.give_text(operation.call(|operation| operation.status(&core_call(call)))?.as_str())
    })
}

/// Waits until the operation has ended, and gives what came of it, freed with recto_result_free(). A document that does
/// not conform is a result, not an error. `call` may be NULL.
///
/// Errors: RECTO_E_WAIT_TIMEOUT when it has not ended in time: it goes on, and recto_error_token() resumes it.
/// RECTO_E_OPERATION_FAILED when the service could not do the work. And those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_wait(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut recto_result,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        out.give(operation.call(|operation| operation.wait(&core_call(call)))?.into())
    })
}

/// Waits, and writes the result file to `path`; into it, where it is a directory, under the result's own name, made
/// safe. The file appears whole or not at all, and only then replaces what was there. `call` may be NULL.
///
/// `saved`, where it is not NULL, gets the path of the file, freed with recto_free().
///
/// Errors: those of recto_operation_wait() and of the transfer; RECTO_E_IO where the file cannot be written;
/// RECTO_E_INVALID for an operation that makes no file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_save(
    operation: *const recto_operation,
    path: *const c_char,
    call: *const recto_call,
    saved: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, saved: optional_out, operation: handle, path: path, call: optional => {
        let path = operation.call(|operation| operation.save(path, &core_call(call)))?;
        saved.map_or(Ok(()), |saved| saved.give_path(&path))
    })
}

/// Waits, and gives the result file's bytes in memory, freed with recto_free(). `call` may be NULL.
///
/// Errors: those of recto_operation_wait() and of the transfer; RECTO_E_INVALID for an operation that makes no file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_read(
    operation: *const recto_operation,
    call: *const recto_call,
    data: *mut *mut c_void,
    length: *mut usize,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, data: out, length: number, operation: handle, call: optional => {
        let mut buffer = Buffer::default();
        operation.call(|operation| operation.write_to(&mut buffer, &core_call(call)))?;
        // An empty file is memory too: NULL is what the caller has where the call failed.
        buffer.append(&[]).map_err(|error| recto_error::out_of_memory(&error))?;
        let (start, in_use) = buffer.into_raw();
        *length = in_use;
        data.give_pointer(start);
        Ok(())
    })
}

/// Waits, and hands the result file's bytes to `write`, piece by piece. `call` may be NULL. `length`, where it is not
/// NULL, gets how many there were.
///
/// Errors: RECTO_E_CANCELLED when `write` says so; and those of recto_operation_read().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_stream(
    operation: *const recto_operation,
    write: recto_write_fn,
    userdata: *mut c_void,
    call: *const recto_call,
    length: *mut u64,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, length: optional_number, operation: handle, call: optional => {
        let mut callback = WriteCallback::new(write, userdata)?;
        let written = operation.call(|operation| operation.write_to(&mut callback, &core_call(call)));
        let written = callback.outcome(written)?;
        if let Some(length) = length {
            *length = written;
        }
        Ok(())
    })
}

/// Frees the handle; the operation itself goes on. No call of it may be running. NULL is a no-op.
///
/// Threads: any, once. It may take as long as recto_client_free(), when it is the last that held the embedded service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_free(operation: *mut recto_operation) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(operation) };
}

impl recto_operation {
    fn new(shared: &Arc<ClientState>, operation: Operation) -> Self {
        Self {
            shared: Arc::clone(shared),
            id: c_text(operation.id()),
            name: c_text(operation.kind().name()),
            operation_type: c_text(operation.operation_type().as_str()),
            token: c_text(operation.token()),
            operation,
        }
    }

    fn call<T>(&self, call: impl FnOnce(&Operation) -> Result<T, recto::Error>) -> Outcome<T> {
        self.shared.call(|_| call(&self.operation))
    }
}

/// Which operation is wanted, and how.
pub(crate) struct OperationRequest {
    pub(crate) kind: OperationKind,
    pub(crate) options: Value,
}

impl OperationRequest {
    pub(crate) fn read(operation: &str, options: Option<&str>) -> Outcome<Self> {
        let kind = operation
            .parse::<OperationKind>()
            .map_err(|unknown| recto_error::new(RECTO_E_INVALID, unknown.to_string()))?;
        let options = match options {
            None => Value::Null,
            Some(text) => serde_json::from_str(text).map_err(|error| {
                // The parser's sentence tells the place and never quotes the text, which may hold a password.
                recto_error::new(RECTO_E_INVALID, format!("the options are not JSON: {error}"))
            })?,
        };
        Ok(Self { kind, options })
    }

    fn start(
        &self,
        client: &recto_client,
        source: Source,
        call: Option<&recto_call>,
    ) -> Outcome<recto_operation> {
        let started =
            client.0.call(|client| client.start_json(self.kind, source, &self.options, &core_call(call)))?;
        Ok(recto_operation::new(&client.0, started))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_no_json_are_refused_without_being_quoted() {
        let error = OperationRequest::read("encrypt", Some("{\"password\": \"hunter2")).err().unwrap();
        let message = error.message().to_str().unwrap();
        assert_eq!(error.status(), RECTO_E_INVALID);
        assert!(message.contains("not JSON") && !message.contains("hunter2"), "{message}");
        assert!(
            OperationRequest::read("shrink", None)
                .err()
                .unwrap()
                .message()
                .to_str()
                .unwrap()
                .contains("optimize")
        );
    }
}
