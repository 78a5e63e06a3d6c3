//! JSON bodies: bounded, on time, of the right type and shape; the memory they came in is wiped.

use super::problem::{Code, Refusal};
use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use std::time::Duration;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// A JSON body, in a request or an answer.
pub(crate) struct Json<T>(pub(crate) T);

/// What a JSON body may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// The most bytes.
    pub(crate) bytes: usize,
    /// The most time until all of them are there.
    pub(crate) time: Duration,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T>
where
    BodyLimits: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let (head, body) = request.into_parts();
        if !is_json(&head.headers) {
            return Err(Refusal::new(
                Code::UnsupportedMediaType,
                "send the body as Content-Type: application/json",
            ));
        }
        let limits = BodyLimits::from_ref(state);
        let collected = timeout(limits.time, collect(&head.headers, body, limits.bytes)).await;
        let bytes = collected.map_err(|_| {
            Refusal::new(
                Code::BodyTimeout,
                format!("the body did not arrive within {} s; send it again", limits.time.as_secs()),
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
