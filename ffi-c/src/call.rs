//! `recto_call`: the settings of a call, such as its time limit and its progress callback.

use crate::cancel::recto_cancel;
use crate::error::{Outcome, recto_error};
use crate::memory::handles::free;
use crate::options::read_json_object;
use crate::phase::phase_number;
use crate::stack::on_callers_thread;
use crate::status::{RECTO_E_INVALID, recto_status};
use recto::{Call, Cancel, Overrides};
use serde_json::Value;
use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;
use std::time::Duration;

/// A time in milliseconds without a limit.
pub const RECTO_FOREVER: i64 = -1;

/// A progress callback: called at the beginning and the end of each phase, and at most every 50 ms in between.
///
/// `phase` is RECTO_PHASE_UPLOAD, _WAIT or _DOWNLOAD. `done` and `total` count the bytes of the phase; a byte that is
/// sent again is not counted again. `total` is -1 if it is not known, as always in RECTO_PHASE_WAIT. `userdata`
/// is the pointer that was set together with the function.
///
/// Return 0 to continue; any other value ends the call with RECTO_E_CANCELLED. The function runs on the thread that
/// made the call, during the call. It must return: no longjmp, and no C++ exception, which would end the process
/// (recto.hpp passes exceptions on to the caller). NULL means no function.
pub type recto_progress_fn =
    Option<unsafe extern "C-unwind" fn(phase: i32, done: i64, total: i64, userdata: *mut c_void) -> i32>;

/// The settings of a call. Every function that sends a request takes one, or NULL for the defaults. It can be used for
/// any number of calls, one after the other.
///
/// Threads: one at a time.
#[derive(Clone, Default)]
pub struct recto_call {
    timeout: Option<Duration>,
    wait_timeout: Option<Option<Duration>>,
    force: bool,
    keep_existing: bool,
    delete_after: bool,
    pub(crate) unchecked: bool,
    extra_options: Value,
    headers: Vec<(String, String)>,
    cancel: Option<Cancel>,
    progress: Option<(Progress, *mut c_void)>,
}

type Progress = unsafe extern "C-unwind" fn(i32, i64, i64, *mut c_void) -> i32;

/// Converts the settings to those of the core.
pub(crate) fn core_call(call: Option<&recto_call>) -> Call<'_> {
    let Some(call) = call else { return Call::new() };
    let mut core = call.limits();
    if let Some(cancel) = &call.cancel {
        core = core.cancel(cancel);
    }
    if let Some((report, userdata)) = call.progress {
        core = core.on_progress(move |progress| flow(call_progress(report, userdata, progress)));
    }
    core
}

impl recto_call {
    fn limits(&self) -> Call<'_> {
        let mut core = Call::new().force(self.force).overwrite(!self.keep_existing);
        core = core.delete_after(self.delete_after).extra_options(self.extra_options.clone());
        for (name, value) in &self.headers {
            core = core.header(name, value);
        }
        if let Some(timeout) = self.timeout {
            core = core.timeout(timeout);
        }
        if let Some(wait_timeout) = self.wait_timeout {
            core = core.wait_timeout(wait_timeout);
        }
        core
    }
}

fn call_progress(report: Progress, userdata: *mut c_void, progress: &recto::Progress) -> i32 {
    let bytes = |count| i64::try_from(count).unwrap_or(i64::MAX);
    let (phase, total) = (phase_number(progress.phase), progress.total.map_or(-1, bytes));
    // SAFETY: the caller set the function and its userdata for this call, and this is the thread of the call.
    on_callers_thread(|| unsafe { report(phase, bytes(progress.done), total, userdata) })
}

fn flow(returned: i32) -> ControlFlow<()> {
    if returned == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// A copy of the settings of a call, for a call in the background.
pub(crate) struct CallSettings(recto_call);

// SAFETY: the header requires that the progress callback of a call in the background can be called on another thread.
unsafe impl Send for CallSettings {}

impl CallSettings {
    pub(crate) fn copy(call: Option<&recto_call>) -> Self {
        Self(call.cloned().unwrap_or_default())
    }

    /// The settings of the core. `cancel` also ends the call. `guard` runs a callback, or returns `None` if it must not
    /// run any more.
    pub(crate) fn for_background<'a>(
        &'a self,
        cancel: &Cancel,
        guard: impl Fn(&mut dyn FnMut() -> i32) -> Option<i32> + 'a,
    ) -> Call<'a> {
        let mut core = self.0.limits().cancel(cancel);
        if let Some(own) = &self.0.cancel {
            core = core.tick(|| flow(own.is_triggered().into()));
        }
        if let Some((report, userdata)) = self.0.progress {
            core = core.on_progress(move |progress| {
                flow(guard(&mut || call_progress(report, userdata, progress)).unwrap_or(1))
            });
        }
        core
    }
}

/// Creates settings with all defaults, freed with recto_call_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_new(
    out: *mut *mut recto_call,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => out.set(recto_call::default()))
}

/// Sets the time limit of the whole call, in milliseconds above 0: upload, start, wait, download and retries. Default:
/// the client's `timeout_ms`.
///
/// Errors: RECTO_E_INVALID for an invalid time.
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

/// Sets the time limit for waiting for the operation, within the time limit of the whole call, in milliseconds: 0
/// checks once, RECTO_FOREVER waits without a limit. When the time limit expires, the call ends with
/// RECTO_E_WAIT_TIMEOUT, and the operation continues. Default: the client's `wait_timeout_ms`. If the client has none:
/// no limit if the whole call has a time limit, otherwise 15 minutes.
///
/// Errors: RECTO_E_INVALID for an invalid time.
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

/// If `force` is not 0, an input is sent even if the operation does not take its extension.
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

/// Sets whether a result may replace an existing file. If 0, an existing file is the error RECTO_E_IO. Default: 1. In a
/// directory, a result never replaces its own document: see recto_operation_save().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_overwrite(
    call: *mut recto_call,
    overwrite: i32,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.keep_existing = overwrite == 0;
        Ok(())
    })
}

/// If `delete_after` is not 0, a call that saves or reads a result file deletes the files of the operation from the
/// service afterwards, as recto_operation_delete() does. Default: 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_delete_after(
    call: *mut recto_call,
    delete_after: i32,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.delete_after = delete_after != 0;
        Ok(())
    })
}

/// Sets a header of the requests of this call to the service, such as "traceparent". It is sent only to the origin of
/// the base URL, and replaces a header of the client with the same name. If `value` is NULL, the header is removed.
///
/// Errors: RECTO_E_CONFIG for an invalid header, and for one that the library sets itself, such as "X-Api-Key".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_header(
    call: *mut recto_call,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut, name: text, value: optional_text => {
        Overrides::new().header(name, value.unwrap_or_default()).check()?;
        call.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        call.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        Ok(())
    })
}

/// Sets options that this version does not know, for calls that start an operation: a JSON object. It is sent together
/// with the options of the operation, without a check. If both contain the same option, the value that is set here is
/// sent. NULL removes these options.
///
/// Errors: RECTO_E_INVALID for a text that is not a JSON object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_extra_options(
    call: *mut recto_call,
    options: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut, options: optional_text => {
        call.extra_options = options.map_or(Ok(Value::Null), read_json_object)?;
        Ok(())
    })
}

/// If `unchecked` is not 0, calls can also start operations that this version does not know. The name of such an
/// operation is the end of its endpoint: "convert/pdf-to-webp" for `POST /v1/operations/convert/pdf-to-webp`. Options
/// are then sent without a check, and the input of such an operation may have any extension. Default: 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_set_unchecked(
    call: *mut recto_call,
    unchecked: i32,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, call: handle_mut => {
        call.unchecked = unchecked != 0;
        Ok(())
    })
}

/// Sets the switch that can cancel the call from any thread. NULL removes it.
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

/// Sets the progress callback and its `userdata`, which must stay valid as long as calls are made with these settings.
/// NULL removes the callback.
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

/// Frees the settings. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_call_free(call: *mut recto_call) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(call) };
}

fn positive(milliseconds: i64) -> Outcome<Duration> {
    u64::try_from(milliseconds)
        .ok()
        .filter(|milliseconds| *milliseconds > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| {
            recto_error::new(
                RECTO_E_INVALID,
                format!("{milliseconds} ms is not a valid time limit; give more than 0"),
            )
        })
}
