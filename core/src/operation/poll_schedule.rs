//! The schedule of the requests for a result. No I/O.
//!
//! The next request is made when the age of the operation has grown by 12 to 14 % since the last request. So
//! the client notices the end of an operation within 15 % of its duration. The number of requests grows with the
//! logarithm of the duration, until two requests are [`LONGEST_GAP`] apart; from then on this gap stays the same.

use crate::http::retry;
use std::time::Duration;

/// The age of the operation at which the first request is made.
pub(crate) const FIRST: Duration = Duration::from_millis(100);
/// The longest time between two requests, unless the service requests a longer time.
pub(crate) const LONGEST_GAP: Duration = Duration::from_secs(5);
/// How long after the start of an operation a 404 may only mean that the service cannot find the operation yet.
pub(crate) const MAY_BE_UNKNOWN: Duration = Duration::from_secs(30);
/// How long the client waits for the result of an operation that is reported as finished without a result.
pub(crate) const MAY_BE_EMPTY: Duration = Duration::from_secs(5);
/// The longest delay of a response that the client requests from the service.
const LONGEST_HOLD: Duration = Duration::from_secs(20);
/// The fraction by which the age of the operation grows between two requests. The rest of the 15 % is left for the
/// round trip.
const GROWTH: std::ops::Range<f64> = 0.12..0.14;

/// How long to wait after a request that was made when the operation had the age `age`. `random` is in `0.0..1.0`.
pub(crate) fn gap(age: Duration, random: f64) -> Duration {
    let growth = GROWTH.start + (GROWTH.end - GROWTH.start) * random;
    age.max(FIRST).mul_f64(growth).min(LONGEST_GAP)
}

/// A response that means that the result is not ready yet. It determines the time of the next request.
pub(crate) struct Pending {
    /// The age of the operation when the request was made, and when the response arrived.
    pub(crate) sent: Duration,
    pub(crate) answered: Duration,
    /// The delay of the response that was requested from the service.
    pub(crate) hold: Option<Duration>,
    pub(crate) retry_after: Option<Duration>,
}

impl Pending {
    /// How long to wait before the next request.
    pub(crate) fn delay(&self, random: f64) -> Duration {
        if let Some(delay) = self.retry_after {
            return delay;
        }
        let took = self.answered.saturating_sub(self.sent);
        // The service delayed the response as requested, and so responds as soon as the operation ends: send the next
        // request at once.
        if self.hold.is_some_and(|hold| took >= hold / 2) {
            return Duration::ZERO;
        }
        gap(self.answered, random)
    }
}

/// How long to wait after a failed request that may succeed later. `failures` is the number of failures in a row.
pub(crate) fn after_failure(failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    retry::delay(failures, retry_after, random).min(LONGEST_GAP.max(retry_after.unwrap_or_default()))
}

/// The delay of the response to request from the service, in seconds; `None` to request no delay.
pub(crate) fn hold(left: Option<Duration>, stall_timeout: Duration) -> Option<u64> {
    let longest = LONGEST_HOLD.min(stall_timeout / 2);
    let seconds = left.map_or(longest, |left| left.min(longest)).as_secs();
    (seconds > 0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a wait for an operation that takes `length`, on a virtual clock. Returns when the client notices the
    /// end of the operation, and how many requests it made.
    fn play(length: Duration, trip: Duration, random: impl Fn(u32) -> f64) -> (Duration, u32) {
        let (mut age, mut requests) = (FIRST, 0);
        loop {
            requests += 1;
            let sent = age;
            age += trip;
            if sent >= length {
                return (age, requests);
            }
            age += Pending { sent, answered: age, hold: Some(LONGEST_HOLD), retry_after: None }
                .delay(random(requests));
        }
    }

    #[test]
    fn the_end_is_noticed_within_15_percent_with_few_requests() {
        println!("{:>10} {:>10} {:>8} {:>9} {:>8}", "length", "seen at", "waste", "requests", "at 1/s");
        for tenths in [2_u64, 5, 10, 20, 50, 100, 300, 600, 1200, 3000, 6000] {
            let length = Duration::from_millis(tenths * 100);
            let (seen, requests) = play(length, Duration::from_millis(1), |n| f64::from(n % 7) / 7.0);
            let waste = (seen - length).as_secs_f64() / length.as_secs_f64();
            let fixed = length.as_secs_f64().ceil();
            println!("{length:>10.1?} {seen:>10.2?} {:>7.1}% {requests:>9} {fixed:>8}", waste * 100.0);
            assert!(waste <= 0.15, "{length:?}: {waste}");
            let logarithm = (length.as_secs_f64() / FIRST.as_secs_f64()).ln() / (1.0 + GROWTH.start).ln();
            let most = 2.0 + logarithm + length.as_secs_f64() / LONGEST_GAP.as_secs_f64();
            assert!(f64::from(requests) <= most, "{length:?}: {requests} > {most}");
            if tenths >= 600 {
                assert!(f64::from(requests) < fixed, "{length:?}: {requests}");
            }
        }
    }

    #[test]
    fn the_end_is_noticed_in_time_for_every_duration_and_random_number() {
        for random in [0.0, 0.999] {
            for millis in (200..100_000).step_by(37) {
                let length = Duration::from_millis(millis);
                let (seen, _) = play(length, Duration::from_millis(1), |_| random);
                assert!((seen - length).as_secs_f64() <= 0.15 * length.as_secs_f64(), "{length:?} {seen:?}");
            }
        }
    }

    #[test]
    fn requests_are_at_most_the_longest_gap_apart_unless_the_service_requests_more() {
        assert_eq!(gap(Duration::from_secs(86_400), 0.9), LONGEST_GAP);
        let at = Duration::from_secs(1);
        let pending =
            Pending { sent: at, answered: at, hold: None, retry_after: Some(Duration::from_secs(60)) };
        assert_eq!(pending.delay(0.5), Duration::from_secs(60));
    }

    #[test]
    fn a_held_response_is_followed_by_the_next_request_at_once() {
        let held = Pending {
            sent: Duration::from_secs(10),
            answered: Duration::from_secs(30),
            hold: Some(Duration::from_secs(20)),
            retry_after: None,
        };
        assert_eq!(held.delay(0.5), Duration::ZERO);
        let not_held = Pending { answered: Duration::from_millis(10_050), ..held };
        assert!(not_held.delay(0.5) > Duration::from_secs(1));
    }

    #[test]
    fn a_response_is_held_no_longer_than_the_call_waits() {
        let stall = Duration::from_secs(30);
        assert_eq!(hold(None, stall), Some(15));
        assert_eq!(hold(Some(Duration::from_millis(2500)), stall), Some(2));
        assert_eq!(hold(Some(Duration::from_millis(900)), stall), None);
        assert_eq!(hold(None, Duration::from_secs(120)), Some(20));
    }
}
