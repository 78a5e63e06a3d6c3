//! Handles that the C side holds: reading a field of one, and freeing it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads a field of a handle, or returns `otherwise` for NULL.
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
        // Reading a field does not panic. If it ever did, the panic must not cross the boundary.
        Some(handle) => catch_unwind(AssertUnwindSafe(|| field(handle))).unwrap_or(otherwise),
        None => otherwise,
    }
}

/// Frees a handle. NULL is allowed and does nothing.
///
/// # Safety
/// `handle` is NULL or came from `Box::into_raw`, and is no longer in use.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: by contract.
        let owned = unsafe { Box::from_raw(handle) };
        let _ = catch_unwind(AssertUnwindSafe(move || drop(owned)));
    }
}
