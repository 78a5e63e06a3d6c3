//! Responses with an error status that only mean that the result is not ready yet (409, 425, or 404 for a new
//! operation), and when such a response is an error after all. No I/O, and no clock of its own.

use crate::error::Error;
use std::time::{Duration, Instant};

/// How long a service may repeat the same 409 before the wait fails. It is long enough for a lock or a delayed
/// replica.
const MAY_REPEAT: Duration = Duration::from_secs(60);

/// A response with an error status that means "not ready yet". `error` is returned if the wait has to end with it.
pub(super) struct Refusal {
    pub(super) error: Error,
    /// The `type` of the problem object (RFC 9457), or the error code if there is no `type`.
    pub(super) problem_type: Option<String>,
}

/// Tracks the responses with an error status during one wait.
#[derive(Default)]
pub(super) struct Refusals {
    last: Option<Refusal>,
    /// The time since which every response has been a 409 with the same problem type as the last response.
    same_since: Option<Instant>,
}

impl Refusals {
    /// Takes the response to the latest request. `refusal` is `None` if the response had no error status. Returns
    /// `Err` if this response ends the wait.
    pub(super) fn observe(&mut self, refusal: Option<Refusal>, now: Instant) -> Result<(), Error> {
        let conflict = refusal.as_ref().filter(|refusal| refusal.error.status() == Some(409));
        let problem_type = conflict.and_then(|refusal| refusal.problem_type.as_deref());
        let before = self.last.as_ref().and_then(|last| last.problem_type.as_deref());
        let since = match (problem_type, self.same_since) {
            (Some(now_type), Some(since)) if before == Some(now_type) => Some(since),
            (Some(_), _) => Some(now),
            (None, _) => None,
        };
        self.same_since = since;
        self.last = refusal;
        match since.map(|since| now.saturating_duration_since(since)) {
            Some(repeated) if repeated > MAY_REPEAT => match self.last.take() {
                Some(last) => Err(last.error.advise(
                    "The service has given the same response for more than a minute: check the operation, or start it again",
                )),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The response to the latest request, if it had an error status.
    pub(super) fn last(&self) -> Option<&Error> {
        self.last.as_ref().map(|last| &last.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn refusal(status: u16, problem_type: Option<&str>) -> Option<Refusal> {
        let error =
            Error::new(ErrorKind::of_status(status), format!("refused with {status}")).response(status, None);
        Some(Refusal { error, problem_type: problem_type.map(str::to_owned) })
    }

    /// Simulates a wait with one response every ten seconds. Returns after how many seconds the wait ended with an
    /// error.
    fn play(responses: impl IntoIterator<Item = Option<Refusal>>) -> Option<u64> {
        let (began, mut refusals) = (Instant::now(), Refusals::default());
        (0..).step_by(10).zip(responses).find_map(|(second, response)| {
            refusals.observe(response, began + Duration::from_secs(second)).err().map(|_| second)
        })
    }

    #[test]
    fn the_same_409_for_more_than_a_minute_ends_the_wait() {
        assert_eq!(play((0..20).map(|_| refusal(409, Some("urn:locked")))), Some(70));
    }

    #[test]
    fn other_responses_never_do() {
        assert_eq!(play((0..20).map(|_| refusal(409, None))), None);
        assert_eq!(play((0..20).map(|_| refusal(425, Some("urn:early")))), None);
        assert_eq!(play((0..20).map(|_| None)), None);
        let alternating = (0..40).map(|turn| refusal(409, Some(["urn:a", "urn:b"][turn / 5 % 2])));
        assert_eq!(play(alternating), None);
        let interrupted = (0..40).map(|turn| if turn % 6 == 5 { None } else { refusal(409, Some("urn:a")) });
        assert_eq!(play(interrupted), None);
    }

    #[test]
    fn the_latest_response_is_kept_to_be_quoted() {
        let mut refusals = Refusals::default();
        assert!(refusals.observe(refusal(425, None), Instant::now()).is_ok());
        assert_eq!(refusals.last().map(Error::message), Some("refused with 425"));
        assert!(refusals.observe(None, Instant::now()).is_ok());
        assert!(refusals.last().is_none());
    }
}
