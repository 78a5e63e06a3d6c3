//! The report of a runner: the outcome of each call, and the log.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The report of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// The outcomes of the calls, in order.
    pub steps: Vec<Step>,
    /// All log events, and the printed and debug forms of the client, operations, results and errors.
    #[serde(default)]
    pub log: String,
}

/// The outcome of one call. Either `ok` or `error` is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// The fields of the result, if the call succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Map<String, Value>>,
    /// The error, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// How long the call took, in milliseconds.
    #[serde(default)]
    pub elapsed_ms: u64,
    /// The progress reports, if the scenario requests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<Report>,
}

/// An error as the caller of the client sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepError {
    /// The class of the error.
    pub kind: String,
    /// The message of the error.
    pub message: String,
    /// The other fields of the error. A field whose value is not known is left out or `null`.
    #[serde(default)]
    pub fields: Map<String, Value>,
}

/// One progress report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Report {
    /// The phase: `upload`, `wait` or `download`.
    pub phase: String,
    /// The number of bytes transferred so far.
    pub done: u64,
    /// The total number of bytes, if it is known.
    #[serde(default)]
    pub total: Option<u64>,
}

/// The classes of errors. They are the same in every face.
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

/// The fields of an error. They are the same in every face.
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
