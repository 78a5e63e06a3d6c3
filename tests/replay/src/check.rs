//! Sends the requests of a scenario to a running service, and compares the status and structure of the responses with
//! the recorded ones.
//!
//! A recorded response is an example: the values of its variables (such as `{{fileId}}`) are taken from the service's
//! response, and used in the requests that follow. The types of values must match. Values that the interface fixes
//! must be equal.

use crate::body::{Folders, Wanted};
use crate::scenario::{Exchange, Host, Response, Scenario};
use crate::upstream::{Failure, Upstream, UpstreamResponse};
use crate::variables::Variables;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time for which a request for a result is repeated.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Fields whose values are fixed by the interface.
const FIXED: &[&str] = &["operationType", "operationStatus"];

/// Whether a service conforms to the interface in one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The service conforms to the interface.
    Conforms,
    /// The service conforms to the interface, but an operation failed, for this reason.
    Failed(String),
    /// The responses differ from the interface, in these ways.
    Differs(Vec<String>),
}

/// Sends the requests of one scenario to a service.
///
/// # Errors
/// If the service cannot be reached.
pub async fn check(scenario: &Scenario, recordings: &Path, upstream: &Upstream) -> Result<Report, Failure> {
    let folders = Folders { recordings: recordings.to_owned(), run: recordings.to_owned() };
    let mut learnt = Learnt::default();
    learnt.0.push(("{{password}}".to_owned(), "a password, for a test".to_owned()));
    let mut differences = Vec::new();
    let mut requests = Vec::new();
    for (index, exchange) in scenario.exchanges.iter().enumerate() {
        let request = exchange
            .request
            .same
            .and_then(|same| requests.get(same).cloned())
            .unwrap_or_else(|| exchange.request.clone());
        requests.push(request.clone());
        let Some(expected) = &exchange.response else { continue };
        let exchange = Exchange { request, ..exchange.clone() };
        let answer = send_until_done(&exchange, expected, &folders, &learnt, upstream).await?;
        if let Some(why) = failure_of(&answer) {
            return Ok(Report::Failed(why));
        }
        let place = format!("exchange {index}");
        if answer.status / 100 != expected.status / 100 {
            differences.push(format!(
                "{place}: expected status {}, got {}: {}",
                expected.status,
                answer.status,
                text(&answer)
            ));
            break;
        }
        if let Some(json) = &expected.json {
            match serde_json::from_slice(&answer.body) {
                Ok(actual) => learnt.compare(&place, json, &actual, &mut differences),
                Err(error) => {
                    differences.push(format!("{place}: expected JSON, got {}: {error}", text(&answer)))
                }
            }
        } else if expected.body_file.is_some() {
            differences.extend(
                document_difference(&learnt, &answer).map(|difference| format!("{place}: {difference}")),
            );
        }
    }
    Ok(if differences.is_empty() { Report::Conforms } else { Report::Differs(differences) })
}

/// Sends the request. A request for a result is repeated until the operation has ended, or [`LONGEST_WAIT`] has
/// passed.
async fn send_until_done(
    exchange: &Exchange,
    expected: &Response,
    folders: &Folders,
    learnt: &Learnt,
    upstream: &Upstream,
) -> Result<UpstreamResponse, Failure> {
    let request = &exchange.request;
    let (method, path) =
        (request.method.as_deref().unwrap_or_default(), request.path.as_deref().unwrap_or_default());
    let url = learnt.url(request.to, path, &upstream.base_url);
    let is_document = !path.starts_with("/v1");
    let mut headers = Vec::new();
    let mut header = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    let body = match request.wanted_body(folders)? {
        Wanted::Empty => Vec::new(),
        Wanted::Bytes(bytes) => bytes,
        Wanted::Json(json) => {
            header("content-type", "application/json");
            learnt.fill_json(&json).to_string().into_bytes()
        }
    };
    if method == "PUT" {
        header("content-type", "application/octet-stream");
    }
    if !is_document {
        header("x-api-key", &upstream.api_key);
        header("accept", "application/json");
    }
    let is_result = path.ends_with("/result") && expected.json.is_some();
    if is_result {
        header("prefer", "wait=20");
    }
    let began = Instant::now();
    loop {
        let answer = upstream.send(method, &url, &headers, body.clone()).await?;
        if !is_result || !is_pending(&answer) || began.elapsed() > LONGEST_WAIT {
            return Ok(answer);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Pairs of a recorded text that contains variables, and the text that the service sent instead.
#[derive(Debug, Default)]
struct Learnt(Vec<(String, String)>);

impl Learnt {
    fn compare(&mut self, place: &str, expected: &Value, actual: &Value, differences: &mut Vec<String>) {
        match (expected, actual) {
            (Value::Object(expected), Value::Object(fields)) => {
                for (name, expected) in expected {
                    let place = format!("{place}.{name}");
                    match fields.get(name) {
                        None => differences.push(format!("{place}: missing in {actual}")),
                        Some(actual) if FIXED.contains(&name.as_str()) && expected != actual => {
                            differences.push(format!("{place}: expected {expected}, got {actual}"));
                        }
                        Some(actual) => self.compare(&place, expected, actual, differences),
                    }
                }
            }
            (Value::Array(expected), Value::Array(items)) => {
                for (expected, actual) in expected.first().into_iter().zip(items) {
                    self.compare(&format!("{place}[0]"), expected, actual, differences);
                }
            }
            (Value::String(expected), Value::String(actual)) => {
                if !Variables::used_in(expected).is_empty()
                    && !self.0.iter().any(|(known, _)| known == expected)
                {
                    self.0.push((expected.clone(), actual.clone()));
                }
            }
            _ if std::mem::discriminant(expected) == std::mem::discriminant(actual) => {}
            _ => differences.push(format!("{place}: expected something like {expected}, got {actual}")),
        }
    }

    /// The address of the service for a recorded address: an address that the service sent, or a path below the base
    /// URL.
    fn url(&self, to: Host, path: &str, base_url: &str) -> String {
        let recorded = format!("{{{{{}}}}}{path}", to.name());
        match self.0.iter().find(|(known, _)| *known == recorded) {
            Some((_, real)) => real.clone(),
            None => format!("{base_url}{}", self.fill(path)),
        }
    }

    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (known, real)| text.replace(known, real))
    }

    fn fill_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_json(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(name, value)| (name.clone(), self.fill_json(value))).collect(),
            ),
            other => other.clone(),
        }
    }
}

fn is_pending(answer: &UpstreamResponse) -> bool {
    let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    matches!(answer.status, 202 | 204 | 409 | 425)
        || json.get("operationStatus").is_some_and(|status| status == "inProgress")
}

/// The reason why the operation failed. The reason is in the result, or in the response to the start if the options
/// alone cannot work.
fn failure_of(answer: &UpstreamResponse) -> Option<String> {
    let json: Value = serde_json::from_slice(&answer.body).ok()?;
    if answer.status == 422 && json.get("code").is_some_and(|code| code == "invalid_option") {
        return Some(json.to_string());
    }
    (json.get("operationStatus")? == "failed").then(|| json.get("error").unwrap_or(&Value::Null).to_string())
}

/// The difference if the document is empty, or if it should be a PDF and does not begin with `%PDF-`.
fn document_difference(learnt: &Learnt, answer: &UpstreamResponse) -> Option<String> {
    let is_pdf =
        learnt.0.iter().any(|(_, real)| real.split('?').next().is_some_and(|path| path.ends_with(".pdf")));
    if answer.body.is_empty() {
        return Some("the document is empty".to_owned());
    }
    (is_pdf && !answer.body.starts_with(b"%PDF-")).then(|| "the .pdf does not begin with %PDF-".to_owned())
}

fn text(answer: &UpstreamResponse) -> String {
    String::from_utf8_lossy(&answer.body).chars().take(300).collect()
}
