//! Output parameters of an exported function: where it puts new handles, texts, memory and numbers.

use crate::error::{Outcome, recto_error};
use crate::memory::buffer::Buffer;
use crate::memory::text::c_path;
use std::ffi::c_char;
use std::path::Path;
use std::ptr;

/// An output parameter for a pointer. It is NULL until the call has succeeded.
pub(crate) struct Out<T>(*mut *mut T);

/// A required output parameter.
///
/// # Safety
/// `place` is NULL or can be written to until the call ends.
pub(crate) unsafe fn out<T>(place: *mut *mut T, name: &str) -> Outcome<Out<T>> {
    if place.is_null() {
        return Err(recto_error::null(name));
    }
    // SAFETY: by contract.
    unsafe { place.write(ptr::null_mut()) };
    Ok(Out(place))
}

/// An output parameter that may be NULL.
///
/// # Safety
/// As [`out`].
pub(crate) unsafe fn optional_out<T>(place: *mut *mut T, name: &str) -> Outcome<Option<Out<T>>> {
    if place.is_null() {
        return Ok(None);
    }
    // SAFETY: by contract.
    unsafe { out(place, name) }.map(Some)
}

/// An output parameter for a number, which may be NULL.
///
/// # Safety
/// `place` is NULL or can be written to until the call ends.
pub(crate) unsafe fn optional_number<'a, T: Default>(place: *mut T, _: &str) -> Outcome<Option<&'a mut T>> {
    if place.is_null() {
        return Ok(None);
    }
    // SAFETY: by contract; the place is initialised before a reference to it exists.
    unsafe {
        place.write(T::default());
        Ok(Some(&mut *place))
    }
}

/// A required output parameter for a number.
///
/// # Safety
/// As [`optional_number`].
pub(crate) unsafe fn number<'a, T: Default>(place: *mut T, name: &str) -> Outcome<&'a mut T> {
    // SAFETY: by contract.
    unsafe { optional_number(place, name) }?.ok_or_else(|| recto_error::null(name))
}

impl<T> Out<T> {
    /// Returns a handle, or memory from `malloc`, to the caller.
    pub(crate) fn set_pointer(self, pointer: *mut T) {
        // SAFETY: the caller of `out` guarantees that this place can be written to.
        unsafe { self.0.write(pointer) };
    }

    /// Returns a new handle to the caller, who frees it.
    pub(crate) fn set(self, value: T) -> Outcome {
        self.set_pointer(Box::into_raw(Box::new(value)));
        Ok(())
    }
}

impl Out<c_char> {
    /// Returns a text to the caller, who frees it with `recto_free`.
    pub(crate) fn set_text(self, text: &str) -> Outcome {
        self.set_bytes(text.as_bytes())
    }

    /// Returns a path to the caller, who frees it with `recto_free`.
    pub(crate) fn set_path(self, path: &Path) -> Outcome {
        self.set_bytes(c_path(path).to_bytes())
    }

    fn set_bytes(self, text: &[u8]) -> Outcome {
        let mut copy = Buffer::default();
        copy.append(text)
            .and_then(|()| copy.append(&[0]))
            .map_err(|error| recto_error::out_of_memory(&error))?;
        self.set_pointer(copy.into_raw().0.cast());
        Ok(())
    }
}
