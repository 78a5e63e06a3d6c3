//! The operations that run in this process.

use crate::execution::SharedProgress;
use recto_engine::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The operations that run here, each with the means to stop it.
#[derive(Default)]
pub(crate) struct Running {
    operations: Mutex<HashMap<String, RunningOperation>>,
    /// They were stopped with the service, not by their clients.
    stopped: AtomicBool,
}

/// One that runs: the means to stop it, and how far it is.
#[derive(Clone, Default)]
pub(super) struct RunningOperation {
    pub(super) cancel: Cancel,
    pub(super) progress: SharedProgress,
}

impl Running {
    /// How far an operation is, if it runs here.
    pub(crate) fn progress(&self, operation: &str) -> Option<(u32, u32)> {
        self.all().get(operation)?.progress.get()
    }

    /// How many operations run here.
    pub(crate) fn count(&self) -> usize {
        self.all().len()
    }

    /// Asks an operation to stop, if it runs here.
    pub(crate) fn cancel(&self, operation: &str) {
        if let Some(running) = self.all().get(operation) {
            running.cancel.trigger();
        }
    }

    /// Asks every operation to stop, because the service does: they are put back for the next one.
    pub(crate) fn stop_all(&self) {
        self.stopped.store(true, Ordering::Release);
        self.all().values().for_each(|running| running.cancel.trigger());
    }

    /// Whether the service has stopped them.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    pub(super) fn begin(&self, operation: &str) -> RunningOperation {
        let running = RunningOperation::default();
        self.all().insert(operation.to_owned(), running.clone());
        if self.is_stopped() {
            running.cancel.trigger();
        }
        running
    }

    pub(super) fn end(&self, operation: &str) {
        self.all().remove(operation);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, RunningOperation>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
