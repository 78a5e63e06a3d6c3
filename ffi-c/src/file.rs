//! `recto_file`, `recto_file_list`: the files in the service.

use crate::call::{core_call, recto_call};
use crate::client::recto_client;
use crate::error::recto_error;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_text, pointer};
use crate::status::recto_status;
use recto::{FileId, FileRecord};
use std::ffi::{CString, c_char};
use std::ptr::null;

/// What the service knows of a file. What the accessors return lives as long as it; they return NULL for what the
/// service did not say, and for NULL.
///
/// Threads: one at a time.
pub struct recto_file {
    id: CString,
    created_at: Option<CString>,
    origin: Option<CString>,
    name: Option<CString>,
    extension: Option<CString>,
}

/// What the service knows of several files.
///
/// Threads: one at a time.
pub struct recto_file_list(Vec<recto_file>);

impl From<FileRecord> for recto_file {
    fn from(record: FileRecord) -> Self {
        Self {
            id: c_text(record.id),
            created_at: record.created_at.map(c_text),
            origin: record.origin.map(c_text),
            name: record.name.map(c_text),
            extension: record.extension.map(c_text),
        }
    }
}

impl From<Vec<FileRecord>> for recto_file_list {
    fn from(records: Vec<FileRecord>) -> Self {
        Self(records.into_iter().map(recto_file::from).collect())
    }
}

/// Looks a file up, and gives what the service knows of it, freed with recto_file_free(). `call` may be NULL.
///
/// Errors: RECTO_E_NOT_FOUND, and those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_get(
    client: *const recto_client,
    file_id: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_file,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, file_id: text, call: optional => {
        out.give(client.0.call(|client| client.files().get(&FileId::new(file_id), &core_call(call)))?.into())
    })
}

/// Deletes a file. `call` may be NULL. `out`, where it is not NULL, gets the files that the service answers with, freed
/// with recto_file_list_free(); which those are, the interface leaves open.
///
/// Errors: RECTO_E_NOT_FOUND, unless a broken attempt before may have deleted it; and those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_delete(
    client: *const recto_client,
    file_id: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_file_list,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: optional_out, client: handle, file_id: text, call: optional => {
        let left = client.0.call(|client| client.files().delete(&FileId::new(file_id), &core_call(call)))?;
        out.map_or(Ok(()), |out| out.give(left.into()))
    })
}

/// The file's identifier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_id(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| file.id.as_ptr()) }
}

/// When it came to the service: ISO 8601, UTC, with fractional seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_created_at(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.created_at.as_ref())) }
}

/// How it came to the service, such as "fromUrl"; an open set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_origin(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.origin.as_ref())) }
}

/// Its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_name(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.name.as_ref())) }
}

/// Its extension without the dot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_extension(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.extension.as_ref())) }
}

/// Frees what recto_file_get() gave. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_free(file: *mut recto_file) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(file) };
}

/// Lists the active files, the user's and results; with an `only_result_files` other than 0, results only. The list is
/// freed with recto_file_list_free(). `call` may be NULL.
///
/// Errors: those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_get(
    client: *const recto_client,
    only_result_files: i32,
    call: *const recto_call,
    out: *mut *mut recto_file_list,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, call: optional => {
        out.give(client.0.call(|client| client.files().list(only_result_files != 0, &core_call(call)))?.into())
    })
}

/// How many files the list has; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_count(list: *const recto_file_list) -> usize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(list, 0, |list| list.0.len()) }
}

/// The file at `index`, from 0; it belongs to the list and is not freed. NULL beyond the last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_at(list: *const recto_file_list, index: usize) -> *const recto_file {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(list, null(), |list| list.0.get(index).map_or(null(), std::ptr::from_ref)) }
}

/// Frees a list and its files. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_free(list: *mut recto_file_list) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(list) };
}
