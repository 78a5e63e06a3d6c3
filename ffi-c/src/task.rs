//! `recto_task`: a call that runs in the background, for hosts with an event loop.

mod descriptor;
mod shared;
mod threads;

pub(crate) use threads::shut_down;

use crate::batch::{recto_batch, recto_batch_item};
use crate::call::{CallSettings, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::memory::buffer::Buffer;
use crate::memory::handles::{free, read_handle};
use crate::operation::{OperationRequest, recto_operation};
use crate::result::recto_result;
use crate::status::*;
use recto::{Call, FileId, Source};
use shared::{Outputs, Shared};
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::Arc;

/// A call that runs in the background. Its descriptor becomes readable when the call has ended, so that an event loop
/// can wait for it. Then recto_task_take_operation(), _result(), _path(), _data(), _file_id() or _item() returns what
/// the call has returned:
///
///     recto_background_run(client, RECTO_OPTIMIZE, "report.pdf", NULL, "small.pdf", NULL, &task, &error);
///     ... add recto_task_descriptor(task) to the loop, and when it is readable: ...
///     recto_task_take_path(task, &path, &error);
///     recto_task_free(task);
///
/// Nothing blocks: neither the functions that start a task, nor recto_task_free(). The calls run on threads of the
/// library, at most 64 at the same time; further tasks wait for a thread. The settings of the call are copied. Its
/// progress callback runs on such a thread, and never after recto_task_free() has returned. A
/// document that a read callback provides is uploaded with recto_upload_stream(), which blocks.
///
/// Threads: one at a time; recto_task_cancel() on any thread.
pub struct recto_task(Arc<Shared>);

/// Uploads a local file and starts an operation on it, in the background: recto_start_path(). The task returns the
/// operation. The task is freed with recto_task_free().
///
/// Errors: RECTO_E_INVALID for invalid options; RECTO_E_IO if no thread can be started. Errors of the call itself are
/// returned by recto_task_take_operation().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_start_path(
    client: *const recto_client,
    operation: *const c_char,
    path: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, operation: text, path: path, options: optional_text, call: optional => {
        let request = OperationRequest::read(operation, options, call)?;
        let (client, source) = (Arc::clone(&client.0), path.to_owned());
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let operation = request.start(&client, Source::path(source), call)?;
            Ok(Outputs { operation: Some(operation), ..Outputs::default() })
        })?)
    })
}

/// Starts an operation on a file that is in the service, in the background: recto_start(). The task returns the
/// operation. The task is freed with recto_task_free().
///
/// Errors: as recto_background_start_path().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_start(
    client: *const recto_client,
    operation: *const c_char,
    file_id: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, operation: text, file_id: text, options: optional_text, call: optional => {
        let request = OperationRequest::read(operation, options, call)?;
        let (client, source) = (Arc::clone(&client.0), FileId::new(file_id));
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let operation = request.start(&client, Source::file(source), call)?;
            Ok(Outputs { operation: Some(operation), ..Outputs::default() })
        })?)
    })
}

/// Uploads `length` bytes, which are copied, as a file `name` and starts an operation on it, in the background:
/// recto_start_data(). The task returns the operation. The task is freed with recto_task_free().
///
/// Errors: as recto_background_start_path().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_start_data(
    client: *const recto_client,
    operation: *const c_char,
    data: *const c_void,
    length: usize,
    name: *const c_char,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, data + length: bytes, name: text, options: optional_text,
        call: optional => {
            let request = OperationRequest::read(operation, options, call)?;
            let (client, source) = (Arc::clone(&client.0), Source::bytes(data, name));
            out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
                let operation = request.start(&client, source, call)?;
                Ok(Outputs { operation: Some(operation), ..Outputs::default() })
            })?)
        }
    )
}

/// Does a whole job in the background: uploads the file `path`, starts an operation on it, waits, and saves the result
/// to `save_to`, as recto_operation_save() does. The task returns the operation and the path of the saved file. The
/// task is freed with recto_task_free().
///
/// Errors: as recto_background_start_path().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_run(
    client: *const recto_client,
    operation: *const c_char,
    path: *const c_char,
    options: *const c_char,
    save_to: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, path: path, options: optional_text, save_to: path,
        call: optional => {
            let request = OperationRequest::read(operation, options, call)?;
            let (client, source, save_to) = (Arc::clone(&client.0), path.to_owned(), save_to.to_owned());
            out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
                let operation = request.start(&client, Source::path(source), call)?;
                let saved = operation.call(|operation| operation.save(save_to.as_path(), call))?;
                Ok(Outputs { operation: Some(operation), path: Some(saved), ..Outputs::default() })
            })?)
        }
    )
}

/// Waits in the background until the operation has ended: recto_operation_wait(). The task returns the result. The task
/// is freed with recto_task_free(). The operation may be freed before the task.
///
/// Errors: RECTO_E_IO if no thread can be started. Errors of the call itself are returned by recto_task_take_result().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_wait(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        let (client, operation) = operation.parts();
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let result = client.call(|_| operation.wait(call))?;
            Ok(Outputs { result: Some(result.into()), ..Outputs::default() })
        })?)
    })
}

/// Waits, and saves the result file to `path`, in the background: recto_operation_save(). The task returns the path of
/// the file. The task is freed with recto_task_free(). The operation may be freed before the task.
///
/// Errors: as recto_background_wait().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_save(
    operation: *const recto_operation,
    path: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, path: path, call: optional => {
        let ((client, operation), path) = (operation.parts(), path.to_owned());
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let saved = client.call(|_| operation.save(path.as_path(), call))?;
            Ok(Outputs { path: Some(saved), ..Outputs::default() })
        })?)
    })
}

/// Waits, and reads the result file into memory, in the background: recto_operation_read(). The task returns the bytes.
/// The task is freed with recto_task_free(). The operation may be freed before the task.
///
/// Errors: as recto_background_wait().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_read(
    operation: *const recto_operation,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, operation: handle, call: optional => {
        let (client, operation) = operation.parts();
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let mut data = Vec::new();
            client.call(|_| operation.write_to(&mut data, call))?;
            Ok(Outputs { data: Some(data), ..Outputs::default() })
        })?)
    })
}

/// Uploads a local file in the background: recto_upload_path(). The task returns the identifier of the file. The task
/// is freed with recto_task_free().
///
/// Errors: as recto_background_wait().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_upload_path(
    client: *const recto_client,
    path: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, path: path, call: optional => {
        let (client, source) = (Arc::clone(&client.0), path.to_owned());
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let id = client.call(|client| client.files().upload(Source::path(source), call))?;
            Ok(Outputs { file_id: Some(id), ..Outputs::default() })
        })?)
    })
}

/// Uploads `length` bytes, which are copied, as a file `name`, in the background: recto_upload_data(). The task
/// returns the identifier of the file. The task is freed with recto_task_free().
///
/// Errors: as recto_background_wait().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_upload_data(
    client: *const recto_client,
    data: *const c_void,
    length: usize,
    name: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, data + length: bytes, name: text, call: optional => {
        let (client, source) = (Arc::clone(&client.0), Source::bytes(data, name));
        out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
            let id = client.call(|client| client.files().upload(source, call))?;
            Ok(Outputs { file_id: Some(id), ..Outputs::default() })
        })?)
    })
}

/// Starts an operation on the result of another operation, in the background: recto_start_chained(). The task returns
/// the operation. The task is freed with recto_task_free(). `previous` may be freed before the task.
///
/// Errors: as recto_background_start_path().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_start_chained(
    client: *const recto_client,
    operation: *const c_char,
    previous: *const recto_operation,
    options: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(
        err, out: out, client: handle, operation: text, previous: handle, options: optional_text, call: optional => {
            let request = OperationRequest::read(operation, options, call)?;
            let (client, previous) = (Arc::clone(&client.0), previous.handle()?);
            out.set(recto_task::begin(&Arc::clone(&client), call, move |call| {
                let operation = request.start(&client, previous, call)?;
                Ok(Outputs { operation: Some(operation), ..Outputs::default() })
            })?)
        }
    )
}

/// Waits in the background for the next document of a batch that succeeds or fails: recto_batch_next(). The task
/// returns the item. The task is freed with recto_task_free(). Until the call ends, no other call can use the batch.
///
/// Errors: as recto_background_wait().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_background_batch_next(
    batch: *mut recto_batch,
    call: *const recto_call,
    out: *mut *mut recto_task,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, batch: handle_mut, call: optional => {
        let (client, batch) = batch.parts();
        out.set(recto_task::begin(&client, call, move |call| {
            Ok(Outputs { item: Some(batch.next(call)?), ..Outputs::default() })
        })?)
    })
}

/// The descriptor of a task: it becomes readable when the call has ended, and stays so. Wait for it with poll(), epoll
/// or an event loop; do not read from it and do not close it. On Windows it is the HANDLE of an event, for
/// WaitForSingleObject(). It belongs to the task. -1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_descriptor(task: *const recto_task) -> isize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(task, -1, |task| task.0.descriptor()) }
}

/// Whether the call has ended: RECTO_OK if it has, also with an error; RECTO_PENDING if it still runs after
/// `timeout_ms` milliseconds. With 0 it returns at once, with RECTO_FOREVER it waits without a limit.
///
/// Errors: RECTO_E_INVALID for an invalid time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_poll(
    task: *const recto_task,
    timeout_ms: i64,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, task: handle => {
        pending = !task.0.wait(timeout_ms)?;
        Ok(())
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the operation that the task has started, freed with recto_operation_free(). It can be taken once.
/// RECTO_PENDING if the call still runs.
///
/// Errors: those of the call; RECTO_E_INVALID if the task returns no operation, or it was already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_operation(
    task: *const recto_task,
    out: *mut *mut recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, out: out, task: handle => {
        match task.0.take(|outputs| outputs.operation.take())? {
            Some(operation) => out.set(operation),
            None => { pending = true; Ok(()) }
        }
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the result that the task has waited for, freed with recto_result_free(). It can be taken once. RECTO_PENDING
/// if the call still runs.
///
/// Errors: those of the call; RECTO_E_INVALID if the task returns no result, or it was already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_result(
    task: *const recto_task,
    out: *mut *mut recto_result,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, out: out, task: handle => {
        match task.0.take(|outputs| outputs.result.take())? {
            Some(result) => out.set(result),
            None => { pending = true; Ok(()) }
        }
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the path of the file that the task has saved, freed with recto_free(). It can be taken once. RECTO_PENDING
/// if the call still runs.
///
/// Errors: those of the call; RECTO_E_INVALID if the task saves no file, or its path was already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_path(
    task: *const recto_task,
    out: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, out: out, task: handle => {
        match task.0.take(|outputs| outputs.path.take())? {
            Some(path) => out.set_path(&path),
            None => { pending = true; Ok(()) }
        }
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the bytes that the task has read, freed with recto_free(). They can be taken once. RECTO_PENDING if the call
/// still runs.
///
/// Errors: those of the call; RECTO_E_INVALID if the task reads no file, or its bytes were already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_data(
    task: *const recto_task,
    data: *mut *mut c_void,
    length: *mut usize,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, data: out, length: number, task: handle => {
        let Some(bytes) = task.0.take(|outputs| outputs.data.take())? else {
            pending = true;
            return Ok(());
        };
        let mut buffer = Buffer::default();
        buffer.append(&bytes).map_err(|error| recto_error::out_of_memory(&error))?;
        let (start, in_use) = buffer.into_raw();
        *length = in_use;
        data.set_pointer(start);
        Ok(())
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the identifier of the file that the task has uploaded, freed with recto_free(). It can be taken once.
/// RECTO_PENDING if the call still runs.
///
/// Errors: those of the call; RECTO_E_INVALID if the task uploads no file, or its identifier was already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_file_id(
    task: *const recto_task,
    out: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut pending = false;
    let status = entry!(err, out: out, task: handle => {
        match task.0.take(|outputs| outputs.file_id.take())? {
            Some(id) => out.set_text(id.as_str()),
            None => { pending = true; Ok(()) }
        }
    });
    if pending { RECTO_PENDING } else { status }
}

/// Returns the item of a batch that the task has waited for, freed with recto_batch_item_free(). It can be taken once.
/// RECTO_PENDING if the call still runs; RECTO_DONE, with `out` set to NULL, when the batch has no more documents.
///
/// Errors: those of the call; RECTO_E_INVALID if the task returns no item, or it was already taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_take_item(
    task: *const recto_task,
    out: *mut *mut recto_batch_item,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut other = None;
    let status = entry!(err, out: out, task: handle => {
        match task.0.take(|outputs| outputs.item.take())? {
            Some(Some(item)) => return out.set(item),
            Some(None) => other = Some(RECTO_DONE),
            None => other = Some(RECTO_PENDING),
        }
        Ok(())
    });
    other.unwrap_or(status)
}

/// Cancels the call within 50 ms: it ends with RECTO_E_CANCELLED, unless it ends otherwise before. NULL is allowed and
/// does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_cancel(task: *const recto_task) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(task, (), |task| task.0.cancel()) };
}

/// Frees a task and closes its descriptor. A call that still runs is cancelled. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_task_free(task: *mut recto_task) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(task) };
}

impl recto_task {
    fn begin(
        client: &ClientState,
        call: Option<&recto_call>,
        work: impl FnOnce(&Call<'_>) -> Outcome<Outputs> + Send + 'static,
    ) -> Outcome<Self> {
        client.check_usable()?;
        let shared = Arc::new(Shared::new()?);
        let (running, settings) = (Arc::clone(&shared), CallSettings::copy(call));
        threads::submit(Box::new(move || running.run(&settings, work))).map_err(|error| {
            recto_error::new(RECTO_E_IO, format!("cannot start a thread for a background call: {error}"))
        })?;
        Ok(Self(shared))
    }
}

impl Drop for recto_task {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// What a task can return.
#[allow(unused)]
fn outputs_can_be_sent(outputs: Outputs) -> impl Send {
    let _: &Option<PathBuf> = &outputs.path;
    outputs
}
