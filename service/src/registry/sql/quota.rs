//! Counts files, operations and bytes, to compare them with the limits.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a count is used before the rows are counted again. With several machines, a count may be out of date, but
/// at most for this time.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The number of files (with and without content), of operations that have not ended, and of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: i64,
    pub(super) operations: i64,
    pub(super) bytes: i64,
    /// The size of the options of the operations that have not ended.
    pub(super) queued_bytes: i64,
}

/// The last count. Changes by this process are added to this count, because counting for every request would read all
/// rows.
#[derive(Default)]
pub(super) struct CachedCounts(Mutex<Option<(Instant, Counts)>>);

impl CachedCounts {
    /// The last count. `None` if the count is older than [`MAX_AGE`].
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

    /// Adds the size of the options of an operation. When operations end, their sizes are no longer counted after at
    /// most [`MAX_AGE`].
    pub(super) fn queued_bytes(&self, more: i64) {
        if let Some((_, counts)) = self.cached().as_mut() {
            counts.queued_bytes += more;
        }
    }

    fn cached(&self) -> MutexGuard<'_, Option<(Instant, Counts)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
