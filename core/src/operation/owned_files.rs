//! The files of an operation that are deleted from the embedded service with the handles of the operation.

use crate::io::owned_file::OwnedFile;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

const NOT_KEPT: u8 = 0;
/// Kept until this client has the result, because an error contains the token of the operation.
const KEPT_FOR_TOKEN: u8 = 1;
const KEPT: u8 = 2;

/// The document and the result of an operation, if they belong to its handles.
#[derive(Default)]
pub(super) struct OwnedFiles {
    /// `None` for a document that was in the service before, or that is not deleted.
    pub(super) document: Option<OwnedFile>,
    result: OnceLock<Option<OwnedFile>>,
    kept: AtomicU8,
}

impl OwnedFiles {
    /// The result file, which `owned` creates if it is not known yet.
    pub(super) fn result(&self, owned: impl FnOnce() -> Option<OwnedFile>) -> Option<OwnedFile> {
        self.result.get_or_init(owned).clone()
    }

    /// Keeps both files in the service.
    pub(super) fn keep(&self) {
        self.kept.store(KEPT, Ordering::Relaxed);
    }

    /// Keeps both files unless this client gets the result: another client may resume the operation.
    pub(super) fn keep_for_token(&self) {
        self.change(NOT_KEPT, KEPT_FOR_TOKEN);
    }

    /// Records that this client has got the result.
    pub(super) fn finished(&self) {
        self.change(KEPT_FOR_TOKEN, NOT_KEPT);
    }

    fn change(&self, from: u8, to: u8) {
        // An error means that `kept` has another value than `from`, and so stays as it is.
        let _ = self.kept.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Drop for OwnedFiles {
    fn drop(&mut self) {
        if *self.kept.get_mut() == NOT_KEPT {
            return;
        }
        let result = self.result.get().and_then(Option::as_ref);
        self.document.iter().chain(result).for_each(OwnedFile::keep);
    }
}
