//! A document of a batch: its source, the name of its result, and its key in the journal.

use super::result_paths::absolute;
use crate::client::start::Input;
use crate::error::Error;
use crate::io::result_name::ResultName;
use crate::io::safe_file_name::safe_stem;
use crate::io::source::{FileId, Source, SourceKind};
use crate::io::web_address::WebAddress;
use crate::operation::Operation;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A document of a batch: any [`Source`], or the result of another operation, as for a single operation.
#[derive(Debug)]
pub struct BatchSource {
    input: Input,
    name: Option<String>,
}

impl BatchSource {
    /// A document whose result is named after `name` instead of the name of the source.
    pub fn named(source: impl Into<Input>, name: impl Into<String>) -> Self {
        Self { input: source.into(), name: Some(name.into()) }
    }
}

impl<T: Into<Input>> From<T> for BatchSource {
    fn from(source: T) -> Self {
        Self { input: source.into(), name: None }
    }
}

/// A document that a batch has taken.
pub(super) struct BatchDocument {
    /// What the caller gets back: the path, the address without its query, or the name.
    pub(super) label: PathBuf,
    /// Identifies the document in the journal, which contains no secrets: the absolute path, the address without its
    /// query and with a digest of the whole address, or the identifier of the file or the operation in the service.
    /// `None` for a source without an identity, such as bytes.
    pub(super) key: Option<PathBuf>,
    pub(super) content: Content,
    /// The name of the source, and the file that its result must not replace.
    pub(super) result_name: ResultName,
    /// The name that the caller gave for the result.
    name: Option<String>,
}

/// What the document is read from.
pub(super) enum Content {
    /// A file on this machine; it can be read again. It may have another name for the service.
    Path(PathBuf, Option<String>),
    /// An address that the service downloads.
    Url(WebAddress),
    /// A file in the service.
    File(FileId),
    /// The result of an operation, which is waited for.
    Operation(Operation),
    /// A source that can be sent once.
    Once(Option<Source>),
}

impl BatchDocument {
    pub(super) fn of(given: BatchSource) -> Self {
        let BatchSource { input, name } = given;
        let label = PathBuf::from(input.label());
        match input {
            Input::Source(source) => Self::of_source(source, name),
            Input::Operation(operation) => Self {
                label,
                key: Some(format!("operation:{}", operation.id()).into()),
                result_name: operation.result_name(),
                content: Content::Operation(operation),
                name,
            },
        }
    }

    fn of_source(source: Source, name: Option<String>) -> Self {
        let (label, result_name) = (PathBuf::from(source.label()), source.result_name());
        let file = source.1;
        match source.0 {
            SourceKind::Path { path, name: sent } => {
                let name = name.or_else(|| sent.clone());
                Self {
                    label: path.clone(),
                    key: Some(absolute(&path)),
                    content: Content::Path(path, sent),
                    result_name,
                    name,
                }
            }
            SourceKind::Url(address) => {
                let key = Some(format!("{}#{}", label.display(), digest(address.expose())).into());
                Self { label, key, content: Content::Url(address), result_name, name }
            }
            SourceKind::File(id) => {
                // An absolute path never begins with `file:`, so this key is never the key of a path.
                Self {
                    label,
                    key: Some(format!("file:{id}").into()),
                    content: Content::File(id),
                    result_name,
                    name,
                }
            }
            kind => {
                let content = Content::Once(Some(Source(kind, file)));
                Self { label, key: None, content, result_name, name }
            }
        }
    }

    /// The stem that the document's result gets; `None` for a path that is not the path of a file.
    pub(super) fn stem(&self) -> Option<OsString> {
        if let Some(name) = &self.name {
            return Some(safe_stem(name));
        }
        let unnamed = || Some(OsString::from("document"));
        match &self.content {
            Content::Path(..) => self.key.as_deref()?.file_stem().map(ToOwned::to_owned),
            Content::Url(_) | Content::Once(_) => self.result_name.stem.clone().or_else(unnamed),
            Content::File(id) => Some(safe_stem(id.as_str())),
            Content::Operation(operation) => {
                self.result_name.stem.clone().or_else(|| Some(safe_stem(operation.id())))
            }
        }
    }

    /// Whether the name of the document comes from an address. If so, its result replaces no file.
    pub(super) fn is_address(&self) -> bool {
        matches!(self.content, Content::Url(_))
    }

    /// The folder of the document on this machine.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.content {
            Content::Path(..) => self.key.as_deref()?.parent(),
            _ => None,
        }
    }
}

impl Content {
    /// The path of the document on this machine, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path, _) => Some(path),
            _ => None,
        }
    }

    /// What to send; an error if it was sent before and cannot be sent again.
    pub(super) fn input(&mut self) -> Result<Input, Error> {
        match self {
            Self::Path(path, None) => Ok(Source::path(&*path).into()),
            Self::Path(path, Some(name)) => Ok(Source::path(&*path).named(&*name).into()),
            Self::Url(address) => Ok(Source(SourceKind::Url(address.clone()), None).into()),
            Self::File(id) => Ok(Source::file(id.clone()).into()),
            Self::Operation(operation) => Ok((&*operation).into()),
            Self::Once(source) => source
                .take()
                .map(Input::Source)
                .ok_or_else(|| Error::invalid("the document was sent before and cannot be read again")),
        }
    }
}

/// A digest of 128 bits: enough to distinguish addresses. Their queries cannot be computed from it.
pub(super) fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(16).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
