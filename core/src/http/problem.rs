//! Error responses: problem details (RFC 9457), and other JSON formats that services use.

use crate::error::{Error, ErrorKind, seconds};
use crate::http::retry::parse_retry_after;
use crate::message::Message;
use crate::redact;
use http::HeaderMap;
use http::header::RETRY_AFTER;
use recto_interface::printable::printable;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// How many bytes of an error response are read.
pub(crate) const MOST_READ: usize = 64 * 1024;
/// How many bytes of a text from the service a message contains.
const MOST_TEXT: usize = 500;
/// How many nodes the XML of an error response may have. Object stores use about ten.
const MOST_XML_NODES: u32 = 200;

/// The content of an error response, independent of its format.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ProblemDetails {
    pub(crate) code: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) request_id: Option<String>,
}

impl ProblemDetails {
    /// Reads a body: a problem object, `{error: {code, message}}`, `{error: "…"}`, `{message}`,
    /// `{errors: [{…}]}`, `{errors: {field: ["…"]}}`, the XML of an object store, or plain text. An HTML page is
    /// ignored.
    pub(crate) fn read(body: &[u8]) -> Self {
        let body = without_mark(body);
        match serde_json::from_slice::<Value>(body) {
            Ok(json) => Self::of_json(&json),
            Err(_) => {
                let text = String::from_utf8_lossy(body);
                let text = text.trim();
                if let Some(details) = Self::of_xml(text) {
                    return details;
                }
                let readable = !text.is_empty() && !text.starts_with(['<', '{', '[']);
                Self { detail: readable.then(|| one_line(text)), ..Self::default() }
            }
        }
    }

    /// Reads the XML error of S3, Google Cloud Storage and Azure: an element `Error` with `Code` and `Message`. Returns
    /// `None` for other text. Declarations of entities are refused, so no entity is expanded.
    fn of_xml(text: &str) -> Option<Self> {
        if !text.starts_with('<') {
            return None;
        }
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            nodes_limit: MOST_XML_NODES,
            ..roxmltree::ParsingOptions::default()
        };
        let document = roxmltree::Document::parse_with_options(text, options).ok()?;
        // Some services put the element into `ErrorResponse`.
        let mut elements = document.root_element().descendants().filter(roxmltree::Node::is_element);
        let error = elements.find(|element| element.tag_name().name() == "Error")?;
        let text = |name: &str| {
            let mut children = error.children();
            let text = children.find(|child| child.tag_name().name() == name)?.text()?;
            Some(one_line(text)).filter(|text| !text.is_empty())
        };
        let details =
            Self { code: text("Code"), title: None, detail: text("Message"), request_id: text("RequestId") };
        (details != Self::default()).then_some(details)
    }

    /// Reads an error from JSON: an error response, or the result of a failed operation.
    pub(crate) fn of_json(json: &Value) -> Self {
        if let Value::String(text) = json {
            return Self { detail: Some(one_line(text)), ..Self::default() };
        }
        let mut details = Self {
            code: text(json, &["code", "errorCode", "error_code"]),
            title: text(json, &["title"]),
            detail: text(json, &["detail", "message", "error_description", "errorMessage", "reason"]),
            request_id: text(json, &["traceId", "requestId", "request_id", "trace_id"]),
        };
        // `errors` is a list of errors, or lists of messages by field: the first entry is used.
        let first = |errors: &Value| match errors {
            Value::Object(fields) => fields.values().find_map(|about| about.get(0)).cloned(),
            list => list.get(0).cloned(),
        };
        let inner = json.get("error").cloned().or_else(|| json.get("errors").and_then(first));
        if let Some(inner) = inner.filter(|inner| inner.is_object() || inner.is_string()) {
            // Errors inside this error are ignored: no known format nests them deeper.
            let inner = match inner {
                Value::Object(mut fields) => {
                    fields.remove("error");
                    fields.remove("errors");
                    Self::of_json(&Value::Object(fields))
                }
                text => Self::of_json(&text),
            };
            details.code = details.code.or(inner.code);
            details.title = details.title.or(inner.title);
            details.detail = details.detail.or(inner.detail);
            details.request_id = details.request_id.or(inner.request_id);
        }
        details
    }

    /// The most specific of the texts, for a message.
    pub(crate) fn summary(&self) -> Option<&str> {
        self.detail.as_deref().or(self.title.as_deref()).or(self.code.as_deref())
    }

    /// Appends the most specific of the texts to a message.
    pub(crate) fn explain(&self, message: Message) -> Message {
        match self.summary() {
            Some(summary) => message.own(": ").foreign(summary),
            None => message,
        }
    }
}

/// `body` without a byte order mark at its beginning. JSON texts must not begin with one, but parsers may ignore it
/// (RFC 8259, 8.1).
pub(crate) fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// The kind of problem that a body reports: `type` of a problem object (RFC 9457, 3.1.1), or the error code if there
/// is no `type`.
pub(crate) fn problem_type(body: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(body).ok()?;
    text(&json, &["type"])
        .filter(|kind| kind != "about:blank")
        .or_else(|| ProblemDetails::of_json(&json).code)
}

fn text(json: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match json.get(*name)? {
        Value::String(text) if !text.trim().is_empty() => Some(one_line(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// A text from the service as one line of limited length. Characters that would control a terminal or reorder the line
/// are escaped.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    redact::head(&printable(&line), MOST_TEXT)
}

/// The error for a response whose status reports a failure.
pub(crate) fn of_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Error {
    let details = ProblemDetails::read(body);
    let retry_after = retry_after(headers);
    let kind = ErrorKind::of_status(status);
    let message = Message::new(format!("{} ({status})", what_happened(kind, status)));
    let message = details.explain(message);
    let error = Error::new(kind, message).response(status, request_id(headers)).retry_in(retry_after);
    let error = match advice(kind, retry_after) {
        Some(advice) => error.advise(advice),
        None => error,
    };
    error
        .described(details.code, details.title, details.detail, details.request_id)
        .quoting(redact::excerpt(body))
}

/// The delay in the header `Retry-After` of a response.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    parse_retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, SystemTime::now())
}

/// Whether the response confirms `Prefer: wait` with the header `Preference-Applied` (RFC 7240, 3).
pub(crate) fn holds_responses(headers: &HeaderMap) -> bool {
    let applied = headers.get_all("preference-applied").iter().filter_map(|value| value.to_str().ok());
    applied.flat_map(|value| value.split(',')).any(|preference| {
        preference.split(['=', ';']).next().is_some_and(|name| name.trim().eq_ignore_ascii_case("wait"))
    })
}

/// The identifier under which the service logged a request. Services use different headers for it.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "request-id", "x-correlation-id", "x-amz-request-id", "x-ms-request-id", "x-trace-id"]
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok())
        .map(|id| redact::head(&printable(id), 200))
}

fn what_happened(kind: ErrorKind, status: u16) -> &'static str {
    match kind {
        ErrorKind::Auth => "the service does not accept the API key",
        ErrorKind::PermissionDenied => "the API key has no permission for this",
        ErrorKind::NotFound if status == 410 => "the file or operation has been deleted or has expired",
        ErrorKind::NotFound => "not found in the service",
        ErrorKind::RateLimited => "too many requests",
        ErrorKind::PayloadTooLarge => "the document is larger than the service accepts",
        ErrorKind::RequestTimeout => "the service timed out waiting for the request",
        ErrorKind::InvalidRequest => "the service refused the request",
        ErrorKind::Server => "the service failed",
        _ => "unexpected response from the service",
    }
}

fn advice(kind: ErrorKind, retry_after: Option<Duration>) -> Option<String> {
    Some(match kind {
        ErrorKind::Auth => {
            "Check the key (api_key or RECTO_API_KEY), and that it belongs to this base URL".to_owned()
        }
        ErrorKind::PermissionDenied => {
            "Check the permissions of the key, or ask the operator of the service".to_owned()
        }
        ErrorKind::NotFound => "Check the id; files and results expire".to_owned(),
        ErrorKind::RateLimited | ErrorKind::Server | ErrorKind::RequestTimeout => match retry_after {
            Some(wait) => format!("Try again in {} s", seconds(wait)),
            None => "Try again later".to_owned(),
        },
        ErrorKind::PayloadTooLarge => "Send a smaller document".to_owned(),
        ErrorKind::Protocol => "Check that the base URL is the address of the service".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (Option<String>, Option<String>, Option<String>) {
        let details = ProblemDetails::read(body.as_bytes());
        (details.code, details.title, details.detail)
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn every_common_error_format_is_read() {
        let problem = r#"{"type":"about:blank","title":"Not found","status":404,"detail":"no file f","code":"file_not_found","traceId":"t"}"#;
        assert_eq!(read(problem), (some("file_not_found"), some("Not found"), some("no file f")));
        assert_eq!(ProblemDetails::read(problem.as_bytes()).request_id, some("t"));
        assert_eq!(read(r#"{"error":{"code":"bad","message":"no"}}"#), (some("bad"), None, some("no")));
        assert_eq!(read(r#"{"error":"no"}"#), (None, None, some("no")));
        assert_eq!(read(r#"{"message":"no","code":17}"#), (some("17"), None, some("no")));
        assert_eq!(read(r#"{"errors":[{"title":"a"},{"title":"b"}]}"#), (None, some("a"), None));
        assert_eq!(read(r#""just text""#), (None, None, some("just text")));
        assert_eq!(
            read(" too\nmany \u{1b}[31mrequests "),
            (None, None, some("too many \\u{1b}[31mrequests"))
        );
    }

    #[test]
    fn the_xml_errors_of_object_stores_are_read() {
        let s3 = r#"<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>RequestTimeout</Code><Message>Your socket connection to the server was not read.</Message><RequestId>4442587FB7D0A2F9</RequestId><HostId>x</HostId></Error>"#;
        assert_eq!(
            read(s3),
            (some("RequestTimeout"), None, some("Your socket connection to the server was not read."))
        );
        assert_eq!(ProblemDetails::read(s3.as_bytes()).request_id, some("4442587FB7D0A2F9"));
        let gcs = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message><Details>Request signature expired at: 2026</Details></Error>";
        assert_eq!(read(gcs), (some("ExpiredToken"), None, some("The provided token has expired.")));
        let azure = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate.\nRequestId:1\nTime:2</Message></Error>";
        assert_eq!(
            read(azure),
            (some("AuthenticationFailed"), None, some("Server failed to authenticate. RequestId:1 Time:2"))
        );
        let wrapped = r#"<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>a &lt; b &amp; &#65;</Message></Error></ErrorResponse>"#;
        assert_eq!(read(wrapped), (some("ExpiredToken"), None, some("a < b & A")));
    }

    #[test]
    fn hostile_xml_is_ignored() {
        let bomb = "<!DOCTYPE e [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><Error><Code>x</Code><Message>&b;</Message></Error>";
        let external =
            "<!DOCTYPE e [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><Error><Message>&a;</Message></Error>";
        let undeclared = "<Error><Code>x</Code><Message>&a;</Message></Error>";
        let deep = format!("<Error>{}", "<a>".repeat(20_000));
        let deep_and_whole = format!("<Error>{}{}</Error>", "<a>".repeat(9_000), "</a>".repeat(9_000));
        let wide = format!("<Error>{}<Code>x</Code></Error>", "<a/>".repeat(10_000));
        for body in [
            bomb,
            external,
            undeclared,
            &deep,
            &deep_and_whole,
            &wide,
            "<Error><Code>x",
            "<Error/>",
            "<a>x</a>",
            "<",
        ] {
            assert_eq!(read(body), (None, None, None), "{}", body.get(..40).unwrap_or(body));
        }
        let long = format!("<Error><Code>x</Code><Message>{}</Message></Error>", "m".repeat(60_000));
        assert!(read(&long).2.is_some_and(|detail| detail.len() <= MOST_TEXT + 3));
    }

    #[test]
    fn a_body_that_describes_no_error_is_ignored() {
        for body in [
            "",
            "<html><body>502</body></html>",
            "[]",
            "{}",
            "{\"error\":null}",
            "{\"error\":{\"error\":{\"message\":\"deep\"}}}",
            "{\"cut",
        ] {
            assert_eq!(read(body), (None, None, None), "{body}");
        }
    }

    #[test]
    fn a_quoted_body_has_a_limited_length() {
        let error = of_response(400, &HeaderMap::new(), "ä".repeat(100_000).as_bytes());
        assert!(error.to_string().len() < 1200 && error.body().unwrap().len() <= redact::MOST_QUOTED + 3);
    }
}
