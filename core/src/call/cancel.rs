//! Cancellation of calls, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels the calls that it was passed to. Clones are the same switch. It cannot be reset.
///
/// A call checks it at least every 50 ms. It is one atomic flag, so that a signal handler can trigger it and a fork
/// keeps it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A switch that has not been triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call that this switch was passed to with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it has been triggered.
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
