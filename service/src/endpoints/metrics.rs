//! The endpoint `GET /metrics`, and the middleware that counts requests.

use crate::http::problem::ApiError;
use crate::metrics::Current;
use crate::state::Service;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use std::time::Instant;

/// The media type of OpenMetrics text.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Middleware: counts each request, and measures how long the service takes to handle the request.
pub(crate) async fn counted(State(service): State<Service>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (method, route) = (request.method().clone(), request.extensions().get::<MatchedPath>().cloned());
    let response = next.run(request).await;
    service.metrics.request_answered(&method, route.as_ref(), response.status().as_u16(), began.elapsed());
    response
}

/// `GET /metrics`: the metrics as OpenMetrics text.
pub(crate) async fn metrics(State(service): State<Service>) -> Result<Response, ApiError> {
    let now = Current {
        running: service.running.count(),
        waiting: service.registry.waiting().await?,
        workers: service.executor.workers(),
    };
    let body = service.metrics.text(&now).map_err(|error| ApiError::internal(&error))?;
    let mut response = body.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(OPEN_METRICS));
    Ok(response)
}
