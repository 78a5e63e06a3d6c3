//! The file of a document that a watch has taken from its folder: how the batch identifies it, and what becomes of it.

use super::item::Done;
use super::step::{DocumentProgress, Fingerprint};
use crate::error::Error;
use std::path::{Path, PathBuf};

/// A file of a watched folder that is a document of the batch.
#[derive(Debug)]
pub(super) struct Original {
    /// The path below the watched folder.
    #[cfg_attr(not(feature = "watch"), allow(dead_code, reason = "only a watch has originals"))]
    pub(super) name: PathBuf,
    pub(super) path: PathBuf,
    /// Identifies the content that is processed.
    pub(super) content: Fingerprint,
    /// The progress of an earlier attempt of this run.
    pub(super) progress: Option<DocumentProgress>,
}

impl Original {
    /// The key of the document in the journal. Another file with the same path is another document. `path` is absolute.
    pub(super) fn key(&self, path: &Path) -> PathBuf {
        // No other document has this path: a regular file has no files below it.
        path.join(format!("{}-{}", self.content.size, self.content.modified))
    }
}

/// Where the file of a document is after the document has ended.
#[cfg_attr(not(feature = "watch"), allow(dead_code, reason = "only a watch has originals"))]
#[derive(Debug, PartialEq)]
pub(super) enum Afterwards {
    /// The file stays, and is not processed again.
    Kept,
    /// The file was moved to this path, or deleted.
    Gone(Option<PathBuf>),
    /// The file has changed or disappeared since it was taken: what is there now is a new document.
    Changed,
    /// The file stays, and is processed again later.
    Again,
    /// The document failed like every other one would: the batch ends.
    Ends,
}

/// Decides what becomes of the file of a document that has ended, and moves or deletes the file.
pub(super) trait Originals: Send + Sync {
    /// Whether the files of completed documents stay in the folder.
    fn are_kept(&self) -> bool;

    /// # Errors
    /// The file could not be moved or deleted: it stays.
    fn ended(&self, original: &Original, outcome: &Result<Done, Error>) -> Result<Afterwards, Error>;
}
