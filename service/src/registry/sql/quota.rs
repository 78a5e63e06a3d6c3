//! How much there is, for the limits: counted now and then, and kept up between.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a count is good for. Where several machines count, each is that far behind the others.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Files and tickets, operations that have not ended, and the bytes of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: i64,
    pub(super) operations: i64,
    pub(super) bytes: i64,
}

/// The last count, and what changed since. To count at every request would read every row.
#[derive(Default)]
pub(super) struct CachedCounts(Mutex<Option<(Instant, Counts)>>);

impl CachedCounts {
    /// The counts, if they are recent.
    pub(super) fn fresh(&self) -> Option<Counts> {
        self.last().filter(|(counted, _)| counted.elapsed() < MAX_AGE).map(|(_, counts)| counts)
    }

    pub(super) fn set(&self, counts: Counts) {
        *self.last() = Some((Instant::now(), counts));
    }

    pub(super) fn forget(&self) {
        *self.last() = None;
    }

    pub(super) fn files(&self, more: i64) {
        if let Some((_, counts)) = self.last().as_mut() {
            counts.files += more;
        }
    }

    pub(super) fn operations(&self, more: i64) {
        if let Some((_, counts)) = self.last().as_mut() {
            counts.operations += more;
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<(Instant, Counts)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
