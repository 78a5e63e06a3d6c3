//! Files of the embedded service that belong to handles: they are deleted when the last handle is dropped.

use super::source::FileId;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Deletes a file of the embedded service as soon as no unfinished operation uses it. It neither waits nor fails,
/// because it is called where a handle is dropped.
pub(crate) type DeleteUnused = Arc<dyn Fn(&str) + Send + Sync>;

/// A file of the embedded service. When the last clone is dropped, the file is deleted, if it was used and is not kept.
#[derive(Clone)]
pub(crate) struct OwnedFile(Arc<Inner>);

struct Inner {
    id: FileId,
    delete: DeleteUnused,
    /// Whether the file has served its purpose: an input was uploaded for an operation, a result was downloaded or is
    /// the input of another operation.
    used: AtomicBool,
    kept: AtomicBool,
}

impl OwnedFile {
    /// A file that is not used yet.
    pub(crate) fn new(id: FileId, delete: DeleteUnused) -> Self {
        Self(Arc::new(Inner { id, delete, used: AtomicBool::new(false), kept: AtomicBool::new(false) }))
    }

    /// Records that the file was used.
    pub(crate) fn mark_used(&self) {
        self.0.used.store(true, Ordering::Relaxed);
    }

    /// Keeps the file in the service until it expires.
    pub(crate) fn keep(&self) {
        self.0.kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if *self.used.get_mut() && !*self.kept.get_mut() {
            (self.delete)(self.id.as_str());
        }
    }
}

impl fmt::Debug for OwnedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedFile").field(&self.0.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_used_file_is_deleted_with_its_last_handle_unless_it_is_kept() {
        let deleted = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&deleted);
        let delete: DeleteUnused = Arc::new(move |id: &str| list.lock().unwrap().push(id.to_owned()));
        let file = |id: &str| OwnedFile::new(FileId::new(id), Arc::clone(&delete));
        drop(file("unused"));
        let (used, kept) = (file("used"), file("kept"));
        used.mark_used();
        kept.mark_used();
        kept.keep();
        drop((used.clone(), kept));
        assert!(deleted.lock().unwrap().is_empty());
        drop(used);
        assert_eq!(*deleted.lock().unwrap(), ["used"]);
    }
}
