//! A runner's report: the outcome of each call, and the log.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The report of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// One for each call, in order.
    pub steps: Vec<Step>,
    /// Everything that was logged, and the printed and debug forms of client, operation, result and error.
    #[serde(default)]
    pub log: String,
}

/// The outcome of one call: `ok` or `error`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The result's fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Map<String, Value>>,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// How long the call took.
    #[serde(default)]
    pub elapsed_ms: u64,
    /// The progress reports, if the call requests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<Report>,
}

/// An error as the caller sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepError {
    /// The class.
    pub kind: String,
    /// The message.
    pub message: String,
    /// Its other fields; unknown ones are left out or null.
    #[serde(default)]
    pub fields: Map<String, Value>,
}

/// One progress report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Report {
    /// `upload`, `wait` or `download`.
    pub phase: String,
    /// Bytes done.
    pub done: u64,
    /// Bytes in all, if known.
    #[serde(default)]
    pub total: Option<u64>,
}

/// The classes of error, in every face.
pub const ERROR_KINDS: &[&str] = &[
    "ConfigError",
    "InvalidRequest",
    "AuthError",
    "PermissionDenied",
    "NotFound",
    "RateLimited",
    "PayloadTooLarge",
    "ServerError",
    "TransportError",
    "RequestTimeout",
    "WaitTimeout",
    "OperationFailed",
    "OutcomeUnknown",
    "ProtocolError",
    "Cancelled",
    "IoError",
];

/// The fields of an error, in every face.
pub const ERROR_FIELDS: &[&str] = &[
    "status",
    "code",
    "title",
    "detail",
    "requestId",
    "operationId",
    "attempts",
    "retryAfterMs",
    "phase",
    "method",
    "url",
    "body",
    "token",
    "retryable",
];
