//! A switch that ends a call from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the calls it was given to. Clones are the same switch; it cannot be switched back.
///
/// A call looks at it at least every 50 ms. It is one atomic flag, so that it can be triggered from a signal
/// handler and survives a fork.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A switch that has not been triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every call that was given this switch with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it was triggered.
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
