//! Waiting for an operation: requests for its result, each with its outcome, until it has ended.

use super::name::OperationName;
use super::not_yet::{Refusal, Refusals};
use super::poll_schedule::{self as schedule, Pending};
use super::result::{OperationResult, ResultState, reported_failure};
use super::token::ResumeToken;
use crate::call::deadline::Deadline;
use crate::error::{Error, ErrorKind, Phase, seconds};
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::request::{ApiRequest, ApiResponse};
use crate::http::retry;
use crate::message::Message;
use crate::runtime;
use http::Method;
use recto_interface::{OperationType, endpoint};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The error statuses that may mean "not yet", and 422, which may report the operation's failure.
pub(super) const NOT_FINISHED: &[u16] = &[404, 409, 422, 425];
/// The time limit of a wait, if the user sets no time limit.
const DEFAULT_WAIT: Duration = Duration::from_secs(15 * 60);
/// The time limit of the last request of a wait, which is made at the deadline.
const LAST_REQUEST: Duration = Duration::from_secs(5);

/// A started operation: the values that a request for its result needs.
pub(super) struct StartedOperation {
    pub(super) id: String,
    pub(super) name: OperationName,
    pub(super) operation_type: OperationType,
    /// When this client started the operation; `None` if another client started it.
    pub(super) started: Option<Instant>,
}

/// The outcome of one request for the result.
enum PollOutcome {
    Finished(Box<OperationResult>),
    /// There is no result yet. With the `Retry-After` of the response, and the response itself if its status is an
    /// error.
    Pending(Option<Duration>, Option<Refusal>),
    /// Finished, but without a result.
    Empty(Error),
    /// The request failed; the operation may still succeed.
    RequestFailed(Error),
    /// The operation failed, or no further request can help.
    Failed(Error),
}

impl StartedOperation {
    /// Reads a successful response to the request for the result.
    pub(super) fn read(&self, response: &ApiResponse) -> Result<ResultState, Error> {
        ResultState::read(response, self.name.yields(), &self.operation_type)
    }

    pub(super) fn token(&self, base_url: &str) -> String {
        ResumeToken::new(&self.id, &self.name, base_url).write()
    }

    /// The request for the result. With `hold`, it requests that the service delays the response by up to that many
    /// seconds.
    pub(super) fn result_request(&self, hold: Option<u64>) -> ApiRequest {
        ApiRequest { prefer_wait: hold, ..ApiRequest::new(Method::GET, endpoint::result(&self.id)) }
    }

    /// Whether a status other than success only means "not yet".
    pub(super) fn may_be_pending(&self, response: &ApiResponse) -> bool {
        let young = self.started.is_some_and(|started| started.elapsed() < schedule::MAY_BE_UNKNOWN);
        matches!(response.status, 409 | 425) || (response.status == 404 && young)
    }

    /// Waits until the operation has ended or the deadline has passed.
    pub(super) async fn wait(&self, context: &RequestContext<'_>) -> Result<OperationResult, Error> {
        context.running.begin(Phase::Wait, None)?;
        let wait_deadline = time_limit(context).map_or(Deadline::NEVER, Deadline::after);
        let by_call = context.deadline.is_before(wait_deadline);
        let context = &context.with_deadline(context.deadline.earlier(wait_deadline));
        let began = Instant::now();
        let started = self.started.unwrap_or(began);
        let (mut requests, mut failures, mut empty_since) = (0_u32, 0_u32, None::<Instant>);
        let mut refusals = Refusals::default();
        // If the service delays responses, the next request is sent at once: the response comes when the operation
        // ends.
        if self.started.is_some() && !context.http.holds_responses.load(Ordering::Relaxed) {
            pause(context.deadline, schedule::FIRST.saturating_sub(started.elapsed())).await;
        }
        loop {
            let left = context.deadline.left();
            let last = left.is_some_and(|left| left.is_zero());
            let hold = if last { None } else { schedule::hold(left, context.config.stall_timeout) };
            let sent = started.elapsed();
            requests += 1;
            let delay = match self.poll(context, last, hold).await {
                PollOutcome::Finished(result) => {
                    context.running.end()?;
                    return Ok(*result);
                }
                PollOutcome::Failed(error) => return Err(error.after_attempts(requests)),
                PollOutcome::Empty(error) => {
                    let since = *empty_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= schedule::MAY_BE_EMPTY {
                        return Err(error.after_attempts(requests));
                    }
                    let gap = schedule::gap(since.elapsed(), retry::random_fraction());
                    gap.max(Duration::from_millis(100))
                }
                PollOutcome::Pending(retry_after, refusal) => {
                    failures = 0;
                    let observed = refusals.observe(refusal, Instant::now());
                    observed.map_err(|error| error.after_attempts(requests))?;
                    let hold = hold.map(Duration::from_secs);
                    Pending { sent, answered: started.elapsed(), hold, retry_after }
                        .delay(retry::random_fraction())
                }
                PollOutcome::RequestFailed(error) => {
                    failures += 1;
                    tracing::info!(kind = %error.kind(), failures, "a request for the result failed; the wait continues");
                    if last {
                        return Err(self.timed_out(
                            context,
                            by_call,
                            began.elapsed(),
                            requests,
                            Some(&error),
                        ));
                    }
                    schedule::after_failure(failures, error.retry_after(), retry::random_fraction())
                }
            };
            if last {
                return Err(self.timed_out(context, by_call, began.elapsed(), requests, refusals.last()));
            }
            pause(context.deadline, delay).await;
        }
    }

    /// Requests the result once. The last request, at the deadline, has a time limit of its own.
    async fn poll(&self, context: &RequestContext<'_>, last: bool, hold: Option<u64>) -> PollOutcome {
        let deadline = if last {
            Deadline::after(LAST_REQUEST.min(context.config.stall_timeout))
        } else {
            context.deadline
        };
        let response = match self.result_request(hold).send_once(&context.with_deadline(deadline)).await {
            Ok(response) => response,
            Err(failed) if failed.error.kind() == ErrorKind::Protocol => {
                return PollOutcome::Failed(failed.error);
            }
            Err(failed) => return PollOutcome::RequestFailed(failed.error),
        };
        if problem::holds_responses(&response.headers) {
            context.http.holds_responses.store(true, Ordering::Relaxed);
        }
        let retry_after = problem::retry_after(&response.headers);
        if let Some((_, error)) = reported_failure(&response) {
            return PollOutcome::Failed(error);
        }
        if self.may_be_pending(&response) {
            let problem_type = problem::problem_type(&response.body);
            return PollOutcome::Pending(
                retry_after,
                Some(Refusal { error: response.error(), problem_type }),
            );
        }
        if !response.is_success() {
            let error = response.error();
            return match error.kind() {
                ErrorKind::RateLimited | ErrorKind::Server | ErrorKind::RequestTimeout => {
                    PollOutcome::RequestFailed(error)
                }
                _ => PollOutcome::Failed(error),
            };
        }
        match self.read(&response) {
            Ok(ResultState::Finished(result)) => PollOutcome::Finished(result),
            Ok(ResultState::Pending(_)) => PollOutcome::Pending(retry_after, None),
            Ok(ResultState::Failed(_, error)) | Err(error) => PollOutcome::Failed(error),
            Ok(ResultState::Empty) => {
                PollOutcome::Empty(response.unexpected("the operation is finished, but has no result"))
            }
        }
    }

    /// The error for an operation that has not ended in time. `by_call`: the time limit of the whole call has passed.
    fn timed_out(
        &self,
        context: &RequestContext<'_>,
        by_call: bool,
        waited: Duration,
        requests: u32,
        last: Option<&Error>,
    ) -> Error {
        let mut message = Message::new(format!(
            "the operation has not ended within {} s; it continues in the service",
            seconds(waited)
        ));
        if let Some(last) = last {
            message =
                message.own(" (the last request for its result failed: ").message(last.parts()).own(")");
        }
        let advice = if by_call {
            "Wait again with a longer timeout, or resume later with the token of this error"
        } else {
            "Wait again with a longer wait_timeout, or resume later with the token of this error"
        };
        Error::new(ErrorKind::WaitTimeout, message)
            .advise(advice)
            .after_attempts(requests)
            .retry_in(last.and_then(Error::retry_after))
            .resumable(self.token(context.config.base.as_str()))
    }
}

/// The time limit of the wait within the whole call. `None` if there is no limit.
fn time_limit(context: &RequestContext<'_>) -> Option<Duration> {
    let is_limited = context.running.is_limited || context.config.timeout.is_some();
    let default = if is_limited { None } else { Some(DEFAULT_WAIT) };
    context.running.wait_timeout.or(context.config.wait_timeout).unwrap_or(default)
}

/// Sleeps, but not beyond the deadline.
async fn pause(deadline: Deadline, delay: Duration) {
    runtime::sleep(deadline.left().map_or(delay, |left| left.min(delay))).await;
}
