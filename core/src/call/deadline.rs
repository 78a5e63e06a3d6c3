//! The deadline of a call. It holds for all attempts of the call together.

use std::time::Duration;
use tokio::time::Instant;

/// The time at which a call must end; `None` if the call has no deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) const NEVER: Self = Self(None);

    /// The deadline `limit` from now. A time that the clock cannot represent means no deadline.
    pub(crate) fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    /// The deadline at a point in time.
    pub(crate) fn at(time: std::time::Instant) -> Self {
        Self(Some(Instant::from_std(time)))
    }

    /// The time until the deadline; `None` without a deadline.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether this deadline is earlier than another one.
    pub(crate) fn is_before(self, other: Self) -> bool {
        match (self.0, other.0) {
            (Some(this), Some(other)) => this < other,
            (this, None) => this.is_some(),
            (None, Some(_)) => false,
        }
    }

    /// The earlier of two deadlines.
    pub(crate) fn earlier(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(one), Some(two)) => Self(Some(one.min(two))),
            (one, two) => Self(one.or(two)),
        }
    }
}
