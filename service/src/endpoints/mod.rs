//! The routes of the service. The routes of operations are generated from the table of operations in `recto-interface`.

mod files;
mod health;
mod metrics;
pub(crate) mod openapi;
mod operations;
#[cfg(feature = "test-controls")]
mod test_controls;
mod transfer;
mod web_ui;

use crate::auth::presign::Purpose;
use crate::auth::{hosts, key};
use crate::http::json::Json;
use crate::http::problem::{ApiError, Code};
use crate::http::trace;
use crate::state::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post, put};
use http::Method;
use recto_interface::{OperationKind, StartRequest, endpoint};
use tower_http::catch_panic::CatchPanicLayer;

/// All routes of the service, with their middleware. The middleware sets the trace id, then checks the host, then
/// requires the API key on the routes that need the key.
pub(crate) fn router(service: Service) -> Router {
    let mut api = Router::new()
        .route(endpoint::UPLOAD_FROM_LOCAL, post(files::ticket))
        .route(endpoint::UPLOAD_FROM_URL, post(files::from_url))
        .route(endpoint::UPLOAD_FROM_URL_BETA, post(files::from_url))
        .route(endpoint::FILES, get(files::list))
        .route(endpoint::FILE, get(files::one).delete(files::delete))
        .route(endpoint::RESULT, get(operations::result))
        .route("/page/operations", get(web_ui::operations));
    for &kind in OperationKind::ALL {
        let start = move |State(service): State<Service>, Json(request): Json<StartRequest>| {
            operations::start(kind, service, request)
        };
        for path in [Some(kind.path()), kind.beta_path()].into_iter().flatten() {
            api = api.route(path, post(start));
        }
    }
    #[cfg(feature = "test-controls")]
    if service.test_controls.is_some() {
        api = api.merge(test_controls::router());
    }
    let api = logged(api.method_not_allowed_fallback(other_method).fallback(unknown), &service)
        .layer(from_fn_with_state(service.key.clone(), key::require_key));
    let watched = Router::new()
        .route(openapi::METRICS, get(metrics::metrics))
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(service.key.clone(), key::require_key_or_bearer));
    let mut open = Router::new()
        .route(openapi::HEALTH, get(health::health))
        .route(openapi::PATH, get(openapi::openapi))
        .route("/page/key", post(web_ui::key))
        .route(&format!("{}{{fileId}}", Purpose::Upload.prefix()), put(transfer::upload))
        .route(&format!("{}{{fileId}}", Purpose::Download.prefix()), get(transfer::download))
        .method_not_allowed_fallback(other_method);
    open = logged(open, &service);
    for &(path, media_type, text) in web_ui::PARTS {
        open = open.route(path, get(move || async move { web_ui::part(media_type, text) }));
    }
    open.merge(watched)
        .merge(api)
        .layer(from_fn_with_state(service.clone(), metrics::counted))
        .layer(CatchPanicLayer::custom(|_| ApiError::internal(&"a request handler panicked").into_response()))
        .layer(from_fn_with_state(service.hosts.clone(), hosts::require_known_host))
        .layer(from_fn(trace::traced))
        .with_state(service)
}

/// Adds the request log of the test controls to `router`.
#[cfg(feature = "test-controls")]
fn logged(router: Router<Service>, service: &Service) -> Router<Service> {
    router.layer(from_fn_with_state(service.clone(), test_controls::logged))
}

/// A build without test controls has no request log, so `router` is returned without change.
#[cfg(not(feature = "test-controls"))]
fn logged(router: Router<Service>, _: &Service) -> Router<Service> {
    router
}

async fn unknown(request: Request) -> ApiError {
    let path: String = request.uri().path().chars().take(128).collect();
    ApiError::new(
        Code::UnknownEndpoint,
        format!("there is no endpoint {path:?}; check the path and the base URL"),
    )
}

async fn other_method(method: Method) -> ApiError {
    let method: String = method.as_str().chars().take(32).collect();
    ApiError::new(
        Code::MethodNotAllowed,
        format!(
            "this endpoint does not support {method}; the header Allow lists the methods that it supports"
        ),
    )
}
