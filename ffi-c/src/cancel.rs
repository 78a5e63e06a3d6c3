//! `recto_cancel`: a switch that cancels calls from any thread.

use crate::error::recto_error;
use crate::memory::handles::{free, read_handle};
use crate::status::recto_status;
use recto::Cancel;

/// A switch that cancels calls: it ends the calls it was set for with RECTO_E_CANCELLED, within 50 ms. It cannot be
/// reset.
///
/// It can be freed at any time, even while calls use it.
///
/// Threads: any number at the same time; recto_cancel_trigger() is also safe in a signal handler.
pub struct recto_cancel(pub(crate) Cancel);

/// Creates a switch, freed with recto_cancel_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_new(
    out: *mut *mut recto_cancel,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => out.set(recto_cancel(Cancel::new())))
}

/// Cancels every call that this switch is set for. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_trigger(cancel: *const recto_cancel) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(cancel, (), |cancel| cancel.0.trigger()) };
}

/// 1 if the switch was triggered; otherwise 0, also for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_is_triggered(cancel: *const recto_cancel) -> i32 {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(cancel, 0, |cancel| cancel.0.is_triggered().into()) }
}

/// Frees a switch. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_cancel_free(cancel: *mut recto_cancel) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(cancel) };
}
