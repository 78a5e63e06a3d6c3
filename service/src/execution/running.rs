//! The operations that run in this process.

use super::SharedProgress;
use recto_engine::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The operations that run in this process.
#[derive(Default)]
pub(crate) struct Running {
    operations: Mutex<HashMap<String, RunningOperation>>,
    /// Whether the service itself has cancelled all operations because it stops.
    stopped: AtomicBool,
}

/// A running operation: the `Cancel` to stop it, and its progress.
#[derive(Clone, Default)]
pub(crate) struct RunningOperation {
    pub(crate) cancel: Cancel,
    pub(crate) progress: SharedProgress,
}

impl Running {
    /// The progress of an operation. `None` if the operation does not run in this process, or if its progress is
    /// unknown.
    pub(crate) fn progress(&self, operation: &str) -> Option<(u32, u32)> {
        self.all().get(operation)?.progress.get()
    }

    /// How many operations run in this process.
    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }

    /// Cancels the operation called `operation`, if that operation runs in this process.
    pub(crate) fn cancel(&self, operation: &str) {
        if let Some(running) = self.all().get(operation) {
            running.cancel.trigger();
        }
    }

    /// Cancels all operations, because the service stops. The cancelled operations are put back into the queue.
    pub(crate) fn stop_all(&self) {
        self.stopped.store(true, Ordering::Release);
        self.all().values().for_each(|running| running.cancel.trigger());
    }

    /// Whether the service has cancelled all operations because it stops.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Registers an operation that starts in this process.
    pub(crate) fn begin(&self, operation: &str) -> RunningOperation {
        let running = RunningOperation::default();
        self.all().insert(operation.to_owned(), running.clone());
        if self.is_stopped() {
            running.cancel.trigger();
        }
        running
    }

    /// Removes an operation that has ended.
    pub(crate) fn end(&self, operation: &str) {
        self.all().remove(operation);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, RunningOperation>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
