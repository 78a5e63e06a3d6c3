//! JSON bodies of requests and responses. The size and the time of a request body are limited, and its memory is
//! overwritten after use.

use super::problem::{ApiError, Code};
use super::unknown_fields::remove_unknown_fields;
use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use recto_interface::{FromUrlRequest, StartRequest, UploadRequest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::{Error, Value};
use std::time::Duration;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// A JSON body of a request or a response.
pub(crate) struct Json<T>(pub(crate) T);

/// The body of a request.
pub(crate) trait RequestBody: DeserializeOwned {
    /// The paths of the fields in a documented request. The service ignores other fields, unless the setting
    /// `strict_fields` is on. `None` for requests that only the service's own web page and tests send. Such a request
    /// must not contain unknown fields.
    const FIELDS: Option<&'static [&'static str]> = None;
}

impl RequestBody for UploadRequest {
    const FIELDS: Option<&'static [&'static str]> = Some(&["fileName"]);
}

impl RequestBody for FromUrlRequest {
    const FIELDS: Option<&'static [&'static str]> = Some(&["fileUrl"]);
}

impl RequestBody for StartRequest {
    /// The fields inside `options` depend on the operation, so they are not listed here.
    const FIELDS: Option<&'static [&'static str]> = Some(&["input.fileId", "options"]);
}

/// The limits of a JSON body, and whether it may contain unknown fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// The maximum number of bytes.
    pub(crate) bytes: usize,
    /// The time within which the whole body must arrive.
    pub(crate) time: Duration,
    /// Whether unknown fields are refused instead of ignored.
    pub(crate) strict_fields: bool,
}

impl<T: RequestBody, S: Send + Sync> FromRequest<S> for Json<T>
where
    BodyLimits: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (head, body) = request.into_parts();
        if !is_json(&head.headers) {
            return Err(ApiError::new(
                Code::UnsupportedMediaType,
                "send the body as Content-Type: application/json",
            ));
        }
        let limits = BodyLimits::from_ref(state);
        let collected = timeout(limits.time, collect(&head.headers, body, limits.bytes)).await;
        let bytes = collected.map_err(|_| {
            ApiError::new(
                Code::BodyTimeout,
                format!("the body did not arrive within {} s; send the request again", limits.time.as_secs()),
            )
        })??;
        read(&bytes, limits.strict_fields).map(Self).map_err(|error| match error.classify() {
            Category::Data => ApiError::new(Code::InvalidRequest, error.to_string()),
            Category::Io | Category::Syntax | Category::Eof => {
                ApiError::new(Code::InvalidJson, error.to_string())
            }
        })
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
            }
            Err(error) => ApiError::internal(&error).into_response(),
        }
    }
}

fn read<T: RequestBody>(bytes: &[u8], strict: bool) -> Result<T, Error> {
    match T::FIELDS {
        Some(known) if !strict => {
            let mut json: Value = serde_json::from_slice(bytes)?;
            remove_unknown_fields(&mut json, known);
            serde_json::from_value(json)
        }
        _ => serde_json::from_slice(bytes),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = value.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

async fn collect(headers: &HeaderMap, body: Body, limit: usize) -> Result<Zeroizing<Vec<u8>>, ApiError> {
    let too_large = || {
        ApiError::new(
            Code::BodyTooLarge,
            format!("the JSON body is larger than {limit} bytes; upload files to their uploadUrl instead of sending them in JSON"),
        )
        .with("limit", limit)
    };
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse().ok());
    if announced.is_some_and(|announced: usize| announced > limit) {
        return Err(too_large());
    }
    // The buffer is allocated once: a buffer that grows leaves copies in memory that are not overwritten.
    let mut bytes = Zeroizing::new(Vec::with_capacity(announced.unwrap_or(4096)));
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            ApiError::new(
                Code::BodyIncomplete,
                format!(
                    "the connection failed before the whole body arrived: {error}; send the request again"
                ),
            )
        })?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
