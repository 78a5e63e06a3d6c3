//! `recto_file` and `recto_file_list`: files in the service.

use crate::call::{core_call, recto_call};
use crate::client::recto_client;
use crate::error::recto_error;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::{c_text, pointer};
use crate::status::recto_status;
use recto::{FileId, FileRecord};
use std::ffi::{CString, c_char};
use std::ptr::null;

/// The record of a file in the service. What the accessors return is valid until the record is freed. They return NULL
/// for a field that the response does not have, and for NULL.
///
/// Threads: one at a time.
pub struct recto_file {
    id: CString,
    created_at: Option<CString>,
    origin: Option<CString>,
    name: Option<CString>,
    extension: Option<CString>,
}

/// A list of file records.
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

/// Gets the record of a file, freed with recto_file_free(). `call` may be NULL.
///
/// Errors: RECTO_E_NOT_FOUND, and the errors that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_get(
    client: *const recto_client,
    file_id: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_file,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, file_id: text, call: optional => {
        out.set(client.0.call(|client| client.files().get(&FileId::new(file_id), &core_call(call)))?.into())
    })
}

/// Deletes a file. `call` may be NULL. If `out` is not NULL, it receives the files that the response lists, freed with
/// recto_file_list_free(); the interface specification does not define which files these are.
///
/// Errors: RECTO_E_NOT_FOUND, except after an earlier attempt of the same call that may have deleted the file; and the
/// errors that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_delete(
    client: *const recto_client,
    file_id: *const c_char,
    call: *const recto_call,
    out: *mut *mut recto_file_list,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: optional_out, client: handle, file_id: text, call: optional => {
        let listed = client.0.call(|client| client.files().delete(&FileId::new(file_id), &core_call(call)))?;
        out.map_or(Ok(()), |out| out.set(listed.into()))
    })
}

/// The identifier of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_id(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| file.id.as_ptr()) }
}

/// When the file was created in the service: ISO 8601, UTC, with fractional seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_created_at(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.created_at.as_ref())) }
}

/// How the file was created in the service, such as "fromUrl". Later services may have further values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_origin(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.origin.as_ref())) }
}

/// The name of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_name(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.name.as_ref())) }
}

/// The extension of the file, without the dot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_extension(file: *const recto_file) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(file, null(), |file| pointer(file.extension.as_ref())) }
}

/// Frees a record that recto_file_get() returned. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_free(file: *mut recto_file) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(file) };
}

/// Lists the active files: uploads and results, or only results if `only_result_files` is not 0. The list is freed with
/// recto_file_list_free(). `call` may be NULL.
///
/// Errors: those that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_get(
    client: *const recto_client,
    only_result_files: i32,
    call: *const recto_call,
    out: *mut *mut recto_file_list,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, call: optional => {
        out.set(client.0.call(|client| client.files().list(only_result_files != 0, &core_call(call)))?.into())
    })
}

/// The number of files in the list; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_count(list: *const recto_file_list) -> usize {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(list, 0, |list| list.0.len()) }
}

/// The file at `index`, counted from 0. It belongs to the list and must not be freed. NULL after the last file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_at(list: *const recto_file_list, index: usize) -> *const recto_file {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(list, null(), |list| list.0.get(index).map_or(null(), std::ptr::from_ref)) }
}

/// Frees a list and its files. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_file_list_free(list: *mut recto_file_list) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(list) };
}
