//! The one way across the boundary: what comes in is checked, what goes out is given, and no unwind leaves.
//!
//! An entry is its documentation and one `entry!`, which names for each argument how it is read.

use crate::error::recto_error;
use crate::memory;
use crate::sigpipe::Blocked;
use crate::status::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;

/// What an entry's body comes to.
pub(crate) type Outcome<T = ()> = Result<T, Box<recto_error>>;

/// `entry!(err, client: handle, id: text => body)`: reads the arguments in this order, runs the body, and turns its
/// [`Outcome`] into a status and an error object. The readers are the functions of this module.
macro_rules! entry {
    ($err:ident $(, $name:ident $(+ $more:ident)?: $reader:ident)* => $body:expr) => {{
        // SAFETY: as the header says of every function, `err` is NULL or can be written to.
        unsafe { $crate::boundary::clear($err) };
        let outcome = || -> $crate::boundary::Outcome {
            $(
                // SAFETY: as the header says of every function, a pointer is NULL or points to what its type says,
                // which nobody changes or frees during the call.
                let $name = unsafe { $crate::boundary::$reader($name $(, $more)?, stringify!($name)) }?;
            )*
            $body
        };
        let failed = $crate::boundary::run(outcome);
        // SAFETY: as above.
        unsafe { $crate::boundary::report(failed, $err) }
    }};
}

/// Runs an entry; an unwind ends here.
pub(crate) fn run(work: impl FnOnce() -> Outcome) -> Option<Box<recto_error>> {
    let _blocked = Blocked::new();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.err(),
        Err(payload) => {
            let said = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("it left no message");
            let message = format!("a fault of the library (please report it): {said}");
            // A payload whose own drop panics must not take the process along.
            std::mem::forget(payload);
            Some(recto_error::new(RECTO_E_PANIC, message))
        }
    }
}

/// Forgets an error of before.
///
/// # Safety
/// `err` is NULL or can be written to.
pub(crate) unsafe fn clear(err: *mut *mut recto_error) {
    if !err.is_null() {
        // SAFETY: by contract.
        unsafe { err.write(ptr::null_mut()) };
    }
}

/// Hands the error to the caller who asked for it; the status goes to every caller.
///
/// # Safety
/// `err` is NULL or can be written to.
pub(crate) unsafe fn report(failed: Option<Box<recto_error>>, err: *mut *mut recto_error) -> recto_status {
    let Some(error) = failed else { return RECTO_OK };
    let status = error.status();
    if !err.is_null() {
        // SAFETY: by contract.
        unsafe { err.write(Box::into_raw(error)) };
    }
    status
}

/// A required handle.
///
/// # Safety
/// `handle` is NULL or points to a `T` that lives as long as the call.
pub(crate) unsafe fn handle<'a, T>(handle: *const T, name: &str) -> Outcome<&'a T> {
    // SAFETY: by contract.
    unsafe { handle.as_ref() }.ok_or_else(|| is_null(name))
}

/// A required handle that is changed.
///
/// # Safety
/// As [`handle`], and nobody else uses it.
pub(crate) unsafe fn handle_mut<'a, T>(handle: *mut T, name: &str) -> Outcome<&'a mut T> {
    // SAFETY: by contract.
    unsafe { handle.as_mut() }.ok_or_else(|| is_null(name))
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
    unsafe { optional_text(text, name) }?.ok_or_else(|| is_null(name))
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

/// The path of a file: UTF-8, except on Unix, where it is any bytes.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path<'a>(path: *const c_char, name: &str) -> Outcome<&'a Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        if path.is_null() {
            return Err(is_null(name));
        }
        // SAFETY: by contract.
        let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
        Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    // SAFETY: by contract.
    Ok(Path::new(unsafe { text(path, name) }?))
}

/// A buffer, copied. `(NULL, 0)` is an empty one.
///
/// # Safety
/// `data` is NULL or points to `length` bytes.
pub(crate) unsafe fn bytes(data: *const c_void, length: usize, name: &str) -> Outcome<Vec<u8>> {
    if length == 0 {
        return Ok(Vec::new());
    }
    if data.is_null() {
        return Err(is_null(name));
    }
    let too_long = |_| {
        recto_error::new(RECTO_E_INVALID, format!("the argument {name} cannot be {length} bytes: no memory"))
    };
    isize::try_from(length).map_err(|_| too_long(()))?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(length).map_err(|_| too_long(()))?;
    // SAFETY: by contract; and `length` fits into an isize.
    copy.extend_from_slice(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) });
    Ok(copy)
}

/// Where something is given to the caller. It is NULL until the entry has succeeded.
pub(crate) struct Out<T>(*mut *mut T);

/// A required place for what is given.
///
/// # Safety
/// `place` is NULL or can be written to until the call ends.
pub(crate) unsafe fn out<T>(place: *mut *mut T, name: &str) -> Outcome<Out<T>> {
    if place.is_null() {
        return Err(is_null(name));
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
    unsafe { optional_number(place, name) }?.ok_or_else(|| is_null(name))
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
        let mut copy = memory::Buffer::default();
        copy.append(text)?;
        copy.append(&[0])?;
        self.give_pointer(copy.into_raw().0.cast());
        Ok(())
    }
}

/// Reads something off a handle; `otherwise` for NULL.
///
/// # Safety
/// As [`handle`].
pub(crate) unsafe fn look<'a, T: 'a, R>(handle: *const T, otherwise: R, read: impl FnOnce(&'a T) -> R) -> R {
    // SAFETY: by contract.
    match unsafe { handle.as_ref() } {
        // What is read lies ready: nothing here can panic, but a promise is a promise.
        Some(handle) => catch_unwind(AssertUnwindSafe(|| read(handle))).unwrap_or(otherwise),
        None => otherwise,
    }
}

/// Frees a handle; NULL is a no-op.
///
/// # Safety
/// `handle` is NULL or was given by [`Out::give`], and nobody uses it any more.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: by contract.
        let owned = unsafe { Box::from_raw(handle) };
        let _ = catch_unwind(AssertUnwindSafe(move || drop(owned)));
    }
}

/// A text for C; a NUL within it, which C could not show, becomes the replacement character.
pub(crate) fn c_text(text: impl Into<String>) -> CString {
    let text = text.into();
    if text.contains('\0') {
        return CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    }
    CString::new(text).unwrap_or_default()
}

/// A path for C: on Unix its bytes, which no system lets have a NUL.
pub(crate) fn c_path(path: &Path) -> CString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
    }
    #[cfg(not(unix))]
    c_text(path.to_string_lossy())
}

/// The pointer to a text that may be missing.
pub(crate) fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

fn is_null(name: &str) -> Box<recto_error> {
    recto_error::new(RECTO_E_NULL, format!("the argument {name} is NULL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_boundary_with_its_message() {
        for work in [|| panic!("at the disco"), || std::panic::panic_any(7_u8)] as [fn() -> Outcome; 2] {
            let error = run(work).unwrap();
            assert_eq!(error.status(), RECTO_E_PANIC);
        }
        let error = run(|| panic!("number {}", 5)).unwrap();
        assert!(error.message().to_str().unwrap().contains("number 5"));
    }

    #[test]
    fn an_error_of_before_is_forgotten_and_a_new_one_given() {
        let mut err = ptr::dangling_mut();
        // SAFETY: `err` is a local.
        unsafe {
            clear(&mut err);
            assert!(err.is_null());
            assert_eq!(report(run(|| Err(is_null("x"))), &mut err), RECTO_E_NULL);
            assert_eq!((*err).message(), c"the argument x is NULL");
            free(err);
            assert_eq!(report(run(|| Ok(())), ptr::null_mut()), RECTO_OK);
        }
    }

    #[test]
    fn a_nul_within_a_text_does_not_end_it() {
        assert_eq!(c_text("a\0b").to_str(), Ok("a\u{fffd}b"));
    }
}
