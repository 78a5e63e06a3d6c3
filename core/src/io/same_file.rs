//! The identity of files: two paths can lead to the same file, through links, relative paths, and on file systems that
//! do not distinguish `A.pdf` from `a.pdf`.

use std::collections::HashMap;
#[cfg(unix)]
use std::fs::Metadata;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Identifies a file while it exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileIdentity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The canonical path, on systems where the standard library gives files no number.
    #[cfg(not(unix))]
    Path(PathBuf),
}

impl FileIdentity {
    /// The identity of the file that `path` leads to through links; `None` if there is no such file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        return std::fs::metadata(path).ok().map(|found| Self::of_metadata(&found));
        #[cfg(not(unix))]
        return path.canonicalize().ok().map(Self::Path);
    }

    #[cfg(unix)]
    fn of_metadata(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self::Inode(found.dev(), found.ino())
    }
}

/// Whether both paths lead to the same file.
pub(crate) fn is_same_file(one: &Path, two: &Path) -> bool {
    FileIdentity::of(one).is_some_and(|one| FileIdentity::of(two) == Some(one))
}

/// The results that a client has written to files, with their owners (see `ResultName::owner`).
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenResults(Arc<Mutex<HashMap<FileIdentity, u64>>>);

/// The locked results. While this value exists, no other result of this client gets its name.
pub(crate) struct LockedResults<'r>(MutexGuard<'r, HashMap<FileIdentity, u64>>);

impl WrittenResults {
    pub(crate) fn lock(&self) -> LockedResults<'_> {
        LockedResults(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LockedResults<'_> {
    /// The owner of the result at `path`, if this client wrote it.
    pub(crate) fn owner(&self, path: &Path) -> Option<u64> {
        self.0.get(&FileIdentity::of(path)?).copied()
    }

    pub(crate) fn add(&mut self, path: &Path, owner: u64) {
        if let Some(identity) = FileIdentity::of(path) {
            self.0.insert(identity, owner);
        }
    }
}
