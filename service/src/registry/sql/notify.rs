//! Wakes workers that wait for queued operations, and held requests that wait for the end of an operation.

use super::transaction::Event;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// Passes the events of transactions on to the waiting tasks. An event may be lost, so waiting tasks also query
/// regularly.
#[derive(Default)]
pub(super) struct Notifier {
    work: Arc<Notify>,
    watched: Mutex<HashMap<String, Watchers>>,
}

#[derive(Default)]
struct Watchers {
    watchers: usize,
    ended: Arc<Notify>,
}

impl Notifier {
    /// Wakes the tasks that wait for the event.
    pub(super) fn notify(&self, event: &Event) {
        match event {
            // Each queued operation wakes one worker. If no worker waits now, the next worker that starts to wait is
            // woken at once.
            Event::Work => self.work.notify_one(),
            Event::Ended(operation) => {
                if let Some(watched) = self.watched().get(operation) {
                    watched.ended.notify_waiters();
                }
            }
        }
    }

    /// Resolves when an operation is queued.
    pub(super) fn more_work(&self) -> impl Future<Output = ()> + Send + use<> {
        Arc::clone(&self.work).notified_owned()
    }

    /// Subscribes to the end of an operation. The subscription ends when the returned value is dropped.
    pub(super) fn watch(&self, operation: &str) -> Watch<'_> {
        let mut all = self.watched();
        let watched = all.entry(operation.to_owned()).or_default();
        watched.watchers += 1;
        let ended = Arc::clone(&watched.ended);
        Watch { notifier: self, operation: operation.to_owned(), ended }
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, Watchers>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Watch<'s> {
    notifier: &'s Notifier,
    operation: String,
    ended: Arc<Notify>,
}

impl Watch<'_> {
    /// Resolves when the operation ends after this call. The returned future may be awaited later.
    pub(super) fn ended(&self) -> OwnedNotified {
        Arc::clone(&self.ended).notified_owned()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut all = self.notifier.watched();
        if let Some(watched) = all.get_mut(&self.operation) {
            watched.watchers -= 1;
            if watched.watchers == 0 {
                all.remove(&self.operation);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_end_wakes_its_watchers_and_leaves_no_entry() {
        let notifier = Notifier::default();
        let (watch, other) = (notifier.watch("a"), notifier.watch("b"));
        let (ended, not_ended) = (watch.ended(), other.ended());
        notifier.notify(&Event::Ended("a".to_owned()));
        ended.await;
        let waited = tokio::time::timeout(std::time::Duration::from_millis(5), not_ended).await;
        assert!(waited.is_err(), "another operation's end");
        drop((watch, other));
        assert!(notifier.watched().is_empty());
    }

    #[tokio::test]
    async fn work_that_is_announced_before_anybody_waits_is_not_missed() {
        let notifier = Notifier::default();
        notifier.notify(&Event::Work);
        notifier.more_work().await;
    }
}
