//! `recto_operation`: starting operations, waiting for them, and downloading their results.

use crate::call::{core_call, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::memory::buffer::Buffer;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_text, pointer};
use crate::options::read_json;
use crate::result::recto_result;
use crate::status::*;
use crate::upload::{ReadCallback, WriteCallback, recto_read_fn, recto_write_fn};
use recto::{Call, FileId, Input, Operation, OperationKind, Source};
use serde_json::Value;
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, OnceLock};

/// A started operation. The client may be freed before it. Freeing the handle does not stop the operation in the
/// service.
///
/// Threads: any number at the same time, except for recto_operation_free().
pub struct recto_operation {
    shared: Arc<ClientState>,
    operation: Operation,
    id: CString,
    name: CString,
    operation_type: CString,
    /// The token. It is created when the caller requests it, because the files of the operation are kept from then on.
    token: OnceLock<CString>,
    request_id: Option<CString>,
}

/// Starts an operation on a file that is in the service, and returns its handle, freed with recto_operation_free().
///
/// `operation` is one of the names above, such as RECTO_OPTIMIZE. `options` is the object `options` of the interface
/// specification as JSON, such as "{\"profile\": \"web\"}", or NULL for none; recto_options_json() writes it. `call`
/// may be NULL.
///
/// Errors: RECTO_E_INVALID for invalid options, before anything is sent; RECTO_E_OUTCOME_UNKNOWN if it is unknown
/// whether the operation started; and the errors that any request can have.
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
            let request = OperationRequest::read(operation, options, call)?;
            out.set(request.start(&client.0, Source::file(FileId::new(file_id)), &core_call(call))?)
        }
    )
}

/// Uploads a local file and starts an operation on it: recto_upload_path() and recto_start() in one call. Invalid
/// arguments are refused before the upload.
///
/// Errors: those of the two functions, and RECTO_E_INVALID for a file whose extension the operation does not take,
/// unless recto_call_set_force() is set for the call.
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
        let request = OperationRequest::read(operation, options, call)?;
        out.set(request.start(&client.0, Source::path(path), &core_call(call))?)
    })
}

/// Uploads `length` bytes as a file `name` and starts an operation on it: recto_upload_data() and recto_start() in one
/// call.
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
            let request = OperationRequest::read(operation, options, call)?;
            out.set(request.start(&client.0, Source::bytes(data, name), &core_call(call))?)
        }
    )
}

/// Uploads the bytes that `read` returns as a file `name` and starts an operation on it: recto_upload_stream() and
/// recto_start() in one call.
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
            let request = OperationRequest::read(operation, options, call)?;
            let start = |source| request.start(&client.0, source, &core_call(call));
            out.set(ReadCallback::during(read, userdata, length, name, start)?)
        }
    )
}

/// Starts an operation on the result of another operation, `previous`, and waits for that result first. If both belong
/// to the same service, the result file is used there; otherwise it is downloaded and sent. `previous` may be freed
/// afterwards.
///
/// Errors: those of recto_operation_wait() and recto_start(); RECTO_E_INVALID if `previous` has no result file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_start_chained(
    client: *const recto_client,
    operation: *const c_char,
    previous: *const recto_operation,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, previous: handle, options: optional_text, call: optional => {
            let request = OperationRequest::read(operation, options, call)?;
            out.set(request.start(&client.0, previous.handle()?, &core_call(call))?)
        }
    )
}

/// Returns a handle of an operation that was started before, possibly by another process. `token` is the return value
/// of recto_operation_token() or recto_error_token(). No request is sent. The handle is freed with
/// recto_operation_free().
///
/// Errors: RECTO_E_INVALID for an invalid token, RECTO_E_CONFIG for a token of another service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_resume(
    client: *const recto_client,
    token: *const c_char,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, token: text => {
        let operation = client.0.call(|client| client.resume(token))?;
        out.set(recto_operation::new(&client.0, operation))
    })
}

/// The identifier of the operation in the service. Valid until the handle is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_id(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.id.as_ptr()) }
}

/// The name of the operation, such as "stamp-qr". Valid until the handle is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_name(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.name.as_ptr()) }
}

/// `operationType`, as in the response to the start of the operation, such as "stampQR". Valid until the handle is
/// freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_type(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| operation.operation_type.as_ptr()) }
}

/// The token with which recto_resume() resumes the operation, also in another process. It contains the identifier, the
/// operation and the base URL, but no API key and no presigned URL. An embedded service keeps the files of the
/// operation from now on, as after recto_operation_keep(). Valid until the handle is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_token(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(operation, std::ptr::null(), |operation| {
            operation.token.get_or_init(|| c_text(operation.operation.token())).as_ptr()
        })
    }
}

/// The request identifier, under which the service logged the request that started the operation; NULL if the service
/// sent none, for a resumed operation, and for NULL. Valid until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_request_id(operation: *const recto_operation) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, std::ptr::null(), |operation| pointer(operation.request_id.as_ref())) }
}

/// Requests the status once, and returns it as the service spells it, such as "inProgress" or "finished", freed with
/// recto_free(). For a failed operation this function returns the failed status, not an error. `call` may be NULL.
///
/// Errors: those that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_status(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        out.set_text(operation.call(|operation| operation.status(&core_call(call)))?.as_str())
    })
}

/// Waits until the operation has ended, and returns its result, freed with recto_result_free(). A document that does
/// not conform is a result, not an error. `call` may be NULL.
///
/// Errors: RECTO_E_WAIT_TIMEOUT if the operation has not ended in time; it continues in the service, and recto_resume()
/// resumes it with recto_error_token(). RECTO_E_OPERATION_FAILED if the operation failed. And the errors that
/// any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_wait(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut recto_result,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        out.set(operation.call(|operation| operation.wait(&core_call(call)))?.into())
    })
}

/// Waits, and saves the result file to `path`. The file is written atomically: an existing file is replaced only when
/// the new one is complete, and keeps its mode. `call` may be NULL.
///
/// If `path` is a directory, the file is named after the source, with the extension of the operation's result. There it
/// never replaces the source, nor a result that the client wrote for another source or operation. If the source has no
/// name on this machine (a file in the service, a resumed operation), the stem of the service's name for the result is
/// used, and no file is replaced.
///
/// If `saved` is not NULL, it receives the path of the file, freed with recto_free().
///
/// Errors: those of recto_operation_wait() and of the download; RECTO_E_IO if the file cannot be written, or exists and
/// may not be replaced; RECTO_E_INVALID for an operation without a result file, or if the source or another result
/// would be replaced.
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
        saved.map_or(Ok(()), |saved| saved.set_path(&path))
    })
}

/// Waits, and returns the bytes of the result file in memory, freed with recto_free(). `call` may be NULL.
///
/// Errors: those of recto_operation_wait() and of the download; RECTO_E_INVALID for an operation without a result file.
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
        // This allocates memory even for an empty file, because a NULL pointer would mean a failure.
        buffer.append(&[]).map_err(|error| recto_error::out_of_memory(&error))?;
        let (start, in_use) = buffer.into_raw();
        *length = in_use;
        data.set_pointer(start);
        Ok(())
    })
}

/// Waits, and passes the bytes of the result file to `write`, in pieces. `call` may be NULL. If `length` is not NULL,
/// it receives the number of bytes.
///
/// Errors: RECTO_E_CANCELLED if `write` ends the call; and those of recto_operation_read().
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

/// Deletes from the service the result file of the operation, and its document if it was uploaded by the call that
/// started the operation. A document that was in the service before stays there. A file that was already deleted is not
/// an error. `call` may be NULL.
///
/// Errors: RECTO_E_INVALID if the operation has not ended; and the errors that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_delete(
    operation: *const recto_operation,
    call: *const recto_call,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, operation: handle, call: optional => {
        operation.call(|operation| operation.delete(&core_call(call)))
    })
}

/// Keeps the document and the result of the operation in the embedded service until they expire, even if the handle is
/// freed: see FILES at the top. Other services keep them in any case. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_keep(operation: *const recto_operation) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(operation, (), |operation| operation.operation.keep()) };
}

/// Frees the handle. None of its calls may be running. The operation continues in the service. The embedded service
/// deletes the files of the operation that are no longer needed: see FILES at the top. NULL is allowed and does
/// nothing.
///
/// Threads: any, once. If it is the last handle that uses the embedded service, it can take as long as
/// recto_client_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_operation_free(operation: *mut recto_operation) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(operation) };
}

/// Several threads may use an operation at the same time.
const _: () = {
    const fn is_sync<T: Sync>() {}
    is_sync::<recto_operation>();
};

impl recto_operation {
    fn new(shared: &Arc<ClientState>, operation: Operation) -> Self {
        Self {
            shared: Arc::clone(shared),
            id: c_text(operation.id()),
            name: c_text(operation.name()),
            operation_type: c_text(operation.operation_type().as_str()),
            token: OnceLock::new(),
            request_id: operation.request_id().map(c_text),
            operation,
        }
    }

    /// What a call in the background needs of it.
    pub(crate) fn parts(&self) -> (Arc<ClientState>, Operation) {
        (Arc::clone(&self.shared), self.operation.clone())
    }

    /// The operation of the core, as the source of another call.
    pub(crate) fn handle(&self) -> Outcome<Operation> {
        self.shared.check_usable()?;
        Ok(self.operation.clone())
    }

    pub(crate) fn call<T>(&self, call: impl FnOnce(&Operation) -> Result<T, recto::Error>) -> Outcome<T> {
        self.shared.call(|_| call(&self.operation))
    }
}

/// The operation to start, with its options.
pub(crate) struct OperationRequest {
    operation: Requested,
    pub(crate) options: Value,
}

enum Requested {
    /// An operation of the table of operations, whose options are checked.
    Known(OperationKind),
    /// An operation that this version may not know.
    Unchecked(String),
}

impl OperationRequest {
    pub(crate) fn read(operation: &str, options: Option<&str>, call: Option<&recto_call>) -> Outcome<Self> {
        let operation = match call.is_some_and(|call| call.unchecked) {
            true => Requested::Unchecked(operation.to_owned()),
            false => Requested::Known(known(operation)?),
        };
        Ok(Self { operation, options: options.map_or(Ok(Value::Null), read_json)? })
    }

    pub(crate) fn start(
        &self,
        client: &Arc<ClientState>,
        input: impl Into<Input>,
        call: &Call<'_>,
    ) -> Outcome<recto_operation> {
        let started = client.call(|client| match &self.operation {
            Requested::Known(kind) => client.start_json(*kind, input, &self.options, call),
            Requested::Unchecked(name) => client.run(name, input, &self.options, call),
        })?;
        Ok(recto_operation::new(client, started))
    }
}

/// The operation of the table with this name.
pub(crate) fn known(name: &str) -> Outcome<OperationKind> {
    name.parse::<OperationKind>().map_err(|unknown| recto_error::new(RECTO_E_INVALID, unknown.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_not_json_are_refused_without_being_quoted() {
        let error = OperationRequest::read("encrypt", Some("{\"password\": \"hunter2"), None).err().unwrap();
        let message = error.message().to_str().unwrap();
        assert_eq!(error.status(), RECTO_E_INVALID);
        assert!(message.contains("not valid JSON") && !message.contains("hunter2"), "{message}");
        assert!(
            OperationRequest::read("shrink", None, None)
                .err()
                .unwrap()
                .message()
                .to_str()
                .unwrap()
                .contains("optimize")
        );
    }
}
