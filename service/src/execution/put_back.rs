//! Decides whether an operation returns to the queue, because no worker could be started for it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a worker of the queue pauses after it has put an operation back.
const PAUSE: Duration = Duration::from_millis(500);

/// The operations that were put back, each with the time of its first failed start.
#[derive(Default)]
pub(crate) struct PutBack(Mutex<HashMap<String, Instant>>);

/// What happens to an operation for which no worker could be started.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AfterFailedStart {
    /// The operation returns to the queue. The worker of the queue pauses for this time.
    PutBack(Duration),
    /// The operation fails.
    Fail,
}

impl PutBack {
    /// Decides what happens to `operation`, whose start failed at `now`. An operation may wait for a worker for the
    /// time `patience`.
    pub(crate) fn after_failed_start(
        &self,
        operation: &str,
        now: Instant,
        patience: Duration,
    ) -> AfterFailedStart {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another machine may have finished an operation that this process has put back.
        first.retain(|_, since| now.saturating_duration_since(*since) < 2 * patience + PAUSE);
        let since = *first.entry(operation.to_owned()).or_insert(now);
        if now.saturating_duration_since(since) < patience {
            return AfterFailedStart::PutBack(PAUSE);
        }
        first.remove(operation);
        AfterFailedStart::Fail
    }

    /// Forgets an operation that was started or has ended.
    pub(crate) fn forget(&self, operation: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(operation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_put_back_until_its_patience_has_ended() {
        let (put_back, began) = (PutBack::default(), Instant::now());
        let (patience, second) = (Duration::from_secs(3), Duration::from_secs(1));
        let at = |seconds: u32| put_back.after_failed_start("a", began + seconds * second, patience);
        for seconds in 0..3 {
            assert_eq!(at(seconds), AfterFailedStart::PutBack(PAUSE), "{seconds}");
        }
        assert_eq!(at(3), AfterFailedStart::Fail);
        assert_eq!(put_back.after_failed_start("a", began, Duration::ZERO), AfterFailedStart::Fail);
    }

    #[test]
    fn only_operations_that_wait_are_remembered() {
        let (put_back, began) = (PutBack::default(), Instant::now());
        for number in 0..1000_u32 {
            let now = began + number * Duration::from_secs(1);
            put_back.after_failed_start(&number.to_string(), now, Duration::from_secs(3));
        }
        assert!(put_back.0.lock().unwrap().len() < 10);
        put_back.forget("999");
        assert!(!put_back.0.lock().unwrap().contains_key("999"));
    }
}
