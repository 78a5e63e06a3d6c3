//! The lines of a journal. Each line is a step of a document; together, the lines of earlier runs give its progress.

use super::item::Done;
use crate::client::Client;
use crate::error::ErrorKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use recto_interface::{OperationKind, ValidationReport};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The version of the journal format.
const VERSION: u32 = 1;

/// The first line that each run writes: the operation, the options and the service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Header {
    /// The version of the journal format with which the run wrote.
    pub(super) batch: u32,
    pub(super) operation: String,
    /// The options as they are sent to the service, without passwords.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(super) options: Value,
    pub(super) service: Service,
}

/// The service that a run used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Service {
    /// A service that still exists after the run, identified by its base URL.
    At(String),
    /// An embedded service. The service and its files ended with the run.
    Embedded(String),
}

impl Header {
    pub(super) fn of(client: &Client, kind: OperationKind, options: Option<Value>) -> Self {
        let base = client.base_url().to_owned();
        let embedded = client.session().config().keep_alive.is_some();
        let mut sent = options.unwrap_or_default();
        without_passwords(&mut sent);
        Self {
            batch: VERSION,
            operation: kind.name().to_owned(),
            options: sent,
            service: if embedded { Service::Embedded(base) } else { Service::At(base) },
        }
    }

    /// If a run with this header cannot resume a run with the header `earlier`, returns the reason.
    pub(super) fn differs(&self, earlier: &Self) -> Option<String> {
        if earlier.batch != VERSION {
            return Some(format!(
                "has format version {}, but this version of Recto writes {VERSION}",
                earlier.batch
            ));
        }
        if self.operation != earlier.operation {
            return Some(format!("belongs to the operation {}, not {}", earlier.operation, self.operation));
        }
        if self.options != earlier.options {
            return Some(format!("belongs to a run with other options ({})", earlier.options));
        }
        match (&self.service, &earlier.service) {
            (Service::At(now), Service::At(then)) if now != then => {
                Some(format!("belongs to the service at {then}, not {now}"))
            }
            (Service::At(_), Service::Embedded(_)) => Some("belongs to the embedded service".to_owned()),
            (Service::Embedded(_), Service::At(then)) => Some(format!("belongs to the service at {then}")),
            _ => None,
        }
    }
}

/// Removes every option with a name such as `password`: a journal contains no secrets.
fn without_passwords(options: &mut Value) {
    if let Some(fields) = options.as_object_mut() {
        fields.retain(|name, _| !name.to_ascii_lowercase().contains("password"));
        fields.values_mut().for_each(without_passwords);
    }
}

/// A line of a journal: a completed step of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    /// The absolute path of the source.
    #[serde(with = "path_text")]
    pub(super) item: PathBuf,
    #[serde(flatten)]
    pub(super) step: Step,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Step {
    /// The document was uploaded.
    Uploaded {
        file_id: String,
        /// Identifies the content that the source had when it was uploaded.
        #[serde(flatten)]
        fingerprint: Fingerprint,
        /// The path for the document's result, without the extension.
        #[serde(default, with = "optional_path_text", skip_serializing_if = "Option::is_none")]
        target: Option<PathBuf>,
    },
    /// The operation was started.
    Started { operation_id: String },
    /// The operation has ended, and its result is saved.
    Finished {
        #[serde(default, with = "optional_path_text", skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
        /// The length of the result file in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        validation: Option<ValidationReport>,
        /// The identifier of the result file in the service.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result_id: Option<String>,
    },
    /// The document's files in the service were deleted.
    Deleted,
    /// A watch has moved the document's file to this path, or deleted it.
    SetAside {
        #[serde(default, with = "optional_path_text", skip_serializing_if = "Option::is_none")]
        to: Option<PathBuf>,
    },
    /// The document failed.
    Failed { error: String, message: String },
}

/// Length and modification time of a source: if one of them changes, the content counts as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    /// The length of the source in bytes.
    pub(super) size: u64,
    /// The modification time of the source, in nanoseconds since 1970.
    pub(super) modified: u64,
}

/// The progress of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DocumentProgress {
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) target: Option<PathBuf>,
    pub(super) file_id: Option<String>,
    pub(super) operation_id: Option<String>,
    pub(super) finished: Option<Finished>,
    pub(super) deleted: bool,
    /// Whether a watch has moved or deleted the file. A file that is there again is a new document.
    pub(super) set_aside: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finished {
    pub(super) path: Option<PathBuf>,
    pub(super) length: Option<u64>,
    pub(super) validation: Option<ValidationReport>,
    pub(super) result_id: Option<String>,
}

impl DocumentProgress {
    /// Adds a completed step to the progress.
    pub(super) fn apply(&mut self, step: Step) {
        match step {
            Step::Uploaded { file_id, fingerprint, target } => {
                *self = Self {
                    fingerprint: Some(fingerprint),
                    target,
                    file_id: Some(file_id),
                    ..Self::default()
                };
            }
            Step::Started { operation_id } => {
                self.operation_id = Some(operation_id);
                self.finished = None;
            }
            Step::Finished { path, length, validation, result_id } => {
                self.finished = Some(Finished { path, length, validation, result_id });
            }
            Step::Deleted => self.deleted = true,
            Step::SetAside { .. } => self.set_aside = true,
            // A failed operation is started again; after any other error the same operation is resumed.
            Step::Failed { error, .. } if error == ErrorKind::OperationFailed.name() => {
                self.operation_id = None
            }
            Step::Failed { .. } => {}
        }
    }

    /// Forgets the files and operations of an embedded service that has ended. A saved result stays.
    pub(super) fn without_service(&mut self) {
        if self.finished.is_some() {
            self.deleted = true;
        } else {
            (self.file_id, self.operation_id) = (None, None);
        }
    }

    /// Whether the document needs no further work.
    pub(super) fn is_over(&self, delete_after: bool) -> bool {
        self.finished.is_some() && (self.deleted || !delete_after)
    }

    /// The outcome of an earlier run, if that run finished the document.
    pub(super) fn done(&self) -> Option<Done> {
        let finished = self.finished.as_ref()?;
        Some(Done {
            path: finished.path.clone(),
            validation: finished.validation.clone(),
            operation_id: self.operation_id.clone().unwrap_or_default(),
            result: None,
            resumed: true,
        })
    }
}

/// A path as text. A path that is not valid Unicode is written without loss: on Unix as the base64 of its bytes, on
/// Windows as its UTF-16 code units, of which some have no partner in a surrogate pair.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum PathText {
    Text(String),
    Bytes { base64: String },
    Units { utf16: Vec<u16> },
}

mod path_text {
    use super::{Deserialize, Deserializer, Path, PathBuf, PathText, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        PathText::of(path).serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
        PathText::deserialize(from)?.path().map_err(serde::de::Error::custom)
    }
}

mod optional_path_text {
    use super::{Deserialize, Deserializer, PathBuf, PathText, Serialize, Serializer};

    #[allow(clippy::ref_option, reason = "serde calls it with the field")]
    pub(super) fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        path.as_deref().map(PathText::of).serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        let text = Option::<PathText>::deserialize(from)?;
        text.map(PathText::path).transpose().map_err(serde::de::Error::custom)
    }
}

impl PathText {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::of_other(path.as_os_str()),
        }
    }

    #[cfg(windows)]
    fn of_other(path: &OsStr) -> Self {
        Self::Units { utf16: std::os::windows::ffi::OsStrExt::encode_wide(path).collect() }
    }

    #[cfg(not(windows))]
    fn of_other(path: &OsStr) -> Self {
        Self::Bytes { base64: STANDARD.encode(path.as_encoded_bytes()) }
    }

    fn path(self) -> Result<PathBuf, &'static str> {
        match self {
            Self::Text(text) => Ok(text.into()),
            Self::Bytes { base64 } => {
                let bytes = STANDARD.decode(base64).map_err(|_| "a path is not valid base64")?;
                of_bytes(bytes).ok_or("a path is not valid on this system")
            }
            Self::Units { utf16 } => of_units(&utf16).ok_or("a path is not valid on this system"),
        }
    }
}

#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes)).map(|path: std::ffi::OsString| path.into())
}

#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(windows)]
fn of_units(units: &[u16]) -> Option<PathBuf> {
    Some(<std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(units).into())
}

#[cfg(not(windows))]
fn of_units(units: &[u16]) -> Option<PathBuf> {
    String::from_utf16(units).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn progress(steps: &[Value]) -> DocumentProgress {
        let mut progress = DocumentProgress::default();
        for step in steps {
            let mut line = step.clone();
            line["item"] = json!("/a.pdf");
            progress.apply(serde_json::from_value::<Line>(line).unwrap().step);
        }
        progress
    }

    fn uploaded() -> Value {
        json!({"step": "uploaded", "fileId": "f1", "size": 3, "modified": 7, "target": "/out/a"})
    }

    #[test]
    fn steps_add_up_to_the_progress_of_a_document() {
        let started = json!({"step": "started", "operationId": "o1"});
        let finished = json!({"step": "finished", "path": "/out/a.pdf", "length": 5, "resultId": "r1"});
        let far = progress(&[uploaded(), started.clone(), finished.clone()]);
        assert_eq!((far.file_id.as_deref(), far.operation_id.as_deref()), (Some("f1"), Some("o1")));
        assert!(far.is_over(false) && !far.is_over(true));
        assert_eq!(far.done().unwrap().path, Some("/out/a.pdf".into()));
        assert!(progress(&[uploaded(), started, finished, json!({"step": "deleted"})]).is_over(true));
        assert!(!progress(&[uploaded()]).is_over(false) && progress(&[uploaded()]).done().is_none());
    }

    #[test]
    fn a_failed_operation_is_started_again_and_other_errors_resume_it() {
        let started = json!({"step": "started", "operationId": "o1"});
        let failed = |kind: &str| json!({"step": "failed", "error": kind, "message": ""});
        assert_eq!(progress(&[uploaded(), started.clone(), failed("OperationFailed")]).operation_id, None);
        for kind in ["WaitTimeout", "TransportError", "IoError"] {
            assert!(progress(&[uploaded(), started.clone(), failed(kind)]).operation_id.is_some());
        }
    }

    #[test]
    fn files_of_an_embedded_service_are_forgotten_with_it() {
        let mut begun = progress(&[uploaded(), json!({"step": "started", "operationId": "o1"})]);
        begun.without_service();
        assert_eq!((begun.file_id, begun.operation_id), (None, None));
        assert_eq!(begun.target, Some("/out/a".into()));
        let mut over = progress(&[uploaded(), json!({"step": "finished"})]);
        over.without_service();
        assert!(over.is_over(true));
    }

    #[cfg(any(unix, windows))]
    #[test]
    fn a_path_that_is_not_unicode_is_restored() {
        #[cfg(unix)]
        let path: PathBuf = of_bytes(b"/a\xff.pdf".to_vec()).unwrap();
        #[cfg(windows)]
        let path: PathBuf = of_units(&[0x61, 0xd800, 0x2e]).unwrap();
        assert!(path.to_str().is_none());
        let line = Line { item: path, step: Step::Deleted };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line);
    }

    #[test]
    fn utf_16_code_units_are_written_without_loss() {
        let path = PathText::Units { utf16: vec![0x61, 0xd800, 0xffff, 0x2e] };
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(text, r#"{"utf16":[97,55296,65535,46]}"#);
        assert_eq!(serde_json::from_str::<PathText>(&text).unwrap(), path);
        // Only Windows has paths with such units: elsewhere the path is refused, not changed.
        assert_eq!(path.path().is_ok(), cfg!(windows));
        assert_eq!(PathText::Units { utf16: vec![0x61, 0x2e] }.path(), Ok("a.".into()));
    }
}
