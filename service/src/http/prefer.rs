//! The `Prefer: wait=N` header (RFC 7240): how many seconds the client wants the service to hold the response.

use http::HeaderMap;
use std::time::Duration;

/// The first `wait` preference of the request, in whole seconds. Unknown or invalid preferences are ignored, as RFC
/// 7240 requires.
pub(crate) fn wait(headers: &HeaderMap) -> Option<Duration> {
    headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .find_map(|preference| {
            let preference = preference.split(';').next().unwrap_or_default();
            let (token, value) = preference.split_once('=')?;
            if !token.trim().eq_ignore_ascii_case("wait") {
                return None;
            }
            value.trim().trim_matches('"').parse().ok().map(Duration::from_secs)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(values: &[&str]) -> Option<u64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", value.parse().unwrap());
        }
        wait(&headers).map(|wait| wait.as_secs())
    }

    #[test]
    fn the_first_valid_wait_counts() {
        assert_eq!(seconds(&["wait=10"]), Some(10));
        assert_eq!(seconds(&["respond-async, Wait = \"5\"; a=b"]), Some(5));
        assert_eq!(seconds(&["return=minimal", "wait=0", "wait=7"]), Some(0));
    }

    #[test]
    fn unknown_and_invalid_preferences_are_ignored() {
        for value in ["", "wait", "wait=", "wait=-1", "wait=1.5", "waiting=3", "wait=99999999999999999999"] {
            assert_eq!(seconds(&[value]), None, "{value}");
        }
        assert_eq!(seconds(&["wait=soon, wait=3"]), Some(3));
    }
}
