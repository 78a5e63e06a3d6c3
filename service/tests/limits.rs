//! Tests of the limits of concurrency and of time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::Limits;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Api, OCTETS, builder, connect, request, send, split};

const OPTIMIZE: &str = "/v1/operations/optimize";

/// Starts to upload a file, and sends only its first byte, so that the connection stays busy.
fn slow_upload_of(api: &Api<'_>, bytes: usize) -> TcpStream {
    let (_, url) = api.ticket("a.pdf");
    let (host, target) = split(&url);
    let mut stream = connect(&url);
    let head = format!("PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {}\r\n", OCTETS.1);
    stream.write_all(format!("{head}Content-Length: {bytes}\r\n\r\nx").as_bytes()).unwrap();
    stream
}

/// An upload that the service has begun to read: it has asked for the body, of which the first byte is sent.
fn busy_upload(api: &Api<'_>) -> TcpStream {
    let (_, url) = api.ticket("a.pdf");
    let (host, target) = split(&url);
    let mut stream = connect(&url);
    let head = format!("PUT {target} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {}\r\n", OCTETS.1);
    stream
        .write_all(format!("{head}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n").as_bytes())
        .unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"x").unwrap();
    stream
}

/// Opens connections that send nothing. Returns after the service has accepted them or has closed older ones.
fn idle_connections(url: &str, count: usize) -> Vec<TcpStream> {
    let began = Instant::now();
    let idle = (0..count).map(|_| connect(url)).collect();
    assert_eq!(send("GET", url, &[], b"").status, 200);
    // A service that accepts no connection lets clients wait until their idle connections have timed out.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    idle
}

#[test]
fn a_new_connection_waits_while_all_others_are_busy() {
    let limits = Limits { connections: 2, connections_per_peer: Some(3), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let url = format!("{}/health", service.base_url());
    let (first, _second) = (busy_upload(&Api(&service)), busy_upload(&Api(&service)));
    let mut third = connect(&url);
    third.write_all(&request("GET", &url, &[], b"")).unwrap();
    third.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(third.read(&mut [0]).is_err(), "it got a response beyond the limit");
    drop(first);
    third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(support::read_response(&mut third, false).status, 200);
}

#[test]
fn a_thousand_idle_connections_do_not_delay_other_clients() {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        // The service and its clients are in one process.
        let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    }
    // Only a new connection closes an idle one during this test.
    let limits = Limits { first_header_time: Duration::from_secs(60), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let url = format!("{}/health", service.base_url());
    let mut idle = idle_connections(&url, 1000);
    for _ in 0..5 {
        let began = Instant::now();
        assert_eq!(send("GET", &url, &[], b"").status, 200);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
    // The oldest were closed, and the newest are still open.
    let mut is_open = |index: usize| {
        idle[index].set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        idle[index].read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    assert!(!is_open(0), "the oldest idle connection is open");
    assert!(is_open(999), "the newest idle connection is closed");
}

#[test]
fn connections_that_wait_for_their_next_request_give_way_too() {
    let limits = Limits { connections: 20, connections_per_peer: Some(20), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let url = format!("{}/health", service.base_url());
    let (host, target) = split(&url);
    let kept_alive: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = connect(&url);
            stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            stream
        })
        .collect();
    let began = Instant::now();
    assert_eq!(send("GET", &url, &[], b"").status, 200);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    drop(kept_alive);
}

#[test]
fn an_address_that_has_used_up_its_share_is_told_so() {
    let limits = Limits { connections: 20, connections_per_peer: Some(2), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let url = format!("{}/health", service.base_url());
    let uploads = [busy_upload(&Api(&service)), busy_upload(&Api(&service))];
    let mut refused = connect(&url);
    let response = support::read_response(&mut refused, false);
    assert_eq!((response.status, response.header("retry-after")), (503, Some("1")));
    assert_eq!(response.json()["code"], "too_many_connections");
    drop(uploads);
}

#[test]
fn a_connection_without_a_request_is_closed_after_a_short_time() {
    let limits = Limits { first_header_time: Duration::from_millis(200), ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let (mut silent, mut slow) = (connect(service.base_url()), connect(service.base_url()));
    slow.write_all(b"GET /health HTTP/1.1\r\nHost: ").unwrap();
    let began = Instant::now();
    for stream in [&mut silent, &mut slow] {
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)), "it got a response");
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn an_upload_that_is_too_slow_or_too_long_is_ended() {
    let stall_time = Duration::from_millis(300);
    for (limits, words) in [
        (Limits { stall_time, upload_rate: 10_000, ..Limits::default() }, "10000 bytes per second"),
        (
            Limits { upload_time: Duration::from_millis(300), upload_rate: 0, ..Limits::default() },
            "within 0 s",
        ),
    ] {
        let service = builder().limits(limits).start().unwrap();
        let mut stream = slow_upload_of(&Api(&service), 1 << 20);
        let mut sender = stream.try_clone().unwrap();
        // One byte at a time, so that the upload never stalls.
        let sending = std::thread::spawn(move || {
            while sender.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let response = support::read_response(&mut stream, false);
        assert_eq!((response.status, response.code().as_str()), (408, "body_timeout"));
        assert!(response.json()["detail"].as_str().unwrap().contains(words), "{response:?}");
        drop(stream);
        sending.join().unwrap();
    }
}

#[test]
fn options_are_bounded_in_length_and_in_bytes() {
    let limits = Limits { text_bytes: 1000, options_bytes: 3000, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"hello");
    let start = |options: serde_json::Value| {
        api.post("/v1/operations/encrypt", &json!({"input": {"fileId": file}, "options": options}))
    };
    let long = start(json!({"password": "s".repeat(1001)}));
    assert_eq!((long.status, long.code().as_str()), (422, "invalid_option"), "{long:?}");
    assert_eq!((&long.json()["limit"], &long.json()["field"]), (&json!(1000), &json!("options.password")));
    assert!(!long.json()["detail"].as_str().unwrap().contains("sss"));
    let many = start(json!({"password": "s", "other": vec!["x".repeat(900); 4]}));
    assert_eq!(many.status, 200, "unknown options are ignored: {many:?}");
    let strict = Limits { text_bytes: 1000, options_bytes: 20, ..Limits::default() };
    let service = builder().limits(strict).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"hello");
    let body = json!({"input": {"fileId": file}, "options": {"password": "0123456789"}});
    let large = api.post("/v1/operations/encrypt", &body);
    assert_eq!(
        (large.status, large.code().as_str(), &large.json()["limit"]),
        (413, "body_too_large", &json!(20))
    );
}

#[test]
fn the_options_of_all_queued_operations_are_bounded_in_bytes() {
    let limits = Limits { queued_bytes: 2500, ..Limits::default() };
    let service = builder().workers(1).limits(limits).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"sleep");
    let body = json!({"input": {"fileId": file}, "options": {"password": "s".repeat(100)}});
    let statuses: Vec<u16> = (0..40).map(|_| api.post("/v1/operations/encrypt", &body).status).collect();
    let accepted = statuses.iter().filter(|status| **status == 200).count();
    assert!((10..=21).contains(&accepted), "{statuses:?}");
    let refused = api.post("/v1/operations/encrypt", &body);
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_operations"));
    assert_eq!(refused.json()["limit"], 2500);
    // Operations that have ended no longer count.
    assert_eq!(api.send("DELETE", &format!("/v1/files/{file}"), &[], b"").status, 200);
    let file = api.upload("a.pdf", b"hello");
    let body = json!({"input": {"fileId": file}});
    let until = Instant::now() + Duration::from_secs(10);
    while api.post("/v1/operations/optimize", &body).status != 200 {
        assert!(Instant::now() < until, "ended operations still count");
    }
}

#[test]
fn kept_results_are_bounded_in_bytes() {
    let limits = Limits { results_bytes: 300, ..Limits::default() };
    let service = builder().limits(limits).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"hello");
    let operations: Vec<_> = (0..6)
        .map(|_| {
            let operation = api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
            assert_eq!(api.result(&operation, 30).json()["operationStatus"], "finished");
            operation
        })
        .collect();
    let statuses: Vec<_> = operations.iter().map(|operation| api.result(operation, 0).status).collect();
    assert_eq!((statuses[0], statuses[5]), (404, 200), "{statuses:?}");
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
