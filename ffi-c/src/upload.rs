//! Where documents come from: files, memory, streams, addresses; and uploading them.

use crate::call::{core_call, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::status::*;
use recto::Source;
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Gives the next bytes of a document: writes at most `size` of them to `buffer`, and returns how many; 0 at the
/// document's end; a negative value ends the call with RECTO_E_CANCELLED.
///
/// It runs on the thread that made the call, inside the call, and must return, as a recto_progress_fn must. NULL is no
/// function.
pub type recto_read_fn =
    Option<unsafe extern "C-unwind" fn(buffer: *mut c_void, size: usize, userdata: *mut c_void) -> i64>;

/// Uploads a file of this machine, whatever its size, and gives its identifier in the service, freed with
/// recto_free(). `call` may be NULL.
///
/// Errors: RECTO_E_IO for a file that cannot be read, and those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_upload_path(
    client: *const recto_client,
    path: *const c_char,
    call: *const recto_call,
    file_id: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, file_id: out, client: handle, path: path, call: optional => {
        file_id.give_text(&upload(&client.0, Source::path(path), call)?)
    })
}

/// Uploads `length` bytes, which are copied, under `name`; its extension says what they are. Gives the identifier, freed
/// with recto_free(). (NULL, 0) is an empty document. `call` may be NULL.
///
/// Errors: those of any request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_upload_data(
    client: *const recto_client,
    data: *const c_void,
    length: usize,
    name: *const c_char,
    call: *const recto_call,
    file_id: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, file_id: out, client: handle, data + length: bytes, name: text, call: optional => {
        file_id.give_text(&upload(&client.0, Source::bytes(data, name), call)?)
    })
}

/// Uploads what `read` gives, under `name`, and gives the identifier, freed with recto_free(). With a `length` it is sent
/// as it is read; with -1, for a length that is not known, all of it is put into a temporary file first. `call` may be
/// NULL.
///
/// Errors: RECTO_E_CANCELLED when `read` says so; RECTO_E_IO when it gives more or less than `length`; and those of any
/// request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_upload_stream(
    client: *const recto_client,
    read: recto_read_fn,
    userdata: *mut c_void,
    length: i64,
    name: *const c_char,
    call: *const recto_call,
    file_id: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, file_id: out, client: handle, name: text, call: optional => {
        let id = ReadCallback::during(read, userdata, length, name, |source| upload(&client.0, source, call))?;
        file_id.give_text(&id)
    })
}

/// Has the service fetch a document from `url` itself, and gives its identifier, freed with recto_free(). `call` may be
/// NULL.
///
/// Errors: those of any request. The address's query appears in none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_upload_url(
    client: *const recto_client,
    url: *const c_char,
    call: *const recto_call,
    file_id: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, file_id: out, client: handle, url: text, call: optional => {
        let id = client.0.call(|client| client.files().upload_from_url(url, &core_call(call)))?;
        file_id.give_text(id.as_str())
    })
}

fn upload(client: &ClientState, source: Source, call: Option<&recto_call>) -> Outcome<String> {
    Ok(client.call(|client| client.files().upload(source, &core_call(call)))?.into())
}

/// A caller's read function as a reader.
pub(crate) struct ReadCallback {
    read: unsafe extern "C-unwind" fn(*mut c_void, usize, *mut c_void) -> i64,
    userdata: *mut c_void,
    stopped: Arc<AtomicBool>,
}

// SAFETY: the core reads a source on the thread of its call only, which is the caller's.
unsafe impl Send for ReadCallback {}

impl ReadCallback {
    /// Makes a call that reads from the caller's function.
    pub(crate) fn during<T>(
        read: recto_read_fn,
        userdata: *mut c_void,
        length: i64,
        name: &str,
        call: impl FnOnce(Source) -> Outcome<T>,
    ) -> Outcome<T> {
        let read = read.ok_or_else(|| recto_error::null("read"))?;
        let length = match length {
            -1 => None,
            _ => Some(u64::try_from(length).map_err(|_| {
                recto_error::new(
                    RECTO_E_INVALID,
                    format!("the length is {length}; give -1 where it is not known"),
                )
            })?),
        };
        let stopped = Arc::new(AtomicBool::new(false));
        let stream = Self { read, userdata, stopped: Arc::clone(&stopped) };
        let done = call(Source::reader(Box::new(stream), name, length));
        if done.is_err() && stopped.load(Ordering::Relaxed) {
            return Err(recto_error::new(RECTO_E_CANCELLED, "the call was ended by its read function"));
        }
        done
    }
}

impl io::Read for ReadCallback {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        // SAFETY: the caller gave the function with its userdata for calls like this one, on whose thread we are; and
        // the buffer has this length.
        let given = unsafe { (self.read)(buffer.as_mut_ptr().cast(), buffer.len(), self.userdata) };
        match usize::try_from(given) {
            Ok(given) if given <= buffer.len() => Ok(given),
            Ok(given) => Err(io::Error::other(format!(
                "the read function says that it wrote {given} bytes into a buffer of {}",
                buffer.len()
            ))),
            Err(_) => {
                self.stopped.store(true, Ordering::Relaxed);
                Err(io::Error::other("the read function ended the call"))
            }
        }
    }
}

/// Takes what a call writes, piece by piece: returns 0 to go on; any other value ends the call with RECTO_E_CANCELLED.
///
/// It runs on the thread that made the call, inside the call, and must return, as a recto_progress_fn must. NULL is no
/// function.
pub type recto_write_fn =
    Option<unsafe extern "C-unwind" fn(data: *const c_void, length: usize, userdata: *mut c_void) -> i32>;

/// A caller's write function as a writer.
pub(crate) struct WriteCallback {
    write: unsafe extern "C-unwind" fn(*const c_void, usize, *mut c_void) -> i32,
    userdata: *mut c_void,
    stopped: Cell<bool>,
}

impl WriteCallback {
    pub(crate) fn new(write: recto_write_fn, userdata: *mut c_void) -> Outcome<Self> {
        let write = write.ok_or_else(|| recto_error::null("write"))?;
        Ok(Self { write, userdata, stopped: Cell::new(false) })
    }

    /// The outcome of the call that wrote here.
    pub(crate) fn outcome<T>(&self, outcome: Outcome<T>) -> Outcome<T> {
        if outcome.is_err() && self.stopped.get() {
            return Err(recto_error::new(RECTO_E_CANCELLED, "the call was ended by its write function"));
        }
        outcome
    }
}

impl io::Write for WriteCallback {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the caller gave the function with its userdata for calls like this one, on whose thread we are.
        match unsafe { (self.write)(bytes.as_ptr().cast(), bytes.len(), self.userdata) } {
            0 => Ok(bytes.len()),
            _ => {
                self.stopped.set(true);
                Err(io::Error::other("the write function ended the call"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
