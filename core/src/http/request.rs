//! JSON requests to the service: built, sent as often as their outcome allows, and read within bounds.

use crate::address::Address;
use crate::deadline::Deadline;
use crate::error::{Error, ErrorKind, Phase};
use crate::problem;
use crate::retry::{self, Fate, Repeat, Verdict};
use crate::runtime;
use crate::transport::{self, Outgoing, Payload, Scope, Trouble, seconds};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A small request to the service.
pub(crate) struct Ask {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) json: Option<Bytes>,
    pub(crate) repeat: Repeat,
    /// `Prefer: wait=N` (RFC 7240): hold the answer until there is something to say.
    pub(crate) prefer_wait: Option<u64>,
}

impl Ask {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), json: None, repeat: Repeat::Harmless, prefer_wait: None }
    }

    pub(crate) fn with_json(mut self, body: &impl Serialize) -> Result<Self, Error> {
        let json = serde_json::to_vec(body)
            .map_err(|error| Error::invalid(format!("the request cannot be written: {error}")))?;
        self.json = Some(json.into());
        Ok(self)
    }

    pub(crate) fn starting_work(mut self) -> Self {
        self.repeat = Repeat::StartsWork;
        self
    }

    fn outgoing(&self, scope: &Scope<'_>) -> Result<Outgoing<'static>, Error> {
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
        Ok(Outgoing {
            method: self.method.clone(),
            to: scope.config.base.endpoint(&self.path)?,
            headers,
            payload: self.json.clone().map_or(Payload::Nothing, Payload::Held),
            keyed: true,
        })
    }
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// How many requests it took.
    pub(crate) attempts: u32,
    /// Whether an attempt before it may have been carried out.
    pub(crate) doubtful: bool,
    /// What was asked, and where; nowhere for an answer that a test made.
    asked: Option<(Method, Address, Phase)>,
}

impl Answer {
    #[cfg(any(fuzzing, test))]
    pub(crate) fn of(status: u16, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body, attempts: 1, doubtful: false, asked: None }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The error that this answer is.
    pub(crate) fn refusal(&self) -> Error {
        self.locate(problem::of_answer(self.status, &self.headers, &self.body))
    }

    /// The body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|error| self.nonsense(&format!("its answer cannot be read: {error}")))
    }

    /// A [`ErrorKind::Protocol`] error about this answer.
    pub(crate) fn nonsense(&self, what: &str) -> Error {
        let error = Error::protocol(format!("the service does not keep to the interface: {what}"))
            .answer(self.status, problem::request_id(&self.headers))
            .advise("Check that the base URL names the service, and report it to its owner")
            .quoting(problem::quote(&self.body));
        self.locate(error)
    }

    /// Says to which request `error` belongs.
    pub(crate) fn locate(&self, error: Error) -> Error {
        let error = match &self.asked {
            Some((method, to, phase)) => transport::about(error, method, to, *phase),
            None => error,
        };
        error.after_attempts(self.attempts)
    }
}

impl Scope<'_> {
    /// Asks once; any status is an answer.
    pub(crate) async fn ask_once(&self, ask: &Ask) -> Result<Answer, Trouble> {
        let mut outgoing = ask.outgoing(self).map_err(Trouble::lasting)?;
        let mut incoming = self.send(&mut outgoing).await?;
        let success = (200..300).contains(&incoming.status);
        let limit = if success { self.config.json_limit } else { problem::MOST_READ };
        let read = match incoming.read(self, limit).await {
            Ok(read) => read,
            // What the status says stands, even where its explanation is lost.
            Err(_) if !success => (Bytes::new(), false),
            Err(trouble) => return Err(trouble.map(|error| self.about(error, &outgoing))),
        };
        let (status, (body, cut)) = (incoming.status, read);
        let asked = Some((outgoing.method, outgoing.to, self.phase));
        let answer = Answer { status, headers: incoming.headers, body, attempts: 1, doubtful: false, asked };
        if success && cut {
            return Err(Trouble::lasting(
                answer.nonsense(&format!("its answer is larger than {limit} bytes")),
            ));
        }
        if success && !is_identity(&answer.headers) {
            return Err(Trouble::lasting(
                answer.nonsense("it compressed its answer, which it was asked not to do"),
            ));
        }
        Ok(answer)
    }

    /// Asks as often as the outcomes allow. What is no success is an error, but for the statuses in `accepted`.
    pub(crate) async fn ask(&self, ask: &Ask, accepted: &[u16]) -> Result<Answer, Error> {
        let scope = self.with_default_deadline();
        let mut doubtful = false;
        let answer = scope
            .attempts(ask.repeat, async |_| {
                let answer = scope.ask_once(ask).await;
                let answer = answer.and_then(|answer| match answer.status {
                    status if answer.is_success() || accepted.contains(&status) => Ok(answer),
                    _ => Err(scope.refused(&answer)),
                });
                doubtful |= matches!(&answer, Err(trouble) if trouble.fate == Fate::Unknown);
                answer
            })
            .await?;
        let (answer, attempts) = answer;
        Ok(Answer { attempts, doubtful, ..answer })
    }

    pub(crate) fn refused(&self, answer: &Answer) -> Trouble {
        let error = answer.refusal();
        let fate = retry::fate_of_status(answer.status, error.retry_after().is_some());
        Trouble::new(error, fate)
    }

    /// Small requests end at some time, also where the call has no time limit of its own.
    fn with_default_deadline(&self) -> Scope<'_> {
        Scope { deadline: self.deadline.or(Deadline::after(SMALL_REQUEST)), ..*self }
    }

    /// Makes attempts until one succeeds or the policy gives up. Returns what it gave, and how many there were.
    pub(crate) async fn attempts<T>(
        &self,
        repeat: Repeat,
        mut attempt: impl AsyncFnMut(u32) -> Result<T, Trouble>,
    ) -> Result<(T, u32), Error> {
        let (mut number, mut in_a_row) = (0, 0);
        let policy = self.config.policy;
        let policy = if self.running.patient { policy.patient() } else { policy };
        loop {
            number += 1;
            in_a_row += 1;
            let trouble = match attempt(number).await {
                Ok(done) => {
                    self.bucket(|bucket| bucket.success(Instant::now()));
                    return Ok((done, number));
                }
                Err(trouble) => trouble,
            };
            if trouble.progressed {
                in_a_row = 1;
            }
            let (error, fate) = (trouble.error.after_attempts(number).in_phase(self.phase), trouble.fate);
            let (after, left) = (error.retry_after(), self.deadline.left());
            match policy.decide(repeat, fate, in_a_row, after, left, retry::chance()) {
                Verdict::GiveUp => return Err(error),
                Verdict::OutcomeUnknown => return Err(outcome_unknown(error)),
                Verdict::RetryIn(delay) => {
                    let paid = self.bucket(|bucket| bucket.take(fate, Instant::now())).unwrap_or(true);
                    let waits = self.running.patient && fate == Fate::Refused;
                    let delay = if paid { delay } else { delay.max(retry::LONGEST_BACKOFF) };
                    if !paid && !waits {
                        return Err(match (fate, repeat) {
                            (Fate::Unknown, Repeat::StartsWork) => outcome_unknown(error),
                            _ => error
                                .advise("Too many requests failed of late to try again at once: try later"),
                        });
                    }
                    tracing::info!(attempt = number, delay_s = seconds(delay), phase = %self.phase, kind = %error.kind(), "retrying");
                    runtime::sleep(delay).await;
                }
            }
        }
    }

    fn bucket<T>(&self, act: impl FnOnce(&mut retry::TokenBucket) -> T) -> Option<T> {
        self.http.bucket.lock().ok().map(|mut bucket| act(&mut bucket))
    }

    /// Asks at the first of two documented paths; where that is not known (404, 405), once at the second. What
    /// worked is remembered.
    pub(crate) async fn ask_two_paths(
        &self,
        paths: TwoPaths,
        build: impl Fn(&str) -> Result<Ask, Error>,
    ) -> Result<Answer, Error> {
        let memory = &self.http.paths[paths.memory as usize];
        let remembered = memory.load(Ordering::Relaxed);
        let first = if remembered == BETA { paths.beta } else { paths.first };
        let may_try_beta = remembered == UNKNOWN;
        let answer = self.ask(&build(first)?, if may_try_beta { UNKNOWN_PATH } else { &[] }).await?;
        if answer.is_success() {
            memory.store(if first == paths.beta { BETA } else { FIRST }, Ordering::Relaxed);
            return Ok(answer);
        }
        tracing::debug!(status = answer.status, "the path is not known; trying the beta path");
        let second = self.ask(&build(paths.beta)?, UNKNOWN_PATH).await?;
        if second.is_success() {
            memory.store(BETA, Ordering::Relaxed);
            return Ok(second);
        }
        Err(answer.refusal())
    }
}

/// The longest that a small request may take with all its attempts, where the user sets no limit.
const SMALL_REQUEST: Duration = Duration::from_secs(300);

/// Two documented paths to one endpoint, and where it is remembered which of them worked.
#[derive(Clone, Copy)]
pub(crate) struct TwoPaths {
    pub(crate) first: &'static str,
    pub(crate) beta: &'static str,
    pub(crate) memory: Memory,
}

/// The endpoints that have two documented paths.
#[derive(Clone, Copy)]
pub(crate) enum Memory {
    FromUrl = 0,
    PowerArchive = 1,
}

const UNKNOWN_PATH: &[u16] = &[404, 405];
const UNKNOWN: u8 = 0;
const FIRST: u8 = 1;
const BETA: u8 = 2;

/// Whether a body is as it is, as was asked for.
pub(crate) fn is_identity(headers: &HeaderMap) -> bool {
    let coding = headers.get(CONTENT_ENCODING).map_or(&b""[..], |coding| coding.as_bytes());
    // S3 leaves `aws-chunked` on objects that were uploaded with it; the bytes are not encoded.
    [&b""[..], b"identity", b"aws-chunked"].iter().any(|plain| coding.eq_ignore_ascii_case(plain))
}

fn outcome_unknown(error: Error) -> Error {
    let message = format!("nobody knows whether the operation was started: {}", error.message());
    error
        .with_kind(ErrorKind::OutcomeUnknown, message)
        .advise("Start it again if doing the work twice does no harm; retry_unknown does so by itself")
}
