//! A large upload must need no more memory than a small upload. This test program contains only this test, because the
//! test measures the memory of the process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic
#![cfg(target_os = "linux")]

mod support;

use serde_json::json;
use std::io::{Read, Write};
use support::{Api, builder, connect, split};

const SIZE: usize = 200 << 20;

fn resident_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_large_upload_needs_little_memory() {
    // The engine would read the whole input into memory. With this limit, the service rejects the input before the
    // engine reads it.
    let service = builder()
        .engine_limits(recto_engine::Limits { input_bytes: 1, ..recto_engine::Limits::default() })
        .start()
        .unwrap();
    let api = Api(&service);
    let (id, url) = api.ticket("large.pdf");
    let before = resident_kib("VmRSS");
    let (host, target) = split(&url);
    let mut stream = connect(&url);
    write!(stream, "PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/octet-stream\r\n")
        .unwrap();
    write!(stream, "Content-Length: {SIZE}\r\nConnection: close\r\n\r\n").unwrap();
    let chunk = vec![0x5a; 1 << 20];
    for _ in 0..SIZE / chunk.len() {
        stream.write_all(&chunk).unwrap();
    }
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    assert!(response.starts_with(b"HTTP/1.1 200"), "{:?}", String::from_utf8_lossy(&response));
    let grown = resident_kib("VmHWM").saturating_sub(before);
    println!("{} MiB took {grown} KiB", SIZE >> 20);
    assert!(grown < 32 << 10, "{grown} KiB");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    assert_eq!(api.result(&operation, 30).json()["error"]["code"], "limit_exceeded");
}
