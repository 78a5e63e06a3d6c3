//! Uploading documents: from files, memory, callbacks and URLs. Also the read and write callbacks.

use crate::call::{core_call, recto_call};
use crate::client::{ClientState, recto_client};
use crate::error::{Outcome, recto_error};
use crate::stack::on_callers_thread;
use crate::status::*;
use recto::Source;
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A read callback, which provides the bytes of a document: it writes at most `size` bytes to `buffer` and returns how
/// many, 0 at the end of the document. A negative value ends the call with RECTO_E_CANCELLED.
///
/// It runs on the thread that made the call, during the call, and must return, like a recto_progress_fn. NULL means no
/// function.
pub type recto_read_fn =
    Option<unsafe extern "C-unwind" fn(buffer: *mut c_void, size: usize, userdata: *mut c_void) -> i64>;

/// Uploads a local file of any size, and returns its identifier in the service, freed with recto_free(). `call` may be
/// NULL. A path that begins with `http://` or `https://` is an address: the service downloads it, as with
/// recto_upload_url().
///
/// Errors: RECTO_E_IO for a file that cannot be read, and the errors that any request can have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_upload_path(
    client: *const recto_client,
    path: *const c_char,
    call: *const recto_call,
    file_id: *mut *mut c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, file_id: out, client: handle, path: path, call: optional => {
        file_id.set_text(&upload(&client.0, Source::path(path), call)?)
    })
}

/// Uploads `length` bytes, which are copied, as a file `name`, whose extension determines the format. Returns the
/// identifier of the file, freed with recto_free(). (NULL, 0) is an empty document. `call` may be NULL.
///
/// Errors: those that any request can have.
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
        file_id.set_text(&upload(&client.0, Source::bytes(data, name), call)?)
    })
}

/// Uploads the bytes that `read` returns as a file `name`, and returns the identifier of the file, freed with
/// recto_free(). If `length` is known, the bytes are sent as they are read. If it is -1, for unknown, all bytes are
/// first written to a temporary file. `call` may be NULL.
///
/// Errors: RECTO_E_CANCELLED if `read` ends the call; RECTO_E_IO if it returns more or fewer bytes than `length`; and
/// the errors that any request can have.
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
        file_id.set_text(&id)
    })
}

/// Makes the service download a document from `url`, and returns the identifier of the file, freed with recto_free().
/// `call` may be NULL.
///
/// Errors: those that any request can have. They do not contain the query of the URL.
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
        file_id.set_text(id.as_str())
    })
}

fn upload(client: &ClientState, source: Source, call: Option<&recto_call>) -> Outcome<String> {
    Ok(client.call(|client| client.files().upload(source, &core_call(call)))?.into())
}

/// A read callback as a reader.
pub(crate) struct ReadCallback {
    read: unsafe extern "C-unwind" fn(*mut c_void, usize, *mut c_void) -> i64,
    userdata: *mut c_void,
    stopped: Arc<AtomicBool>,
}

// SAFETY: the core reads a source only on the thread of the call, which is the caller's.
unsafe impl Send for ReadCallback {}

impl ReadCallback {
    /// Runs a call whose source is a read callback.
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
                    format!("invalid length {length}; give the number of bytes, or -1 if it is not known"),
                )
            })?),
        };
        let stopped = Arc::new(AtomicBool::new(false));
        let stream = Self { read, userdata, stopped: Arc::clone(&stopped) };
        let done = call(Source::reader(Box::new(stream), name, length));
        if done.is_err() && stopped.load(Ordering::Relaxed) {
            return Err(recto_error::new(RECTO_E_CANCELLED, "the read callback ended the call"));
        }
        done
    }
}

impl io::Read for ReadCallback {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        // SAFETY: the caller set the function and its userdata for this call, this is the thread of the call, and the
        // buffer has this length.
        let count = on_callers_thread(|| unsafe {
            (self.read)(buffer.as_mut_ptr().cast(), buffer.len(), self.userdata)
        });
        match usize::try_from(count) {
            Ok(count) if count <= buffer.len() => Ok(count),
            Ok(count) => Err(io::Error::other(format!(
                "the read callback returned {count}, but its buffer has only {} bytes",
                buffer.len()
            ))),
            Err(_) => {
                self.stopped.store(true, Ordering::Relaxed);
                Err(io::Error::other("the read callback ended the call"))
            }
        }
    }
}

/// A write callback, which receives the bytes of a result in pieces. Return 0 to continue; any other value ends the
/// call with RECTO_E_CANCELLED.
///
/// It runs on the thread that made the call, during the call, and must return, like a recto_progress_fn. NULL means no
/// function.
pub type recto_write_fn =
    Option<unsafe extern "C-unwind" fn(data: *const c_void, length: usize, userdata: *mut c_void) -> i32>;

/// A write callback as a writer.
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

    /// The outcome of the call that wrote to it: a cancellation, if the callback ended the call.
    pub(crate) fn outcome<T>(&self, outcome: Outcome<T>) -> Outcome<T> {
        if outcome.is_err() && self.stopped.get() {
            return Err(recto_error::new(RECTO_E_CANCELLED, "the write callback ended the call"));
        }
        outcome
    }
}

impl io::Write for WriteCallback {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the caller set the function and its userdata for this call, and this is the thread of the call.
        match on_callers_thread(|| unsafe { (self.write)(bytes.as_ptr().cast(), bytes.len(), self.userdata) })
        {
            0 => Ok(bytes.len()),
            _ => {
                self.stopped.set(true);
                Err(io::Error::other("the write callback ended the call"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
