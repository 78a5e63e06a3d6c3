//! `recto_cancel`: a switch that ends calls from any thread.

use crate::error::recto_error;
use crate::memory::handles::{free, read_handle};
use crate::status::recto_status;
use recto::Cancel;

/// A switch that ends the calls it was given to with RECTO_E_CANCELLED, within 50 ms. It cannot be switched back.
///
/// It may be freed at any time: calls that have it keep it.
///
/// Threads: any number at once; recto_cancel_trigger() is also safe in a signal handler.
pub struct recto_cancel(pub(crate) Cancel);

/// Makes a switch, freed with recto_cancel_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_new(
    out: *mut *mut recto_cancel,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => out.give(recto_cancel(Cancel::new())))
}

/// Ends every call that was given this switch. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_trigger(cancel: *const recto_cancel) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(cancel, (), |cancel| cancel.0.trigger()) };
}

/// 1 once it was triggered; else 0, also for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_is_triggered(cancel: *const recto_cancel) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(cancel, 0, |cancel| cancel.0.is_triggered().into()) }
}

/// Frees a switch. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_free(cancel: *mut recto_cancel) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(cancel) };
}
