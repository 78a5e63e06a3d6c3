//! Passes events of the core to Python's standard `logging`, as records of the logger `recto`.
//!
//! The threads that emit events must not wait for the GIL. So events are queued, and the thread of a call passes them
//! to the logger: it has the GIL at the beginning of the call, at its end, and every 50 ms. The subscriber is
//! installed after the program has imported `logging`. Events below the level of the logger are not formatted.

use pyo3::intern;
use pyo3::prelude::*;
use recto_service::PerProcess;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The lowest level that the logger handles, as a number of `logging`; 255 if the logger is disabled.
static LEVEL: AtomicU8 = AtomicU8::new(u8::MAX);
/// The number of queued events. It can be read without locking the queue.
static WAITING: AtomicUsize = AtomicUsize::new(0);
static QUEUE: PerProcess<Mutex<VecDeque<Entry>>> = PerProcess::new();
/// The greatest number of queued events. If there are more, the oldest events are dropped.
const MOST: usize = 1024;

struct Entry {
    level: u8,
    text: String,
}

/// Stores the current level of the logger. It is called at the beginning of each call.
pub fn follow(py: Python<'_>) {
    let level = logger(py).and_then(|logger| {
        let enabled = logger.call_method1(intern!(py, "isEnabledFor"), (50,)).ok()?.is_truthy().ok()?;
        let level: i64 = logger.call_method0(intern!(py, "getEffectiveLevel")).ok()?.extract().ok()?;
        enabled.then(|| u8::try_from(level).unwrap_or(u8::MAX))
    });
    let level = level.unwrap_or(u8::MAX);
    LEVEL.store(level, Ordering::Relaxed);
    if level != u8::MAX {
        static INSTALLED: Once = Once::new();
        // If the program has installed another subscriber, that subscriber gets the events.
        INSTALLED.call_once(|| drop(tracing::subscriber::set_global_default(Queue)));
    }
}

/// Passes the queued events to the logger.
pub fn deliver(py: Python<'_>) {
    if WAITING.load(Ordering::Relaxed) == 0 {
        return;
    }
    let entries = std::mem::take(&mut *QUEUE.get().lock().unwrap_or_else(PoisonError::into_inner));
    WAITING.store(0, Ordering::Relaxed);
    let Some(logger) = logger(py) else { return };
    for Entry { level, text } in entries {
        if let Err(error) = logger.call_method1(intern!(py, "log"), (level, text)) {
            error.write_unraisable(py, Some(&logger));
        }
    }
}

/// The logger; `None` if the program has not imported `logging`.
fn logger(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    let modules = py.import(intern!(py, "sys")).ok()?.getattr(intern!(py, "modules")).ok()?;
    let logging = modules.get_item(intern!(py, "logging")).ok()?;
    logging.call_method1(intern!(py, "getLogger"), (intern!(py, "recto"),)).ok()
}

/// A subscriber that queues the events of Recto's crates. It ignores spans, because `logging` has no spans.
struct Queue;

impl Subscriber for Queue {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && metadata.target().starts_with("recto")
            && number(*metadata.level()) >= LEVEL.load(Ordering::Relaxed)
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // The level of the logger may change at any time.
        if metadata.is_event() && metadata.target().starts_with("recto") {
            tracing::subscriber::Interest::sometimes()
        } else {
            tracing::subscriber::Interest::never()
        }
    }

    fn event(&self, event: &Event<'_>) {
        let entry = Entry { level: number(*event.metadata().level()), text: recto::log::line_of(event) };
        let mut queue = QUEUE.get().lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= MOST {
            queue.pop_front();
        }
        queue.push_back(entry);
        WAITING.store(queue.len(), Ordering::Relaxed);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The number that `logging` uses for the level.
fn number(level: Level) -> u8 {
    match level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => 10,
        Level::TRACE => 5,
    }
}
