//! A batch over the files that arrive in a folder.
//!
//! `folder` notices files, `arrivals` decides when they are complete, `aside` moves or deletes them after their
//! document has ended, with the text of `reason` if it failed. `failures` and `pauses` decide what happens after an
//! error.

mod arrivals;
mod aside;
mod failures;
mod folder;
mod pauses;
mod reason;

use super::builder::BatchBuilder;
use super::original::{Afterwards, Original};
use super::result_paths::absolute;
use super::running::Batch;
use super::source::{BatchSource, digest};
use super::sources::{Next, Sources};
use super::step::{DocumentProgress, Header, Service};
use crate::client::start::merged;
use crate::error::{Error, Phase};
use crate::io::source::Source;
use arrivals::{Arrival, Arrivals};
use aside::{Aside, Completed};
use folder::{Folder, Rules};
use pauses::Pauses;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The default of [`Watch::settle`], and its greatest value.
const SETTLE: Duration = Duration::from_secs(2);
const LONGEST_SETTLE: Duration = Duration::from_secs(3600);
/// The pauses after failures that are not the document's.
const SHORTEST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// The name of the folder for documents that cannot be processed.
const FAILED: &str = "failed";

/// A folder whose files a batch processes as they arrive. See [`BatchBuilder::watch`].
#[derive(Clone, Debug)]
#[must_use = "nothing happens until a batch watches the folder"]
pub struct Watch {
    folder: PathBuf,
    recursive: bool,
    settle: Duration,
    move_to: Option<PathBuf>,
    delete: bool,
    failed: Option<PathBuf>,
    pauses: (Duration, Duration),
}

impl Watch {
    /// Watches `folder`, which must exist. Hidden files, links, files that the operation does not accept, and the
    /// folders of the results, of moved files and of failures do not count.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            recursive: false,
            settle: SETTLE,
            move_to: None,
            delete: false,
            failed: None,
            pauses: (SHORTEST_PAUSE, LONGEST_PAUSE),
        }
    }

    /// Whether files in subfolders count. Their results, and they themselves if they are moved, get the same subfolder.
    /// Default: false.
    pub fn recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// A file is complete when its length and its modification time have not changed for so long; at most one hour. A
    /// file that was renamed to its path is complete at once. Default: 2 s.
    pub fn settle(mut self, settle: Duration) -> Self {
        self.settle = settle;
        self
    }

    /// Moves the file of a completed document to `folder`, created if it does not exist. No file is replaced: `-2`,
    /// `-3` and so on is appended to the name. Default: files stay, and the journal records which ones are completed.
    pub fn move_originals(mut self, folder: impl Into<PathBuf>) -> Self {
        self.move_to = Some(folder.into());
        self
    }

    /// Deletes the file of a completed document. Default: files stay.
    pub fn delete_originals(mut self, delete: bool) -> Self {
        self.delete = delete;
        self
    }

    /// The folder for the files of documents that cannot be processed, each with a text `NAME.reason.txt`. Default:
    /// `failed` in the watched folder.
    pub fn failed(mut self, folder: impl Into<PathBuf>) -> Self {
        self.failed = Some(folder.into());
        self
    }

    /// The shortest and the longest pause before a document is tried again, for tests.
    #[doc(hidden)]
    pub fn pauses(mut self, shortest: Duration, longest: Duration) -> Self {
        self.pauses = (shortest, longest);
        self
    }

    fn check(&self) -> Result<(), Error> {
        if self.settle > LONGEST_SETTLE {
            return Err(Error::config("invalid settle time: it can be at most one hour"));
        }
        if self.delete && self.move_to.is_some() {
            return Err(Error::config("originals cannot be both moved and deleted")
                .advise("Set one of move_originals and delete_originals"));
        }
        Ok(())
    }
}

impl BatchBuilder {
    /// Starts a batch over the files of a folder: those that are there, and those that arrive later. The batch ends
    /// only when [`until`](Self::until) is triggered, when it is cancelled, or with an error that every other document
    /// would have too, such as an invalid API key.
    ///
    /// - A result replaces no file: `-2`, `-3` and so on is appended to its name. [`overwrite`](Self::overwrite) has no
    ///   effect.
    /// - The file of a document that cannot be processed is moved to the folder for failures. After any other failure
    ///   (the service cannot be reached, the disk is full) it stays, and is tried again after 30 s, then after pauses
    ///   that grow to 10 minutes. Each attempt is an item.
    /// - A file that has changed since it was taken is neither moved nor deleted: it is a new document.
    /// - The default journal is a hidden file in the watched folder, one for each operation, options and service. A
    ///   watch that was killed processes nothing twice when it is started again. Only one watch can use a journal.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), recto::Error> {
    /// use recto::{Cancel, Client, OptimizeOptions, Watch};
    /// let stop = Cancel::new();
    /// let batch = Client::from_env()?.batch(OptimizeOptions::default()).to("out").until(&stop);
    /// for item in batch.watch(Watch::folder("in").move_originals("done"))? {
    ///     let item = item?;
    ///     println!("{}: {:?}", item.source.display(), item.outcome.map(|done| done.path));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run). [`ErrorKind::Config`](crate::ErrorKind::Config) also for folders that are the same or
    /// would send results back into the watched folder; [`ErrorKind::Io`](crate::ErrorKind::Io) for a folder that
    /// cannot be read.
    pub fn watch(mut self, watch: Watch) -> Result<Batch<'static>, Error> {
        let configured = |error: Error| error.in_phase(Phase::Configure);
        watch.check().map_err(configured)?;
        let shown = watch.folder.display();
        let cannot = |error| Error::io(format_args!("cannot watch {shown}"), error);
        let root = watch.folder.canonicalize().map_err(cannot).map_err(configured)?;
        if !root.is_dir() {
            return Err(configured(Error::config(format!("cannot watch {shown}: it is not a folder"))));
        }
        let failed = absolute(&watch.failed.clone().unwrap_or_else(|| watch.folder.join(FAILED)));
        let moved = watch.move_to.as_deref().map(absolute);
        let folders = [
            ("results", self.to.as_deref().map(resolved)),
            ("moved originals", moved.as_deref().map(resolved)),
            ("failures", Some(resolved(&failed))),
        ];
        let ignored = ignored(&root, watch.recursive, &folders).map_err(configured)?;
        if watch.recursive && self.relative_to.is_none() {
            self.relative_to = Some(watch.folder.clone());
        }
        if self.journal.is_none() {
            self.journal = Some(self.default_journal(&watch.folder)?);
        }
        self.keep_existing = false;
        let operation = self.options.kind();
        let completed = match moved {
            Some(folder) => Completed::MoveTo(folder),
            None if watch.delete => Completed::Delete,
            None => Completed::Keep,
        };
        let rules = Rules { recursive: watch.recursive, operation, force: self.call.force, ignored };
        let sources = Arriving {
            folder: Folder::new(root, rules),
            shown: watch.folder,
            arrivals: Arrivals::new(watch.settle),
            pauses: Pauses::new(watch.pauses.0, watch.pauses.1),
            attempts: HashMap::new(),
            began: Instant::now(),
        };
        self.start(Box::new(sources), Some(Box::new(Aside { completed, failed, operation })))
    }

    /// The journal of a watch for which none is set. Another operation, other options and another service have another
    /// journal, because a journal belongs to one of each.
    fn default_journal(&self, folder: &Path) -> Result<PathBuf, Error> {
        let kind = self.options.kind();
        let sent = merged(self.options.to_json(), &self.call.extra_options)?;
        let header = Header::of(&self.client, kind, sent);
        let service = match &header.service {
            Service::At(base_url) => base_url.as_str(),
            Service::Embedded(_) => "embedded",
        };
        let mut identity = digest(&format!("{} {service}", header.options));
        identity.truncate(8);
        Ok(folder.join(format!(".recto-{kind}-{identity}.jsonl")))
    }
}

/// The folders inside `root` whose files do not count, as paths below it.
///
/// # Errors
/// Files that are written to one of the folders would be taken as documents, or would be mixed with others.
fn ignored(root: &Path, recursive: bool, folders: &[(&str, Option<PathBuf>)]) -> Result<Vec<PathBuf>, Error> {
    let given: Vec<_> = folders.iter().filter_map(|(what, path)| Some((what, path.as_deref()?))).collect();
    for (number, (what, path)) in given.iter().enumerate() {
        let shown = path.display();
        if *path == root {
            return Err(Error::config(format!("the folder of the {what} is the watched folder {shown}"))
                .advise("Choose another folder; it may be inside the watched one"));
        }
        if recursive && root.starts_with(path) {
            return Err(Error::config(format!(
                "the watched folder {} is inside the folder of the {what} {shown}",
                root.display()
            ))
            .advise("Choose another folder, or do not watch subfolders"));
        }
        if let Some((other, _)) = given.iter().take(number).find(|(_, other)| other == path) {
            return Err(Error::config(format!(
                "the folder {shown} is that of the {other} and that of the {what}"
            ))
            .advise("Choose two different folders"));
        }
    }
    Ok(given.iter().filter_map(|(_, path)| path.strip_prefix(root).ok().map(Path::to_owned)).collect())
}

/// The canonical path that `path` has, or will have when it is created.
fn resolved(path: &Path) -> PathBuf {
    let path = absolute(path);
    let found = path.ancestors().find_map(|folder| {
        let rest = path.strip_prefix(folder).ok()?;
        folder.canonicalize().ok().map(|real| real.join(rest))
    });
    // A path that ends with a separator is not equal to the same path without one.
    found.unwrap_or_else(|| path.clone()).components().collect()
}

/// The sources of a batch that watches a folder.
struct Arriving {
    folder: Folder,
    /// The path of the folder as the caller passed it.
    shown: PathBuf,
    arrivals: Arrivals,
    pauses: Pauses,
    /// The progress of failed attempts.
    attempts: HashMap<PathBuf, Original>,
    began: Instant,
}

impl Sources for Arriving {
    fn next(&mut self) -> Result<Next, Error> {
        let now = self.began.elapsed();
        self.folder.poll(&mut self.arrivals, now)?;
        while self.pauses.allow(now)
            && let Some(name) = self.arrivals.due(now).map(Path::to_owned)
        {
            match self.folder.content(&name) {
                None => self.arrivals.gone(&name),
                Some(content) if self.arrivals.take(&name, content, now) => {
                    self.pauses.taken();
                    let attempt = self.attempts.remove(&name).filter(|attempt| attempt.content == content);
                    let progress: Option<DocumentProgress> = attempt.and_then(|attempt| attempt.progress);
                    let path = self.shown.join(&name);
                    let source = BatchSource::from(Source::path(&path));
                    let original = Original { name, path, content, progress };
                    return Ok(Next::Source(Box::new((source, Some(original)))));
                }
                Some(_) => {}
            }
        }
        Ok(Next::NotYet)
    }

    fn ended(&mut self, original: Original, afterwards: &Afterwards, retry_after: Option<Duration>) {
        let now = self.began.elapsed();
        let name = original.name.clone();
        match afterwards {
            Afterwards::Kept => {
                self.pauses.ended(&name);
                self.arrivals.over(&name);
            }
            Afterwards::Gone(_) => {
                self.pauses.ended(&name);
                self.arrivals.forget(&name);
            }
            Afterwards::Changed => {
                self.pauses.dropped(&name);
                self.arrivals.forget(&name);
            }
            Afterwards::Again => {
                let wanted = now.saturating_add(retry_after.unwrap_or_default());
                let at = self.pauses.failed(&name, now).max(wanted);
                tracing::info!(path = %original.path.display(), seconds = (at - now).as_secs(), "this file is tried again later");
                self.arrivals.again(&name, at);
                self.attempts.insert(name.clone(), original);
            }
            Afterwards::Ends => {}
        }
        // While the document was in progress, changes of the path had no effect.
        if let Some(content) = self.folder.content(&name) {
            self.arrivals.found(&name, content, Arrival::Written, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_would_mix_documents_and_results_are_refused() {
        let of = |recursive, to: &str, moved: &str, failed: &str| {
            let path = |path: &str| (!path.is_empty()).then(|| PathBuf::from(path));
            let folders =
                [("results", path(to)), ("moved originals", path(moved)), ("failures", path(failed))];
            ignored(Path::new("/x/in"), recursive, &folders)
        };
        assert_eq!(of(true, "/x/out", "", "/x/in/failed").unwrap(), [Path::new("failed")]);
        assert_eq!(
            of(false, "/x/in/out", "/x/in/a/done", "/y").unwrap(),
            [Path::new("out"), Path::new("a/done")]
        );
        assert_eq!(of(false, "/x", "", "/y").unwrap(), Vec::<PathBuf>::new());
        for (recursive, to, moved, failed) in [
            (false, "/x/in", "", "/y"),
            (false, "/x/out", "/x/in", "/y"),
            (false, "", "", "/x/in"),
            (false, "/x/out", "/x/out", "/y"),
            (false, "/x/out", "/y", "/y"),
            (true, "/x", "", "/y"),
            (true, "/o", "/", "/y"),
        ] {
            assert!(of(recursive, to, moved, failed).is_err(), "{to} {moved} {failed}");
        }
    }

    #[test]
    fn a_path_is_resolved_before_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        assert_eq!(resolved(&folder.path().join("a/b/")), real.join("a/b"));
        assert_eq!(resolved(folder.path()), real);
    }
}
