//! Decides when a watch tries again after a failure that is not the document's. No input or output.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// After failures of this many documents in a row, the service counts as away: the watch takes no document until a
/// pause is over, and then one at a time.
const ROW: usize = 3;

/// The pauses of a watch. Every time is the time since the watch began.
#[derive(Debug)]
pub(super) struct Pauses {
    shortest: Duration,
    longest: Duration,
    /// The documents that failed, and how often.
    failures: HashMap<PathBuf, u32>,
    /// The documents that failed since the last success.
    row: Vec<PathBuf>,
    /// How often the service was away in a row, and until when it counts as away.
    away: Option<(u32, Duration)>,
    /// Whether one document is in progress that shows whether the service is back.
    probing: bool,
}

impl Pauses {
    pub(super) fn new(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest, failures: HashMap::new(), row: Vec::new(), away: None, probing: false }
    }

    /// Whether the next document may be taken.
    pub(super) fn allow(&self, now: Duration) -> bool {
        self.away.is_none_or(|(_, until)| !self.probing && until <= now)
    }

    /// A document was taken.
    pub(super) fn taken(&mut self) {
        self.probing = self.away.is_some();
    }

    /// A document has ended, and its outcome does not depend on the service or on this machine.
    pub(super) fn ended(&mut self, path: &Path) {
        self.failures.remove(path);
        self.row.clear();
        (self.away, self.probing) = (None, false);
    }

    /// A document failed for a reason that is not its own. Returns when it is tried again.
    pub(super) fn failed(&mut self, path: &Path, now: Duration) -> Duration {
        let count = self.failures.entry(path.to_owned()).or_default();
        *count += 1;
        let again = now.saturating_add(pause(*count, self.shortest, self.longest));
        if self.row.len() < ROW && !self.row.iter().any(|other| other == path) {
            self.row.push(path.to_owned());
        }
        // Of several documents that fail during the same pause, only the first one counts.
        let is_longer = self.away.is_none_or(|(_, until)| until <= now);
        if self.row.len() >= ROW && is_longer {
            let times = self.away.map_or(1, |(times, _)| times.saturating_add(1));
            self.away = Some((times, now.saturating_add(pause(times, self.shortest, self.longest))));
        }
        self.probing = false;
        again
    }

    /// A document that ended without an outcome, because its file changed or disappeared.
    pub(super) fn dropped(&mut self, path: &Path) {
        self.failures.remove(path);
        self.probing = false;
    }
}

/// The pause after so many failures: each is twice as long as the one before.
fn pause(failures: u32, shortest: Duration, longest: Duration) -> Duration {
    let factor = 2_u32.checked_pow(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    shortest.saturating_mul(factor).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn pauses() -> Pauses {
        Pauses::new(at(30), at(600))
    }

    #[test]
    fn the_pause_of_a_document_doubles_up_to_the_longest() {
        let mut pauses = pauses();
        let times: Vec<_> = (0..8).map(|_| pauses.failed(Path::new("a"), at(0)).as_secs()).collect();
        assert_eq!(times, [30, 60, 120, 240, 480, 600, 600, 600]);
        pauses.ended(Path::new("a"));
        assert_eq!(pauses.failed(Path::new("a"), at(1)), at(31));
    }

    #[test]
    fn one_document_that_always_fails_does_not_delay_the_others() {
        let mut pauses = pauses();
        for second in 0..100 {
            pauses.failed(Path::new("a"), at(second));
            assert!(pauses.allow(at(second)));
        }
    }

    #[test]
    fn after_three_documents_in_a_row_the_service_is_probed_with_one_at_a_time() {
        let mut pauses = pauses();
        for name in ["a", "b", "c", "d"] {
            pauses.failed(Path::new(name), at(0));
        }
        assert!(!pauses.allow(at(29)) && pauses.allow(at(30)));
        pauses.taken();
        assert!(!pauses.allow(at(31)));
        pauses.failed(Path::new("a"), at(31));
        assert!(!pauses.allow(at(90)) && pauses.allow(at(91)));
        pauses.taken();
        pauses.ended(Path::new("a"));
        assert!(pauses.allow(at(91)));
        pauses.failed(Path::new("b"), at(92));
        assert!(pauses.allow(at(92)));
    }
}
