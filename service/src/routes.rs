//! The addresses of the service. Those of the operations come from the table in `recto-interface`.

use crate::access;
use crate::files;
use crate::json::Json;
use crate::links::Purpose;
use crate::metrics;
use crate::openapi;
use crate::operations;
use crate::page;
use crate::problem::{Code, Refusal};
use crate::state::Service;
use crate::test_controls;
use crate::trace;
use crate::transfer;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};
use recto_interface::{OperationKind, StartRequest, endpoint};
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;

/// All addresses, with what every request passes through: trace id, host, then the key where one is needed.
pub(crate) fn router(service: Service) -> Router {
    let mut api = Router::new()
        .route(endpoint::UPLOAD_FROM_LOCAL, post(files::ticket))
        .route(endpoint::UPLOAD_FROM_URL, post(files::from_url))
        .route(endpoint::UPLOAD_FROM_URL_BETA, post(files::from_url))
        .route(endpoint::FILES, get(files::list))
        .route(endpoint::FILE, get(files::one).delete(files::delete))
        .route(endpoint::RESULT, get(operations::result))
        .route("/page/operations", get(page::operations));
    for &kind in OperationKind::ALL {
        let start = move |State(service): State<Service>, Json(request): Json<StartRequest>| {
            operations::start(kind, service, request)
        };
        for path in [Some(kind.path()), kind.beta_path()].into_iter().flatten() {
            api = api.route(path, post(start));
        }
    }
    if service.test_controls.is_some() {
        api = api.merge(test_controls::router());
    }
    let api = api
        .method_not_allowed_fallback(other_method)
        .fallback(unknown)
        .layer(from_fn_with_state(service.clone(), test_controls::logged))
        .layer(from_fn_with_state(service.clone(), access::with_key));
    let watched = Router::new()
        .route(openapi::METRICS, get(metrics::metrics))
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(service.clone(), access::with_key_or_bearer));
    let mut open = Router::new()
        .route(openapi::HEALTH, get(health))
        .route(openapi::PATH, get(description))
        .route("/page/key", post(page::key))
        .route(&format!("{}{{fileId}}", Purpose::Upload.prefix()), put(transfer::upload))
        .route(&format!("{}{{fileId}}", Purpose::Download.prefix()), get(transfer::download))
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(service.clone(), test_controls::logged));
    for &(path, media_type, text) in page::PARTS {
        open = open.route(path, get(move || async move { page::part(media_type, text) }));
    }
    open.merge(watched)
        .merge(api)
        .layer(from_fn_with_state(service.clone(), metrics::counted))
        .layer(CatchPanicLayer::custom(|_| Refusal::internal(&"a request handler panicked").into_response()))
        .layer(from_fn_with_state(service.clone(), access::of_our_host))
        .layer(from_fn(trace::traced))
        .with_state(service)
}

/// `GET /health`: answers as long as the service takes requests.
async fn health() -> impl IntoResponse {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// `GET /openapi.json`.
async fn description(State(service): State<Service>) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], service.openapi.clone()).into_response()
}

async fn unknown(request: Request) -> Refusal {
    let path: String = request.uri().path().chars().take(128).collect();
    Refusal::new(
        Code::UnknownEndpoint,
        format!("this service has no {path:?}; check the path and the base URL"),
    )
}

async fn other_method(method: Method) -> Refusal {
    let method: String = method.as_str().chars().take(32).collect();
    Refusal::new(
        Code::MethodNotAllowed,
        format!("this endpoint does not have {method}; the header Allow says what it has"),
    )
}
