//! Error responses: problem details (RFC 9457) with a stable code.

use super::trace;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
use recto_interface::{InvalidOption, Problem};
use serde_json::{Map, Value};

/// The media type of problem details.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

macro_rules! codes {
    ($($(#[doc = $about:literal])+ $code:ident = $word:literal, $status:ident, $title:literal;)+) => {
        /// The kind of an error. The code and the title of a kind never change. The detail of an [`ApiError`] explains
        /// what happened in this request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Code { $($(#[doc = $about])+ $code),+ }

        impl Code {
            /// The stable error code, which programs can compare.
            pub(crate) const fn word(self) -> &'static str { match self { $(Self::$code => $word),+ } }

            /// The HTTP status of the error response.
            pub(crate) const fn status(self) -> StatusCode { match self { $(Self::$code => StatusCode::$status),+ } }

            /// The title of the problem.
            pub(crate) const fn title(self) -> &'static str { match self { $(Self::$code => $title),+ } }
        }
    };
}

codes! {
    /// The API key is missing or wrong.
    Unauthorized = "unauthorized", UNAUTHORIZED, "The API key is missing or wrong";
    /// The signature of a presigned address is invalid.
    InvalidLink = "invalid_link", FORBIDDEN, "The signature of the address is invalid";
    /// A presigned address has expired.
    ExpiredLink = "expired_link", FORBIDDEN, "The address has expired";
    /// The request is for a host that the service does not serve.
    UnknownHost = "unknown_host", MISDIRECTED_REQUEST, "The service does not serve this host";
    /// There is no such endpoint.
    UnknownEndpoint = "unknown_endpoint", NOT_FOUND, "There is no such endpoint";
    /// The endpoint does not support the HTTP method.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The endpoint does not support this method";
    /// The body has the wrong media type.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The endpoint does not accept this media type";
    /// The JSON body is too large.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The JSON body is too large";
    /// The file is too large.
    FileTooLarge = "file_too_large", PAYLOAD_TOO_LARGE, "The file is too large";
    /// The body did not arrive in time.
    BodyTimeout = "body_timeout", REQUEST_TIMEOUT, "The body did not arrive in time";
    /// The connection failed before the whole body arrived.
    BodyIncomplete = "body_incomplete", BAD_REQUEST, "The body is incomplete";
    /// The body is not JSON.
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not JSON";
    /// A query parameter or a header is invalid.
    InvalidParameter = "invalid_parameter", BAD_REQUEST, "A parameter of the request is invalid";
    /// The JSON body does not have the fields that the endpoint needs.
    InvalidRequest = "invalid_request", UNPROCESSABLE_ENTITY, "The body does not have the fields that the endpoint needs";
    /// The operation does not have this option, or the option cannot have this value.
    InvalidOption = "invalid_option", UNPROCESSABLE_ENTITY, "An option is invalid";
    /// There is no such file.
    FileNotFound = "file_not_found", NOT_FOUND, "There is no such file";
    /// The client has requested an upload, but has not uploaded the file yet.
    FileNotUploaded = "file_not_uploaded", CONFLICT, "The file has not been uploaded yet";
    /// An operation has used the file, so the file cannot be replaced.
    FileInUse = "file_in_use", CONFLICT, "The file is in use and cannot be replaced";
    /// There is no such operation.
    OperationNotFound = "operation_not_found", NOT_FOUND, "There is no such operation";
    /// The result file was deleted or has expired.
    ResultGone = "result_gone", GONE, "The result no longer exists";
    /// The range is outside the file.
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, "The range is outside the file";
    /// The service may not fetch a file from this address.
    AddressNotAllowed = "address_not_allowed", UNPROCESSABLE_ENTITY, "The file's address is not allowed";
    /// The file could not be fetched from its address.
    FetchFailed = "fetch_failed", UNPROCESSABLE_ENTITY, "The file could not be fetched";
    /// The service has reached its limit of files.
    TooManyFiles = "too_many_files", TOO_MANY_REQUESTS, "The service has reached its limit of files";
    /// The service has reached its limit of operations.
    TooManyOperations = "too_many_operations", TOO_MANY_REQUESTS, "The service has reached its limit of operations";
    /// The storage is full.
    StorageFull = "storage_full", INSUFFICIENT_STORAGE, "The storage is full";
    /// The service failed.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Internal error";
}

/// An error response.
#[derive(Debug)]
pub(crate) struct ApiError {
    code: Code,
    detail: String,
    extra: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl ApiError {
    /// Creates an error. `detail` explains what happened and what the client can do.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), extra: Map::new(), headers: Vec::new() }
    }

    /// Creates an internal error. `cause` is written to the log. The response to the client does not contain `cause`,
    /// only the advice where to look.
    pub(crate) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::new(
            Code::Internal,
            "an internal error occurred; try again, and look for the trace id in the log of the service",
        )
    }

    /// Whether the error has the code `code`.
    pub(crate) fn is(&self, code: Code) -> bool {
        self.code == code
    }

    /// Adds a field to the body of the error response.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a header to the error response.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The error for a file that the service does not have.
    pub(crate) fn no_such_file(id: &str) -> Self {
        let shown: String = id.chars().take(64).collect();
        Self::new(
            Code::FileNotFound,
            format!(
                "there is no file {shown:?}: it was never uploaded here, was deleted or has expired; upload it again"
            ),
        )
    }

    /// The error for a file that is larger than the limit.
    pub(crate) fn file_too_large(limit: u64) -> Self {
        Self::new(
            Code::FileTooLarge,
            format!("the file is larger than {limit} bytes, the limit of this service; send a smaller one"),
        )
        .with("limit", limit)
    }

    /// Adds the header `Retry-After` to the error response.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.header(RETRY_AFTER, HeaderValue::from(seconds))
    }
}

impl From<InvalidOption> for ApiError {
    fn from(error: InvalidOption) -> Self {
        let converted = Self::new(Code::InvalidOption, error.to_string()).with("field", error.field);
        if error.allowed.is_empty() { converted } else { converted.with("allowed", error.allowed) }
    }
}

impl From<std::io::Error> for ApiError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return Self::new(
                Code::StorageFull,
                "the storage of the service is full; delete files that are no longer needed, then try again",
            );
        }
        Self::internal(&error)
    }
}

/// The problem details for `code`: the body of an error response, or a part of the result of a failed operation.
pub(crate) fn problem(code: &str, title: &str, detail: &str, status: Option<u16>) -> Problem {
    Problem {
        problem_type: None,
        title: Some(title.to_owned()),
        status,
        detail: Some(detail.to_owned()),
        code: Some(code.to_owned()),
        trace_id: trace::current(),
        extra: Map::new(),
    }
}

/// The response whose body is the problem `body`.
pub(crate) fn respond(status: StatusCode, body: &Problem) -> Response {
    // The body contains only strings, numbers and maps with string keys, so serialising the body cannot fail.
    let body = serde_json::to_vec(body).unwrap_or_default();
    let mut response = (status, body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    response
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.code.status();
        tracing::debug!(code = self.code.word(), status = status.as_u16(), "error response");
        let mut body = problem(self.code.word(), self.code.title(), &self.detail, Some(status.as_u16()));
        body.extra = self.extra;
        let mut response = respond(status, &body);
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
