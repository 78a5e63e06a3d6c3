//! Decides when a file that arrives in a watched folder is complete. No input or output: events and listings come in,
//! complete files go out, and the time is an argument.

use crate::batch::step::Fingerprint;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files of a watched folder, by their path below it. Every time is the time since the watch began.
#[derive(Debug)]
pub(super) struct Arrivals {
    settle: Duration,
    files: HashMap<PathBuf, File>,
    /// The files that wait for a point in time, ordered by it.
    due: BTreeSet<(Duration, PathBuf)>,
    listing: u64,
}

#[derive(Debug)]
struct File {
    content: Fingerprint,
    state: State,
    /// The listing in which the file was last found.
    listed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The file counts as complete at this time if its content has not changed until then. After a failed attempt,
    /// it is tried again at this time.
    Due(Duration),
    InProgress,
    /// The file was processed, and stays in the folder.
    Over,
}

/// How a file came to its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A program writes the file, or the way is unknown.
    Written,
    /// The file was renamed to this path: its writer has finished.
    Renamed,
}

impl Arrivals {
    pub(super) fn new(settle: Duration) -> Self {
        Self { settle, files: HashMap::new(), due: BTreeSet::new(), listing: 0 }
    }

    /// The file at `path` has this content now.
    pub(super) fn found(&mut self, path: &Path, content: Fingerprint, arrival: Arrival, now: Duration) {
        let listed = self.listing;
        if let Some(file) = self.files.get_mut(path) {
            file.listed = listed;
            // A change of a file in progress is noticed when its document ends.
            let is_known =
                file.content == content && (arrival == Arrival::Written || file.state == State::Over);
            if is_known || file.state == State::InProgress {
                return;
            }
        }
        let wait = if arrival == Arrival::Renamed { Duration::ZERO } else { self.settle };
        self.set(path, content, State::Due(now.saturating_add(wait)));
    }

    /// There is no file at `path`.
    pub(super) fn gone(&mut self, path: &Path) {
        if self.files.get(path).is_some_and(|file| file.state != State::InProgress) {
            self.forget(path);
        }
    }

    /// A file whose time has come. The caller reads the content that it has now, and calls [`take`](Self::take) or
    /// [`gone`](Self::gone).
    pub(super) fn due(&self, now: Duration) -> Option<&Path> {
        self.due.first().filter(|(due, _)| *due <= now).map(|(_, path)| path.as_path())
    }

    /// Takes the file at `path` if its content has not changed. Otherwise the file has to settle again.
    pub(super) fn take(&mut self, path: &Path, content: Fingerprint, now: Duration) -> bool {
        let is_same = self.files.get(path).is_some_and(|file| file.content == content);
        let state = if is_same { State::InProgress } else { State::Due(now.saturating_add(self.settle)) };
        self.set(path, content, state);
        is_same
    }

    /// The file at `path`, which was taken, was processed and stays.
    pub(super) fn over(&mut self, path: &Path) {
        self.end(path, State::Over);
    }

    /// The file at `path`, which was taken, is tried again at this time.
    pub(super) fn again(&mut self, path: &Path, at: Duration) {
        self.end(path, State::Due(at));
    }

    /// The file at `path`, which was taken, is no longer there, or it is a new document now, which the caller then
    /// passes to [`found`](Self::found).
    pub(super) fn forget(&mut self, path: &Path) {
        if let Some(File { state: State::Due(due), .. }) = self.files.remove(path) {
            self.due.remove(&(due, path.to_owned()));
        }
    }

    /// A listing of the folder begins: its files are passed to [`found`](Self::found).
    pub(super) fn begin_listing(&mut self) {
        self.listing += 1;
    }

    /// A complete listing of the folder ended: the files that were not found are gone.
    pub(super) fn end_listing(&mut self) {
        let listing = self.listing;
        let is_gone = |file: &File| file.listed < listing && file.state != State::InProgress;
        let gone: Vec<_> =
            self.files.iter().filter(|(_, file)| is_gone(file)).map(|(path, _)| path.clone()).collect();
        gone.iter().for_each(|path| self.forget(path));
    }

    fn end(&mut self, path: &Path, state: State) {
        if let Some(content) = self.files.get(path).map(|file| file.content) {
            self.set(path, content, state);
        }
    }

    fn set(&mut self, path: &Path, content: Fingerprint, state: State) {
        self.forget(path);
        if let State::Due(due) = state {
            self.due.insert((due, path.to_owned()));
        }
        self.files.insert(path.to_owned(), File { content, state, listed: self.listing });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(size: u64) -> Fingerprint {
        Fingerprint { size, modified: 7 }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn arrivals() -> Arrivals {
        Arrivals::new(at(2))
    }

    /// Takes the next complete file, if the file that is due still has `size` bytes.
    fn taken(arrivals: &mut Arrivals, size: u64, now: u64) -> Option<PathBuf> {
        let path = arrivals.due(at(now))?.to_owned();
        arrivals.take(&path, content(size), at(now)).then_some(path)
    }

    #[test]
    fn a_file_that_grows_is_complete_when_it_has_not_changed_for_the_settle_time() {
        let mut arrivals = arrivals();
        let path = Path::new("a.pdf");
        for second in 0..10 {
            arrivals.found(path, content(second), Arrival::Written, at(second));
            assert_eq!(taken(&mut arrivals, second, second), None, "at {second} s");
        }
        assert_eq!(taken(&mut arrivals, 9, 10), None);
        // An event without a change does not delay the file.
        arrivals.found(path, content(9), Arrival::Written, at(10));
        assert_eq!(taken(&mut arrivals, 9, 11), Some("a.pdf".into()));
        assert_eq!(taken(&mut arrivals, 9, 99), None);
    }

    #[test]
    fn a_change_without_an_event_is_noticed_when_the_file_is_taken() {
        let mut arrivals = arrivals();
        arrivals.found(Path::new("a.pdf"), content(1), Arrival::Written, at(0));
        assert_eq!(taken(&mut arrivals, 5, 2), None);
        assert_eq!(taken(&mut arrivals, 5, 3), None);
        assert_eq!(taken(&mut arrivals, 5, 4), Some("a.pdf".into()));
    }

    #[test]
    fn a_renamed_file_is_complete_at_once() {
        let mut arrivals = arrivals();
        arrivals.found(Path::new("a.pdf"), content(1), Arrival::Written, at(0));
        arrivals.found(Path::new("a.pdf"), content(1), Arrival::Renamed, at(0));
        assert_eq!(taken(&mut arrivals, 1, 0), Some("a.pdf".into()));
    }

    #[test]
    fn a_processed_file_is_taken_again_only_if_it_changes() {
        let mut arrivals = arrivals();
        let path = Path::new("a.pdf");
        arrivals.found(path, content(1), Arrival::Renamed, at(0));
        assert!(taken(&mut arrivals, 1, 0).is_some());
        // While the file is in progress, events have no effect.
        arrivals.found(path, content(2), Arrival::Renamed, at(1));
        assert_eq!(taken(&mut arrivals, 2, 9), None);
        arrivals.over(path);
        arrivals.found(path, content(1), Arrival::Renamed, at(9));
        assert_eq!(taken(&mut arrivals, 1, 99), None);
        arrivals.found(path, content(3), Arrival::Written, at(100));
        assert_eq!(taken(&mut arrivals, 3, 102), Some("a.pdf".into()));
    }

    #[test]
    fn a_failed_attempt_is_repeated_at_its_time() {
        let mut arrivals = arrivals();
        arrivals.found(Path::new("a.pdf"), content(1), Arrival::Renamed, at(0));
        assert!(taken(&mut arrivals, 1, 0).is_some());
        arrivals.again(Path::new("a.pdf"), at(30));
        arrivals.found(Path::new("a.pdf"), content(1), Arrival::Written, at(20));
        assert_eq!(taken(&mut arrivals, 1, 29), None);
        assert!(taken(&mut arrivals, 1, 30).is_some());
    }

    #[test]
    fn files_that_a_listing_does_not_find_are_forgotten_except_those_in_progress() {
        let mut arrivals = arrivals();
        for name in ["a", "b", "c"] {
            arrivals.found(Path::new(name), content(1), Arrival::Written, at(0));
        }
        arrivals.begin_listing();
        arrivals.found(Path::new("b"), content(1), Arrival::Written, at(1));
        assert!(arrivals.take(Path::new("c"), content(1), at(1)));
        arrivals.end_listing();
        assert_eq!(taken(&mut arrivals, 1, 9), Some("b".into()));
        assert_eq!(taken(&mut arrivals, 1, 9), None);
        arrivals.over(Path::new("c"));
        assert_eq!(arrivals.files.len(), 2);
    }

    proptest! {
        /// Whatever happens, a file is taken only after its content was the same for the settle time, and the two
        /// collections agree.
        #[test]
        fn no_file_is_taken_while_it_changes(steps in prop::collection::vec((0_u8..6, 0_usize..3, 0_u64..3), 1..80)) {
            let mut arrivals = arrivals();
            let mut changed = [at(0); 3];
            let mut sizes = [0_u64; 3];
            for (second, (what, file, size)) in steps.into_iter().enumerate() {
                let now = at(second as u64);
                let path = PathBuf::from(file.to_string());
                match what {
                    0 | 1 => {
                        if sizes[file] != size {
                            (sizes[file], changed[file]) = (size, now);
                        }
                        arrivals.found(&path, content(size), Arrival::Written, now);
                    }
                    2 => { arrivals.gone(&path); changed[file] = now; }
                    3 => arrivals.over(&path),
                    4 => { arrivals.begin_listing(); arrivals.end_listing(); changed = [now; 3]; }
                    _ => {
                        if let Some(path) = arrivals.due(now).map(Path::to_owned) {
                            let file: usize = path.to_str().unwrap().parse().unwrap();
                            if arrivals.take(&path, content(sizes[file]), now) {
                                prop_assert!(now >= changed[file] + at(2));
                            }
                        }
                    }
                }
                let waiting = arrivals.files.values().filter(|file| matches!(file.state, State::Due(_))).count();
                prop_assert_eq!(waiting, arrivals.due.len());
            }
        }
    }
}
