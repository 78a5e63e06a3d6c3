//! `recto_batch`: many documents through one operation.

use crate::call::{core_call, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_path, c_text, pointer};
use crate::operation::OperationRequest;
use crate::result::recto_result;
use crate::status::*;
use recto::{Batch, BatchBuilder, BatchItem};
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::Arc;

/// Many documents through one operation: so many at once, each handed out as it is done.
///
/// It is made, told what to do, given documents, and then asked for one after the other. It outlives its client's
/// handle.
///
/// Threads: one at a time. The documents are worked on in threads of its own, where a log of the client is called too.
pub struct recto_batch {
    shared: Arc<ClientState>,
    state: State,
}

enum State {
    Prepared(Box<BatchBuilder>, Vec<PathBuf>),
    Running(Box<Batch<'static>>),
    Ended,
}

/// One document of a batch, and what became of it. What the accessors return lives as long as it.
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
}

/// Makes a batch for an operation with its options, as recto_start() takes them; it is freed with recto_batch_free().
/// Nothing is read or sent before the first recto_batch_next().
///
/// Errors: RECTO_E_INVALID for options that the service could only refuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_new(
    client: *const recto_client,
    operation: *const c_char,
    options: *const c_char,
    out: *mut *mut recto_batch,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, operation: text, options: optional_text => {
        let request = OperationRequest::read(operation, options)?;
        let builder = client.0.call(|client| client.batch_json(request.kind, &request.options))?;
        out.give(recto_batch { shared: Arc::clone(&client.0), state: State::Prepared(Box::new(builder), Vec::new()) })
    })
}

/// Tells a setting, before the first recto_batch_next(). Switches are "true" or "false". The settings:
///
/// - `to`: the directory of the result files; it is made if it is not there. A result is called as its source, with the
///   extension of what it is; where that name is taken by another source, "-2", "-3" is put behind it. A file of that
///   name that was there before is replaced. Default: result files stay in the service.
/// - `relative_to`: keeps the folders that a source has below this directory. Default: none are kept.
/// - `concurrency`: how many documents are in work at once, 1 to 256. Default: 8.
/// - `journal`: a file that each step is written to before the next is taken, without secrets. A batch with the journal
///   of an earlier run goes on from it: what is done is not done again, what failed is tried again. Default: none.
/// - `stop_on_error`: after the first document that fails, takes no further ones. Default: false.
/// - `delete_after`: deletes a document and its result from the service as soon as the result is here. Default: false.
/// - `force`: sends an input even where its extension is none that the operation takes. Default: false.
///
/// Errors: RECTO_E_CONFIG for an unknown setting or a value that cannot be read, and once the batch has begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_set(
    batch: *mut recto_batch,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, name: text, value: path => batch.set(name, value))
}

/// Adds a document, a file of this machine, before the first recto_batch_next().
///
/// Errors: RECTO_E_CONFIG once the batch has begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_add(
    batch: *mut recto_batch,
    path: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, batch: handle_mut, path: path => {
        match &mut batch.state {
            State::Prepared(_, sources) => sources.push(path.to_owned()),
            _ => return Err(begun()),
        }
        Ok(())
    })
}

/// Waits for the next document to end, well or not, and gives it, freed with recto_batch_item_free(). `call` may be NULL;
/// its switch and its time limit end the batch.
///
/// Returns RECTO_DONE, and gives NULL, when there are no more.
///
/// Errors: at first, RECTO_E_CONFIG for settings that contradict each other and for a journal that is damaged, in use, or
/// of something else, and RECTO_E_IO for a directory that cannot be made. RECTO_E_CANCELLED when the call or the client
/// says so. After an error the batch has ended. That a document fails is no error here: see recto_batch_item_error().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_next(
    batch: *mut recto_batch,
    call: *const recto_call,
    out: *mut *mut recto_batch_item,
    err: *mut *mut recto_error,
) -> recto_status {
    let mut done = false;
    let status = entry!(err, out: out, batch: handle_mut, call: optional => {
        match batch.next(call)? {
            Some(item) => out.give(item.into()),
            None => {
                done = true;
                Ok(())
            }
        }
    });
    if done { RECTO_DONE } else { status }
}

/// Ends a batch, and frees it: what is in work is cancelled, within some 50 ms, and its journal is complete. NULL is a
/// no-op.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_free(batch: *mut recto_batch) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(batch) };
}

/// The document's place among those that were added, from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_index(item: *const recto_batch_item) -> usize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, 0, |item| item.index) }
}

/// The document, as it was added. NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_source(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.source.as_ptr()) }
}

/// Why it failed; NULL for a document that is done. It belongs to the item and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_error(item: *const recto_batch_item) -> *const recto_error {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.error.as_deref().map_or(null(), std::ptr::from_ref)) }
}

/// The result file; NULL where the document failed, the operation makes none, or the batch has no directory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_path(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| pointer(item.path.as_ref())) }
}

/// The operation's identifier; NULL where the document failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_operation_id(item: *const recto_batch_item) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| pointer(item.operation_id.as_ref())) }
}

/// The service's result; NULL where the document failed, and for one that an earlier run has done. It belongs to the item
/// and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_result(item: *const recto_batch_item) -> *const recto_result {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, null(), |item| item.result.as_ref().map_or(null(), std::ptr::from_ref)) }
}

/// 1 when an earlier run with the same journal had done it; else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_is_resumed(item: *const recto_batch_item) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(item, 0, |item| item.resumed.into()) }
}

/// Why the service still holds files of it, where `delete_after` was asked for; else NULL. It belongs to the item and is
/// not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_left_behind(item: *const recto_batch_item) -> *const recto_error {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe {
        read_handle(item, null(), |item| item.left_behind.as_deref().map_or(null(), std::ptr::from_ref))
    }
}

/// Frees an item. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_batch_item_free(item: *mut recto_batch_item) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(item) };
}

impl recto_batch {
    fn set(&mut self, name: &str, value: &Path) -> Outcome {
        let setting = Setting::read(name, value)?;
        let (told, sources) = match std::mem::replace(&mut self.state, State::Ended) {
            State::Prepared(builder, sources) => (setting.tell(*builder), sources),
            _ => return Err(begun()),
        };
        self.state = State::Prepared(Box::new(told), sources);
        Ok(())
    }

    fn next(&mut self, call: Option<&recto_call>) -> Outcome<Option<BatchItem>> {
        self.state = match std::mem::replace(&mut self.state, State::Ended) {
            State::Prepared(builder, sources) => {
                State::Running(Box::new(self.shared.call(|_| builder.run(sources))?))
            }
            state => state,
        };
        let State::Running(batch) = &mut self.state else { return Ok(None) };
        let next = self.shared.call(|_| batch.next_item(&core_call(call)));
        if !matches!(next, Ok(Some(_))) {
            self.state = State::Ended;
        }
        next
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
        }
    }
}

/// A setting that was read: telling it cannot fail.
enum Setting<'a> {
    To(&'a Path),
    RelativeTo(&'a Path),
    Concurrency(usize),
    Journal(&'a Path),
    StopOnError(bool),
    DeleteAfter(bool),
    Force(bool),
}

impl<'a> Setting<'a> {
    fn read(name: &str, value: &'a Path) -> Outcome<Self> {
        let switch = || match value.to_str() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(recto_error::invalid_setting(name, value, "true or false")),
        };
        let number = || value.to_str().and_then(|text| text.parse().ok());
        Ok(match name {
            "to" => Self::To(value),
            "relative_to" => Self::RelativeTo(value),
            "concurrency" => Self::Concurrency(
                number().ok_or_else(|| recto_error::invalid_setting(name, value, "1 to 256"))?,
            ),
            "journal" => Self::Journal(value),
            "stop_on_error" => Self::StopOnError(switch()?),
            "delete_after" => Self::DeleteAfter(switch()?),
            "force" => Self::Force(switch()?),
            _ => {
                let known = "to, relative_to, concurrency, journal, stop_on_error, delete_after, force";
                let message = format!("there is no setting {name:?} of a batch; the settings are {known}");
                return Err(recto_error::new(RECTO_E_CONFIG, message));
            }
        })
    }

    fn tell(self, builder: BatchBuilder) -> BatchBuilder {
        match self {
            Self::To(directory) => builder.to(directory),
            Self::RelativeTo(directory) => builder.relative_to(directory),
            Self::Concurrency(documents) => builder.concurrency(documents),
            Self::Journal(path) => builder.journal(path),
            Self::StopOnError(yes) => builder.stop_on_error(yes),
            Self::DeleteAfter(yes) => builder.delete_after(yes),
            Self::Force(yes) => builder.force(yes),
        }
    }
}

fn begun() -> Box<recto_error> {
    recto_error::new(
        RECTO_E_CONFIG,
        "the batch has begun: settings and documents come before recto_batch_next()",
    )
}
