//! `recto_batch`: one operation on many documents.

mod watch;

use crate::call::{core_call, recto_call};
use crate::cancel::recto_cancel;
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_path, c_text, pointer};
use crate::operation::{known, recto_operation};
use crate::options::{read_json, read_json_object};
use crate::result::recto_result;
use crate::status::*;
use recto::{Batch, BatchBuilder, BatchItem, BatchSource, Call, FileId, Overrides, Source};
use serde_json::Value;
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::null;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use watch::WatchSettings;

/// A batch runs one operation on many documents, several at the same time, and returns each document when it is done.
///
/// Create it, set its settings, add the documents, and call recto_batch_next() until there are no more. The client may
/// be freed before it.
///
/// Threads: one at a time. The batch processes documents in its own threads, which also call the log callback of the
/// client.
pub struct recto_batch(Arc<SharedBatch>);

/// The state of a batch, which its handle and a background call share.
pub(crate) struct SharedBatch {
    client: Arc<ClientState>,
    state: Mutex<State>,
}

enum State {
    Prepared(Box<BatchBuilder>, Vec<BatchSource>, Box<WatchSettings>),
    Running(Box<Batch<'static>>),
    Ended,
}

/// One document of a batch, with its outcome. What the accessors return is valid until the item is
/// freed.
///
/// Threads: one at a time.
pub struct recto_batch_item {
    index: usize,
    source: CString,
    path: Option<CString>,
    operation_id: Option<CString>,
    result: Option<recto_result>,
    resumed: bool,
    error: Option<Box<recto_error>>,
    left_behind: Option<Box<recto_error>>,
    moved_to: Option<CString>,
}

/// Creates a batch, freed with recto_batch_free(). `operation` and `options` are those of recto_start(). Nothing is
/// read or sent before the first recto_batch_next().
///
/// Errors: RECTO_E_INVALID for invalid options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_new(
    client: *const recto_client,
    operation: *const c_char,
    options: *const c_char,
    out: *mut *mut recto_batch,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, operation: text, options: optional_text => {
        let (kind, options) = (known(operation)?, options.map_or(Ok(Value::Null), read_json)?);
        let builder = client.0.call(|client| client.batch_json(kind, &options))?;
        let state = Mutex::new(State::Prepared(Box::new(builder), Vec::new(), Box::default()));
        out.set(recto_batch(Arc::new(SharedBatch { client: Arc::clone(&client.0), state })))
    })
}

/// Sets a setting, before the first recto_batch_next(). Switches are "true" or "false". The settings:
///
/// - `to`: the directory of the result files, which is created if it does not exist. A result has the name of its
///   source, with the extension of the result's format. If another source of the batch has the same name, "-2", "-3"
///   and so on is appended. An existing file of that name is replaced. Default: result files stay in the service.
/// - `overwrite`: whether a result may replace a file that existed before the batch. If not, the document fails.
///   Default: true.
/// - `relative_to`: a directory that contains the sources. The results are saved in the same subdirectories below `to`.
///   Default: all results are in one directory.
/// - `concurrency`: how many documents are processed at the same time, 1 to 256. Default: 8.
/// - `journal`: a file in which each step is recorded before the next one starts, without secrets. A batch with the
///   journal of an earlier run resumes it: finished documents are skipped, failed ones are tried again. Default: none.
/// - `stop_on_error`: whether no further documents are started after the first one that fails. Default: false.
/// - `delete_after`: whether a document and its result are deleted from the service once the result is saved. Default:
///   false.
/// - `force`: whether an input is sent even if the operation does not take its extension. Default: false.
/// - `extra_options`: options that this version does not know, as in recto_call_set_extra_options(). Default: none.
/// - `watch`: a folder whose files are processed as they arrive, in place of documents that are added. The batch ends
///   only when it is stopped with recto_batch_stop_on() or cancelled, or with an error that every other document would
///   have too. A result replaces no file. The default of `journal` is a hidden file in the folder: a watch that was
///   killed processes nothing twice. Default: none.
/// - `recursive`: whether files in subfolders of the watched folder count. Default: false.
/// - `settle_ms`: a file is complete when it has not changed for so many milliseconds; a file that was renamed to its
///   path is complete at once. Default: 2000.
/// - `move_originals`: the folder to which a file of the watched folder is moved when it is done. Default: it stays.
/// - `delete_originals`: whether a file of the watched folder is deleted when it is done. Default: false.
/// - `failed`: the folder to which a file that cannot be processed is moved, with a text that contains the reason.
///   After any other failure the file stays, and is tried again. Default: `failed` in the watched folder.
///
/// Errors: RECTO_E_CONFIG for an unknown setting or an invalid value, and after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_set(
    batch: *mut recto_batch,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, name: text, value: path => batch.set(name, value))
}

/// Sets a header of the requests of the batch, before the first recto_batch_next(), as recto_call_set_header() does.
///
/// Errors: RECTO_E_CONFIG for an invalid header, and after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_set_header(
    batch: *mut recto_batch,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, name: text, value: text => {
        batch.configure(|| {
            Overrides::new().header(name, value).check()?;
            Ok(move |builder: BatchBuilder| builder.header(name, value))
        })
    })
}

/// Ends the batch when `stop` is triggered, before the first recto_batch_next(): it takes no further documents, and
/// recto_batch_next() returns those in progress, and then RECTO_DONE. By contrast, the cancel switch of a call also
/// cancels the documents in progress. The switch may be freed before the batch.
///
/// Errors: RECTO_E_CONFIG after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_stop_on(
    batch: *mut recto_batch,
    stop: *const recto_cancel,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, stop: handle => {
        batch.configure(|| Ok(|builder: BatchBuilder| builder.until(&stop.0)))
    })
}

/// Adds a document before the first recto_batch_next(): a local file, or an `http(s)://` address from which the service
/// downloads the document.
///
/// Errors: RECTO_E_CONFIG after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_add(
    batch: *mut recto_batch,
    path: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, path: path => batch.add(Source::path(path)))
}

/// Adds a document that consists of `length` bytes and is called `name`, before the first recto_batch_next(). The bytes
/// are copied. In a batch with a journal, this document fails, because the journal cannot identify it.
///
/// Errors: RECTO_E_CONFIG after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_add_data(
    batch: *mut recto_batch,
    data: *const c_void,
    length: usize,
    name: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, data + length: bytes, name: text => batch.add(Source::bytes(data, name)))
}

/// Adds a file that is in the service, before the first recto_batch_next(). `delete_after` does not delete it.
///
/// Errors: RECTO_E_CONFIG after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_add_file(
    batch: *mut recto_batch,
    file_id: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, file_id: text => batch.add(FileId::new(file_id)))
}

/// Adds the result of an operation as a document, before the first recto_batch_next(). The batch waits for this result.
/// The operation may be freed afterwards. `delete_after` does not delete its result.
///
/// Errors: RECTO_E_CONFIG after the first recto_batch_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_add_operation(
    batch: *mut recto_batch,
    operation: *const recto_operation,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, operation: handle => batch.add(operation.handle()?))
}

/// Waits for the next document that succeeds or fails, and returns it, freed with recto_batch_item_free(). `call` may
/// be NULL; its cancel switch and its time limit end the batch.
///
/// Returns RECTO_DONE, with `out` set to NULL, when there are no more documents.
///
/// Errors: from the first call, RECTO_E_CONFIG for contradictory settings and for a journal that is damaged, in use, or
/// of another batch, and RECTO_E_IO for a directory that cannot be created. From any call, RECTO_E_CANCELLED if the
/// call or the client was cancelled. An error ends the batch. A document that fails is not an error of this function:
/// see recto_batch_item_error().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_next(
    batch: *mut recto_batch,
    call: *const recto_call,
    out: *mut *mut recto_batch_item,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut done = false;
    let status = entry!(err, out: out, batch: handle_mut, call: optional => {
        match batch.0.next(&core_call(call))? {
            Some(item) => out.set(item),
            None => {
                done = true;
                Ok(())
            }
        }
    });
    if done { RECTO_DONE } else { status }
}

/// Ends a batch and frees it. Documents in progress are cancelled within about 50 ms, and the journal is complete. If a
/// background call uses the batch, the batch ends only when that call ends: free the task first. NULL is allowed and
/// does nothing.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_free(batch: *mut recto_batch) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(batch) };
}

/// The position of the document among those that were added, counted from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_index(item: *const recto_batch_item) -> usize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, 0, |item| item.index) }
}

/// The document as it was added: its path, its address without the query, its name, or a text that contains its
/// identifier. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_source(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.source.as_ptr()) }
}

/// Why the document failed; NULL if it succeeded. It belongs to the item and must not be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_error(item: *const recto_batch_item) -> *const recto_error {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.error.as_deref().map_or(null(), std::ptr::from_ref)) }
}

/// The path of the result file; NULL if the document failed, the operation has no result file, or `to` is not set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_path(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| pointer(item.path.as_ref())) }
}

/// The identifier of the operation; NULL if the document failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_operation_id(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| pointer(item.operation_id.as_ref())) }
}

/// The result; NULL if the document failed, or was finished in an earlier run. It belongs to the item and must not be
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_result(item: *const recto_batch_item) -> *const recto_result {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.result.as_ref().map_or(null(), std::ptr::from_ref)) }
}

/// 1 if the document was finished in an earlier run with the same journal; otherwise 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_is_resumed(item: *const recto_batch_item) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, 0, |item| item.resumed.into()) }
}

/// With `delete_after`: why files of the document could not be deleted from the service. With `watch`: why its file
/// could not be moved or deleted. Otherwise NULL. It belongs to the item and must not be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_left_behind(item: *const recto_batch_item) -> *const recto_error {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(item, null(), |item| item.left_behind.as_deref().map_or(null(), std::ptr::from_ref))
    }
}

/// The path to which a batch that watches a folder has moved the file; otherwise NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_moved_to(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| pointer(item.moved_to.as_ref())) }
}

/// Frees an item. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_free(item: *mut recto_batch_item) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(item) };
}

impl recto_batch {
    /// The parts that a background call needs.
    pub(crate) fn parts(&self) -> (Arc<ClientState>, Arc<SharedBatch>) {
        (Arc::clone(&self.0.client), Arc::clone(&self.0))
    }

    fn set(&mut self, name: &str, value: &Path) -> Outcome {
        if let State::Prepared(_, _, watch) = &mut *self.0.lock()?
            && watch.set(name, value)?
        {
            return Ok(());
        }
        self.configure(|| {
            let setting = Setting::read(name, value)?;
            Ok(move |builder| setting.apply(builder))
        })
    }

    /// Applies a setting. Calls `read` only if the batch is not running yet.
    fn configure<F: FnOnce(BatchBuilder) -> BatchBuilder>(
        &mut self,
        read: impl FnOnce() -> Outcome<F>,
    ) -> Outcome {
        let mut state = self.0.lock()?;
        let State::Prepared(builder, ..) = &mut *state else { return Err(already_running()) };
        let apply = read()?;
        **builder = apply((**builder).clone());
        Ok(())
    }

    fn add(&mut self, source: impl Into<BatchSource>) -> Outcome {
        match &mut *self.0.lock()? {
            State::Prepared(_, sources, _) => sources.push(source.into()),
            _ => return Err(already_running()),
        }
        Ok(())
    }
}

impl SharedBatch {
    /// The state. It stays locked during the wait for the next document.
    fn lock(&self) -> Outcome<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let message = "a background call uses the batch; wait for its task, or free it";
                Err(recto_error::new(RECTO_E_INVALID, message))
            }
        }
    }

    /// Waits for the next document that succeeds or fails; `None` when there are no more.
    pub(crate) fn next(&self, call: &Call<'_>) -> Outcome<Option<recto_batch_item>> {
        self.client.check_usable()?;
        let mut state = self.lock()?;
        *state = match std::mem::replace(&mut *state, State::Ended) {
            State::Prepared(builder, sources, watch) => {
                let watch = watch.watch(!sources.is_empty())?;
                let started = self.client.call(|_| match watch {
                    Some(watch) => builder.watch(watch),
                    None => builder.run(sources),
                });
                State::Running(Box::new(started?))
            }
            state => state,
        };
        let State::Running(batch) = &mut *state else { return Ok(None) };
        let next = self.client.call(|_| batch.next_item(call));
        if !matches!(next, Ok(Some(_))) {
            *state = State::Ended;
        }
        Ok(next?.map(Into::into))
    }
}

impl From<BatchItem> for recto_batch_item {
    fn from(item: BatchItem) -> Self {
        let (done, error) = match item.outcome {
            Ok(done) => (Some(done), None),
            Err(error) => (None, Some(error.into())),
        };
        let (mut path, mut operation_id, mut result, mut resumed) = (None, None, None, false);
        if let Some(done) = done {
            path = done.path.as_deref().map(c_path);
            operation_id = Some(c_text(done.operation_id));
            result = done.result.map(recto_result::from);
            resumed = done.resumed;
        }
        Self {
            index: item.index,
            source: c_path(&item.source),
            path,
            operation_id,
            result,
            resumed,
            error,
            left_behind: item.left_behind.map(Into::into),
            moved_to: item.moved_to.as_deref().map(c_path),
        }
    }
}

/// A parsed setting, which can be applied without an error.
enum Setting<'a> {
    To(&'a Path),
    RelativeTo(&'a Path),
    Concurrency(usize),
    Journal(&'a Path),
    StopOnError(bool),
    Overwrite(bool),
    DeleteAfter(bool),
    Force(bool),
    ExtraOptions(Value),
}

impl<'a> Setting<'a> {
    fn read(name: &str, value: &'a Path) -> Outcome<Self> {
        let switch = || switch(name, value);
        let number = || value.to_str().and_then(|text| text.parse().ok());
        Ok(match name {
            "to" => Self::To(value),
            "relative_to" => Self::RelativeTo(value),
            "concurrency" => Self::Concurrency(
                number()
                    .ok_or_else(|| recto_error::invalid_setting(name, value, "a number from 1 to 256"))?,
            ),
            "journal" => Self::Journal(value),
            "stop_on_error" => Self::StopOnError(switch()?),
            "overwrite" => Self::Overwrite(switch()?),
            "delete_after" => Self::DeleteAfter(switch()?),
            "force" => Self::Force(switch()?),
            "extra_options" => Self::ExtraOptions(read_json_object(&value.to_string_lossy())?),
            _ => {
                let known = "to, relative_to, overwrite, concurrency, journal, stop_on_error, delete_after, \
                             force, extra_options";
                let watch = WatchSettings::NAMES;
                let message =
                    format!("unknown setting {name:?} of a batch; the settings are {known}, {watch}");
                return Err(recto_error::new(RECTO_E_CONFIG, message));
            }
        })
    }

    fn apply(self, builder: BatchBuilder) -> BatchBuilder {
        match self {
            Self::To(directory) => builder.to(directory),
            Self::RelativeTo(directory) => builder.relative_to(directory),
            Self::Concurrency(documents) => builder.concurrency(documents),
            Self::Journal(path) => builder.journal(path),
            Self::StopOnError(yes) => builder.stop_on_error(yes),
            Self::Overwrite(yes) => builder.overwrite(yes),
            Self::DeleteAfter(yes) => builder.delete_after(yes),
            Self::Force(yes) => builder.force(yes),
            Self::ExtraOptions(options) => builder.extra_options(options),
        }
    }
}

fn switch(name: &str, value: &Path) -> Outcome<bool> {
    match value.to_str() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => Err(recto_error::invalid_setting(name, value, "true or false")),
    }
}

fn already_running() -> Box<recto_error> {
    recto_error::new(
        RECTO_E_CONFIG,
        "the batch is already running: set settings and add documents before the first recto_batch_next()",
    )
}
