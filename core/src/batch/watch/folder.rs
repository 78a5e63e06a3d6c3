//! Notices the files of a watched folder: the system reports changes, and the folder is listed now and then, because
//! file systems of the network report none and reports can get lost.

use super::arrivals::{Arrival, Arrivals};
use super::aside::{self, REMOVING};
use crate::batch::document::fingerprint_of;
use crate::batch::step::Fingerprint;
use crate::error::Error;
use crate::runtime::signals;
use notify::event::{ModifyKind, RenameMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use recto_interface::OperationKind;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::{Duration, Instant};

/// The pause between two listings if the system reports changes, and if it does not.
const LISTING_PAUSE: Duration = Duration::from_secs(10);
const LISTING_PAUSE_ALONE: Duration = Duration::from_secs(2);
/// A listing takes at most one part in so many of the time.
const LISTING_SHARE: u32 = 20;
/// How long one call of [`Folder::poll`] reads entries: in between, the batch checks for cancellation.
const SLICE: Duration = Duration::from_millis(10);
/// How many reported changes wait to be read. If there are more, the folder is listed.
const MOST_CHANGES: usize = 4096;

/// Which files of a folder are documents.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) recursive: bool,
    pub(super) operation: OperationKind,
    /// Whether files count whose extension the operation does not accept.
    pub(super) force: bool,
    /// Folders inside the watched one whose files do not count, as paths below it.
    pub(super) ignored: Vec<PathBuf>,
}

impl Rules {
    /// Whether the entry at `path`, below the watched folder, may be a document or contain one.
    fn is_visible(&self, path: &Path) -> bool {
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        !path.components().any(is_hidden) && !self.ignored.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether the file at `path`, below the watched folder, is a document.
    fn is_document(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.is_visible(path)
            && (self.recursive || path.components().count() == 1)
            && (self.force || self.operation.accepts_name(&name))
    }
}

/// A folder that is watched. The thread that receives the reports of the system ends when this value is dropped.
pub(super) struct Folder {
    root: PathBuf,
    rules: Rules,
    changes: Receiver<Change>,
    /// Whether a report is missing: the folder must be listed.
    is_incomplete: Arc<AtomicBool>,
    watcher: Option<RecommendedWatcher>,
    listing: Option<Listing>,
    next_listing: Duration,
    /// The earliest time of the next listing, whatever the system reports.
    not_before: Duration,
}

/// A reported change.
struct Change {
    path: PathBuf,
    arrival: Arrival,
    /// Whether an entry appeared at the path.
    is_new: bool,
}

struct Listing {
    entries: walkdir::IntoIter,
    spent: Duration,
    /// Whether every folder could be read.
    is_complete: bool,
}

impl Folder {
    /// Watches `root`, a canonical path.
    pub(super) fn new(root: PathBuf, rules: Rules) -> Self {
        let (sender, changes) = mpsc::sync_channel(MOST_CHANGES);
        let is_incomplete = Arc::<AtomicBool>::default();
        let mode = if rules.recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let watcher = watcher(&root, mode, sender, Arc::clone(&is_incomplete));
        let watcher = watcher.inspect_err(|error| {
            tracing::warn!(path = %root.display(), %error, "the system does not report changes of this folder: it is listed every 2 s instead");
        });
        Self {
            root,
            rules,
            changes,
            is_incomplete,
            watcher: watcher.ok(),
            listing: None,
            next_listing: Duration::ZERO,
            not_before: Duration::ZERO,
        }
    }

    /// Passes the files that were found since the last call to `arrivals`. Returns soon, also for a large folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn poll(&mut self, arrivals: &mut Arrivals, now: Duration) -> Result<(), Error> {
        let began = Instant::now();
        while began.elapsed() < SLICE {
            let Ok(change) = self.changes.try_recv() else { break };
            self.read(&change, arrivals, now);
        }
        if self.is_incomplete.swap(false, Ordering::AcqRel) {
            self.next_listing = now;
        }
        if self.listing.is_none() && self.next_listing.max(self.not_before) <= now {
            arrivals.begin_listing();
            let depth = if self.rules.recursive { usize::MAX } else { 1 };
            let entries = walkdir::WalkDir::new(&self.root).min_depth(1).max_depth(depth).into_iter();
            self.listing = Some(Listing { entries, spent: Duration::ZERO, is_complete: true });
        }
        self.list(arrivals, now)
    }

    /// The content that the file at `name`, below the folder, has now. `None` if there is no regular file.
    pub(super) fn content(&self, name: &Path) -> Option<Fingerprint> {
        let found = self.root.join(name).symlink_metadata().ok()?;
        if found.is_file() { fingerprint_of(&found) } else { None }
    }

    fn read(&mut self, change: &Change, arrivals: &mut Arrivals, now: Duration) {
        let Ok(name) = change.path.strip_prefix(&self.root) else { return };
        if self.rules.is_document(name) {
            match self.content(name) {
                Some(content) => return arrivals.found(name, content, change.arrival, now),
                None => arrivals.gone(name),
            }
        }
        // The files of a new subfolder may be older than the watch of the subfolder.
        if change.is_new && self.rules.recursive && self.rules.is_visible(name) && change.path.is_dir() {
            self.next_listing = now;
        }
    }

    fn list(&mut self, arrivals: &mut Arrivals, now: Duration) -> Result<(), Error> {
        let Some(mut listing) = self.listing.take() else { return Ok(()) };
        let began = Instant::now();
        while began.elapsed() < SLICE {
            match listing.entries.next() {
                Some(Ok(entry)) => self.enter(&entry, &mut listing.entries, arrivals, now),
                Some(Err(error)) if error.depth() == 0 || !self.root.is_dir() => {
                    let error =
                        error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
                    return Err(Error::io(
                        format_args!("cannot read the folder {}", self.root.display()),
                        error,
                    )
                    .advise("Check that the folder exists and may be read, and start the watch again"));
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "a part of the watched folder cannot be read");
                    listing.is_complete = false;
                }
                None => {
                    listing.spent += began.elapsed();
                    if listing.is_complete {
                        arrivals.end_listing();
                    }
                    let pause = if self.watcher.is_some() { LISTING_PAUSE } else { LISTING_PAUSE_ALONE };
                    self.not_before = now.saturating_add(listing.spent.saturating_mul(LISTING_SHARE));
                    self.next_listing = now.saturating_add(pause);
                    return Ok(());
                }
            }
        }
        listing.spent += began.elapsed();
        self.listing = Some(listing);
        Ok(())
    }

    fn enter(
        &self,
        entry: &walkdir::DirEntry,
        entries: &mut walkdir::IntoIter,
        arrivals: &mut Arrivals,
        now: Duration,
    ) {
        let Ok(name) = entry.path().strip_prefix(&self.root) else { return };
        if entry.file_type().is_dir() {
            if !self.rules.is_visible(name) {
                entries.skip_current_dir();
            }
        } else if self.rules.is_document(name) {
            if let Some(content) = self.content(name) {
                arrivals.found(name, content, Arrival::Written, now);
            }
        } else if is_left_behind(entry.file_name()) && self.next_listing == Duration::ZERO {
            // The first listing: no document of this watch has ended yet.
            aside::restore(entry.path());
        }
    }
}

fn is_left_behind(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(REMOVING))
}

/// Starts to receive the reports of the system about `root`.
fn watcher(
    root: &Path,
    mode: RecursiveMode,
    sender: SyncSender<Change>,
    is_incomplete: Arc<AtomicBool>,
) -> notify::Result<RecommendedWatcher> {
    let receive = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return is_incomplete.store(true, Ordering::Release) };
        if event.need_rescan() {
            is_incomplete.store(true, Ordering::Release);
        }
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let is_renamed = event.kind == EventKind::Modify(ModifyKind::Name(RenameMode::To));
        let arrival = if is_renamed { Arrival::Renamed } else { Arrival::Written };
        let is_new = matches!(event.kind, EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)));
        for path in event.paths {
            if sender.try_send(Change { path, arrival, is_new }).is_err() {
                is_incomplete.store(true, Ordering::Release);
            }
        }
    };
    // The thread of the library must not receive the signals of the process.
    signals::blocked(|| {
        let config = notify::Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(receive, config)?;
        watcher.watch(root, mode)?;
        Ok(watcher)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(recursive: bool) -> Rules {
        let ignored = vec!["out".into(), "deep/failed".into()];
        Rules { recursive, operation: OperationKind::Optimize, force: false, ignored }
    }

    #[test]
    fn hidden_files_other_formats_and_the_folders_of_the_watch_are_no_documents() {
        let is_document = |name: &str| rules(true).is_document(Path::new(name));
        for name in ["a.pdf", "A.PDF", "sub/a.pdf", "deep/a.pdf", "output/a.pdf"] {
            assert!(is_document(name), "{name}");
        }
        for name in ["a.txt", "pdf", ".a.pdf", ".git/a.pdf", "sub/.a.pdf", "out/a.pdf", "deep/failed/x/a.pdf"]
        {
            assert!(!is_document(name), "{name}");
        }
        assert!(
            rules(false).is_document(Path::new("a.pdf")) && !rules(false).is_document(Path::new("sub/a.pdf"))
        );
        assert!(Rules { force: true, ..rules(true) }.is_document(Path::new("a.txt")));
    }

    /// Polls until a file is due.
    fn wait(folder: &mut Folder, arrivals: &mut Arrivals, began: Instant) -> PathBuf {
        loop {
            folder.poll(arrivals, began.elapsed()).unwrap();
            if let Some(path) = arrivals.due(began.elapsed()) {
                return path.to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_are_found_by_listing_and_by_reports_and_links_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("target"), "%PDF").unwrap();
        std::os::unix::fs::symlink(root.join("target"), root.join("link.pdf")).unwrap();
        std::fs::create_dir_all(root.join("sub/out")).unwrap();
        std::fs::write(root.join("sub/old.pdf"), "%PDF").unwrap();
        let mut watched = Folder::new(root.clone(), rules(true));
        let mut arrivals = Arrivals::new(Duration::from_millis(20));
        let began = Instant::now();
        assert_eq!(wait(&mut watched, &mut arrivals, began), Path::new("sub/old.pdf"));
        arrivals.forget(Path::new("sub/old.pdf"));
        // Without the next listing, only a report can show these files.
        watched.next_listing = Duration::from_secs(3600);
        std::fs::write(root.join("new.pdf"), "%PDF").unwrap();
        assert_eq!(wait(&mut watched, &mut arrivals, began), Path::new("new.pdf"));
        arrivals.forget(Path::new("new.pdf"));
        std::fs::create_dir(root.join("later")).unwrap();
        std::fs::write(root.join("later/new.pdf"), "%PDF").unwrap();
        std::fs::remove_file(root.join("sub/old.pdf")).unwrap();
        std::fs::remove_file(root.join("new.pdf")).unwrap();
        assert_eq!(wait(&mut watched, &mut arrivals, began), Path::new("later/new.pdf"));
    }

    #[test]
    fn a_folder_that_disappears_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut watched = Folder::new(folder.path().canonicalize().unwrap(), rules(false));
        let mut arrivals = Arrivals::new(Duration::ZERO);
        watched.poll(&mut arrivals, Duration::ZERO).unwrap();
        drop(folder);
        assert!(watched.poll(&mut arrivals, Duration::from_secs(3600)).is_err());
    }
}
