//! File descriptors in reserve: they are given up when a worker cannot be started because no descriptor is free.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

/// A start needs ten descriptors for a short time: the channel, two pipes, the output file, and the report of the
/// start. The files of its operation need three more.
const KEPT: usize = 16;

/// Descriptors in reserve.
#[derive(Default)]
pub(super) struct SpareDescriptors(Mutex<Vec<File>>);

impl SpareDescriptors {
    /// Opens descriptors until the reserve is full, or no descriptor is free.
    pub(super) fn fill(&self) {
        if cfg!(not(unix)) {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.len() < KEPT
            && let Ok(spare) = File::open("/dev/null")
        {
            kept.push(spare);
        }
    }

    /// Closes all descriptors of the reserve. Returns whether there were any.
    pub(super) fn give_up(&self) -> bool {
        let given_up = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !given_up.is_empty()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_given_up_once_and_can_be_filled_again() {
        let spare = SpareDescriptors::default();
        assert!(!spare.give_up());
        for _ in 0..2 {
            spare.fill();
            assert_eq!(spare.0.lock().unwrap().len(), KEPT);
            assert!(spare.give_up());
            assert!(!spare.give_up());
        }
    }
}
