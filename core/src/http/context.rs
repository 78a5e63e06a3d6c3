//! The request context: what all requests of one call share, and rules that every request follows.

use crate::call::RunningCall;
use crate::call::deadline::Deadline;
use crate::error::{Error, ErrorKind, Phase, seconds};
use crate::http::address::Address;
use crate::http::config::Config;
use crate::http::http_client::HttpClient;
use crate::http::retry::{self, AttemptError, Delivery, Repeat, RetryBudget, RetryDecision};
use crate::message::Message;
use crate::runtime;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

/// The time limit of an API request with all its attempts, if the user sets no time limit.
const API_REQUEST: Duration = Duration::from_secs(300);

/// The values that the requests of one call share.
#[derive(Clone, Copy)]
pub(crate) struct RequestContext<'c> {
    pub(crate) http: &'c HttpClient,
    pub(crate) config: &'c Config,
    pub(crate) running: &'c RunningCall<'c>,
    pub(crate) phase: Phase,
    pub(crate) deadline: Deadline,
}

impl RequestContext<'_> {
    /// The same context for another phase of the call.
    pub(crate) fn in_phase(self, phase: Phase) -> Self {
        Self { phase, ..self }
    }

    /// The same context with another deadline.
    pub(crate) fn with_deadline(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    /// The same context, limited to the time that an API request may take even if the user sets no time limit.
    pub(crate) fn with_api_deadline(self) -> Self {
        self.with_deadline(self.deadline.earlier(Deadline::after(API_REQUEST)))
    }

    /// Runs `future` within `limit` and within the deadline of the call. `what` completes the message of the error:
    /// "the service did not `what` within … s".
    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, AttemptError> {
        let left = self.deadline.left();
        let (time, by_deadline) = match left {
            Some(left) if left < limit => (left, true),
            _ => (limit, false),
        };
        // The future is pinned here, because awaiting it would otherwise move it, and a request is large.
        let future = pin!(future);
        runtime::inside_runtime(async { tokio::time::timeout(time, future).await }).await.map_err(|_| {
            let error = if by_deadline {
                time_limit_passed()
            } else {
                let message = format!("the service did not {what} within {} s", seconds(limit));
                Error::new(ErrorKind::RequestTimeout, message)
                    .advise("Check the connection, or try again later")
            };
            AttemptError::maybe_processed(error)
        })
    }

    /// Runs `work` on this machine, such as opening a document, within the deadline of the call.
    pub(crate) async fn before_deadline<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let Some(left) = self.deadline.left() else { return work.await };
        let (work, late) = (pin!(work), pin!(runtime::sleep(left)));
        tokio::select! {
            biased;
            done = work => done,
            () = late => Err(time_limit_passed()),
        }
    }

    /// Makes attempts until one succeeds or the retry policy gives up. Returns the result and the number of attempts.
    pub(crate) async fn attempts<T>(
        &self,
        repeat: Repeat,
        mut attempt: impl AsyncFnMut(u32) -> Result<T, AttemptError>,
    ) -> Result<(T, u32), Error> {
        let (mut number, mut in_a_row) = (0, 0);
        let policy = self.config.policy;
        let policy = if self.running.patient { policy.patient() } else { policy };
        loop {
            number += 1;
            in_a_row += 1;
            let failed = match attempt(number).await {
                Ok(result) => {
                    self.retry_budget(|budget| budget.success(Instant::now()));
                    return Ok((result, number));
                }
                Err(failed) => failed,
            };
            if failed.progressed {
                in_a_row = 1;
            }
            let (error, delivery) =
                (failed.error.after_attempts(number).in_phase(self.phase), failed.delivery);
            let (retry_after, left) = (error.retry_after(), self.deadline.left());
            let random = retry::random_fraction();
            match policy.decide(repeat, delivery, in_a_row, retry_after, left, random) {
                RetryDecision::GiveUp => return Err(error),
                RetryDecision::OutcomeUnknown => return Err(outcome_unknown(error)),
                RetryDecision::RetryIn(delay) => {
                    let paid =
                        self.retry_budget(|budget| budget.take(delivery, Instant::now())).unwrap_or(true);
                    let waits = self.running.patient && delivery == Delivery::Refused;
                    let delay = if paid { delay } else { delay.max(retry::LONGEST_BACKOFF) };
                    if !paid && !waits {
                        return Err(match (delivery, repeat) {
                            (Delivery::MaybeProcessed, Repeat::StartsWork) => outcome_unknown(error),
                            _ => error.advise("The call was not repeated, because too many earlier requests have failed; try again later"),
                        });
                    }
                    tracing::info!(attempt = number, delay_s = seconds(delay), phase = %self.phase, kind = %error.kind(), "retrying");
                    runtime::sleep(delay).await;
                }
            }
        }
    }

    fn retry_budget<T>(&self, act: impl FnOnce(&mut RetryBudget) -> T) -> Option<T> {
        self.http.retry_budget.lock().ok().map(|mut budget| act(&mut budget))
    }

    /// Reads a presigned address that the service sent. Refuses an address to which the document would be sent
    /// unencrypted.
    pub(crate) fn presigned(&self, text: &str) -> Result<Address, &'static str> {
        let address = Address::parse(text)?;
        let (to, base) = (address.origin(), self.config.base.origin());
        let plain_is_fine =
            !base.is_https() && (to.is_loopback() || to.host() == base.host() || self.config.allow_http);
        if !to.is_https() && !plain_is_fine && !self.config.allow_http {
            return Err("it would send the document unencrypted");
        }
        Ok(address)
    }
}

fn time_limit_passed() -> Error {
    Error::new(ErrorKind::RequestTimeout, "the time limit of the call has expired")
        .advise("Set a longer time limit (timeout), or try again later")
}

fn outcome_unknown(error: Error) -> Error {
    let message = Message::new("it is unknown whether the operation started: ").message(error.parts());
    error
        .with_kind(ErrorKind::OutcomeUnknown, message)
        .advise("Start it again if doing the work twice does no harm; retry_unknown does so automatically")
}
