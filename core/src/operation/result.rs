//! The result of an operation, and reading it from a response.

use crate::error::{Error, ErrorKind};
use crate::http::address::SignedUrl;
use crate::http::problem::{self, ProblemDetails};
use crate::http::request::ApiResponse;
use crate::message::Message;
use crate::redact;
use recto_interface::wire;
use recto_interface::{OperationStatus, OperationType, ValidationReport, Yields};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;

/// The result of a finished operation. `Debug` leaves out addresses, and the raw response, which contains them.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct OperationResult {
    /// The type of operation, as in the response to the start of the operation.
    pub operation_type: OperationType,
    /// The status, as the service spells it.
    pub status: OperationStatus,
    /// The result file, if the operation has one.
    pub output: Option<OutputFile>,
    /// The report of a validation.
    pub validation: Option<ValidationReport>,
    /// The identifier under which the service logged the request for this result, if it sent one.
    pub request_id: Option<String>,
    /// The whole response, including fields that this version does not know.
    pub raw: Value,
}

/// A result file. `Debug` leaves out the address's query, which is a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputFile {
    /// The file's identifier.
    pub file_id: Option<String>,
    /// The service's name for the file. It is untrusted: make it safe before using it as a file name.
    pub name: Option<String>,
    /// The address to download it from.
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

/// The state of an operation, according to the response to a request for its result.
pub(crate) enum ResultState {
    /// The operation has a result.
    Finished(Box<OperationResult>),
    /// There is no result yet.
    Pending(OperationStatus),
    /// The status is `finished`, but the response contains no result.
    Empty,
    /// The operation failed.
    Failed(OperationStatus, Error),
}

impl ResultState {
    /// Reads a successful response to the request for the result of an operation.
    pub(crate) fn read(
        response: &ApiResponse,
        yields: Yields,
        operation_type: &OperationType,
    ) -> Result<Self, Error> {
        if matches!(response.status, 202 | 204) {
            return Ok(Self::Pending(OperationStatus::InProgress));
        }
        let raw: Value = response.json()?;
        if !raw.is_object() {
            return Err(response.unexpected("the result is not a JSON object"));
        }
        let result = wire::OperationResult::deserialize(&raw).map_err(|error| {
            response.unexpected(Message::new("a field of the result has the wrong type: ").foreign(error))
        })?;
        // These statuses are clear, whatever else the response contains. Other statuses do not show whether the
        // operation has ended.
        match result.operation_status {
            Some(OperationStatus::InProgress) => return Ok(Self::Pending(OperationStatus::InProgress)),
            Some(status) if status.is_failure() => {
                let error = failed(&status, &raw, response);
                return Ok(Self::Failed(status, error));
            }
            _ => {}
        }
        let output = result.output_file.and_then(output);
        let validation = verdict(result.validation, yields, response)?;
        if output.is_some() || validation.is_some() {
            return Ok(Self::Finished(Box::new(OperationResult {
                operation_type: operation_type.clone(),
                status: result.operation_status.unwrap_or(OperationStatus::Finished),
                output,
                validation,
                request_id: problem::request_id(&response.headers),
                raw,
            })));
        }
        Ok(match result.operation_status {
            Some(OperationStatus::Finished) => Self::Empty,
            Some(status) => Self::Pending(status),
            None if is_about_an_operation(&raw) => Self::Pending(OperationStatus::InProgress),
            None => return Err(response.unexpected("the result has neither a status nor an output")),
        })
    }
}

/// The result file, if the response names one.
fn output(file: wire::OutputFile) -> Option<OutputFile> {
    (file.file_id.is_some() || file.url.is_some()).then(|| OutputFile {
        file_id: file.file_id,
        name: file.name,
        url: file.url.map(SignedUrl::from),
    })
}

/// The report, which must contain a verdict. If the operation returns a report, a response without one is not a result.
fn verdict(
    report: Option<ValidationReport>,
    yields: Yields,
    response: &ApiResponse,
) -> Result<Option<ValidationReport>, Error> {
    match report {
        Some(report) if report.is_conforming.is_none() => match yields {
            Yields::Report => Err(response.unexpected(
                "the validation report does not state whether the document conforms (isConforming)",
            )),
            Yields::File => Ok(None),
        },
        report => Ok(report),
    }
}

/// The failure of an operation that the service reports in an error response (4xx) to the request for its result.
pub(crate) fn reported_failure(response: &ApiResponse) -> Option<(OperationStatus, Error)> {
    if !(400..500).contains(&response.status) {
        return None;
    }
    let raw: Value = serde_json::from_slice(&response.body).ok()?;
    let status = OperationStatus::from(raw.get("operationStatus")?.as_str()?);
    let error = status.is_failure().then(|| failed(&status, &raw, response))?;
    Some((status, error))
}

/// The failure that the response to a start already reports: the operation has ended, and there is nothing to wait
/// for.
pub(crate) fn failed_start(response: &ApiResponse, handle: &wire::OperationHandle) -> Option<Error> {
    let status = handle.operation_status.as_ref().filter(|status| status.is_failure())?;
    let raw: Value = serde_json::from_slice(&response.body).ok()?;
    Some(failed(status, &raw, response))
}

/// Whether a response without status and output is about an operation at all.
fn is_about_an_operation(raw: &Value) -> bool {
    ["operationId", "operationType", "operationStatus", "outputFile", "validation"]
        .iter()
        .any(|name| raw.get(*name).is_some())
}

fn failed(status: &OperationStatus, raw: &Value, response: &ApiResponse) -> Error {
    let details = ProblemDetails::of_json(raw);
    let message = Message::new(format!("the operation failed (status {status})"));
    let error = Error::new(ErrorKind::OperationFailed, details.explain(message));
    // With these codes the document is not the cause, so there is no advice to check it.
    let error = match details.code.as_deref() {
        Some("invalid_option" | "limit_exceeded" | "missing_program") => error,
        Some("password_required" | "wrong_password") => error,
        _ => {
            error.advise("Check that the document can be opened and is of a type that the operation accepts")
        }
    };
    let error = error
        .response(response.status, problem::request_id(&response.headers))
        .described(details.code, details.title, details.detail, details.request_id)
        .quoting(redact::excerpt(&response.body));
    response.locate(error)
}
