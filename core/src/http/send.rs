//! One HTTP exchange: the key by origin, redirects by our own policy, time limits, and what became of it.

use crate::address::Address;
use crate::body::{Body, Feed};
use crate::call::Running;
use crate::config::Config;
use crate::connect::Connections;
use crate::deadline::Deadline;
use crate::error::{Error, ErrorKind, Phase};
use crate::redirect;
use crate::retry::{Fate, TokenBucket};
use crate::runtime;
use crate::source::Document;
use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body_util::BodyExt;
use recto_interface::endpoint::API_KEY_HEADER;
use std::error::Error as StdError;
use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::time::{Duration, Instant};

/// The connections of one client in one process, and what it learned on them.
pub(crate) struct Http {
    connections: Connections,
    pub(crate) bucket: Mutex<TokenBucket>,
    /// Which of two documented paths worked, by [`crate::exchange::TwoPaths`].
    pub(crate) paths: [AtomicU8; 2],
    /// Whether the service has said that it holds an answer as long as it is asked to.
    pub(crate) holds_answers: AtomicBool,
}

impl Http {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let tls = config.credentials.configure()?;
        let connections = Connections::new(tls, &config.proxies, config.connect_timeout)?;
        let bucket = Mutex::new(TokenBucket::new(Instant::now()));
        // A service that came with its client is this project's own, and does.
        let holds_answers = AtomicBool::new(config.keep_alive.is_some());
        Ok(Self { connections, bucket, paths: Default::default(), holds_answers })
    }
}

/// What the requests of one call have in common.
pub(crate) struct Scope<'c> {
    pub(crate) http: &'c Http,
    pub(crate) config: &'c Config,
    pub(crate) running: &'c Running<'c>,
    pub(crate) phase: Phase,
    pub(crate) deadline: Deadline,
}

/// A request.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) to: Address,
    pub(crate) headers: HeaderMap,
    pub(crate) payload: Payload<'a>,
    /// Whether the key goes along where the origin is the service's own.
    pub(crate) keyed: bool,
}

/// What a request carries.
pub(crate) enum Payload<'a> {
    Nothing,
    Held(Bytes),
    Document(&'a mut Document),
}

/// The head of an answer; its body is yet to be read.
pub(crate) struct Incoming {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: reqwest::Body,
}

/// An attempt that failed: how, and what may have become of it.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) error: Error,
    pub(crate) fate: Fate,
    /// Whether it got so far that those before it do not count.
    pub(crate) progressed: bool,
}

impl Trouble {
    pub(crate) fn new(error: Error, fate: Fate) -> Self {
        Self { error, fate, progressed: false }
    }

    /// One that no repetition mends.
    pub(crate) fn lasting(error: Error) -> Self {
        Self::new(error, Fate::Considered)
    }

    pub(crate) fn unknown(error: Error) -> Self {
        Self::new(error, Fate::Unknown)
    }

    pub(crate) fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        Self { error: change(self.error), ..self }
    }
}

impl Scope<'_> {
    /// Sends `outgoing`, redirects included, and returns the head of the answer, whatever its status.
    pub(crate) async fn send(&self, outgoing: &mut Outgoing<'_>) -> Result<Incoming, Trouble> {
        let mut hops = 0;
        loop {
            let sent = self.send_to(&outgoing.to.clone(), outgoing).await;
            let incoming = sent.map_err(|trouble| trouble.map(|error| self.about(error, outgoing)))?;
            if !redirect::is_redirect(incoming.status) {
                return Ok(incoming);
            }
            let location = incoming.headers.get(LOCATION).and_then(|location| location.to_str().ok());
            let next = redirect::follow(&outgoing.method, &outgoing.to, incoming.status, location, hops);
            let refused =
                |why: String| {
                    let error = Error::protocol(why).answer(incoming.status, None);
                    Trouble::lasting(self.about(
                        error.advise("Check the base URL: does it name the service itself?"),
                        outgoing,
                    ))
                };
            outgoing.to = next.map_err(refused)?;
            hops += 1;
            tracing::debug!(status = incoming.status, to = %outgoing.to.shown(), "redirected");
        }
    }

    /// Says which request an error is about.
    pub(crate) fn about(&self, error: Error, outgoing: &Outgoing<'_>) -> Error {
        about(error, &outgoing.method, &outgoing.to, self.phase)
    }

    async fn send_to(&self, to: &Address, outgoing: &mut Outgoing<'_>) -> Result<Incoming, Trouble> {
        let headers = self.headers(to, outgoing);
        let (body, feed) = match &mut outgoing.payload {
            Payload::Nothing => (None, None),
            Payload::Held(bytes) => (Some(reqwest::Body::from(bytes.clone())), None),
            Payload::Document(document) => {
                document.rewind().map_err(Trouble::lasting)?;
                let (feed, body) = Body::fed(document.length());
                (Some(reqwest::Body::wrap(body)), Some((feed, &mut **document)))
            }
        };
        let mut request = reqwest::Request::new(outgoing.method.clone(), to.url().clone());
        *request.headers_mut() = headers;
        *request.body_mut() = body;
        let began = Instant::now();
        let sending = self.http.connections.to(to.origin()).execute(request);
        let response = async { sending.await.map(http::Response::<reqwest::Body>::from) };
        let answer = match feed {
            None => self.within(self.config.stall_timeout, "answer", response).await?,
            Some((feed, document)) => self.while_feeding(response, &feed, document).await?,
        };
        let (head, body) = answer.map_err(|error| delivery_failed(to, &error.without_url()))?.into_parts();
        let status = head.status.as_u16();
        tracing::debug!(method = %outgoing.method, to = %to.shown(), status, elapsed = ?began.elapsed(), "answered");
        Ok(Incoming { status, headers: head.headers, body })
    }

    fn headers(&self, to: &Address, outgoing: &Outgoing<'_>) -> HeaderMap {
        let mut headers = outgoing.headers.clone();
        headers.insert(USER_AGENT, self.config.user_agent.clone());
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        match &outgoing.payload {
            Payload::Document(document) => drop(headers.insert(CONTENT_LENGTH, document.length().into())),
            Payload::Held(bytes) => drop(headers.insert(CONTENT_LENGTH, (bytes.len() as u64).into())),
            Payload::Nothing => {}
        }
        if outgoing.keyed && to.origin() == self.config.base.origin() {
            if let Some(key) = &self.config.key_header {
                headers.insert(HeaderName::from_static(API_KEY_HEADER), key.clone());
            }
            if let Some(authorization) = &self.config.authorization {
                headers.insert(AUTHORIZATION, authorization.clone());
            }
        }
        headers
    }

    /// Feeds the document to the connection, and returns the answer, which may come before the end.
    async fn while_feeding<R: Future>(
        &self,
        response: R,
        feed: &Feed,
        document: &mut Document,
    ) -> Result<R::Output, Trouble>
    where
        R::Output: AnswerStatus,
    {
        let began = tokio::time::Instant::now();
        let mut response = pin!(runtime::inside(response));
        let early = {
            let mut feeding = pin!(self.feed(feed, document));
            tokio::select! {
                biased;
                answer = &mut response => Some(answer),
                fed = &mut feeding => fed.map(|()| None)?,
            }
        };
        let answer = match early {
            Some(answer) => answer,
            None => {
                // The last bytes may be lying in buffers on this machine: on a slow line they need their time.
                let (sent, took) = (document.length(), began.elapsed());
                let buffered = sent.min(MOST_BUFFERED) as f64 / sent.max(1) as f64;
                let limit = self.config.stall_timeout + took.mul_f64(buffered);
                self.within(limit, "answer", response).await?
            }
        };
        if answer.is_success() && feed.left() > 0 {
            let error = Error::protocol("the storage said it was done before it had the whole document");
            return Err(Trouble::unknown(error));
        }
        Ok(answer)
    }

    async fn feed(&self, feed: &Feed, document: &mut Document) -> Result<(), Trouble> {
        let (mut unbroken, mut wanted) = (0, 1);
        loop {
            // The connection gives up its end when the answer comes early, or breaks: the answer tells which.
            let places = feed.chunks.reserve_many(wanted);
            let places = self.within(self.config.stall_timeout, "take the next bytes", places);
            let Ok(mut places) = places.await? else { return Ok(()) };
            let began = Instant::now();
            let chunk = document.next_chunk().map_err(Trouble::lasting)?;
            let Some((place, chunk)) = places.next().zip(chunk) else { return Ok(()) };
            unbroken += chunk.len();
            place.send(chunk);
            self.running.meter.at(document.position());
            // What is slow to read is on its way before more is read: the other side does not wait for ever.
            wanted = if began.elapsed() < runtime::TICK { 1 } else { feed.chunks.max_capacity() };
            if unbroken >= 1 << 20 {
                unbroken = 0;
                runtime::breathe().await;
            }
        }
    }

    /// Runs `future` within `limit` and the call's deadline. `what` is what the other side failed to do in time.
    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, Trouble> {
        let left = self.deadline.left();
        let (time, by_deadline) = match left {
            Some(left) if left < limit => (left, true),
            _ => (limit, false),
        };
        // Pinned here: what is awaited is moved otherwise, and a request is large.
        let future = pin!(future);
        runtime::inside(async { tokio::time::timeout(time, future).await }).await.map_err(|_| {
            let error = if by_deadline {
                Error::new(ErrorKind::RequestTimeout, "the time allowed for the call is over")
                    .advise("Allow it more time (timeout), or try again later")
            } else {
                let message = format!("the service did not {what} within {} s", seconds(limit));
                Error::new(ErrorKind::RequestTimeout, message)
                    .advise("Check the connection, or try again later")
            };
            Trouble::unknown(error)
        })
    }
}

/// Says which request an error is about.
pub(crate) fn about(error: Error, method: &Method, to: &Address, phase: Phase) -> Error {
    error.request(method_name(method), to.shown()).in_phase(phase)
}

/// About what the kernel and the HTTP library hold of a body that was handed over and not yet sent.
const MOST_BUFFERED: u64 = 4 << 20;

/// Whether what came in answer to an upload says that it worked.
trait AnswerStatus {
    fn is_success(&self) -> bool;
}

impl<B> AnswerStatus for Result<http::Response<B>, reqwest::Error> {
    fn is_success(&self) -> bool {
        self.as_ref().is_ok_and(|response| response.status().is_success())
    }
}

impl Incoming {
    /// The next piece of the body; `None` at its end.
    pub(crate) async fn chunk(&mut self, scope: &Scope<'_>) -> Result<Option<Bytes>, Trouble> {
        loop {
            let frame =
                scope.within(scope.config.stall_timeout, "send the next bytes", self.body.frame()).await?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(broken_answer(error)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if data.is_empty() => {}
                    Ok(data) => return Ok(Some(data)),
                    Err(_trailers) => {}
                },
            }
        }
    }

    /// The whole body, or its first `limit` bytes and that there is more.
    pub(crate) async fn read(&mut self, scope: &Scope<'_>, limit: usize) -> Result<(Bytes, bool), Trouble> {
        let Some(first) = self.chunk(scope).await? else { return Ok((Bytes::new(), false)) };
        if first.len() > limit {
            return Ok((first.slice(..limit), true));
        }
        let Some(second) = self.chunk(scope).await? else { return Ok((first, false)) };
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
            next = self.chunk(scope).await?;
        }
        Ok((all.freeze(), false))
    }

    /// A header's text, where it is one.
    pub(crate) fn header(&self, name: impl http::header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

fn delivery_failed(to: &Address, error: &reqwest::Error) -> Trouble {
    let host = to.origin();
    let cause = root_cause(error);
    if error.is_connect() {
        let error = Error::new(ErrorKind::Transport, format!("cannot connect to {host}: {cause}"))
            .advise("Check the base URL, the network and the proxy");
        return Trouble::new(error, Fate::NeverDelivered);
    }
    let fate = if was_never_sent(error) { Fate::NeverDelivered } else { Fate::Unknown };
    let message = format!("the connection to {host} broke before its answer: {cause}");
    Trouble::new(Error::new(ErrorKind::Transport, message).advise("Try again"), fate)
}

/// Whether the connection was found closed before a byte of the request went out.
fn was_never_sent(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled) {
            return true;
        }
        cause = inner.source();
    }
    false
}

fn broken_answer(error: reqwest::Error) -> Trouble {
    let message = format!("the connection broke in the middle of the answer: {}", root_cause(&error));
    Trouble::unknown(
        Error::new(ErrorKind::Transport, message).advise("Try again").caused_by(error.without_url()),
    )
}

/// What the innermost of an error's causes says.
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

/// A duration in seconds, as people write it.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}") } else { format!("{seconds:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::cancel::Cancel;
    use crate::client::Client;
    use crate::source::Source;
    use tokio::time::sleep;

    /// Uploads `length` bytes to a connection that takes a piece every `pause`, stops after `pieces`, and then
    /// answers after `answer`. Returns what came of it, and how long it took, on a virtual clock.
    async fn upload(
        length: usize,
        pause: Duration,
        pieces: usize,
        answer: Option<Duration>,
    ) -> (Result<(), Trouble>, Duration) {
        let client = Client::builder().base_url("https://h.example").build().unwrap();
        let (call, closed) = (Call::new(), Cancel::new());
        let (http, running) = (Http::new(client.config()).unwrap(), Running::new(&call, &closed));
        let (config, deadline) = (client.config(), Deadline::NEVER);
        let scope = Scope { http: &http, config, running: &running, phase: Phase::Upload, deadline };
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
            Ok::<_, reqwest::Error>(http::Response::new(()))
        };
        let began = tokio::time::Instant::now();
        let done = scope.while_feeding(response, &feed, &mut document).await;
        (done.map(drop), began.elapsed())
    }

    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_moves_is_never_given_up_however_slow() {
        let (done, took) = upload(100 * 128 * 1024, Duration::from_secs(29), 100, Some(Duration::ZERO)).await;
        assert!(done.is_ok() && took > 48 * MINUTE, "{done:?} {took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_that_moves_nothing_for_30_seconds_is_given_up() {
        for pieces in [0, 5] {
            let (done, took) = upload(100 * 128 * 1024, Duration::from_secs(20), pieces, None).await;
            let trouble = done.unwrap_err();
            assert_eq!((trouble.error.kind(), trouble.fate), (ErrorKind::RequestTimeout, Fate::Unknown));
            // The first two pieces lie between this side and the connection.
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
    async fn a_storage_that_is_done_too_early_is_not_believed() {
        for (length, pieces) in [(100 * 128 * 1024, 3), (5, 0)] {
            let (done, _) = upload(length, Duration::from_secs(1), pieces, Some(Duration::ZERO)).await;
            let trouble = done.unwrap_err();
            assert_eq!((trouble.error.kind(), trouble.fate), (ErrorKind::Protocol, Fate::Unknown));
        }
    }
}
