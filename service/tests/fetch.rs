//! Tests that fetch files by address, from a server on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::Limits;
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use support::{Api, Response, builder};

/// Starts a server on loopback, and returns its base URL. For each request, the function `response` gets the path and
/// writes the response. The server runs until the process ends.
fn server(response: impl Fn(&str, &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            response(first.split(' ').nth(1).unwrap(), &mut stream);
        }
    });
    address
}

fn files(path: &str, stream: &mut TcpStream) {
    let _ = match path.split('?').next().unwrap() {
        "/report.pdf" => write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        "/get" => write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"x.docx\"\r\n\r\nhello"
        ),
        "/away" => write!(stream, "HTTP/1.1 302 Found\r\nLocation: /report.pdf\r\nContent-Length: 0\r\n\r\n"),
        "/round" => write!(stream, "HTTP/1.1 302 Found\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n"),
        "/file" => {
            write!(stream, "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")
        }
        "/large" => write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{}", "x".repeat(5000)),
        "/endless" => loop {
            if stream.write_all(&[b'x'; 1000]).is_err() {
                break Ok(());
            }
        },
        // The server sends a byte every 50 ms, but never sends the whole body in time.
        "/trickle" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
            Ok(())
        }
        "/unannounced" => write!(stream, "HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(5000)),
        "/short" => write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"),
        "/zipped" => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")
        }
        "/stall" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello");
            std::thread::sleep(Duration::from_secs(2));
            Ok(())
        }
        _ => write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    };
}

fn fetch(api: &Api<'_>, url: &str) -> Response {
    api.post("/v1/files/upload/fromUrl", &json!({"fileUrl": url}))
}

#[test]
fn a_file_is_fetched_through_both_endpoints_and_redirects() {
    let host = server(files);
    let service = builder().allow_private_urls(true).start().unwrap();
    let api = Api(&service);
    for (path, name) in
        [("/report.pdf?token=hush", "report.pdf"), ("/get", "x.docx"), ("/away", "report.pdf")]
    {
        for endpoint in ["/v1/files/upload/fromUrl", "/v1-beta/files/upload/fromUrl"] {
            let response = api.post(endpoint, &json!({"fileUrl": format!("{host}{path}")}));
            assert_eq!(response.status, 200, "{response:?}");
            let id = response.json()["fileId"].as_str().unwrap().to_owned();
            let record = api.get(&format!("/v1/files/{id}")).json();
            assert_eq!((&record["origin"], &record["name"]), (&json!("fromUrl"), &json!(name)));
            let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
            let result = api.result(&operation, 10).json();
            let got = support::send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"");
            assert_eq!(got.body, b"olleh");
        }
    }
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let host = server(files);
    let service = support::service();
    let api = Api(&service);
    let port = host.rsplit_once(':').unwrap().1;
    for url in [
        format!("{host}/report.pdf?token=hush"),
        format!("http://localhost:{port}/report.pdf"),
        format!("http://[::1]:{port}/x"),
    ] {
        let response = fetch(&api, &url);
        assert_eq!((response.status, response.code().as_str()), (422, "address_not_allowed"), "{url}");
        assert!(!String::from_utf8_lossy(&response.body).contains("hush"));
    }
    assert_eq!(api.get("/v1/files").json(), json!({"files": []}));
}

#[test]
fn failed_fetches_are_reported_with_a_code() {
    let limits = Limits {
        file_bytes: 1000,
        stall_time: Duration::from_millis(300),
        fetch_time: Duration::from_secs(2),
        ..Limits::default()
    };
    let host = server(files);
    let service = builder().allow_private_urls(true).limits(limits).start().unwrap();
    let api = Api(&service);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (url, status, code) in [
        (format!("{host}/large"), 413, "file_too_large"),
        (format!("{host}/unannounced"), 413, "file_too_large"),
        (format!("{host}/missing"), 422, "fetch_failed"),
        (format!("{host}/round"), 422, "fetch_failed"),
        (format!("{host}/file"), 422, "address_not_allowed"),
        (format!("{host}/short"), 422, "fetch_failed"),
        (format!("{host}/zipped"), 422, "fetch_failed"),
        (format!("{host}/endless"), 422, "fetch_failed"),
        (format!("{host}/stall"), 422, "fetch_failed"),
        (format!("{host}/trickle"), 422, "fetch_failed"),
        (format!("http://{closed}/"), 422, "fetch_failed"),
        ("http://no-such-host.invalid/".to_owned(), 422, "fetch_failed"),
        ("report.pdf".to_owned(), 422, "invalid_request"),
        ("ftp://example.org/a".to_owned(), 422, "address_not_allowed"),
        (format!("http://h/{}", "a".repeat(9000)), 422, "invalid_request"),
    ] {
        let response = fetch(&api, &url);
        assert_eq!((response.status, response.code().as_str()), (status, code), "{url} {response:?}");
    }
    assert_eq!(api.get("/v1/files").json(), json!({"files": []}));
}
