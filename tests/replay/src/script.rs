//! The expected exchanges of a run, in strict order: finds the exchange for a request, and the differences between
//! the two.

use crate::body::Wanted;
use crate::compare::same_json;
use crate::scenario::{Exchange, Host, Repeat, Request};
use crate::variables::{ANY, matches};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The head of a received request.
#[derive(Clone, Debug)]
pub struct Head {
    /// The origin that received the request.
    pub to: Host,
    /// The method.
    pub method: String,
    /// The request target, byte for byte.
    pub target: String,
    /// The headers in order, with the names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// All values of the header `name`.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    fn line(&self) -> String {
        format!("{} {} at {}", self.method, self.target, self.to.name())
    }
}

/// The state of a run: the expected exchanges, and the differences found so far.
#[derive(Debug)]
pub struct Script {
    exchanges: Vec<Exchange>,
    api_key: String,
    next: usize,
    count: u32,
    since: Option<Instant>,
    broken: bool,
    /// Every received request, for the report of the run.
    pub seen: Vec<String>,
    /// The differences found so far.
    pub differences: Vec<String>,
}

impl Script {
    /// Creates a script. In `exchanges`, variables must be filled in, and `same` must be replaced by the request.
    pub fn new(exchanges: Vec<Exchange>, api_key: String) -> Self {
        Self {
            exchanges,
            api_key,
            next: 0,
            count: 0,
            since: None,
            broken: false,
            seen: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Finds the exchange for a request with this head. Returns `None` if the request is not expected now.
    pub fn take(&mut self, head: &Head, now: Instant) -> Option<(usize, Exchange)> {
        self.seen.push(head.line());
        if self.broken {
            return None;
        }
        while self.is_done_with_current(head, now) {
            self.next += 1;
            self.count = 0;
            self.since = None;
        }
        let Some(exchange) = self.exchanges.get(self.next).cloned() else {
            self.broken = true;
            self.differences.push(format!(
                "exchange {}: none expected beyond, got {}",
                self.next,
                head.line()
            ));
            return None;
        };
        let mut differences = line_differences(&exchange.request, head);
        let is_other_request = !differences.is_empty();
        differences.extend(header_differences(&exchange.request, head, &self.api_key));
        self.differences.extend(
            differences.into_iter().map(|difference| format!("exchange {}: {difference}", self.next)),
        );
        if is_other_request {
            self.broken = true;
            return None;
        }
        self.count += 1;
        self.since.get_or_insert(now);
        Some((self.next, exchange))
    }

    /// Records how the body of exchange `index` differs from `wanted`. `part` means that a fault has cut the body
    /// off.
    pub fn check_body(&mut self, index: usize, wanted: &Wanted, body: &[u8], part: bool) {
        if let Some(difference) = body_difference(wanted, body, part) {
            self.differences.push(format!("exchange {index}: body: {difference}"));
        }
    }

    /// Records an error of the server, or in the scenario file.
    pub fn note(&mut self, difference: String) {
        self.differences.push(difference);
    }

    /// Records expected requests that were not received. It is called once, at the end of the run.
    pub fn finish(&mut self) {
        if self.broken {
            return;
        }
        let unconsumed = self.exchanges.iter().enumerate().skip(self.next);
        let missing = unconsumed.filter_map(|(index, exchange)| {
            let (least, _) = Repeat::bounds(exchange.repeat.as_ref());
            let came = if index == self.next { self.count } else { 0 };
            let request = &exchange.request;
            let line = format!(
                "{} {}",
                request.method.as_deref().unwrap_or_default(),
                request.path.as_deref().unwrap_or_default()
            );
            (came < least)
                .then(|| format!("exchange {index}: expected {line} {least} times, it came {came} times"))
        });
        self.differences.extend(missing.collect::<Vec<_>>());
    }

    /// Whether the request `head` belongs to a later exchange: the current exchange has been received the greatest
    /// number of times or its time has expired, or it has been received often enough and `head` is another request.
    fn is_done_with_current(&self, head: &Head, now: Instant) -> bool {
        let Some(exchange) = self.exchanges.get(self.next) else { return false };
        let (least, most) = Repeat::bounds(exchange.repeat.as_ref());
        let for_ms = exchange.repeat.as_ref().and_then(|repeat| repeat.for_ms);
        let is_late = for_ms
            .zip(self.since)
            .is_some_and(|(ms, since)| now.duration_since(since) >= Duration::from_millis(ms));
        self.count >= least
            && (self.count >= most || is_late || !line_differences(&exchange.request, head).is_empty())
    }
}

/// The differences between the expected and the received method, origin and target.
fn line_differences(request: &Request, head: &Head) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, expected: &str, actual: &str| {
        if !matches(expected, actual) {
            differences.push(format!("{what}: expected {expected:?}, got {actual:?} ({})", head.line()));
        }
    };
    compare("origin", request.to.name(), head.to.name());
    compare("method", request.method.as_deref().unwrap_or(ANY), &head.method);
    compare("path", request.path.as_deref().unwrap_or(ANY), &head.target);
    differences
}

/// The differences in headers from what the exchange expects, and from the rules for every exchange.
fn header_differences(request: &Request, head: &Head, api_key: &str) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, expected) in &request.headers {
        match head.values(name).collect::<Vec<_>>().as_slice() {
            [actual] if matches(expected, actual) => {}
            actual => differences.push(format!("header {name}: expected {expected:?}, got {actual:?}")),
        }
    }
    for name in &request.forbid_headers {
        differences.extend(
            head.values(name).map(|value| format!("header {name}: must not be there, got {value:?}")),
        );
    }
    let says = |name: &str| {
        request.headers.keys().chain(&request.forbid_headers).any(|other| other.eq_ignore_ascii_case(name))
    };
    if !says("x-api-key") {
        differences.extend(key_difference(head, api_key));
    }
    let shows_key = head.headers.iter().any(|(name, value)| name != "x-api-key" && value.contains(api_key));
    if !api_key.is_empty() && (shows_key || head.target.contains(api_key)) {
        differences.push("the key is outside its header".to_owned());
    }
    let is_json_request = head.to == Host::Api && head.target.contains("/v1") && head.method != "PUT";
    if is_json_request && !says("accept") {
        match head.values("accept").collect::<Vec<_>>().as_slice() {
            ["application/json"] => {}
            other => {
                differences.push(format!("header accept: expected [\"application/json\"], got {other:?}"))
            }
        }
    }
    if request.json.is_some() && !says("content-type") {
        match head.values("content-type").collect::<Vec<_>>().as_slice() {
            ["application/json"] => {}
            other => differences
                .push(format!("header content-type: expected [\"application/json\"], got {other:?}")),
        }
    }
    if head.method == "PUT" {
        differences.extend(put_differences(head));
    }
    differences
}

/// The API key must be sent to the origin of the base URL, except in a PUT request. It must not be sent to any other
/// origin.
fn key_difference(head: &Head, api_key: &str) -> Option<String> {
    let keys: Vec<&str> = head.values("x-api-key").collect();
    let belongs = head.to == Host::Api && head.method != "PUT" && !api_key.is_empty();
    match (belongs, keys.as_slice()) {
        (true, [key]) if *key == api_key => None,
        (false, []) => None,
        (true, keys) => Some(format!("header x-api-key: expected the key once, got {} values", keys.len())),
        (false, _) => Some(format!("header x-api-key: must not be sent with {}", head.line())),
    }
}

fn put_differences(head: &Head) -> Vec<String> {
    let mut differences = Vec::new();
    if head.values("content-type").collect::<Vec<_>>() != ["application/octet-stream"] {
        differences.push(format!(
            "header content-type of a PUT: got {:?}",
            head.values("content-type").collect::<Vec<_>>()
        ));
    }
    if head.values("content-length").count() != 1 || head.values("transfer-encoding").count() != 0 {
        differences.push("a PUT must carry one Content-Length and no Transfer-Encoding".to_owned());
    }
    differences
}

fn body_difference(wanted: &Wanted, body: &[u8], part: bool) -> Option<String> {
    match wanted {
        Wanted::Empty if body.is_empty() => None,
        Wanted::Empty => Some(format!("expected none, got {} bytes: {}", body.len(), excerpt(body))),
        Wanted::Bytes(wanted) if wanted == body || (part && wanted.starts_with(body)) => None,
        Wanted::Bytes(wanted) => {
            let at =
                wanted.iter().zip(body).position(|(a, b)| a != b).unwrap_or(wanted.len().min(body.len()));
            Some(format!("expected {} bytes, got {}; different from byte {at}", wanted.len(), body.len()))
        }
        Wanted::Json(_) if part => None,
        Wanted::Json(wanted) => match serde_json::from_slice::<Value>(body) {
            Err(error) => Some(format!("expected {wanted}, got invalid JSON ({error}): {}", excerpt(body))),
            Ok(actual) if same_json(wanted, &actual) => None,
            Ok(actual) => Some(format!("expected {wanted}, got {actual}")),
        },
    }
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(path: &str, repeat: Option<Repeat>) -> Exchange {
        let request = Request { method: Some("GET".into()), path: Some(path.into()), ..Request::default() };
        Exchange { request, response: None, fault: None, repeat }
    }

    fn get(target: &str, headers: &[(&str, &str)]) -> Head {
        let own = [("x-api-key", "k-1"), ("accept", "application/json")];
        let headers = own
            .iter()
            .chain(headers)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Head { to: Host::Api, method: "GET".into(), target: target.into(), headers }
    }

    fn play(exchanges: Vec<Exchange>, targets: &[&str]) -> Vec<String> {
        let mut script = Script::new(exchanges, "k-1".into());
        for target in targets {
            script.take(&get(target, &[]), Instant::now());
        }
        script.finish();
        script.differences
    }

    #[test]
    fn requests_are_accepted_in_order_and_no_others() {
        let two = || vec![exchange("/v1/a", None), exchange("/v1/b", None)];
        assert!(play(two(), &["/v1/a", "/v1/b"]).is_empty());
        assert!(
            play(two(), &["/v1/b"])[0].starts_with("exchange 0: path: expected \"/v1/a\", got \"/v1/b\"")
        );
        assert!(play(two(), &["/v1/a"])[0].contains("it came 0 times"));
        assert!(play(two(), &["/v1/a", "/v1/b", "/v1/b"])[0].contains("none expected beyond"));
    }

    #[test]
    fn a_repeated_exchange_is_counted() {
        let repeat = |at_least, at_most| {
            Some(Repeat { at_least: Some(at_least), at_most: Some(at_most), ..Repeat::default() })
        };
        let polls = |least, most| vec![exchange("/v1/poll", repeat(least, most)), exchange("/v1/end", None)];
        assert!(play(polls(1, 3), &["/v1/poll", "/v1/poll", "/v1/end"]).is_empty());
        assert!(!play(polls(2, 3), &["/v1/poll", "/v1/end"]).is_empty());
        assert!(!play(polls(1, 2), &["/v1/poll", "/v1/poll", "/v1/poll", "/v1/end"]).is_empty());
    }

    #[test]
    fn the_key_is_sent_once_and_only_to_the_api() {
        let with = |to, method: &str, headers: &[(&str, &str)]| {
            let head = Head { to, method: method.into(), ..get("/x", headers) };
            key_difference(&head, "k-1").is_some()
        };
        assert!(!with(Host::Api, "GET", &[]));
        assert!(with(Host::Api, "GET", &[("x-api-key", "k-1")]), "twice");
        assert!(
            with(Host::Api, "PUT", &[])
                && with(Host::Storage, "GET", &[])
                && with(Host::Elsewhere, "GET", &[])
        );
    }

    #[test]
    fn a_body_is_compared_by_its_type() {
        let json = Wanted::Json(serde_json::json!({"margin": 2}));
        assert_eq!(body_difference(&json, br#"{ "margin": 2.0 }"#, false), None);
        assert!(body_difference(&json, br#"{"margin":2,"unit":"cm"}"#, false).is_some());
        let bytes = Wanted::Bytes(b"abcdef".to_vec());
        assert_eq!(body_difference(&bytes, b"abc", true), None);
        assert_eq!(
            body_difference(&bytes, b"abX", false).unwrap(),
            "expected 6 bytes, got 3; different from byte 2"
        );
        assert!(body_difference(&Wanted::Empty, b"{}", false).is_some());
    }
}
