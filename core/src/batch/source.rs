//! A document of a batch as the caller passed it: a path, or an address that the service downloads.

use super::result_paths::absolute;
use crate::io::source::{Source, SourceKind};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A source, with the text by which the batch reports it, and the text by which the journal identifies it.
pub(super) struct BatchSource {
    /// What the caller gets back: the path as it was passed, or the address without its query.
    pub(super) shown: PathBuf,
    /// Identifies the document in the journal: the absolute path, or the address without its query and with a digest
    /// of the whole address: the journal must not contain the query, which may be a secret.
    pub(super) key: PathBuf,
    document: Source,
}

impl BatchSource {
    pub(super) fn new(given: PathBuf) -> Self {
        let document = Source::path(&given);
        match &document.0 {
            SourceKind::Url(address) => {
                let shown = address.shown();
                let key = format!("{shown}#{}", digest(address.expose())).into();
                Self { shown: shown.into(), key, document }
            }
            _ => Self { key: absolute(&given), shown: given, document },
        }
    }

    /// The stem that the document's result gets; `None` for a path that is not the path of a file.
    pub(super) fn stem(&self) -> Option<OsString> {
        match &self.document.0 {
            SourceKind::Url(_) => Some(self.document.result_name().stem.unwrap_or_else(|| "document".into())),
            _ => self.key.file_stem().map(ToOwned::to_owned),
        }
    }

    /// Whether the name of the document comes from an address. If so, its result replaces no file.
    pub(super) fn is_address(&self) -> bool {
        matches!(self.document.0, SourceKind::Url(_))
    }

    /// The folder of the document on this machine.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.document.0 {
            SourceKind::Url(_) => None,
            _ => self.key.parent(),
        }
    }

    /// The source, for the call that sends the document.
    pub(super) fn document(&self) -> Source {
        match &self.document.0 {
            SourceKind::Url(address) => Source(SourceKind::Url(address.clone()), None),
            _ => Source::path(&self.shown),
        }
    }
}

/// A digest of 128 bits: enough to distinguish addresses. Their queries cannot be computed from it.
fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(16).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
