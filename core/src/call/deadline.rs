//! The time a call has, over all its attempts.

use std::time::Duration;
use tokio::time::Instant;

/// When a call must be over; or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) const NEVER: Self = Self(None);

    /// That long from now; a time too far to be told is never.
    pub(crate) fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    /// The time left; `None` for ever.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whichever comes first.
    pub(crate) fn earlier(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(two)) => Self(Some(one.min(two))),
            (one, two) => Self(one.or(two)),
        }
    }
}
