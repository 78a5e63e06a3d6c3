//! Reading the arguments of an exported function: handles, texts, paths and buffers. Each reader refuses what is
//! invalid.

use crate::error::{Outcome, recto_error};
use crate::status::RECTO_E_INVALID;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

/// A required handle.
///
/// # Safety
/// `handle` is NULL or points to a `T` that lives as long as the call.
pub(crate) unsafe fn handle<'a, T>(handle: *const T, name: &str) -> Outcome<&'a T> {
    // SAFETY: by contract.
    unsafe { handle.as_ref() }.ok_or_else(|| recto_error::null(name))
}

/// A required handle that the call changes.
///
/// # Safety
/// As [`handle`], and nobody else uses it during the call.
pub(crate) unsafe fn handle_mut<'a, T>(handle: *mut T, name: &str) -> Outcome<&'a mut T> {
    // SAFETY: by contract.
    unsafe { handle.as_mut() }.ok_or_else(|| recto_error::null(name))
}

/// A handle that may be NULL.
///
/// # Safety
/// As [`handle`].
pub(crate) unsafe fn optional<'a, T>(handle: *const T, _: &str) -> Outcome<Option<&'a T>> {
    // SAFETY: by contract.
    Ok(unsafe { handle.as_ref() })
}

/// A required text.
///
/// # Safety
/// `text` is NULL or points to bytes that end with a NUL.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &str) -> Outcome<&'a str> {
    // SAFETY: by contract.
    unsafe { optional_text(text, name) }?.ok_or_else(|| recto_error::null(name))
}

/// A text that may be NULL.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn optional_text<'a>(text: *const c_char, name: &str) -> Outcome<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: by contract.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map(Some)
        .map_err(|_| recto_error::new(RECTO_E_INVALID, format!("the argument {name} is not valid UTF-8")))
}

/// A required path: any bytes on Unix, UTF-8 elsewhere.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path<'a>(path: *const c_char, name: &str) -> Outcome<&'a Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        if path.is_null() {
            return Err(recto_error::null(name));
        }
        // SAFETY: by contract.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    // SAFETY: by contract.
    Ok(Path::new(unsafe { text(path, name) }?))
}

/// A copy of a buffer. `(NULL, 0)` is an empty one.
///
/// # Safety
/// `data` is NULL or points to `length` bytes.
pub(crate) unsafe fn bytes(data: *const c_void, length: usize, name: &str) -> Outcome<Vec<u8>> {
    if length == 0 {
        return Ok(Vec::new());
    }
    if data.is_null() {
        return Err(recto_error::null(name));
    }
    let too_long = |_| {
        recto_error::new(
            RECTO_E_INVALID,
            format!("cannot copy the argument {name}: not enough memory for {length} bytes"),
        )
    };
    isize::try_from(length).map_err(|_| too_long(()))?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(length).map_err(|_| too_long(()))?;
    // SAFETY: by contract; and `length` fits into an isize.
    copy.extend_from_slice(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) });
    Ok(copy)
}
