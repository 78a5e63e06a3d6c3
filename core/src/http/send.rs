//! Sends one HTTP request: sends the API key only to the service's origin, follows redirects, and applies time
//! limits.

use crate::error::{Error, ErrorKind, Phase};
use crate::http::address::Address;
use crate::http::body::{Body, Feed};
use crate::http::context::RequestContext;
use crate::http::pools::{BodyError, ConnectionError, ResponseBody};
use crate::http::redirect;
use crate::http::retry::{AttemptError, Delivery};
use crate::io::source::Document;
use crate::message::Message;
use crate::runtime;
use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use recto_interface::endpoint::API_KEY_HEADER;
use std::error::Error as StdError;
use std::future::Future;
use std::pin::pin;
use std::time::Instant;

/// An HTTP request to any origin.
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: Method,
    pub(crate) to: Address,
    pub(crate) headers: HeaderMap,
    pub(crate) payload: Payload<'a>,
    /// Whether the API key is sent with the request. The key is sent only to the origin of the service.
    pub(crate) with_key: bool,
    /// Whether the request is sent over a new connection. A server may close an idle connection at the moment when the
    /// next request is sent over it; then it is unknown whether the server has processed this request.
    pub(crate) fresh_connection: bool,
}

/// The body of a request.
pub(crate) enum Payload<'a> {
    Empty,
    Bytes(Bytes),
    Document(&'a mut Document),
}

/// The head of a response. The body has not been read yet.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: ResponseBody,
}

impl HttpRequest<'_> {
    /// Sends the request, follows redirects, and returns the head of the response. A response with any status counts
    /// as success.
    pub(crate) async fn send(&mut self, context: &RequestContext<'_>) -> Result<HttpResponse, AttemptError> {
        let mut hops = 0;
        loop {
            let sent = self.send_once(context).await;
            let response = sent.map_err(|failed| failed.map(|error| self.locate(error, context.phase)))?;
            if !redirect::is_redirect(response.status) {
                return Ok(response);
            }
            let location = response.headers.get(LOCATION).and_then(|location| location.to_str().ok());
            let next = redirect::follow(&self.method, &self.to, response.status, location, hops);
            self.to = next.map_err(|why| {
                let error = Error::protocol(why)
                    .response(response.status, None)
                    .advise("Check that the base URL is the address of the service itself");
                AttemptError::permanent(self.locate(error, context.phase))
            })?;
            hops += 1;
            tracing::debug!(status = response.status, to = %self.to.shown(), "redirected");
        }
    }

    /// Adds the method and address of this request to an error.
    pub(crate) fn locate(&self, error: Error, phase: Phase) -> Error {
        locate(error, &self.method, &self.to, phase)
    }

    async fn send_once(&mut self, context: &RequestContext<'_>) -> Result<HttpResponse, AttemptError> {
        if !context.http.connections.can_send(&self.to) {
            let error = Error::protocol(
                "the query of the address contains an apostrophe ('), which cannot be sent unchanged through a proxy",
            )
            .advise("Add the host of the address to NO_PROXY, so that the proxy is not used for it");
            return Err(AttemptError::permanent(error));
        }
        let headers = self.all_headers(context);
        let (body, feed) = match &mut self.payload {
            Payload::Empty => (Body::Bytes(Bytes::new()), None),
            Payload::Bytes(bytes) => (Body::Bytes(bytes.clone()), None),
            Payload::Document(document) => {
                document.rewind().map_err(AttemptError::permanent)?;
                let (feed, body) = Body::fed(document.length());
                (body, Some((feed, &mut **document)))
            }
        };
        let request = (self.method.clone(), headers, body);
        let began = Instant::now();
        let response = context.http.connections.send(&self.to, request, self.fresh_connection);
        let response = match feed {
            None => context.within(context.config.stall_timeout, "respond", response).await?,
            Some((feed, document)) => send_document(context, response, &feed, document).await?,
        };
        let (head, body) = response.map_err(|error| self.connection_failed(context, &error))?.into_parts();
        let status = head.status.as_u16();
        let elapsed = began.elapsed();
        tracing::debug!(method = %self.method, to = %self.to.shown(), status, ?elapsed, "received the response");
        Ok(HttpResponse { status, headers: head.headers, body })
    }

    fn connection_failed(&self, context: &RequestContext<'_>, error: &ConnectionError) -> AttemptError {
        let host = self.to.origin();
        let cause = root_cause(error.as_error());
        let proxy = context.http.connections.proxy_of(&self.to);
        if error.is_connect() {
            let message = match &proxy {
                None => format!("cannot connect to {host}: "),
                Some(proxy) if is_unreachable(error.as_error()) => {
                    format!("cannot connect to the proxy {proxy}: ")
                }
                Some(proxy) => format!("cannot connect to {host} through the proxy {proxy}: "),
            };
            let message = Message::new(message).foreign(cause);
            let advice = match proxy {
                None => "Check the base URL and the network",
                Some(_) => {
                    "Check the proxy (proxy, HTTPS_PROXY and HTTP_PROXY), or exclude the host from it (NO_PROXY)"
                }
            };
            return AttemptError::new(
                Error::new(ErrorKind::Transport, message).advise(advice),
                Delivery::NotSent,
            );
        }
        let delivery = if was_never_sent(error) { Delivery::NotSent } else { Delivery::MaybeProcessed };
        let through = proxy.map(|proxy| format!(" through the proxy {proxy}")).unwrap_or_default();
        let message = Message::new(format!("the connection to {host}{through} broke before the response: "))
            .foreign(cause);
        AttemptError::new(Error::new(ErrorKind::Transport, message).advise("Try again"), delivery)
    }

    fn all_headers(&self, context: &RequestContext<'_>) -> HeaderMap {
        let config = context.config;
        let mut headers = self.headers.clone();
        headers.insert(USER_AGENT, config.user_agent.clone());
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        match &self.payload {
            Payload::Document(document) => drop(headers.insert(CONTENT_LENGTH, document.length().into())),
            Payload::Bytes(bytes) => drop(headers.insert(CONTENT_LENGTH, (bytes.len() as u64).into())),
            Payload::Empty => {}
        }
        if self.with_key && self.to.origin() == config.base.origin() {
            // A header of the call replaces one of the client. The key is inserted after both, so that it always wins.
            for (name, value) in config.headers.iter().chain(&context.running.headers) {
                headers.insert(name.clone(), value.clone());
            }
            if let Some(key) = &config.key_header {
                headers.insert(HeaderName::from_static(API_KEY_HEADER), key.clone());
            }
            if let Some(authorization) = &config.authorization {
                headers.insert(AUTHORIZATION, authorization.clone());
            }
        }
        headers
    }
}

/// Adds the method and address of a request to an error.
pub(crate) fn locate(error: Error, method: &Method, to: &Address, phase: Phase) -> Error {
    error.request(method_name(method), to.shown()).in_phase(phase)
}

/// Sends the document over the connection, and returns the response. The response may arrive before the whole
/// document was sent.
async fn send_document<R: Future>(
    context: &RequestContext<'_>,
    response: R,
    feed: &Feed,
    document: &mut Document,
) -> Result<R::Output, AttemptError>
where
    R::Output: ResponseStatus,
{
    let began = tokio::time::Instant::now();
    let mut response = pin!(runtime::inside_runtime(response));
    let early = {
        let mut feeding = pin!(feed_chunks(context, feed, document));
        tokio::select! {
            biased;
            response = &mut response => Some(response),
            fed = &mut feeding => fed.map(|()| None)?,
        }
    };
    let response = match early {
        Some(response) => response,
        None => {
            // The last bytes may still be in buffers of this machine, and a slow connection needs time to send them:
            // the time limit for the response is longer.
            let (sent, took) = (document.length(), began.elapsed());
            let buffered = sent.min(MOST_BUFFERED) as f64 / sent.max(1) as f64;
            let limit = context.config.stall_timeout + took.mul_f64(buffered);
            context.within(limit, "respond", response).await?
        }
    };
    if response.is_success() && feed.left() > 0 {
        let error = Error::protocol("the storage reported success before it had received the whole document");
        return Err(AttemptError::maybe_processed(error));
    }
    Ok(response)
}

async fn feed_chunks(
    context: &RequestContext<'_>,
    feed: &Feed,
    document: &mut Document,
) -> Result<(), AttemptError> {
    let (mut unbroken, mut wanted) = (0, 1);
    loop {
        // The connection closes the channel when the response arrives early or when the connection breaks. The future
        // of the response then returns the response or the error.
        let places = feed.chunks.reserve_many(wanted);
        let places = context.within(context.config.stall_timeout, "take the next bytes", places);
        let Ok(mut places) = places.await? else { return Ok(()) };
        let began = Instant::now();
        let chunk = document.next_chunk().map_err(AttemptError::permanent)?;
        let Some((place, chunk)) = places.next().zip(chunk) else { return Ok(()) };
        unbroken += chunk.len();
        place.send(chunk);
        context.running.meter.set_position(document.position());
        // After a slow read, the chunk is sent before the next chunk is read, so that the service does not time out.
        wanted = if began.elapsed() < runtime::TICK { 1 } else { feed.chunks.max_capacity() };
        if unbroken >= 1 << 20 {
            unbroken = 0;
            runtime::yield_now().await;
        }
    }
}

/// About how many bytes of a body the kernel and the HTTP library hold in buffers before they are sent.
const MOST_BUFFERED: u64 = 4 << 20;

/// Whether the response to an upload reports success.
trait ResponseStatus {
    fn is_success(&self) -> bool;
}

impl<B> ResponseStatus for Result<http::Response<B>, ConnectionError> {
    fn is_success(&self) -> bool {
        self.as_ref().is_ok_and(|response| response.status().is_success())
    }
}

impl HttpResponse {
    /// Returns the next piece of the body; `None` at the end of the body.
    pub(crate) async fn chunk(
        &mut self,
        context: &RequestContext<'_>,
    ) -> Result<Option<Bytes>, AttemptError> {
        loop {
            if self.body.has_ended() {
                return Ok(None);
            }
            let next = context.within(context.config.stall_timeout, "send the next bytes", self.body.next());
            match next.await? {
                None => return Ok(None),
                Some(Err(error)) => return Err(broken_response(error)),
                Some(Ok(data)) if data.is_empty() => {}
                Some(Ok(data)) => return Ok(Some(data)),
            }
        }
    }

    /// Reads the whole body and returns it with `false`. If the body is longer than `limit`, returns its first
    /// `limit` bytes with `true`.
    pub(crate) async fn read(
        &mut self,
        context: &RequestContext<'_>,
        limit: usize,
    ) -> Result<(Bytes, bool), AttemptError> {
        let Some(first) = self.chunk(context).await? else { return Ok((Bytes::new(), false)) };
        if first.len() > limit {
            return Ok((first.slice(..limit), true));
        }
        let Some(second) = self.chunk(context).await? else { return Ok((first, false)) };
        let mut all = BytesMut::with_capacity(first.len() + second.len());
        all.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            let room = limit - all.len();
            if chunk.len() > room {
                all.extend_from_slice(chunk.get(..room).unwrap_or_default());
                return Ok((all.freeze(), true));
            }
            all.extend_from_slice(&chunk);
            next = self.chunk(context).await?;
        }
        Ok((all.freeze(), false))
    }

    /// The value of a header, if the value is valid text.
    pub(crate) fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// Whether the connection was closed before the first byte of the request was sent.
fn was_never_sent(error: &ConnectionError) -> bool {
    let mut cause = error.as_error().source();
    while let Some(inner) = cause {
        if inner.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled) {
            return true;
        }
        cause = inner.source();
    }
    false
}

/// Whether the first host of a connection, which is the proxy if there is one, could not be found or reached.
fn is_unreachable(error: &(dyn StdError + 'static)) -> bool {
    use std::io::ErrorKind as Io;
    let mut cause = Some(error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            let unreachable = matches!(
                io.kind(),
                Io::ConnectionRefused | Io::TimedOut | Io::HostUnreachable | Io::NetworkUnreachable
            );
            // The standard library has no kind for a name that does not resolve.
            return unreachable || io.to_string().contains("failed to lookup address");
        }
        cause = inner.source();
    }
    false
}

fn broken_response(error: BodyError) -> AttemptError {
    let message =
        Message::new("the connection broke in the middle of the response: ").foreign(root_cause(&error));
    AttemptError::maybe_processed(
        Error::new(ErrorKind::Transport, message).advise("Try again").caused_by(error),
    )
}

/// The message of the innermost cause of an error.
fn root_cause(error: &dyn StdError) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "HEAD",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::cancel::Cancel;
    use crate::call::deadline::Deadline;
    use crate::call::{Call, RunningCall};
    use crate::client::Client;
    use crate::http::http_client::HttpClient;
    use crate::io::source::Source;
    use http_body_util::BodyExt;
    use std::time::Duration;
    use tokio::time::sleep;

    /// Uploads `length` bytes to a simulated connection. It takes a chunk after every `pause`, stops after `pieces`
    /// chunks, and responds after `answer`. Returns the outcome and how long the upload took on a virtual clock.
    async fn upload(
        length: usize,
        pause: Duration,
        pieces: usize,
        answer: Option<Duration>,
    ) -> (Result<(), AttemptError>, Duration) {
        let client = Client::builder().base_url("https://h.example").build().unwrap();
        let config = client.session().config();
        let (call, closed) = (Call::new(), Cancel::new());
        let (http, running) = (HttpClient::new(config).unwrap(), RunningCall::new(&call, &closed));
        let (phase, deadline) = (Phase::Upload, Deadline::NEVER);
        let context = RequestContext { http: &http, config, running: &running, phase, deadline };
        let mut document = Document::open(Source::bytes(vec![0; length], "a.pdf")).await.unwrap();
        let (feed, body) = Body::fed(document.length());
        let response = async move {
            let mut body = pin!(body);
            for _ in 0..pieces {
                sleep(pause).await;
                body.frame().await;
            }
            match answer {
                Some(answer) => sleep(answer).await,
                None => std::future::pending().await,
            }
            Ok::<_, ConnectionError>(http::Response::new(()))
        };
        let began = tokio::time::Instant::now();
        let done = send_document(&context, response, &feed, &mut document).await;
        (done.map(drop), began.elapsed())
    }

    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_moves_does_not_time_out_however_slow_it_is() {
        let (done, took) = upload(100 * 128 * 1024, Duration::from_secs(29), 100, Some(Duration::ZERO)).await;
        assert!(done.is_ok() && took > 48 * MINUTE, "{done:?} {took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_moves_no_byte_for_30_seconds_times_out() {
        for pieces in [0, 5] {
            let (done, took) = upload(100 * 128 * 1024, Duration::from_secs(20), pieces, None).await;
            let failed = done.unwrap_err();
            assert_eq!(
                (failed.error.kind(), failed.delivery),
                (ErrorKind::RequestTimeout, Delivery::MaybeProcessed)
            );
            // Two chunks are buffered between the document and the connection.
            let moved = Duration::from_secs(20) * pieces as u32;
            assert!(
                took >= moved + Duration::from_secs(29) && took <= moved + Duration::from_secs(31),
                "{took:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_bytes_of_a_slow_upload_have_time_to_arrive() {
        let size = 8 << 20;
        let (done, took) = upload(size, Duration::from_secs(10), 64, Some(4 * MINUTE)).await;
        assert!(done.is_ok(), "{took:?}");
        let (done, _) = upload(size, Duration::from_millis(1), 64, Some(Duration::from_secs(31))).await;
        assert_eq!(done.unwrap_err().error.kind(), ErrorKind::RequestTimeout);
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_response_before_the_end_of_the_document_is_an_error() {
        for (length, pieces) in [(100 * 128 * 1024, 3), (5, 0)] {
            let (done, _) = upload(length, Duration::from_secs(1), pieces, Some(Duration::ZERO)).await;
            let failed = done.unwrap_err();
            assert_eq!(
                (failed.error.kind(), failed.delivery),
                (ErrorKind::Protocol, Delivery::MaybeProcessed)
            );
        }
    }
}
