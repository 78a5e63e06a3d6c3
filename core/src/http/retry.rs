//! The retry policy: decides what is repeated, and when. It does no I/O, and gets the time and random numbers as
//! arguments.

use crate::error::Error;
use std::time::{Duration, Instant, SystemTime};

/// Whether the service may have processed the request of a failed attempt, as far as the client can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The request never reached the service: name resolution, connection or TLS failed.
    NotSent,
    /// The service refused the request before it did any work: 425, 429, or 503 with `Retry-After`.
    Refused,
    /// The request was sent, and the service may have processed it: connection reset, time-out, 5xx.
    MaybeProcessed,
    /// The service responded with an error that would not change if the same request were sent again.
    Final,
}

/// A failed attempt: its error, and whether the service may have processed the request.
#[derive(Debug)]
pub(crate) struct AttemptError {
    pub(crate) error: Error,
    pub(crate) delivery: Delivery,
    /// Whether the attempt transferred so much data that earlier attempts no longer count.
    pub(crate) progressed: bool,
}

impl AttemptError {
    pub(crate) fn new(error: Error, delivery: Delivery) -> Self {
        Self { error, delivery, progressed: false }
    }

    /// An error that would occur again if the request were repeated.
    pub(crate) fn permanent(error: Error) -> Self {
        Self::new(error, Delivery::Final)
    }

    pub(crate) fn maybe_processed(error: Error) -> Self {
        Self::new(error, Delivery::MaybeProcessed)
    }

    pub(crate) fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        Self { error: change(self.error), ..self }
    }
}

/// The effect of sending a request a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Repeating the request has no effect, or none that matters.
    Idempotent,
    /// Repeating the request may start the work a second time.
    StartsWork,
}

/// What to do after an attempt has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// Wait for this time, and try again.
    RetryIn(Duration),
    /// Give up, and return the error of the attempt.
    GiveUp,
    /// Give up, and report that it is unknown whether the work has started.
    OutcomeUnknown,
}

/// The limits for repeating failed attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// How many times a failed attempt is repeated at most.
    pub retries: u32,
    /// How many times in a row an attempt is repeated that the service refused before it did any work.
    pub refusals: u32,
    /// Whether a request that starts work is repeated even if the work may already have started.
    pub retry_unknown: bool,
}

/// The longest `Retry-After` after which the request is repeated. After a longer one, the attempt is not repeated.
pub(crate) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);
/// 40 delays of up to 10 s, with full jitter, take about three minutes together.
const PATIENT_REFUSALS: u32 = 40;
const FIRST_BACKOFF: Duration = Duration::from_millis(250);
pub(crate) const LONGEST_BACKOFF: Duration = Duration::from_secs(10);

/// Whether the service may have processed a request to which it responded with `status`.
pub(crate) fn delivery_of_status(status: u16, has_retry_after: bool) -> Delivery {
    match status {
        425 | 429 => Delivery::Refused,
        503 if has_retry_after => Delivery::Refused,
        501 | 505 => Delivery::Final,
        408 | 500..=599 => Delivery::MaybeProcessed,
        _ => Delivery::Final,
    }
}

impl Policy {
    /// The policy for one of many parallel calls: a call that is refused waits for its turn instead of failing.
    pub(crate) fn patient(self) -> Self {
        // If the client has no retries, refused requests are not repeated either.
        let refusals = if self.retries == 0 { 0 } else { self.refusals.max(PATIENT_REFUSALS) };
        Self { refusals, ..self }
    }

    /// Decides what to do after attempt number `attempt` (from 1) has failed. `random` is in `0.0..1.0`; `left` is
    /// the time until the deadline.
    pub(crate) fn decide(
        &self,
        repeat: Repeat,
        delivery: Delivery,
        attempt: u32,
        retry_after: Option<Duration>,
        left: Option<Duration>,
        random: f64,
    ) -> RetryDecision {
        let give_up = match (delivery, repeat) {
            (Delivery::MaybeProcessed, Repeat::StartsWork) => RetryDecision::OutcomeUnknown,
            _ => RetryDecision::GiveUp,
        };
        let allowed = match (delivery, repeat) {
            (Delivery::Final, _) => false,
            (Delivery::MaybeProcessed, Repeat::StartsWork) => self.retry_unknown,
            _ => true,
        };
        let most = if delivery == Delivery::Refused { self.refusals } else { self.retries };
        if !allowed || attempt > most || retry_after.is_some_and(|delay| delay > LONGEST_RETRY_AFTER) {
            return give_up;
        }
        let delay = delay(attempt, retry_after, random);
        if left.is_some_and(|left| delay >= left) { give_up } else { RetryDecision::RetryIn(delay) }
    }
}

/// The delay after attempt number `attempt`: exponential backoff with full jitter, and never less than `Retry-After`.
pub(crate) fn delay(attempt: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let ceiling = FIRST_BACKOFF.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_BACKOFF);
    match retry_after {
        // Many clients may receive the same `Retry-After`: some jitter prevents them from sending their requests at
        // the same moment.
        Some(delay) => delay + FIRST_BACKOFF.min(delay / 4).mul_f64(random),
        None => ceiling.mul_f64(random),
    }
}

/// Reads the value of `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3). Returns `None` for any other value.
pub(crate) fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large to be read counts as a very long delay, not as an invalid value.
        return Some(Duration::from_secs(
            value.parse().unwrap_or(u64::from(u32::MAX)).min(u64::from(u32::MAX)),
        ));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default().min(Duration::from_secs(u64::from(u32::MAX))))
}

/// The retry budget of a client: a token bucket. It prevents many calls together from flooding a service that is
/// down. Successful requests and time refill it.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    tokens: f64,
    refilled: Instant,
}

impl RetryBudget {
    /// The capacity: enough for 40 retries after failures, or for 200 retries after refusals.
    const CAPACITY: f64 = 200.0;
    const PER_SUCCESS: f64 = 1.0;
    const PER_SECOND: f64 = 1.0;

    pub(crate) fn new(now: Instant) -> Self {
        Self { tokens: Self::CAPACITY, refilled: now }
    }

    /// Refills the budget after a successful request.
    pub(crate) fn success(&mut self, now: Instant) {
        self.refill(now);
        self.tokens = (self.tokens + Self::PER_SUCCESS).min(Self::CAPACITY);
    }

    /// Takes the cost of a retry. Returns `false` if the budget is too low. A retry after a refusal costs less,
    /// because the service is working and limits the rate itself.
    pub(crate) fn take(&mut self, delivery: Delivery, now: Instant) -> bool {
        self.refill(now);
        let cost = if delivery == Delivery::Refused { 1.0 } else { 5.0 };
        let enough = self.tokens >= cost;
        if enough {
            self.tokens -= cost;
        }
        enough
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.refilled).as_secs_f64();
        self.tokens = (self.tokens + passed * Self::PER_SECOND).min(Self::CAPACITY);
        self.refilled = self.refilled.max(now);
    }
}

/// A random number in `0.0..1.0`.
pub(crate) fn random_fraction() -> f64 {
    // If the system has no random numbers, every retry gets the middle of the range.
    getrandom::u32().map_or(0.5, |drawn| f64::from(drawn) / (f64::from(u32::MAX) + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy { retries: 3, refusals: 3, retry_unknown: false };

    fn decide(repeat: Repeat, delivery: Delivery) -> RetryDecision {
        POLICY.decide(repeat, delivery, 1, None, None, 0.5)
    }

    #[test]
    fn the_delivery_decides_about_a_retry_not_the_method() {
        let retry = RetryDecision::RetryIn(Duration::from_millis(125));
        for repeat in [Repeat::Idempotent, Repeat::StartsWork] {
            assert_eq!(decide(repeat, Delivery::NotSent), retry);
            assert_eq!(decide(repeat, Delivery::Refused), retry);
            assert_eq!(decide(repeat, Delivery::Final), RetryDecision::GiveUp);
        }
        assert_eq!(decide(Repeat::Idempotent, Delivery::MaybeProcessed), retry);
        assert_eq!(decide(Repeat::StartsWork, Delivery::MaybeProcessed), RetryDecision::OutcomeUnknown);
        let willing = Policy { retry_unknown: true, ..POLICY };
        assert_eq!(willing.decide(Repeat::StartsWork, Delivery::MaybeProcessed, 1, None, None, 0.5), retry);
        assert_eq!(
            willing.decide(Repeat::StartsWork, Delivery::MaybeProcessed, 4, None, None, 0.5),
            RetryDecision::OutcomeUnknown
        );
    }

    #[test]
    fn a_status_shows_whether_work_may_have_started() {
        let fates = [400, 401, 404, 409, 422, 501].map(|status| delivery_of_status(status, true));
        assert_eq!(fates, [Delivery::Final; 6]);
        assert_eq!(
            [500, 502, 503, 504, 507, 408].map(|status| delivery_of_status(status, false)),
            [Delivery::MaybeProcessed; 6]
        );
        assert_eq!([429, 425, 503].map(|status| delivery_of_status(status, true)), [Delivery::Refused; 3]);
    }

    #[test]
    fn attempts_end_with_the_retries_or_the_deadline() {
        let left = Some(Duration::from_millis(125));
        assert_eq!(
            POLICY.decide(Repeat::Idempotent, Delivery::Refused, 4, None, None, 0.0),
            RetryDecision::GiveUp
        );
        assert_eq!(
            POLICY.decide(Repeat::Idempotent, Delivery::Refused, 1, None, left, 0.5),
            RetryDecision::GiveUp
        );
        assert_ne!(
            POLICY.decide(Repeat::Idempotent, Delivery::Refused, 1, None, left, 0.4),
            RetryDecision::GiveUp
        );
    }

    #[test]
    fn a_patient_call_retries_only_refusals_more_often() {
        let patient = POLICY.patient();
        let gives_up = |policy: Policy, delivery, attempt| {
            policy.decide(Repeat::Idempotent, delivery, attempt, None, None, 0.0) == RetryDecision::GiveUp
        };
        assert!(gives_up(POLICY, Delivery::Refused, 4) && !gives_up(patient, Delivery::Refused, 40));
        assert!(gives_up(patient, Delivery::Refused, 41) && gives_up(patient, Delivery::MaybeProcessed, 4));
        let never = Policy { retries: 0, refusals: 0, retry_unknown: false };
        assert!(gives_up(never.patient(), Delivery::Refused, 1));
    }

    #[test]
    fn a_retry_waits_for_retry_after_and_gives_up_if_it_is_too_long() {
        for random in [0.0, 0.5, 0.999] {
            let retry_after = Some(Duration::from_secs(2));
            let RetryDecision::RetryIn(delay) =
                POLICY.decide(Repeat::Idempotent, Delivery::Refused, 1, retry_after, None, random)
            else {
                panic!("gave up");
            };
            assert!(delay >= Duration::from_secs(2) && delay < Duration::from_millis(2300), "{delay:?}");
        }
        let late = Some(Duration::from_secs(121));
        assert_eq!(
            POLICY.decide(Repeat::Idempotent, Delivery::Refused, 1, late, None, 0.0),
            RetryDecision::GiveUp
        );
    }

    #[test]
    fn delays_grow_up_to_a_limit() {
        let ceilings: Vec<_> = (1..=8).map(|attempt| delay(attempt, None, 1.0).as_millis()).collect();
        assert_eq!(ceilings, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
        assert_eq!(delay(u32::MAX, None, 1.0), LONGEST_BACKOFF);
    }

    #[test]
    fn a_service_that_is_down_is_not_flooded() {
        let start = Instant::now();
        let mut budget = RetryBudget::new(start);
        let taken = (0..1000).filter(|_| budget.take(Delivery::MaybeProcessed, start)).count();
        assert_eq!(taken, 40);
        let later = start + Duration::from_secs(10);
        assert_eq!((0..1000).filter(|_| budget.take(Delivery::MaybeProcessed, later)).count(), 2);
    }

    #[test]
    fn refusals_of_a_third_of_the_requests_never_exhaust_the_budget() {
        let start = Instant::now();
        let mut budget = RetryBudget::new(start);
        for number in 0..100_000 {
            if number % 3 == 0 {
                assert!(budget.take(Delivery::Refused, start))
            } else {
                budget.success(start)
            }
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let seconds = |value| parse_retry_after(value, now).map(|duration| duration.as_secs());
        assert_eq!(seconds(" 7 "), Some(7));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(seconds("99999999999999999999"), Some(u64::from(u32::MAX)));
        for neither in ["", "soon", "-1", "1.5", "+3"] {
            assert_eq!(seconds(neither), None, "{neither}");
        }
    }
}
