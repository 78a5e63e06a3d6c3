//! The response to a request for the result of a failed operation.
//!
//! The specification has no operation status for a failure. A client that knows only the statuses `inProgress` and
//! `finished` would request the result for ever if it received a response 200 with another status. So such a client
//! gets an error response.

use super::prefer;
use super::problem::{problem, respond};
use axum::response::Response;
use http::header::USER_AGENT;
use http::{HeaderMap, StatusCode};
use recto_interface::wire::Failure;
use recto_interface::{OperationKind, OperationStatus};

/// The HTTP status of the error response.
pub(crate) const STATUS: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
/// The title in the problem details of every failed operation.
pub(crate) const TITLE: &str = "The operation failed";
/// The beginning of the `User-Agent` header of Recto's own clients, unless a program sets another `User-Agent`.
const OWN_AGENT: &[u8] = b"recto/";

/// Whether the client understands a result with the operation status `failed`. Recto's own clients understand this
/// status. Clients that send `Prefer: wait=N` understand it too: neither this header nor the status is in the
/// specification, so such a client was written for this service.
pub(crate) fn understands_failed(headers: &HeaderMap) -> bool {
    prefer::wait(headers).is_some()
        || headers.get(USER_AGENT).is_some_and(|agent| agent.as_bytes().starts_with(OWN_AGENT))
}

/// The error response for the result of a failed operation.
pub(crate) fn problem_response(id: &str, kind: OperationKind, code: &str, detail: &str) -> Response {
    let mut body = problem(code, TITLE, detail, Some(STATUS.as_u16()));
    let status = OperationStatus::Failed(Failure::failed());
    for (name, value) in
        [("operationId", id), ("operationType", kind.wire_name()), ("operationStatus", status.as_str())]
    {
        body.extra.insert(name.to_owned(), value.into());
    }
    respond(STATUS, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_knows_more_says_so_by_its_name_or_by_a_wait() {
        for (name, value, understands) in [
            ("user-agent", "recto/1.2.3", true),
            ("user-agent", "curl/8.5.0", false),
            ("user-agent", "not-recto/1", false),
            ("prefer", "wait=5", true),
            ("prefer", "wait=0", true),
            ("prefer", "respond-async", false),
            ("accept", "application/json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(understands_failed(&headers), understands, "{name}: {value}");
        }
    }
}
