//! Where a batch takes its documents from: an iterator, or the files that arrive in a folder.

use super::original::{Afterwards, Original};
use super::source::BatchSource;
use crate::error::Error;
use std::time::Duration;

/// The sources of a batch.
pub(super) trait Sources: Send {
    /// Returns at once.
    ///
    /// # Errors
    /// There will be no further source, for a reason that ends the batch.
    fn next(&mut self) -> Result<Next, Error>;

    /// The document of a source with an original has ended.
    fn ended(&mut self, _original: Original, _afterwards: &Afterwards, _retry_after: Option<Duration>) {}
}

/// The next source.
#[cfg_attr(not(feature = "watch"), allow(dead_code, reason = "only a watch waits for sources"))]
pub(super) enum Next {
    /// A source, and its file if it comes from a watched folder.
    Source(Box<(BatchSource, Option<Original>)>),
    /// There is no source now, but there may be one later.
    NotYet,
    NoMore,
}

/// The sources that the caller passed.
pub(super) struct Given<I>(pub(super) I);

impl<I: Iterator<Item = BatchSource> + Send> Sources for Given<I> {
    fn next(&mut self) -> Result<Next, Error> {
        Ok(self.0.next().map_or(Next::NoMore, |source| Next::Source(Box::new((source, None)))))
    }
}
