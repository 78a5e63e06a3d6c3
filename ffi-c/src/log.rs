//! Logging: the core's events, handed to a function of the caller's.
//!
//! A client has its own log, which is the thread's subscriber for the length of each call. So two clients, or two
//! libraries in one process, do not hear each other.

use crate::error::{Outcome, recto_error};
use crate::memory::text::c_text;
use crate::status::RECTO_E_INVALID;
use std::ffi::{c_char, c_void};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// Something failed for good.
pub const RECTO_LOG_ERROR: i32 = 1;
/// Something is not as it should be.
pub const RECTO_LOG_WARN: i32 = 2;
/// Something a user may wonder about: a request is repeated, an address renewed.
pub const RECTO_LOG_INFO: i32 = 3;
/// Every request and its answer.
pub const RECTO_LOG_DEBUG: i32 = 4;
/// Everything.
pub const RECTO_LOG_TRACE: i32 = 5;

/// Is told what happens: a RECTO_LOG_ level and one line of text, which lives as long as this call. No key, no password
/// and no query of a presigned address is in it.
///
/// It runs on the thread whose call it is about, inside the call; with calls on several threads, on several threads
/// at once. It must return, as a recto_progress_fn must. NULL is no function.
pub type recto_log_fn =
    Option<unsafe extern "C-unwind" fn(level: i32, message: *const c_char, userdata: *mut c_void)>;

/// Frees what was given as `userdata`. NULL is no function.
pub type recto_drop_fn = Option<unsafe extern "C-unwind" fn(userdata: *mut c_void)>;

/// The log of a configuration, its clients and their operations: with the last of them it is dropped.
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

    /// Runs a call whose events go to this log.
    pub(crate) fn during<T>(&self, call: impl FnOnce() -> T) -> T {
        tracing::dispatcher::with_default(&self.0, call)
    }
}

/// Hands the events of Recto's crates to the caller's function; spans are of no use to it.
struct LogCallback {
    max_level: Level,
    log: unsafe extern "C-unwind" fn(i32, *const c_char, *mut c_void),
    userdata: *mut c_void,
    drop: recto_drop_fn,
}

// SAFETY: the caller has promised that the function may be called, and `userdata` dropped, on any thread.
unsafe impl Send for LogCallback {}
// SAFETY: as above.
unsafe impl Sync for LogCallback {}

impl Drop for LogCallback {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: the caller gave the function for this, and nothing calls `log` any more.
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
        // SAFETY: the caller gave the function with its userdata for this.
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
