//! Tests of the API key, of the accepted hosts, and of the limits of a request.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::Limits;
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;
use support::{Api, JSON, builder, connect, raw, send, service};

#[test]
fn every_request_needs_the_key() {
    let service = service();
    let api = Api(&service);
    for path in ["/v1/files", "/v1/nothing", "/v1/operations/x/result", "/test/requests"] {
        for headers in [&[][..], &[("X-Api-Key", "wrong")], &[("X-Api-Key", "")]] {
            let response = send("GET", &api.url(path), headers, b"");
            assert_eq!(
                (response.status, response.code().as_str()),
                (401, "unauthorized"),
                "{path} {headers:?}"
            );
            assert!(response.header("www-authenticate").is_some());
        }
    }
    let twice = api.send("GET", "/v1/files", &[("X-Api-Key", "wrong")], b"");
    assert_eq!(twice.status, 401);
    let key = service.api_key().expose();
    assert!(key.len() >= 43 && !format!("{service:?}").contains(key));
}

#[test]
fn the_key_can_be_chosen_but_must_not_be_empty() {
    let service = builder().api_key("mine").start().unwrap();
    assert_eq!(send("GET", &Api(&service).url("/v1/files"), &[("X-Api-Key", "mine")], b"").status, 200);
    let error = builder().api_key("").start().unwrap_err();
    assert!(error.to_string().contains("key is empty"), "{error}");
}

#[test]
fn requests_for_other_hosts_are_rejected() {
    let service = service();
    let api = Api(&service);
    for host in ["evil.example.org", "127.0.0.1.evil.example.org:80", "192.168.0.1"] {
        let response = api.send("GET", "/v1/files", &[("Host", host)], b"");
        assert_eq!((response.status, response.code().as_str()), (421, "unknown_host"), "{host}");
        assert_eq!(api.send("GET", "/health", &[("Host", host)], b"").status, 421);
    }
    for host in ["localhost", "localhost:1234", "[::1]:9"] {
        assert_eq!(api.send("GET", "/v1/files", &[("Host", host)], b"").status, 200, "{host}");
    }
    let key = service.api_key().expose();
    for request in [
        format!(
            "GET http://evil.example.org/v1/files HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\nConnection: close\r\n\r\n"
        ),
        format!(
            "GET /v1/files HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nX-Api-Key: {key}\r\nConnection: close\r\n\r\n"
        ),
        format!("GET /v1/files HTTP/1.1\r\nX-Api-Key: {key}\r\nConnection: close\r\n\r\n"),
    ] {
        let status = raw(service.base_url(), request.as_bytes()).status;
        assert!(status == 421 || status == 400, "{status}");
    }
}

#[test]
fn a_json_body_is_limited_with_and_without_content_length() {
    let service = service();
    let api = Api(&service);
    let large = json!({"fileName": "a".repeat(1 << 20)}).to_string();
    let response = api.send("POST", "/v1/files/upload/fromLocal", &[JSON], large.as_bytes());
    assert_eq!((response.status, response.code().as_str()), (413, "body_too_large"));
    let mut stream = connect(service.base_url());
    let key = service.api_key().expose();
    write!(stream, "POST /v1/files/upload/fromLocal HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\nConnection: close\r\n").unwrap();
    write!(stream, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    let _ = write!(stream, "{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    assert_eq!(support::read_response(&mut stream, false).code(), "body_too_large");
    let deep = format!("{{\"options\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(api.send("POST", "/v1/operations/optimize", &[JSON], deep.as_bytes()).code(), "invalid_json");
}

#[test]
fn a_request_that_stalls_times_out() {
    let limits = Limits {
        stall_time: Duration::from_millis(100),
        header_time: Duration::from_millis(100),
        ..Limits::default()
    };
    let service = builder().limits(limits).start().unwrap();
    let key = service.api_key().expose();
    let mut stream = connect(service.base_url());
    write!(stream, "POST /v1/files/upload/fromLocal HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\n")
        .unwrap();
    write!(stream, "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{").unwrap();
    assert_eq!(support::read_response(&mut stream, false).code(), "body_timeout");
    let mut slow = connect(service.base_url());
    write!(slow, "GET /health HTTP/1.1\r\nHost: local").unwrap();
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
}

#[test]
fn the_service_survives_garbage() {
    let service = service();
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    ] {
        let mut stream = connect(service.base_url());
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        assert!(!response.starts_with(b"HTTP/1.1 2"), "{:?}", String::from_utf8_lossy(&response));
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(100_000));
    let _ = raw_status(service.base_url(), long.as_bytes());
    assert_eq!(Api(&service).get("/v1/files").status, 200);
}

fn raw_status(url: &str, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(url);
    let _ = stream.write_all(bytes);
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    response
}

#[test]
fn an_identifier_that_is_not_utf8_is_rejected() {
    let service = service();
    let api = Api(&service);
    for path in ["/v1/files/%ff%fe", "/v1/operations/%ff/result"] {
        assert_eq!(api.get(path).code(), "invalid_parameter", "{path}");
    }
    for id in ["..%2f..%2fetc%2fpasswd", "%00", "a%20b", "%F0%9F%92%A9"] {
        assert_eq!(api.get(&format!("/v1/files/{id}")).code(), "file_not_found", "{id}");
    }
}

#[test]
fn the_trace_id_of_the_client_is_used() {
    let service = service();
    let id = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{id}-00f067aa0ba902b7-01");
    let response = Api(&service).send("GET", "/v1/files/x", &[("traceparent", &parent)], b"");
    assert_eq!(response.json()["traceId"], id);
    let response = Api(&service).send("GET", "/v1/files/x", &[("traceparent", "00-no trace id-x")], b"");
    assert_ne!(response.json()["traceId"], id);
}
