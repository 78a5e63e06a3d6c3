//! The log of the embedded service: sends the events of the service's threads to the logs of all clients that use it.

use super::{Log, LogCallback};
use recto::threads::PerProcess;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracing::dispatcher::WeakDispatch;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// The logs of the clients of the embedded service. Weak references: a log ends with its last client, even if the
/// service continues for others.
static LOGS: PerProcess<Mutex<Vec<WeakDispatch>>> = PerProcess::new();

fn logs() -> MutexGuard<'static, Vec<WeakDispatch>> {
    let Ok(logs) = LOGS.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
    logs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The subscriber for the threads of the service. If the client has a log, it receives the events from now on.
pub(crate) fn service_log(log: Option<&Log>) -> Dispatch {
    if let Some(log) = log {
        let mut logs = logs();
        logs.retain(|log| log.upgrade().is_some());
        logs.push(log.0.downgrade());
        drop(logs);
        // The most detailed level that somebody receives may have changed.
        tracing::callsite::rebuild_interest_cache();
    }
    Dispatch::new(ServiceLog)
}

struct ServiceLog;

impl ServiceLog {
    /// The logs that are still in use. They are called without the lock, because a log callback may take long.
    fn receivers() -> Vec<Dispatch> {
        logs().iter().filter_map(WeakDispatch::upgrade).collect()
    }
}

impl Subscriber for ServiceLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && Self::receivers().iter().any(|log| log.enabled(metadata))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let receivers = Self::receivers();
        let levels =
            receivers.iter().filter_map(|log| log.downcast_ref::<LogCallback>()).map(|log| log.max_level);
        Some(levels.max().map_or(LevelFilter::OFF, LevelFilter::from_level))
    }

    fn event(&self, event: &Event<'_>) {
        for log in Self::receivers() {
            if log.enabled(event.metadata()) {
                log.event(event);
            }
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
