//! Starts against servers that close each connection after one response: no start may become `OutcomeUnknown`, because
//! the client sent it over a connection that the server had just closed.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Client, ErrorKind, Source};
use recto_interface::OperationKind;
use serde_json::Value;
use std::io::{BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::read_request;

/// How a server closes a connection after its response.
#[derive(Clone, Copy)]
enum Close {
    /// The end of the stream (FIN).
    Fin,
    /// A reset (RST).
    Rst,
}

/// A server that responds to one request on each connection, without `Connection: close`, and closes the connection.
/// Returns its address, and the number of starts that it has received.
fn closing_server(close: Close) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let starts = Arc::new(AtomicUsize::new(0));
    let counter = starts.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, counter) = (stream.unwrap(), counter.clone());
            std::thread::spawn(move || respond_once(stream, close, &counter));
        }
    });
    (address, starts)
}

fn respond_once(mut stream: TcpStream, close: Close, starts: &AtomicUsize) {
    let Some(request) = read_request(&mut BufReader::new(&stream)) else { return };
    let body = if request.method == "POST" {
        starts.fetch_add(1, Ordering::SeqCst);
        r#"{"operationId":"o","operationType":"optimize","operationStatus":"inProgress"}"#
    } else {
        r#"{"files":[]}"#
    };
    let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    if stream.write_all(response.as_bytes()).is_err() {
        return;
    }
    match close {
        Close::Fin => drop(stream.shutdown(Shutdown::Both)),
        Close::Rst => reset(stream),
    }
}

/// Closes a connection with a reset. The standard library cannot do so.
fn reset(stream: TcpStream) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let _entered = runtime.enter();
    stream.set_nonblocking(true).unwrap();
    tokio::net::TcpStream::from_std(stream).unwrap().set_zero_linger().unwrap();
}

/// Starts 60 operations, each after another request, so that there is an idle connection. Returns how many starts
/// failed.
fn failed_starts(close: Close) -> usize {
    let (address, starts) = closing_server(close);
    let client = Client::builder().base_url(address).build().unwrap();
    let call = Call::new();
    let failed = (0..60)
        .filter(|_| {
            client.files().list(false, &call).unwrap();
            let file = Source::file(recto::FileId::new("f"));
            match client.start_json(OperationKind::Optimize, file, &Value::Null, &call) {
                Ok(_) => false,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
                    true
                }
            }
        })
        .count();
    assert_eq!(starts.load(Ordering::SeqCst), 60, "each start arrives exactly once");
    failed
}

#[test]
fn a_server_that_ends_idle_connections_makes_no_outcome_unknown() {
    assert_eq!(failed_starts(Close::Fin), 0);
}

#[test]
fn a_server_that_resets_idle_connections_makes_no_outcome_unknown() {
    assert_eq!(failed_starts(Close::Rst), 0);
}
