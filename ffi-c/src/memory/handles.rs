//! Handles that the C side holds: reading a field of one, and freeing it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads something off a handle; `otherwise` for NULL.
///
/// # Safety
/// `handle` is NULL or points to a `T` that lives as long as the call.
pub(crate) unsafe fn read_handle<'a, T: 'a, R>(
    handle: *const T,
    otherwise: R,
    field: impl FnOnce(&'a T) -> R,
) -> R {
    // SAFETY: by contract.
    match unsafe { handle.as_ref() } {
        // What is read lies ready: nothing here can panic, but a promise is a promise.
        Some(handle) => catch_unwind(AssertUnwindSafe(|| field(handle))).unwrap_or(otherwise),
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
