//! Every refusal of the service: its code, its status, its words (RFC 9457).

use super::trace;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
use recto_interface::{InvalidOption, Problem};
use serde_json::{Map, Value};

/// The media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

macro_rules! codes {
    ($($(#[doc = $about:literal])+ $code:ident = $word:literal, $status:ident, $title:literal;)+) => {
        /// What kind of refusal it is. The word and the title never change; the detail tells what happened this time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Code { $($(#[doc = $about])+ $code),+ }

        impl Code {
            /// The stable word for programs.
            pub(crate) const fn word(self) -> &'static str { match self { $(Self::$code => $word),+ } }

            /// The status it is answered with.
            pub(crate) const fn status(self) -> StatusCode { match self { $(Self::$code => StatusCode::$status),+ } }

            /// The kind of problem in a few words.
            pub(crate) const fn title(self) -> &'static str { match self { $(Self::$code => $title),+ } }
        }
    };
}

codes! {
    /// No key, or not the service's.
    Unauthorized = "unauthorized", UNAUTHORIZED, "The API key is missing or wrong";
    /// A presigned address whose signature does not hold.
    InvalidLink = "invalid_link", FORBIDDEN, "The address is not one that this service gave out";
    /// A presigned address past its time.
    ExpiredLink = "expired_link", FORBIDDEN, "The address has expired";
    /// A request for another host.
    UnknownHost = "unknown_host", MISDIRECTED_REQUEST, "The service does not answer for this host";
    /// No such endpoint.
    UnknownEndpoint = "unknown_endpoint", NOT_FOUND, "There is no such endpoint";
    /// The endpoint has other methods.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The endpoint does not have this method";
    /// A body of another type.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is of another type than the endpoint takes";
    /// A JSON body over the limit.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The JSON body is too large";
    /// A file over the limit.
    FileTooLarge = "file_too_large", PAYLOAD_TOO_LARGE, "The file is too large";
    /// A body that did not arrive in time.
    BodyTimeout = "body_timeout", REQUEST_TIMEOUT, "The body did not arrive in time";
    /// A body that broke off.
    BodyIncomplete = "body_incomplete", BAD_REQUEST, "The body did not arrive whole";
    /// A body that is no JSON.
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not JSON";
    /// A query parameter or header that cannot be read.
    InvalidParameter = "invalid_parameter", BAD_REQUEST, "A parameter of the request is invalid";
    /// JSON of another shape than the endpoint takes.
    InvalidRequest = "invalid_request", UNPROCESSABLE_ENTITY, "The body does not have the fields that the endpoint takes";
    /// An option that the operation does not take, or not with this value.
    InvalidOption = "invalid_option", UNPROCESSABLE_ENTITY, "An option is invalid";
    /// No such file.
    FileNotFound = "file_not_found", NOT_FOUND, "There is no such file";
    /// A ticket whose file has not come.
    FileNotUploaded = "file_not_uploaded", CONFLICT, "The file has not been uploaded yet";
    /// A file that an operation has used.
    FileInUse = "file_in_use", CONFLICT, "The file is in use and cannot be replaced";
    /// No such operation.
    OperationNotFound = "operation_not_found", NOT_FOUND, "There is no such operation";
    /// A result whose file is gone.
    ResultGone = "result_gone", GONE, "The result is no longer there";
    /// A range beyond the file.
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, "The range lies outside the file";
    /// A file address that may not be fetched from.
    AddressNotAllowed = "address_not_allowed", UNPROCESSABLE_ENTITY, "The file's address is not allowed";
    /// A file address from which nothing came.
    FetchFailed = "fetch_failed", UNPROCESSABLE_ENTITY, "The file could not be fetched";
    /// Too many files.
    TooManyFiles = "too_many_files", TOO_MANY_REQUESTS, "The service holds as many files as it may";
    /// Too many operations.
    TooManyOperations = "too_many_operations", TOO_MANY_REQUESTS, "The service has as much work as it may";
    /// No room for the file.
    StorageFull = "storage_full", INSUFFICIENT_STORAGE, "There is no room for the file";
    /// A fault of the service.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The service failed";
}

/// A refusal on its way to the client.
#[derive(Debug)]
pub(crate) struct Refusal {
    code: Code,
    detail: String,
    extra: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Refusal {
    /// A refusal; `detail` says what happened and what to do.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), extra: Map::new(), headers: Vec::new() }
    }

    /// A fault of the service: `cause` is logged, the client learns only where to look.
    pub(crate) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::new(Code::Internal, "the service failed; try again, and look for the trace id in its log")
    }

    /// Whether it is of this kind.
    pub(crate) fn is(&self, code: Code) -> bool {
        self.code == code
    }

    /// With one more field in the body.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// With one more header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// A file that the service does not have.
    pub(crate) fn no_such_file(id: &str) -> Self {
        let shown: String = id.chars().take(64).collect();
        Self::new(
            Code::FileNotFound,
            format!(
                "there is no file {shown:?}; it was never uploaded here, was deleted, or its time has passed: upload it again"
            ),
        )
    }

    /// A file over the limit.
    pub(crate) fn file_too_large(limit: u64) -> Self {
        Self::new(Code::FileTooLarge, format!("a file may have {limit} bytes here; send a smaller one"))
            .with("limit", limit)
    }

    /// To be tried again after so many seconds.
    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.header(RETRY_AFTER, HeaderValue::from(seconds))
    }
}

impl From<InvalidOption> for Refusal {
    fn from(error: InvalidOption) -> Self {
        let refusal = Self::new(Code::InvalidOption, error.to_string()).with("field", error.field);
        if error.allowed.is_empty() { refusal } else { refusal.with("allowed", error.allowed) }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return Self::new(
                Code::StorageFull,
                "the service has no room for the file; delete files that are no longer needed",
            );
        }
        Self::internal(&error)
    }
}

/// The problem object for `code`, as an answer or inside a failed operation's result.
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

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.code.status();
        tracing::debug!(code = self.code.word(), status = status.as_u16(), "request refused");
        let mut body = problem(self.code.word(), self.code.title(), &self.detail, Some(status.as_u16()));
        body.extra = self.extra;
        // Texts, numbers and maps with text keys: serializing them cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (status, body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
