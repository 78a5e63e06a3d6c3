//! What came of an operation.

use crate::error::{Error, ErrorKind};
use crate::http::address::SignedUrl;
use crate::http::problem::{self, ProblemDetails};
use crate::http::request::ApiResponse;
use crate::redact;
use recto_interface::wire;
use recto_interface::{OperationStatus, OperationType, ValidationReport};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;

/// The result of a finished operation. `Debug` leaves out addresses and the raw answer, which holds them.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct OperationResult {
    /// Which operation it was: what the service said when it was started.
    pub operation_type: OperationType,
    /// The status, as the service spelled it.
    pub status: OperationStatus,
    /// The result file of an operation that makes one.
    pub output: Option<OutputFile>,
    /// The report of a validation.
    pub validation: Option<ValidationReport>,
    /// The whole answer, with what this version does not know.
    pub raw: Value,
}

/// A result file. `Debug` leaves out the address's query, which is a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputFile {
    /// The file's identifier.
    pub file_id: Option<String>,
    /// The name that the service gives it. It is the service's word: make it safe before it touches a disk.
    pub name: Option<String>,
    /// Where it is downloaded from.
    pub url: Option<SignedUrl>,
}

impl fmt::Debug for OperationResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationResult")
            .field("operation_type", &self.operation_type)
            .field("status", &self.status)
            .field("output", &self.output)
            .field("validation", &self.validation)
            .finish_non_exhaustive()
    }
}

/// What an answer to a request for the result says.
pub(crate) enum ResultState {
    /// There is something to show.
    Finished(Box<OperationResult>),
    /// Not yet.
    Pending(OperationStatus),
    /// It says finished, and shows nothing.
    Empty,
    /// The service could not do the work.
    Failed(OperationStatus, Error),
}

impl ResultState {
    /// Reads a successful answer.
    pub(crate) fn read(response: &ApiResponse, operation_type: &OperationType) -> Result<Self, Error> {
        if matches!(response.status, 202 | 204) {
            return Ok(Self::Pending(OperationStatus::InProgress));
        }
        let raw: Value = response.json()?;
        if !raw.is_object() {
            return Err(response.unexpected("its result is no object"));
        }
        let result = wire::OperationResult::deserialize(&raw)
            .map_err(|error| response.unexpected(&format!("its result cannot be read: {error}")))?;
        let status = result.operation_status;
        if result.output_file.is_some() || result.validation.is_some() {
            let output = result.output_file.map(|file| OutputFile {
                file_id: file.file_id,
                name: file.name,
                url: file.url.map(SignedUrl::from),
            });
            return Ok(Self::Finished(Box::new(OperationResult {
                operation_type: operation_type.clone(),
                status: status.unwrap_or(OperationStatus::Finished),
                output,
                validation: result.validation,
                raw,
            })));
        }
        Ok(match status {
            Some(status) if status.is_failure() => {
                let error = failed(&status, &raw, response);
                Self::Failed(status, error)
            }
            Some(OperationStatus::Finished) => Self::Empty,
            Some(status) => Self::Pending(status),
            None if is_about_an_operation(&raw) => Self::Pending(OperationStatus::InProgress),
            None => return Err(response.unexpected("its result has neither a status nor an output")),
        })
    }
}

/// Whether an answer without status or output is at all about an operation.
fn is_about_an_operation(raw: &Value) -> bool {
    ["operationId", "operationType", "operationStatus", "outputFile", "validation"]
        .iter()
        .any(|name| raw.get(*name).is_some())
}

fn failed(status: &OperationStatus, raw: &Value, response: &ApiResponse) -> Error {
    let details = ProblemDetails::of_json(raw);
    let mut message = format!("the service could not do the work (status {status})");
    if let Some(said) = details.summary() {
        message.push_str(": ");
        message.push_str(said);
    }
    let error = Error::new(ErrorKind::OperationFailed, message);
    // Where the service says that it is not for the document's state, to look at the document is no help.
    let error = match details.code.as_deref() {
        Some("invalid_option" | "limit_exceeded" | "missing_program") => error,
        Some("password_required" | "wrong_password") => error,
        _ => error.advise("Check that the document can be opened and is of the kind the operation takes"),
    };
    let error = error
        .answer(response.status, problem::request_id(&response.headers))
        .described(details.code, details.title, details.detail, details.request_id)
        .quoting(redact::excerpt(&response.body));
    response.locate(error)
}
