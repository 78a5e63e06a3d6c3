//! The progress of a call.

use crate::error::Phase;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The progress of a call. The progress callback receives this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase: [`Phase::Upload`], [`Phase::Wait`] or [`Phase::Download`].
    pub phase: Phase,
    /// Bytes transferred in this phase. A byte that had to be sent several times counts once. 0 while waiting.
    pub done: u64,
    /// Bytes to transfer in this phase; `None` if the number is not known, and while waiting.
    pub total: Option<u64>,
    /// The time since the phase began.
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
    /// Begins a phase. Returns the progress at its beginning.
    pub(crate) fn begin(&self, phase: Phase, total: Option<u64>) -> Progress {
        let current = Current { phase, began: Instant::now(), done: 0, total };
        self.0.set(Some(current));
        current.progress()
    }

    /// Sets the position of the transfer. After the transfer starts again, `done` stays at its greatest value until
    /// the position exceeds it.
    pub(crate) fn set_position(&self, position: u64) {
        self.0.set(self.0.get().map(|current| Current { done: current.done.max(position), ..current }));
    }

    /// Sets the total number of bytes, when it becomes known or turns out to be different.
    pub(crate) fn set_total(&self, total: Option<u64>) {
        self.0.set(self.0.get().map(|current| Current { total, ..current }));
    }

    /// Ends a phase that succeeded. Returns its progress, or `None` if no phase was running.
    pub(crate) fn end(&self) -> Option<Progress> {
        self.0.take().map(Current::progress)
    }

    /// The progress of the running phase; `None` between phases.
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
