//! How far a call is.

use crate::error::Phase;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// How far a call is, as its progress callback sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// [`Phase::Upload`], [`Phase::Wait`] or [`Phase::Download`].
    pub phase: Phase,
    /// Bytes moved in this phase, each counted once however often it was sent; 0 while waiting.
    pub done: u64,
    /// Bytes to move in this phase, where known; `None` while waiting.
    pub total: Option<u64>,
    /// Time since the phase began.
    pub elapsed: Duration,
}

/// Collects the progress of one call, for the callback to be told of on the caller's thread.
#[derive(Debug, Default)]
pub(crate) struct Meter(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    current: Option<Current>,
    /// Beginnings and ends of phases, which are reported even when they pass between two ticks.
    marks: Vec<Progress>,
}

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
    /// A phase begins.
    pub(crate) fn begin(&self, phase: Phase, total: Option<u64>) {
        let mut state = self.0.borrow_mut();
        let current = Current { phase, began: Instant::now(), done: 0, total };
        state.current = Some(current);
        state.marks.push(current.progress());
    }

    /// The transfer stands at byte `position`. One that begins again counts on only where it was before.
    pub(crate) fn at(&self, position: u64) {
        if let Some(current) = &mut self.0.borrow_mut().current {
            current.done = current.done.max(position);
        }
    }

    /// The size became known, or proved to be another.
    pub(crate) fn of(&self, total: Option<u64>) {
        if let Some(current) = &mut self.0.borrow_mut().current {
            current.total = total;
        }
    }

    /// The phase ended well.
    pub(crate) fn end(&self) {
        let mut state = self.0.borrow_mut();
        if let Some(current) = state.current.take() {
            state.marks.push(current.progress());
        }
    }

    /// Beginnings and ends not yet reported.
    pub(crate) fn take_marks(&self) -> Vec<Progress> {
        std::mem::take(&mut self.0.borrow_mut().marks)
    }

    /// How far the running phase is.
    pub(crate) fn now(&self) -> Option<Progress> {
        self.0.borrow().current.map(Current::progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_that_begins_again_counts_each_byte_once() {
        let meter = Meter::default();
        meter.begin(Phase::Upload, Some(10));
        for position in [4, 8, 0, 4, 8, 10] {
            meter.at(position);
        }
        assert_eq!(meter.now().map(|progress| progress.done), Some(10));
        meter.at(3);
        meter.end();
        let marks: Vec<_> = meter.take_marks().iter().map(|mark| (mark.done, mark.total)).collect();
        assert_eq!(marks, [(0, Some(10)), (10, Some(10))]);
        assert_eq!(meter.now(), None);
    }
}
