//! An operation is finished without waiting for a timer. How fast it is, `benches/service/overhead.py` measures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

mod support;

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::{Api, connect, service, split};

/// Sends a request and reads the response. The connection stays open.
fn exchange(stream: &mut BufReader<TcpStream>, request: &str) -> Value {
    stream.get_mut().write_all(request.as_bytes()).unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn an_operation_that_does_nothing_waits_for_no_timer() {
    let service = service();
    let file = Api(&service).upload("a.pdf", b"hello");
    let (host, _) = split(service.base_url());
    let common = format!("Host: {host}\r\nX-Api-Key: {}\r\n", service.api_key().expose());
    let body = json!({"input": {"fileId": file}}).to_string();
    let start = format!(
        "POST /v1/operations/optimize HTTP/1.1\r\n{common}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = BufReader::new(connect(service.base_url()));
    let quickest = (0..300)
        .map(|_| {
            let began = Instant::now();
            let operation = exchange(&mut stream, &start);
            let operation = operation["operationId"].as_str().unwrap();
            let path = format!("/v1/operations/{operation}/result");
            let result =
                exchange(&mut stream, &format!("GET {path} HTTP/1.1\r\n{common}Prefer: wait=10\r\n\r\n"));
            assert_eq!(result["operationStatus"], "finished");
            began.elapsed()
        })
        .min()
        .unwrap();
    // A timer would delay every operation. Other programs on the machine delay some of them, but not all.
    assert!(quickest < Duration::from_millis(2), "{quickest:?}");
}
