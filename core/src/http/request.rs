//! API requests: JSON requests to the service, with retries, and responses of limited size.

use crate::error::{Error, Phase};
use crate::http::address::Address;
use crate::http::content_coding;
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::retry::{self, AttemptError, Delivery, Repeat};
use crate::http::send::{self, HttpRequest, Payload};
use crate::message::Message;
use crate::redact;
use crate::runtime;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use std::sync::atomic::Ordering;

/// A JSON request to the service.
pub(crate) struct ApiRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) json: Option<Bytes>,
    pub(crate) repeat: Repeat,
    /// Sets `Prefer: wait=N` (RFC 7240): the service may delay the response for up to N seconds until the state
    /// changes.
    pub(crate) prefer_wait: Option<u64>,
}

impl ApiRequest {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), json: None, repeat: Repeat::Idempotent, prefer_wait: None }
    }

    pub(crate) fn with_json(mut self, body: &impl Serialize) -> Result<Self, Error> {
        let json = serde_json::to_vec(body).map_err(|error| {
            Error::invalid(Message::new("the request cannot be encoded as JSON: ").foreign(error))
        })?;
        self.json = Some(json.into());
        Ok(self)
    }

    pub(crate) fn starting_work(mut self) -> Self {
        self.repeat = Repeat::StartsWork;
        self
    }

    /// Makes one attempt. A response with any status counts as success.
    pub(crate) async fn send_once(&self, context: &RequestContext<'_>) -> Result<ApiResponse, AttemptError> {
        let mut request = self.http_request(context).map_err(AttemptError::permanent)?;
        // Nothing in between may block: the response is read without leaving the runtime.
        let (response, read, limit) = runtime::inside_runtime(async {
            let mut response = request.send(context).await?;
            let success = (200..300).contains(&response.status);
            let limit = if success { context.config.json_limit } else { problem::MOST_READ };
            let read = response.read(context, limit).await;
            Ok((response, read, limit))
        })
        .await?;
        let success = (200..300).contains(&response.status);
        let read = match read {
            Ok(read) => read,
            // The status is used even if the body, which would explain the status, could not be read.
            Err(_) if !success => (Bytes::new(), false),
            Err(failed) => return Err(failed.map(|error| request.locate(error, context.phase))),
        };
        let (status, (body, cut)) = (response.status, read);
        let request = Some((request.method, request.to, context.phase));
        let response = ApiResponse {
            status,
            headers: response.headers,
            body,
            attempts: 1,
            maybe_processed_before: false,
            request,
        };
        response.decoded(cut, limit)
    }

    /// Repeats the request as the retry policy allows. A status that is neither a success nor in `accepted` is an
    /// error.
    pub(crate) async fn send(
        &self,
        context: &RequestContext<'_>,
        accepted: &[u16],
    ) -> Result<ApiResponse, Error> {
        let context = context.with_api_deadline();
        let mut maybe_processed_before = false;
        let (response, attempts) = context
            .attempts(self.repeat, async |_| {
                let response = self.send_once(&context).await;
                let response = response.and_then(|response| match response.status {
                    status if response.is_success() || accepted.contains(&status) => Ok(response),
                    _ => Err(response.attempt_error()),
                });
                maybe_processed_before |=
                    matches!(&response, Err(failed) if failed.delivery == Delivery::MaybeProcessed);
                response
            })
            .await?;
        Ok(ApiResponse { attempts, maybe_processed_before, ..response })
    }

    fn http_request(&self, context: &RequestContext<'_>) -> Result<HttpRequest<'static>, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if self.json.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(wait) = self.prefer_wait
            && let Ok(value) = HeaderValue::from_str(&format!("wait={wait}"))
        {
            headers.insert("prefer", value);
        }
        Ok(HttpRequest {
            method: self.method.clone(),
            to: context.config.base.endpoint(&self.path)?,
            headers,
            payload: self.json.clone().map_or(Payload::Empty, Payload::Bytes),
            with_key: true,
            // The embedded service keeps idle connections longer than this client does.
            fresh_connection: self.repeat == Repeat::StartsWork && context.config.keep_alive.is_none(),
        })
    }
}

/// A response of the service whose body has been read.
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// How many attempts were made.
    pub(crate) attempts: u32,
    /// Whether the service may have processed an earlier attempt of the same request.
    pub(crate) maybe_processed_before: bool,
    /// Method, address and phase of the request. `None` for a response that was created by a test.
    request: Option<(Method, Address, Phase)>,
}

impl ApiResponse {
    #[cfg(any(fuzzing, test))]
    pub(crate) fn of(status: u16, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body, attempts: 1, maybe_processed_before: false, request: None }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Removes the content coding of the response. `cut` means that the body, as it was sent, was longer than
    /// `limit`.
    fn decoded(mut self, cut: bool, limit: usize) -> Result<Self, AttemptError> {
        let decoded = content_coding::decode(&self.headers, self.body.clone(), limit);
        let problem = match decoded {
            Ok(decoded) => {
                let mark = decoded.body.len() - problem::without_mark(&decoded.body).len();
                self.body = decoded.body.slice(mark..);
                (cut || decoded.cut)
                    .then(|| Message::new(format!("the response is larger than {limit} bytes")))
            }
            Err(why) => Some(Message::default().foreign(why)),
        };
        match problem {
            Some(why) if self.is_success() => Err(AttemptError::permanent(self.unexpected(why))),
            // The status is used even if the body, which would explain the status, cannot be decoded.
            _ => Ok(self),
        }
    }

    /// The error for a response whose status reports a failure.
    pub(crate) fn error(&self) -> Error {
        self.locate(problem::of_response(self.status, &self.headers, &self.body))
    }

    /// The same error as [`error`](Self::error), with the information whether the request may be repeated.
    pub(crate) fn attempt_error(&self) -> AttemptError {
        let error = self.error();
        let delivery = retry::delivery_of_status(self.status, error.retry_after().is_some());
        AttemptError::new(error, delivery)
    }

    /// Reads the body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let what = match error.classify() {
                Category::Data => "a field is missing or has the wrong type",
                _ => "invalid JSON",
            };
            self.unexpected(Message::new(format!("{what}: ")).foreign(error))
        })
    }

    /// Creates a [`Protocol`](crate::ErrorKind::Protocol) error about this response.
    pub(crate) fn unexpected(&self, what: impl Into<Message>) -> Error {
        let message = Message::new("unexpected response from the service: ").message(&what.into());
        let error = Error::protocol(message)
            .response(self.status, problem::request_id(&self.headers))
            .advise("Check that the base URL is the address of the service; if it is, report this to the operator of the service")
            .quoting(redact::excerpt(&self.body));
        self.locate(error)
    }

    /// Adds the request and the number of attempts to `error`.
    pub(crate) fn locate(&self, error: Error) -> Error {
        let error = match &self.request {
            Some((method, to, phase)) => send::locate(error, method, to, *phase),
            None => error,
        };
        error.after_attempts(self.attempts)
    }
}

/// The two documented paths of one endpoint, and the place where the client remembers which path worked.
#[derive(Clone, Copy)]
pub(crate) struct TwoPaths {
    pub(crate) first: &'static str,
    pub(crate) beta: &'static str,
    pub(crate) memory: PathMemory,
}

/// The endpoints that have two documented paths. The value is the index in `working_paths`.
#[derive(Clone, Copy)]
pub(crate) enum PathMemory {
    FromUrl = 0,
    PowerArchive = 1,
}

/// The statuses with which a service, or a gateway in front of it, may respond if it does not have the path.
const UNKNOWN_PATH: &[u16] = &[403, 404, 405, 501];
const UNKNOWN: u8 = 0;
const FIRST: u8 = 1;
const BETA: u8 = 2;

impl TwoPaths {
    /// Sends the request that `build` returns to the first path. If the service does not have this path, sends the
    /// request to the beta path, once. The client remembers the path that worked.
    pub(crate) async fn send(
        self,
        context: &RequestContext<'_>,
        build: impl Fn(&str) -> Result<ApiRequest, Error>,
    ) -> Result<ApiResponse, Error> {
        let memory = &context.http.working_paths[self.memory as usize];
        let remembered = memory.load(Ordering::Relaxed);
        let first = if remembered == BETA { self.beta } else { self.first };
        let accepted = if remembered == UNKNOWN { UNKNOWN_PATH } else { &[] };
        let response = build(first)?.send(context, accepted).await?;
        if response.is_success() {
            memory.store(if first == self.beta { BETA } else { FIRST }, Ordering::Relaxed);
            return Ok(response);
        }
        tracing::debug!(status = response.status, "the path is not known; trying the beta path");
        let second = build(self.beta)?.send(context, UNKNOWN_PATH).await?;
        if second.is_success() {
            memory.store(BETA, Ordering::Relaxed);
            return Ok(second);
        }
        // If the API key was refused, the error is about the key, even if only one of the paths refused the key.
        Err(if second.status == 403 { second.error() } else { response.error() })
    }
}
