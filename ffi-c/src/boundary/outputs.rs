//! Output parameters of an exported function: where it puts new handles, texts, memory and numbers.

use crate::error::{Outcome, recto_error};
use crate::memory::buffer::Buffer;
use crate::memory::text::c_path;
use std::ffi::c_char;
use std::path::Path;
use std::ptr;

/// Where something is given to the caller. It is NULL until the entry has succeeded.
pub(crate) struct Out<T>(*mut *mut T);

/// A required place for what is given.
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

/// A place that may be NULL: then nothing is given.
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

/// A place for a number that may be NULL.
///
/// # Safety
/// `place` is NULL or can be written to until the call ends.
pub(crate) unsafe fn optional_number<'a, T: Default>(place: *mut T, _: &str) -> Outcome<Option<&'a mut T>> {
    if place.is_null() {
        return Ok(None);
    }
    // SAFETY: by contract; it is written before it is seen as a reference.
    unsafe {
        place.write(T::default());
        Ok(Some(&mut *place))
    }
}

/// A required place for a number.
///
/// # Safety
/// As [`optional_number`].
pub(crate) unsafe fn number<'a, T: Default>(place: *mut T, name: &str) -> Outcome<&'a mut T> {
    // SAFETY: by contract.
    unsafe { optional_number(place, name) }?.ok_or_else(|| recto_error::null(name))
}

impl<T> Out<T> {
    /// Gives a new handle, or memory that the library has allocated.
    pub(crate) fn give_pointer(self, pointer: *mut T) {
        // SAFETY: `out` was promised that this place can be written to.
        unsafe { self.0.write(pointer) };
    }

    /// Gives a new handle.
    pub(crate) fn give(self, value: T) -> Outcome {
        self.give_pointer(Box::into_raw(Box::new(value)));
        Ok(())
    }
}

impl Out<c_char> {
    /// Gives a text that the caller frees with `recto_free`.
    pub(crate) fn give_text(self, text: &str) -> Outcome {
        self.give_bytes(text.as_bytes())
    }

    /// Gives a path that the caller frees with `recto_free`.
    pub(crate) fn give_path(self, path: &Path) -> Outcome {
        self.give_bytes(c_path(path).to_bytes())
    }

    fn give_bytes(self, text: &[u8]) -> Outcome {
        let mut copy = Buffer::default();
        copy.append(text)
            .and_then(|()| copy.append(&[0]))
            .map_err(|error| recto_error::out_of_memory(&error))?;
        self.give_pointer(copy.into_raw().0.cast());
        Ok(())
    }
}
