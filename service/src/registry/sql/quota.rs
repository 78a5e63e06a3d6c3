//! How many files, operations and bytes there are, for the limits.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a count is used. With several machines, a count may be that much out of date.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The number of files and tickets, of operations that have not ended, and of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: i64,
    pub(super) operations: i64,
    pub(super) bytes: i64,
}

/// The last count, updated with the changes of this process: counting for every request would read all rows.
#[derive(Default)]
pub(super) struct CachedCounts(Mutex<Option<(Instant, Counts)>>);

impl CachedCounts {
    /// The counts, if they are recent.
    pub(super) fn fresh(&self) -> Option<Counts> {
        self.cached().filter(|(counted, _)| counted.elapsed() < MAX_AGE).map(|(_, counts)| counts)
    }

    pub(super) fn set(&self, counts: Counts) {
        *self.cached() = Some((Instant::now(), counts));
    }

    pub(super) fn invalidate(&self) {
        *self.cached() = None;
    }

    pub(super) fn files(&self, more: i64) {
        if let Some((_, counts)) = self.cached().as_mut() {
            counts.files += more;
        }
    }

    pub(super) fn operations(&self, more: i64) {
        if let Some((_, counts)) = self.cached().as_mut() {
            counts.operations += more;
        }
    }

    fn cached(&self) -> MutexGuard<'_, Option<(Instant, Counts)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
