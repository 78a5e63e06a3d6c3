//! The endpoints of operations: start, get the result.

use crate::auth::hosts::requested_authority;
use crate::execution::wipe::wipe;
use crate::http::failed_result::{self, problem_response, understands_failed};
use crate::http::json::Json;
use crate::http::option_limits::OptionLimits;
use crate::http::path_id::PathId;
use crate::http::prefer;
use crate::http::problem::{ApiError, Code, problem};
use crate::http::unknown_fields::remove_unknown_fields;
use crate::queue::accept::accept;
use crate::registry::{OperationEntry, Outcome};
use crate::state::Service;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::RETRY_AFTER;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use recto_interface::wire::Failure;
use recto_interface::{
    OperationHandle, OperationKind, OperationResult, OperationStatus, OperationType, Options, OutputFile,
    StartRequest,
};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// `POST` to the path of an operation.
pub(crate) async fn start(
    kind: OperationKind,
    service: Service,
    request: StartRequest,
) -> Result<Json<OperationHandle>, ApiError> {
    let StartRequest { input, options } = request;
    let mut options_json = options.unwrap_or_default();
    if !service.config.strict_fields {
        let known: Vec<&str> = kind.fields().iter().map(|field| field.path).collect();
        remove_unknown_fields(&mut options_json, &known);
    }
    let checked = option_limits(&service, &options_json);
    let options = Options::from_json(kind, &options_json);
    wipe(&mut options_json);
    let (options_size, options) = (checked?, options?);
    // Options that cannot work with any document are refused now, instead of when the operation runs.
    recto_engine::check_options(&options)?;
    let input = input.and_then(|input| input.file_id).ok_or_else(|| {
        ApiError::new(
            Code::InvalidRequest,
            format!("input.fileId is missing; {kind} needs it: the identifier of an uploaded file"),
        )
        .with("field", "input.fileId")
    })?;
    let id = accept(&service, options, options_size, input).await?;
    Ok(Json(OperationHandle {
        operation_id: id,
        operation_type: Some(OperationType::Known(kind)),
        operation_status: Some(OperationStatus::InProgress),
        extra: Map::new(),
    }))
}

/// Checks the limits of the options, and returns their size.
fn option_limits(service: &Service, options: &Value) -> Result<usize, ApiError> {
    let limits = &service.config.limits;
    let limits = OptionLimits { options_bytes: limits.options_bytes, text_bytes: limits.text_bytes };
    limits.check(options)
}

/// `GET /v1/operations/{operationId}/result`. With `Prefer: wait=N`, the response is held until the operation has
/// ended. A client that may know only the documented statuses gets a failure as a problem (see [`understands_failed`]).
pub(crate) async fn result(
    State(service): State<Service>,
    PathId(id): PathId,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let host = requested_authority(&uri, &headers)?;
    let mut entry = known(&service, &id).await?;
    let delay = service.result_delay(&id, &entry);
    let applied = prefer::wait(&headers).map(|wait| wait.min(service.config.limits.wait_time));
    let shown = if let Some(delay) = delay {
        let wait = applied.unwrap_or_default();
        if entry.outcome.is_none() || !delay.is_zero() {
            let done = async {
                tokio::time::sleep(delay).await;
                service.registry.ended(&id).await
            };
            tokio::select! {
                // With a wait of zero, the state is checked once.
                ended = timeout(wait, done) => if let Ok(ended) = ended { ended? },
                () = service.stop_requested() => {}
            }
            entry = known(&service, &id).await?;
        }
        entry.outcome.is_some() && (delay.is_zero() || delay <= wait)
    } else {
        false
    };
    let mut response = match entry.outcome.as_ref().filter(|_| shown) {
        None => pending(entry.kind, service.running.progress(&id)),
        Some(Outcome::Failed { code, detail }) if !understands_failed(&headers) => {
            problem_response(&id, entry.kind, code, detail)
        }
        Some(outcome) => Json(finished(&service, entry.kind, outcome, &host).await?).into_response(),
    };
    if let Some(wait) = applied
        && let Ok(value) = HeaderValue::from_str(&format!("wait={}", wait.as_secs()))
    {
        response.headers_mut().insert(PREFERENCE_APPLIED, value);
    }
    Ok(response)
}

async fn known(service: &Service, id: &str) -> Result<OperationEntry, ApiError> {
    service.registry.operation(id).await?.ok_or_else(|| {
        let shown: String = id.chars().take(64).collect();
        ApiError::new(
            Code::OperationNotFound,
            format!("there is no operation {shown:?}: it was never started here, or its result has expired; start it again"),
        )
    })
}

/// The field `progress`, an addition to the interface, contains the number of finished pages or images, and the
/// total number if it is known.
fn pending(kind: OperationKind, progress: Option<(u32, u32)>) -> Response {
    let mut body = OperationResult {
        operation_type: Some(OperationType::Known(kind)),
        operation_status: Some(OperationStatus::InProgress),
        ..OperationResult::default()
    };
    if let Some((done, total)) = progress {
        body.extra.insert("progress".to_owned(), json!({ "done": done, "total": total }));
    }
    ([(RETRY_AFTER, HeaderValue::from(1))], Json(body)).into_response()
}

async fn finished(
    service: &Service,
    kind: OperationKind,
    outcome: &Outcome,
    host: &Authority,
) -> Result<OperationResult, ApiError> {
    let mut result = OperationResult {
        operation_type: Some(OperationType::Known(kind)),
        operation_status: Some(OperationStatus::Finished),
        ..OperationResult::default()
    };
    match outcome {
        Outcome::File { id, name, notes } => {
            let file = service.registry.file(id).await?;
            let content = file.and_then(|file| file.content).ok_or_else(|| {
                ApiError::new(
                    Code::ResultGone,
                    "the result file was deleted or has expired; start the operation again",
                )
            })?;
            let url = service.download_link(id, name, &content, host).await?;
            result.output_file = Some(OutputFile {
                file_id: Some(id.clone()),
                name: Some(name.clone()),
                url: Some(url),
                extra: Map::new(),
            });
            if !notes.is_empty() {
                result.extra.insert("notes".to_owned(), notes.clone().into());
            }
            if kind == OperationKind::PowerArchive {
                // The specification shows these values here, although the response to the start has others.
                result.operation_type = Some(OperationType::Known(OperationKind::Optimize));
                result.operation_status = Some(OperationStatus::PowerArchive);
            }
        }
        Outcome::Report(report) => result.validation = Some(report.clone()),
        Outcome::Failed { code, detail } => {
            result.operation_status = Some(OperationStatus::Failed(Failure::failed()));
            let error = problem(code, failed_result::TITLE, detail, None);
            let error = serde_json::to_value(error).map_err(|error| ApiError::internal(&error))?;
            result.extra.insert("error".to_owned(), error);
        }
    }
    Ok(result)
}
