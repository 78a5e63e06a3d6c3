//! `recto_call`: what one call may be told besides its arguments.

use crate::cancel::recto_cancel;
use crate::error::{Outcome, recto_error};
use crate::memory::handles::free;
use crate::phase::phase_number;
use crate::status::{RECTO_E_INVALID, recto_status};
use recto::{Call, Cancel};
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::time::Duration;

/// As a time in milliseconds: no limit.
pub const RECTO_FOREVER: i64 = -1;

/// Is told how far a call is: at the beginning and the end of each phase, and at most every 50 ms in between.
///
/// `phase` is RECTO_PHASE_UPLOAD, _WAIT or _DOWNLOAD; `done` and `total` count its bytes, each once however often it
/// was sent; `total` is -1 where it is not known, as always while waiting. `userdata` is what was given with the
/// function.
///
/// Returns 0 to go on; any other value ends the call with RECTO_E_CANCELLED. It runs on the thread that made the call,
/// inside the call. It must return: no longjmp, and no C++ exception (which would end the process; recto.hpp carries
/// exceptions across). NULL is no function.
pub type recto_progress_fn =
    Option<unsafe extern "C-unwind" fn(phase: i32, done: i64, total: i64, userdata: *mut c_void) -> i32>;

/// Settings of a call. Every function that talks to the service takes one, or NULL for none; one may serve any number
/// of calls, one after the other.
///
/// Threads: one at a time.
#[derive(Default)]
pub struct recto_call {
    timeout: Option<Duration>,
    wait_timeout: Option<Option<Duration>>,
    force: bool,
    cancel: Option<Cancel>,
    progress: Option<(Progress, *mut c_void)>,
}

type Progress = unsafe extern "C-unwind" fn(i32, i64, i64, *mut c_void) -> i32;

/// The settings as the core takes them.
pub(crate) fn core_call(call: Option<&recto_call>) -> Call<'_> {
    let mut made = Call::new();
    let Some(call) = call else { return made };
    made = made.force(call.force);
    if let Some(timeout) = call.timeout {
        made = made.timeout(timeout);
    }
    if let Some(wait_timeout) = call.wait_timeout {
        made = made.wait_timeout(wait_timeout);
    }
    if let Some(cancel) = &call.cancel {
        made = made.cancel(cancel);
    }
    if let Some((report, userdata)) = call.progress {
        made = made.on_progress(move |progress| {
            let bytes = |count| i64::try_from(count).unwrap_or(i64::MAX);
            let (phase, total) = (phase_number(progress.phase), progress.total.map_or(-1, bytes));
            // SAFETY: the caller gave the function with its userdata for calls like this one, on whose thread we are.
            match unsafe { report(phase, bytes(progress.done), total, userdata) } {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
    }
    made
}

/// Makes settings that set nothing, freed with recto_call_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_new(
    out: *mut *mut recto_call,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => out.give(recto_call::default()))
}

/// The longest the whole call may take, in milliseconds above 0: retries, waiting and transfers included. Default: the
/// client's `timeout_ms`, which does not count waiting.
///
/// Errors: RECTO_E_INVALID for a time that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_timeout(
    call: *mut recto_call,
    milliseconds: i64,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.timeout = Some(positive(milliseconds)?);
        Ok(())
    })
}

/// The longest to wait for the operation to end, in milliseconds: 0 looks once, RECTO_FOREVER waits for ever. Default:
/// the client's `wait_timeout_ms`, 15 minutes.
///
/// Errors: RECTO_E_INVALID for a time that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_wait_timeout(
    call: *mut recto_call,
    milliseconds: i64,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.wait_timeout = Some(match milliseconds {
            RECTO_FOREVER => None,
            0 => Some(Duration::ZERO),
            _ => Some(positive(milliseconds)?),
        });
        Ok(())
    })
}

/// With a `force` other than 0, an input is sent even where its extension is none that the operation takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_force(
    call: *mut recto_call,
    force: i32,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.force = force != 0;
        Ok(())
    })
}

/// The switch that ends the call, from any thread. NULL takes it away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_cancel(
    call: *mut recto_call,
    cancel: *const recto_cancel,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut, cancel: optional => {
        call.cancel = cancel.map(|cancel| cancel.0.clone());
        Ok(())
    })
}

/// The function that is told how far the call is, and what it is given as `userdata`, which must live as long as
/// calls are made with these settings. NULL takes it away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_progress(
    call: *mut recto_call,
    progress: recto_progress_fn,
    userdata: *mut c_void,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.progress = progress.map(|progress| (progress, userdata));
        Ok(())
    })
}

/// Frees the settings. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_free(call: *mut recto_call) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(call) };
}

fn positive(milliseconds: i64) -> Outcome<Duration> {
    u64::try_from(milliseconds)
        .ok()
        .filter(|milliseconds| *milliseconds > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| {
            recto_error::new(RECTO_E_INVALID, format!("{milliseconds} ms is no time limit; give more than 0"))
        })
}
