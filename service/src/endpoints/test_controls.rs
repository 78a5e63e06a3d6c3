//! The endpoints of the test controls.

use crate::http::json::{Json, RequestBody};
use crate::http::problem::ApiError;
use crate::state::Service;
use crate::test_controls::{Controls, Log};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};

/// The routes of the test controls.
pub(super) fn router() -> Router<Service> {
    Router::new()
        .route("/test/controls", get(controls).put(set_controls))
        .route("/test/requests", get(requests))
        .route("/test/reset", post(reset))
}

/// Middleware: logs each request if test controls are on. Requests whose path starts with `/test/` are not logged.
pub(super) async fn logged(State(service): State<Service>, request: Request, next: Next) -> Response {
    let Some(controls) =
        service.test_controls.as_ref().filter(|_| !request.uri().path().starts_with("/test/"))
    else {
        return next.run(request).await;
    };
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let response = next.run(request).await;
    controls.log(method, path, response.status().as_u16());
    response
}

impl RequestBody for Controls {}

async fn controls(State(service): State<Service>) -> Json<Controls> {
    Json(service.test_controls.as_ref().map(|controls| controls.controls()).unwrap_or_default())
}

async fn set_controls(State(service): State<Service>, Json(wanted): Json<Controls>) -> Json<Controls> {
    if let Some(controls) = &service.test_controls {
        controls.set(wanted.clone());
    }
    Json(wanted)
}

async fn requests(State(service): State<Service>) -> Json<Log> {
    Json(service.test_controls.as_ref().map(|controls| controls.requests()).unwrap_or_default())
}

async fn reset(State(service): State<Service>) -> Result<Json<Controls>, ApiError> {
    if let Some(controls) = &service.test_controls {
        controls.reset();
    }
    let removed = service.registry.clear().await?;
    service.discard(removed).await;
    Ok(Json(Controls::default()))
}
