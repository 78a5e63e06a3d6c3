//! The endpoint `GET /health`.

use crate::http::json::Json;
use axum::response::IntoResponse;
use serde_json::json;

/// `GET /health`: responds with success as long as the service accepts requests.
pub(super) async fn health() -> impl IntoResponse {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}
