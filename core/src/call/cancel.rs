//! Cancels calls from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels the calls that this value was passed to. Clones share one state. A triggered `Cancel` cannot be reset.
///
/// A call checks for cancellation at least every 50 ms. The state is one atomic flag, so that a signal handler can
/// set the flag, and it stays valid after a fork.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Creates a `Cancel` that has not been triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call that this `Cancel` was passed to, with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether [`trigger`](Self::trigger) was called.
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
