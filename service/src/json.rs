//! JSON bodies: bounded, on time, of the right type and shape; the memory they came in is wiped.

use crate::problem::{Code, Refusal};
use crate::state::Service;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use tokio::time::timeout;
use zeroize::{Zeroize as _, Zeroizing};

/// A JSON body, in a request or an answer.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Service> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, service: &Service) -> Result<Self, Refusal> {
        let (head, body) = request.into_parts();
        if !is_json(&head.headers) {
            return Err(Refusal::new(
                Code::UnsupportedMediaType,
                "send the body as Content-Type: application/json",
            ));
        }
        let limits = &service.config.limits;
        let collected = timeout(limits.stall_time, collect(&head.headers, body, limits.json_bytes)).await;
        let bytes = collected.map_err(|_| {
            Refusal::new(
                Code::BodyTimeout,
                format!("the body did not arrive within {} s; send it again", limits.stall_time.as_secs()),
            )
        })??;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| match error.classify() {
            Category::Data => Refusal::new(Code::InvalidRequest, error.to_string()),
            Category::Io | Category::Syntax | Category::Eof => {
                Refusal::new(Code::InvalidJson, error.to_string())
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
            Err(error) => Refusal::internal(&error).into_response(),
        }
    }
}

/// Overwrites every text in `json`: one may be a password.
pub(crate) fn wipe(json: &mut Value) {
    match json {
        Value::String(text) => text.zeroize(),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = value.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

async fn collect(headers: &HeaderMap, body: Body, limit: usize) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    let too_large = || {
        Refusal::new(
            Code::BodyTooLarge,
            format!("a JSON body may have {limit} bytes; files are uploaded, not sent in JSON"),
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
    // With its room from the start, the buffer is not moved, which would leave copies that nobody wipes.
    let mut bytes = Zeroizing::new(Vec::with_capacity(announced.unwrap_or(4096)));
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            Refusal::new(Code::BodyIncomplete, format!("the body broke off: {error}; send it again"))
        })?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
