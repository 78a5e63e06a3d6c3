//! The JSON bodies of requests and responses.
//!
//! Responses are read leniently: an optional field that is missing and one that is `null` mean the same, an unknown
//! field is kept in `extra`, and an unknown value of an enumeration becomes `Other`.

use crate::OperationKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// Body of the request `POST /v1/files/upload/fromLocal`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadRequest {
    /// The name of the local file.
    pub file_name: String,
}

/// Response to `POST /v1/files/upload/fromLocal`. `Debug` leaves out the address, because its query is a secret.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UploadTicket {
    /// The identifier of the input file. It is used to start operations.
    pub file_id: String,
    /// The address to which the bytes of the file are sent with `PUT`.
    pub upload_url: String,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl fmt::Debug for UploadTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UploadTicket").field("file_id", &self.file_id).finish_non_exhaustive()
    }
}

/// Body of the request `POST /v1/files/upload/fromUrl`. `Debug` leaves out the address, because its query may be a
/// secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FromUrlRequest {
    /// The address from which the service downloads the file.
    pub file_url: String,
}

impl fmt::Debug for FromUrlRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromUrlRequest").finish_non_exhaustive()
    }
}

/// Response to `POST /v1/files/upload/fromUrl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FromUrlResponse {
    /// The identifier of the file.
    pub file_id: String,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The service's record of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileRecord {
    /// The identifier of the file.
    pub id: String,
    /// When the file was created in the service: ISO 8601, UTC, with fractional seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// How the file was uploaded or created, such as `fromUrl`. Other values may be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The extension of the file name, without the dot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Response to the requests `GET /v1/files` and `DELETE /v1/files/{fileId}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileList {
    /// The files.
    #[serde(default, deserialize_with = "null_as_default")]
    pub files: Vec<FileRecord>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Body of every request that starts an operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartRequest {
    /// The input. In the specification it is optional for encrypt and decrypt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The options of the operation; left out if no option is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Value>,
}

/// The input of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// The identifier of the input file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
}

/// Response to the request that starts an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperationHandle {
    /// The identifier of the operation. The result is requested with it.
    pub operation_id: String,
    /// The type of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_type: Option<OperationType>,
    /// The status of the operation: `inProgress` when it has been started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_status: Option<OperationStatus>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Response to `GET /v1/operations/{operationId}/result`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperationResult {
    /// The type of the operation. In a result of power archive this is `optimize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_type: Option<OperationType>,
    /// The status of the operation. At the end of power archive this is `powerArchive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_status: Option<OperationStatus>,
    /// The result file, if the operation produces one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<OutputFile>,
    /// The report of a validate operation; missing for other operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationReport>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A result file. `Debug` leaves out the address, because its query is a secret.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutputFile {
    /// The identifier of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// The name of the file: it ends in `.pdf`, or in `.zip` if the result is several images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The address from which the file is downloaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl fmt::Debug for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputFile")
            .field("file_id", &self.file_id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The report of a validation. The operation has succeeded even if the document does not conform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidationReport {
    /// The problems that were found, as text for people; empty if the document conforms.
    #[serde(default, deserialize_with = "null_as_default")]
    pub errors: Vec<String>,
    /// Whether the document conforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_conforming: Option<bool>,
    /// The conformance level that the document claims, such as `pdf15`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<String>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The values of `operationType`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperationType {
    /// An operation in the table of operations.
    Known(OperationKind),
    /// A value that this version of Recto does not know.
    Other(String),
}

impl OperationType {
    /// The text of the value in JSON.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(kind) => kind.wire_name(),
            Self::Other(text) => text,
        }
    }
}

/// The values of `operationStatus`. The specification lists two values, and uses a third one in an example.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperationStatus {
    /// `inProgress`: the operation is still running.
    InProgress,
    /// `finished`: the operation has ended and has a result.
    Finished,
    /// `powerArchive`, the final status of a power archive.
    PowerArchive,
    /// The operation failed. The specification shows no value for this: the value is one of [`Failure::WORDS`], in
    /// any case.
    Failed(Failure),
    /// A value that this version of Recto does not know.
    Other(String),
}

/// The status of a failed operation, spelled as in the response of the service.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure(String);

impl Failure {
    /// The values that mean that an operation failed, in lower case.
    pub const WORDS: &'static [&'static str] =
        &["failed", "error", "canceled", "cancelled", "aborted", "rejected", "expired", "timeout"];

    /// The status with which the local service ends a failed operation.
    pub fn failed() -> Self {
        Self("failed".to_owned())
    }

    /// The value, spelled as in the response of the service.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl OperationStatus {
    /// The text of the value in JSON.
    pub fn as_str(&self) -> &str {
        match self {
            Self::InProgress => "inProgress",
            Self::Finished => "finished",
            Self::PowerArchive => "powerArchive",
            Self::Failed(Failure(text)) | Self::Other(text) => text,
        }
    }

    /// Whether the operation failed.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl From<&str> for OperationType {
    fn from(text: &str) -> Self {
        OperationKind::from_wire(text).map_or_else(|| Self::Other(text.to_owned()), Self::Known)
    }
}

impl From<&str> for OperationStatus {
    fn from(text: &str) -> Self {
        match text {
            "inProgress" => Self::InProgress,
            "finished" => Self::Finished,
            "powerArchive" => Self::PowerArchive,
            _ if Failure::WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)) => {
                Self::Failed(Failure(text.to_owned()))
            }
            _ => Self::Other(text.to_owned()),
        }
    }
}

macro_rules! open_text {
    ($($name:ident),+) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::from(&*<std::borrow::Cow<'de, str>>::deserialize(deserializer)?))
            }
        }
    )+ };
}
open_text!(OperationType, OperationStatus);

#[cfg(feature = "schema")]
mod schema {
    use super::{OperationStatus, OperationType};
    use crate::OperationKind;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    /// The schema of a text. It lists the values that are known now as examples, because new values may be added.
    macro_rules! open_text_schema {
        ($($name:ident: $known:expr;)+) => { $(
            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> { stringify!($name).into() }
                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    let known: Vec<&str> = $known;
                    json_schema!({ "type": "string", "examples": known })
                }
            }
        )+ };
    }
    open_text_schema! {
        OperationType: OperationKind::ALL.iter().map(|kind| kind.wire_name()).collect();
        OperationStatus: vec!["inProgress", "finished", "powerArchive", "failed"];
    }
}

/// Problem details (RFC 9457). The specification shows no body of an error response; the local service sends problem
/// details.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// A URI that identifies the kind of problem; `about:blank` if it is missing.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub problem_type: Option<String>,
    /// The kind of problem in a few words. The text is the same for all problems of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The HTTP status of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What happened in this case, and what the caller can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A stable error code for programs, such as `file_not_found`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The identifier under which the service logged the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Fields in the JSON that this version of Recto does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn null_as_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
