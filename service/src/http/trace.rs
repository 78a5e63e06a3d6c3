//! The trace id of each request. The log lines of a request, the `X-Request-Id` header of its response, and problem
//! details contain this trace id.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::time::Instant;
use tracing::Instrument;

tokio::task_local! {
    static TRACE_ID: String;
}

/// The name of the response header that contains the trace id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The trace id of the request that the current task handles.
pub(crate) fn current() -> Option<String> {
    TRACE_ID.try_with(Clone::clone).ok()
}

/// Handles a request under its trace id. The log contains only the path of the address, because the query may contain a
/// signature.
pub(crate) async fn traced(request: Request, next: Next) -> Response {
    let id = given(request.headers()).or_else(|| crate::ids::identifier().ok()).unwrap_or_default();
    let span = tracing::info_span!("request", trace_id = %id, method = %request.method(), path = request.uri().path());
    let header = HeaderValue::from_str(&id);
    let handled = async {
        let began = Instant::now();
        let response = next.run(request).await;
        tracing::info!(
            status = response.status().as_u16(),
            elapsed_us = began.elapsed().as_micros(),
            "request handled"
        );
        response
    };
    let mut response = TRACE_ID.scope(id, handled).instrument(span).await;
    if let Ok(header) = header {
        response.headers_mut().insert(REQUEST_ID, header);
    }
    response
}

/// The trace id that the client sent in the header `traceparent` (W3C Trace Context, `00-<trace id>-<parent
/// id>-<flags>`).
fn given(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("traceparent")?.to_str().ok()?.split('-').nth(1)?;
    let digits = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (id.len() == 32 && digits && id.bytes().any(|byte| byte != b'0')).then(|| id.to_owned())
}
