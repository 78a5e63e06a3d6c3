//! The progress of a call.

use crate::error::Phase;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The progress of a call, as its progress callback receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// [`Phase::Upload`], [`Phase::Wait`] or [`Phase::Download`].
    pub phase: Phase,
    /// Bytes transferred in this phase, each counted once even if it was sent several times; 0 while waiting.
    pub done: u64,
    /// Bytes to transfer in this phase, if known; `None` while waiting.
    pub total: Option<u64>,
    /// Time since the phase began.
    pub elapsed: Duration,
}

/// Counts the progress of one call.
#[derive(Debug, Default)]
pub(crate) struct Meter(Cell<Option<Current>>);

#[derive(Clone, Copy, Debug)]
struct Current {
    phase: Phase,
    began: Instant,
    done: u64,
    total: Option<u64>,
}

impl Current {
    fn progress(self) -> Progress {
        Progress { phase: self.phase, done: self.done, total: self.total, elapsed: self.began.elapsed() }
    }
}

impl Meter {
    /// Begins a phase.
    pub(crate) fn begin(&self, phase: Phase, total: Option<u64>) -> Progress {
        let current = Current { phase, began: Instant::now(), done: 0, total };
        self.0.set(Some(current));
        current.progress()
    }

    /// Sets the position of the transfer. After a restart, `done` grows again only beyond its earlier value.
    pub(crate) fn set_position(&self, position: u64) {
        self.0.set(self.0.get().map(|current| Current { done: current.done.max(position), ..current }));
    }

    /// Sets the size, when it becomes known or turns out to be different.
    pub(crate) fn set_total(&self, total: Option<u64>) {
        self.0.set(self.0.get().map(|current| Current { total, ..current }));
    }

    /// Ends a phase that succeeded.
    pub(crate) fn end(&self) -> Option<Progress> {
        self.0.take().map(Current::progress)
    }

    /// The progress of the running phase.
    pub(crate) fn current(&self) -> Option<Progress> {
        self.0.get().map(Current::progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restarted_transfer_counts_each_byte_once() {
        let meter = Meter::default();
        meter.begin(Phase::Upload, Some(10));
        for position in [4, 8, 0, 4, 8, 10] {
            meter.set_position(position);
        }
        assert_eq!(meter.current().map(|progress| progress.done), Some(10));
        meter.set_position(3);
        assert_eq!(meter.end().map(|progress| (progress.done, progress.total)), Some((10, Some(10))));
        assert_eq!(meter.current(), None);
    }
}
