//! One function for each parser of what a service says, with what must hold for whatever it says. They are called by
//! the fuzzer (`core/fuzz`) with bytes that it breeds, and by the tests below with bytes by chance.

use crate::batch;
use crate::http::address::Address;
use crate::http::problem;
use crate::http::request::ApiResponse;
use crate::http::retry::parse_retry_after;
use crate::io::safe_file_name::safe_file_name;
use crate::operation::result::ResultState;
use crate::operation::token::ResumeToken;
use crate::redact::{self, Scrubber};
use crate::transfer::download::Range;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use recto_interface::{
    FileList, FileRecord, FromUrlResponse, OperationHandle, OperationKind, OperationType, Secret,
    UploadTicket,
};
use std::path::{Component, Path};
use std::time::SystemTime;

const SECRET: &str = "KEY-that-nobody-may-see";

/// A successful answer: the body of every endpoint.
pub fn answer(body: &[u8]) {
    let answer = ApiResponse::of(200, HeaderMap::new(), Bytes::copy_from_slice(body));
    let ended = [
        answer.json::<UploadTicket>().map(drop),
        answer.json::<FromUrlResponse>().map(drop),
        answer.json::<FileList>().map(drop),
        answer.json::<FileRecord>().map(drop),
        answer.json::<OperationHandle>().map(drop),
        ResultState::read(&answer, &OperationType::Known(OperationKind::Optimize)).map(drop),
    ];
    for error in ended.into_iter().filter_map(Result::err) {
        assert!(error.to_string().len() < 16 * 1024, "a message is bounded");
    }
}

/// An answer that is no success: its status from the first byte, headers up to an empty line, then the body.
pub fn refusal(data: &[u8]) {
    let Some((status, rest)) = data.split_first() else { return };
    let status = 300 + u16::from(*status) * 2;
    let mut headers = HeaderMap::new();
    let mut lines = rest.split(|byte| *byte == b'\n');
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().and_then(|name| HeaderName::from_bytes(name).ok());
        let value = parts.next().and_then(|value| HeaderValue::from_bytes(value).ok());
        if let (Some(name), Some(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let body = lines.collect::<Vec<_>>().join(&b'\n');
    let body = [&body[..], SECRET.as_bytes()].concat();
    let error = problem::of_response(status, &headers, &body);
    let error = error.scrubbed(&Scrubber::new([&Secret::from(SECRET)]));
    let shown = format!("{error} {error:?} {:?} {:?}", error.body(), error.detail());
    assert!(!shown.contains(SECRET), "{shown}");
    assert!(shown.len() < 64 * 1024, "an error is bounded");
}

/// Headers that are parsed: `Retry-After`, `Content-Range`.
pub fn headers(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = parse_retry_after(text, SystemTime::UNIX_EPOCH);
    if let Some(range) = Range::parse(text) {
        assert!(range.total.is_none_or(|total| range.first < total));
    }
}

/// Addresses that a service gives, and redirects from one to the other.
pub fn address(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let shown = redact::address(text);
    assert!(shown.split_once('?').is_none_or(|(_, query)| query == "[redacted]"), "{shown}");
    let (first, location) = text.split_once('\n').unwrap_or((text, text));
    if let Ok(address) = Address::parse(first) {
        let target = address.uri().path_and_query().map_or("/", |target| target.as_str());
        assert!(first.contains(target) || target.starts_with('/'), "{first:?} would be sent as {target:?}");
        let _ = address.join(location).map(|joined| joined.shown());
    }
}

/// The name of a result, which becomes one of a file.
pub fn name(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let safe = safe_file_name(text);
    let components: Vec<_> = Path::new(&safe).components().collect();
    assert!(matches!(components[..], [Component::Normal(only)] if only == safe.as_str()), "{safe:?}");
    assert!(safe.len() <= 200 && !safe.contains(['/', '\\', ':', '\0']), "{safe:?}");
    assert_eq!(safe_file_name(&safe), safe);
}

/// A resume token, and a journal: files and texts that come back from outside.
pub fn memory(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = ResumeToken::read(text);
    }
    batch::read_journal(data);
}

/// Text without its secrets.
pub fn redaction(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (secret, text) = text.split_once('\n').unwrap_or((SECRET, text));
    let clean = Scrubber::new([&Secret::from(secret)]).scrub(text);
    // What stands in a secret's place may spell a short one again, or one that has the same word in it.
    let clean = clean.replace("[redacted]", "\u{1}");
    assert!(secret.len() < 12 || !clean.contains(secret), "{clean:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes by chance hardly ever get past the first check: pieces of what services say do.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "null",
            "true",
            "1e999",
            "-1",
            "18446744073709551616",
            "\\u0000",
            "\\ud800",
            "\n",
            "\"fileId\"",
            "\"operationStatus\"",
            "\"finished\"",
            "\"outputFile\"",
            "\"validation\"",
            "\"errors\"",
            "\"files\"",
            "\"createdAt\"",
            "\"detail\"",
            "https://h.example/a?b=c",
            "//",
            "..",
            "%2e",
            "bytes 5-9/10",
            "retry-after:",
            "Sun, 06 Nov 1994 08:49:47 GMT",
            "CON",
            ".pdf",
            "\u{202e}",
            SECRET,
            "{\"batch\":1,\"operation\":\"optimize\",\"service\":{\"at\":\"x\"}}\n",
            "{\"item\":\"/a\",\"step\":\"started\",\"operationId\":\"1\"}\n",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn whatever_a_service_says_is_taken(data in prop_oneof![pieces(), any::<Vec<u8>>()]) {
            answer(&data);
            refusal(&data);
            headers(&data);
            address(&data);
            name(&data);
            memory(&data);
            redaction(&data);
        }
    }
}
