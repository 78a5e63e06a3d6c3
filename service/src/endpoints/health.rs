//! The endpoint `GET /health`.

use crate::http::json::Json;
use crate::state::Service;
use axum::extract::State;
use axum::response::IntoResponse;
use http::HeaderMap;
use serde_json::json;

/// `GET /health`: responds with success as long as the service accepts requests. Only a client with the API key learns
/// the version: without the key, it would show which known defects the service has.
pub(super) async fn health(State(service): State<Service>, headers: HeaderMap) -> impl IntoResponse {
    let mut body = json!({ "status": "ok" });
    if service.key.is_in(&headers) {
        body["version"] = env!("CARGO_PKG_VERSION").into();
    }
    Json(body)
}
