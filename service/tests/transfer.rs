//! Tests of presigned addresses: uploads, downloads, and requests that presigned addresses do not allow.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::Limits;
use serde_json::json;
use std::io::Write;
use std::time::Duration;
use support::{Api, OCTETS, builder, connect, read_response, send, service, split};

fn result_url(api: &Api<'_>, document: &[u8]) -> String {
    let id = api.upload("a.pdf", document);
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    api.result(&operation, 10).json()["outputFile"]["url"].as_str().unwrap().to_owned()
}

#[test]
fn an_upload_can_be_repeated_until_an_operation_has_used_it() {
    let service = service();
    let api = Api(&service);
    let (id, url) = api.ticket("a.pdf");
    assert_eq!(send("PUT", &url, &[OCTETS], b"first").status, 200);
    assert_eq!(send("PUT", &url, &[OCTETS], b"second").status, 200);
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    let result = api.result(&operation, 10).json();
    assert_eq!(send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body, b"dnoces");
    assert_eq!(send("PUT", &url, &[OCTETS], b"third").code(), "file_in_use");
}

#[test]
fn a_changed_address_is_rejected() {
    let service = service();
    let api = Api(&service);
    let (_, url) = api.ticket("a.pdf");
    let (other, _) = api.ticket("b.pdf");
    let (path, query) = url.split_once('?').unwrap();
    let of_other = format!("{}{other}?{query}", &path[..path.len() - other.len()]);
    let last = if url.ends_with('A') { "B" } else { "A" };
    for changed in [
        path.to_owned(),
        of_other,
        url.replace("size=", "size=9"),
        url.replace("expires=", "expires=9"),
        format!("{}{last}", &url[..url.len() - 3]),
        format!("{url}&size=9"),
    ] {
        let response = send("PUT", &changed, &[OCTETS], b"x");
        assert_eq!((response.status, response.code().as_str()), (403, "invalid_link"), "{changed}");
    }
    // The address is valid for the upload only, not for a download or for another HTTP method.
    assert_eq!(send("GET", &url, &[], b"").status, 405);
    assert_eq!(send("GET", &url.replace("/upload/", "/download/"), &[], b"").status, 403);
    assert_eq!(send("PUT", &url, &[OCTETS], b"x").status, 200);
}

#[test]
fn an_address_expires() {
    let service = builder().link_lifetime(Duration::ZERO).start().unwrap();
    let (_, url) = Api(&service).ticket("a.pdf");
    let response = send("PUT", &url, &[OCTETS], b"x");
    assert_eq!((response.status, response.code().as_str()), (403, "expired_link"));
}

#[test]
fn an_upload_must_be_whole_binary_and_within_the_limit() {
    let limits = Limits { file_bytes: 100, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let (_, url) = Api(&service).ticket("a.pdf");
    assert_eq!(send("PUT", &url, &[], b"x").code(), "unsupported_media_type");
    assert_eq!(send("PUT", &url, &[("Content-Type", "application/pdf")], b"x").status, 415);
    assert_eq!(send("PUT", &url, &[OCTETS, ("Content-Range", "bytes 0-0/2")], b"x").status, 400);
    assert_eq!(send("PUT", &url, &[OCTETS], &[0; 101]).code(), "file_too_large");
    // An upload without `Content-Length` is rejected as soon as it exceeds the limit.
    let (host, target) = split(&url);
    let mut stream = connect(&url);
    write!(stream, "PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/octet-stream\r\n")
        .unwrap();
    write!(
        stream,
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n65\r\n{}\r\n0\r\n\r\n",
        "x".repeat(101)
    )
    .unwrap();
    assert_eq!(read_response(&mut stream, false).code(), "file_too_large");
    assert_eq!(send("PUT", &url, &[OCTETS], &[0; 100]).status, 200);
}

#[test]
fn a_rejected_client_gets_its_response_while_it_is_still_sending() {
    let service = service();
    let (_, url) = Api(&service).ticket("a.pdf");
    let response = send("PUT", &format!("{url}x"), &[OCTETS], &vec![7; 3 << 20]);
    assert_eq!(response.code(), "invalid_link");
}

#[test]
fn an_incomplete_upload_is_rejected_and_leaves_nothing() {
    let limits = Limits { stall_time: Duration::from_millis(100), ..Limits::default() };
    let parent = tempfile::tempdir().unwrap();
    let service = support::in_directory(builder().limits(limits), parent.path()).start().unwrap();
    let (id, url) = Api(&service).ticket("a.pdf");
    let (host, target) = split(&url);
    let head = format!(
        "PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/octet-stream\r\nContent-Length: 50\r\n\r\nhalf"
    );
    let mut stream = connect(&url);
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_response(&mut stream, false).code(), "body_timeout");
    let mut stream = connect(&url);
    stream.write_all(head.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    drop(stream);
    assert_eq!(Api(&service).get(&format!("/v1/files/{id}")).status, 404);
    let empty = || support::kept_files(parent.path()).is_empty();
    let until = std::time::Instant::now() + Duration::from_secs(5);
    while !empty() && std::time::Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(empty(), "a partial upload was left behind");
}

#[test]
fn a_download_supports_ranges() {
    let service = service();
    let url = result_url(&Api(&service), b"9876543210");
    let whole = send("GET", &url, &[], b"");
    assert_eq!(
        (whole.status, &*whole.body, whole.header("accept-ranges")),
        (200, &b"0123456789"[..], Some("bytes"))
    );
    let tag = whole.header("etag").unwrap().to_owned();
    let part = send("GET", &url, &[("Range", "bytes=2-4")], b"");
    assert_eq!(
        (part.status, &*part.body, part.header("content-range")),
        (206, &b"234"[..], Some("bytes 2-4/10"))
    );
    let rest = send("GET", &url, &[("Range", "bytes=7-"), ("If-Range", &tag)], b"");
    assert_eq!((rest.status, &*rest.body), (206, &b"789"[..]));
    assert_eq!(send("GET", &url, &[("Range", "bytes=-1")], b"").body, b"9");
    let other = send("GET", &url, &[("Range", "bytes=7-"), ("If-Range", "\"other\"")], b"");
    assert_eq!((other.status, other.body.len()), (200, 10));
    let beyond = send("GET", &url, &[("Range", "bytes=10-")], b"");
    assert_eq!(
        (beyond.code().as_str(), beyond.header("content-range")),
        ("range_not_satisfiable", Some("bytes */10"))
    );
    assert_eq!(send("GET", &url, &[("If-None-Match", &tag)], b"").status, 304);
    let head = send("HEAD", &url, &[], b"");
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("10"), 0));
}

#[test]
fn an_empty_file_can_be_uploaded_and_downloaded() {
    let service = service();
    let url = result_url(&Api(&service), b"");
    let response = send("GET", &url, &[], b"");
    assert_eq!((response.status, response.header("content-length")), (200, Some("0")));
}

#[test]
fn a_deleted_result_cannot_be_downloaded_and_its_operation_says_so() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"hello");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    let result = api.result(&operation, 10).json();
    let file = result["outputFile"]["fileId"].as_str().unwrap();
    assert_eq!(api.send("DELETE", &format!("/v1/files/{file}"), &[], b"").status, 200);
    assert_eq!(send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").code(), "file_not_found");
    let again = api.result(&operation, 0);
    assert_eq!((again.status, again.code().as_str()), (410, "result_gone"));
}

#[test]
fn addresses_have_the_requested_host_or_the_public_url() {
    let service = service();
    let api = Api(&service);
    let port = service.base_url().rsplit_once(':').unwrap().1;
    let host = format!("localhost:{port}");
    let body = json!({"fileName": "a.pdf"}).to_string();
    let response =
        api.send("POST", "/v1/files/upload/fromLocal", &[support::JSON, ("Host", &host)], body.as_bytes());
    let url = response.json()["uploadUrl"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("http://{host}/transfer/upload/")), "{url}");
    let behind_proxy = builder().public_url("https://pdf.example.org/api/").start().unwrap();
    assert_eq!(behind_proxy.base_url(), "https://pdf.example.org/api");
}

#[test]
fn a_full_service_accepts_files_again_after_a_delete() {
    let limits = Limits { stored_bytes: 100, files: 3, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let api = Api(&service);
    let first = api.upload("a.pdf", &[0; 80]);
    let (second, url) = api.ticket("b.pdf");
    let full = send("PUT", &url, &[OCTETS], &[0; 30]);
    assert_eq!((full.status, full.code().as_str()), (507, "storage_full"));
    assert_eq!(api.send("DELETE", &format!("/v1/files/{first}"), &[], b"").status, 200);
    assert_eq!(send("PUT", &url, &[OCTETS], &[0; 30]).status, 200);
    api.ticket("c.pdf");
    api.ticket("d.pdf");
    let many = api.post("/v1/files/upload/fromLocal", &json!({"fileName": "e.pdf"}));
    assert_eq!((many.status, many.code().as_str()), (429, "too_many_files"));
    assert!(many.header("retry-after").is_some());
    api.send("DELETE", &format!("/v1/files/{second}"), &[], b"");
    api.ticket("e.pdf");
}
