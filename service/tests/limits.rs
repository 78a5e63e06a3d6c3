//! Tests of the limits of concurrency and of time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::Limits;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Api, builder, connect, request};

const OPTIMIZE: &str = "/v1/operations/optimize";

#[test]
fn connections_beyond_the_limit_wait() {
    let limits = Limits { connections: 2, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let url = format!("{}/health", service.base_url());
    let (first, _second) = (connect(&url), connect(&url));
    // The service must have accepted the first two connections before the third client connects.
    std::thread::sleep(Duration::from_millis(50));
    let mut third = connect(&url);
    third.write_all(&request("GET", &url, &[], b"")).unwrap();
    third.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut byte = [0];
    assert!(third.read(&mut byte).is_err(), "it got a response beyond the limit");
    drop(first);
    third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(support::read_response(&mut third, false).status, 200);
}

#[test]
fn only_the_latest_results_are_kept() {
    let limits = Limits { results: 2, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"hello");
    let operations: Vec<_> = (0..3)
        .map(|_| {
            let operation = api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
            assert_eq!(api.result(&operation, 30).json()["operationStatus"], "finished");
            operation
        })
        .collect();
    let statuses: Vec<_> = operations.iter().map(|operation| api.result(operation, 0).status).collect();
    assert_eq!(statuses, [404, 200, 200]);
    assert_eq!(api.result(&operations[0], 0).code(), "operation_not_found");
}

#[test]
fn a_wait_is_no_longer_than_the_limit() {
    let limits = Limits { wait_time: Duration::from_secs(1), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"sleep");
    let operation = api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
    let began = Instant::now();
    let response = api.result(&operation, 30);
    assert_eq!(response.header("preference-applied"), Some("wait=1"));
    assert_eq!(response.json()["operationStatus"], "inProgress");
    assert!((1..10).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

#[test]
fn fetches_beyond_the_limit_wait() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn({
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        move || {
            for stream in listener.incoming() {
                let (mut stream, now, most) = (stream.unwrap(), Arc::clone(&now), Arc::clone(&most));
                std::thread::spawn(move || {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let _ = stream.read(&mut [0; 1024]);
                    std::thread::sleep(Duration::from_millis(50));
                    now.fetch_sub(1, Ordering::SeqCst);
                    let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
                });
            }
        }
    });
    let limits = Limits { fetches: 2, ..Limits::default() };
    let service = builder().allow_private_urls(true).limits(limits).start().unwrap();
    let api = Api(&service);
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (api, host) = (&api, &host);
            scope.spawn(move || {
                let url = format!("{host}/{number}.pdf");
                assert_eq!(api.post("/v1/files/upload/fromUrl", &json!({"fileUrl": url})).status, 200);
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 2);
}
