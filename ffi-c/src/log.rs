//! Logging: passes the events of the core to a callback.
//!
//! Each client has its own log, which is the default subscriber of the thread during a call. So two clients, or two
//! copies of the library in one process, do not receive each other's events.

#[cfg(feature = "local")]
mod service;

#[cfg(feature = "local")]
pub(crate) use service::service_log;

use crate::error::{Outcome, recto_error};
use crate::memory::text::c_text;
use crate::status::RECTO_E_INVALID;
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// A failure that remained after all retries.
pub const RECTO_LOG_ERROR: i32 = 1;
/// An unexpected condition.
pub const RECTO_LOG_WARN: i32 = 2;
/// An event that can explain a delay: a request is retried, a presigned URL renewed.
pub const RECTO_LOG_INFO: i32 = 3;
/// Every request and its response.
pub const RECTO_LOG_DEBUG: i32 = 4;
/// Everything.
pub const RECTO_LOG_TRACE: i32 = 5;

/// A log callback: it receives a RECTO_LOG_ level and one line of text, which is valid until it returns. The text
/// contains no API key, no password and no query of a presigned URL.
///
/// It runs on the thread that made the call, during the call, and also on the threads of a batch and of the embedded
/// service, so it can be called on several threads at the same time. It must return, like a recto_progress_fn. It must
/// not make calls of this library, which are refused with RECTO_E_INVALID. NULL means no function.
pub type recto_log_fn =
    Option<unsafe extern "C-unwind" fn(level: i32, message: *const c_char, userdata: *mut c_void)>;

/// Frees `userdata`. NULL means no function.
pub type recto_drop_fn = Option<unsafe extern "C-unwind" fn(userdata: *mut c_void)>;

/// The log that a configuration, its clients and their operations share. It is dropped with the last of them.
#[derive(Clone)]
pub(crate) struct Log(Dispatch);

impl Log {
    /// A log that calls `log` for events up to `level`, a RECTO_LOG_ value.
    pub(crate) fn new(
        level: i32,
        log: recto_log_fn,
        userdata: *mut c_void,
        drop: recto_drop_fn,
    ) -> Outcome<Self> {
        let max_level = match level {
            RECTO_LOG_ERROR => Level::ERROR,
            RECTO_LOG_WARN => Level::WARN,
            RECTO_LOG_INFO => Level::INFO,
            RECTO_LOG_DEBUG => Level::DEBUG,
            RECTO_LOG_TRACE => Level::TRACE,
            _ => {
                let message = format!("invalid log level {level}; give 1 to 5");
                return Err(recto_error::new(RECTO_E_INVALID, message));
            }
        };
        let log = log.ok_or_else(|| recto_error::null("log"))?;
        Ok(Self(Dispatch::new(LogCallback { max_level, log, userdata, drop })))
    }

    /// The subscriber for the threads of a service that was started explicitly.
    #[cfg(feature = "local")]
    pub(crate) fn subscriber(&self) -> Dispatch {
        self.0.clone()
    }

    /// Refuses a call that is made by a log callback: the callback runs in the middle of another call.
    pub(crate) fn refuse_inside_callback() -> Outcome {
        if IN_CALLBACK.get() {
            let message = "a log callback cannot make calls; make the call after the callback has returned";
            return Err(recto_error::new(RECTO_E_INVALID, message));
        }
        Ok(())
    }

    /// Runs a call, and sends its events to this log.
    pub(crate) fn during<T>(&self, call: impl FnOnce() -> T) -> T {
        tracing::dispatcher::with_default(&self.0, call)
    }
}

thread_local! {
    /// Whether a log callback runs on this thread.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Restores [`IN_CALLBACK`] when it is dropped.
struct Inside(bool);

impl Drop for Inside {
    fn drop(&mut self) {
        IN_CALLBACK.set(self.0);
    }
}

/// Passes the events of Recto's crates to the callback. Spans are ignored.
struct LogCallback {
    max_level: Level,
    log: unsafe extern "C-unwind" fn(i32, *const c_char, *mut c_void),
    userdata: *mut c_void,
    drop: recto_drop_fn,
}

// SAFETY: the header requires that the callbacks can be called on any thread.
unsafe impl Send for LogCallback {}
// SAFETY: as above.
unsafe impl Sync for LogCallback {}

impl Drop for LogCallback {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: the caller set the function for this, and `log` is not called any more.
            unsafe { drop(self.userdata) };
        }
    }
}

impl Subscriber for LogCallback {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("recto") && *metadata.level() <= self.max_level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.max_level))
    }

    fn event(&self, event: &Event<'_>) {
        let text = c_text(recto::log::line_of(event));
        let _inside = Inside(IN_CALLBACK.replace(true));
        // SAFETY: the caller set the function with its userdata for this.
        unsafe { (self.log)(number(*event.metadata().level()), text.as_ptr(), self.userdata) };
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn number(level: Level) -> i32 {
    match level {
        Level::ERROR => RECTO_LOG_ERROR,
        Level::WARN => RECTO_LOG_WARN,
        Level::INFO => RECTO_LOG_INFO,
        Level::DEBUG => RECTO_LOG_DEBUG,
        Level::TRACE => RECTO_LOG_TRACE,
    }
}
