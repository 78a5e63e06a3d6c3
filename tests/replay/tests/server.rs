//! Tests of the replay server over plain sockets: it checks requests strictly, and injects the faults of a scenario.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // Tests state what they expect.

use recto_replay::control::Control;
use recto_replay::outcome::Step;
use recto_replay::server::Certificates;
use recto_replay::{Outcome, Run, Suite, Verdict, load};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| tokio::runtime::Runtime::new().unwrap());
static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| Certificates::make().unwrap());

fn suite() -> Suite {
    Suite { folder: Suite::default_folder().canonicalize().unwrap(), scenarios: Vec::new() }
}

fn start(exchanges: &str) -> Run {
    let text = format!(
        r#"{{"id": "a.b", "about": "A.", "origin": {{"kind": "fault"}}, "call": {{"op": "list"}},
            "exchanges": [{exchanges}], "expect": {{"ok": {{}}}}}}"#
    );
    let _context = RUNTIME.enter();
    Run::start(&suite(), &load::parse(&text).unwrap(), &CERTIFICATES).unwrap()
}

fn connect(run: &Run) -> TcpStream {
    let url = run.prepared().client.base_url.as_ref().unwrap();
    let stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream
}

fn list(run: &Run) -> String {
    let key = run.prepared().client.api_key.as_ref().unwrap();
    format!("GET /v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\naccept: application/json\r\n\r\n")
}

/// Sends a request, and reads until the server closes the connection or sends nothing for a while.
fn ask(stream: &mut TcpStream, request: &str) -> std::io::Result<String> {
    stream.write_all(request.as_bytes())?;
    stream.set_read_timeout(Some(Duration::from_millis(300)))?;
    let mut answer = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(&bytes[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn end(run: Run) -> Verdict {
    let step = Step { ok: Some(serde_json::Map::new()), ..Step::default() };
    run.finish(&Outcome { steps: vec![step], log: String::new() })
}

const OK: &str = r#"{"request": {"method": "GET", "path": "/v1/files"}, "response": {"status": 200, "json": {"files": []}}}"#;

#[test]
fn the_next_exchange_is_answered_and_the_connection_kept() {
    let run = start(&format!("{OK}, {OK}"));
    let mut stream = connect(&run);
    let request = list(&run);
    for _ in 0..2 {
        let answer = ask(&mut stream, &request).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"files":[]}"#), "{answer}");
    }
    let verdict = end(run);
    assert!(verdict.is_pass(), "{}", verdict.report());
}

#[test]
fn another_request_one_too_many_and_one_too_few_are_differences() {
    let run = start(OK);
    let request = list(&run);
    assert!(
        ask(&mut connect(&run), &request.replace("/v1/files", "/v1/files?a=1"))
            .unwrap()
            .starts_with("HTTP/1.1 400")
    );
    assert!(end(run).report().contains(r#"exchange 0: path: expected "/v1/files", got "/v1/files?a=1""#));

    let run = start(OK);
    let request = list(&run);
    ask(&mut connect(&run), &request).unwrap();
    ask(&mut connect(&run), &request).unwrap();
    assert!(end(run).report().contains("exchange 1: none expected beyond"));

    assert!(end(start(OK)).report().contains("exchange 0: expected GET /v1/files 1 times, it came 0 times"));
}

#[test]
fn headers_and_bodies_are_compared_field_by_field() {
    let run = start(
        r#"{"request": {"method": "POST", "path": "/v1/x", "json": {"a": 1}}, "response": {"status": 200}}"#,
    );
    let request = "POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 7\r\naccept: text/html\r\n\r\n{\"a\":2}";
    ask(&mut connect(&run), request).unwrap();
    let report = end(run).report();
    for difference in [
        "header x-api-key: expected the key once, got 0 values",
        r#"header accept: expected ["application/json"], got ["text/html"]"#,
        r#"header content-type: expected ["application/json"], got []"#,
        r#"body: expected {"a":1}, got {"a":2}"#,
    ] {
        assert!(report.contains(difference), "{difference}\n{report}");
    }
}

#[test]
fn a_reset_fault_sends_a_reset_and_a_close_fault_does_not() {
    let fault = |kind: &str| {
        format!(r#"{{"request": {{"method": "GET", "path": "/v1/files"}}, "fault": {{"kind": "{kind}"}}}}"#)
    };
    let run = start(&fault("reset"));
    let error = ask(&mut connect(&run), &list(&run)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let run = start(&fault("close"));
    assert_eq!(ask(&mut connect(&run), &list(&run)).unwrap(), "");
    assert!(end(run).is_pass());
}

#[test]
fn a_body_is_cut_after_the_given_number_of_bytes() {
    let exchange = |fault: &str| {
        format!(
            r#"{{"request": {{"method": "GET", "path": "/v1/files"}}, "response": {{"status": 200, "text": "0123456789"}}, "fault": {fault}}}"#
        )
    };
    let run = start(&exchange(r#"{"kind": "truncate", "afterResponseBytes": 4}"#));
    let answer = ask(&mut connect(&run), &list(&run)).unwrap();
    assert!(answer.contains("content-length: 10") && answer.ends_with("\r\n\r\n0123"), "{answer}");
    let run = start(&exchange(r#"{"kind": "badChunk", "afterResponseBytes": 4}"#));
    let answer = ask(&mut connect(&run), &list(&run)).unwrap();
    assert!(
        answer.contains("transfer-encoding: chunked") && answer.ends_with("4\r\n0123\r\nzz\r\n"),
        "{answer}"
    );
    let run = start(&exchange(r#"{"kind": "drip", "chunkBytes": 2, "everyMs": 50}"#));
    let began = Instant::now();
    assert!(ask(&mut connect(&run), &list(&run)).unwrap().ends_with("0123456789"));
    assert!(began.elapsed() >= Duration::from_millis(200));
    let run = start(&exchange(r#"{"kind": "stall", "afterResponseBytes": 4}"#));
    let mut stream = connect(&run);
    assert!(ask(&mut stream, &list(&run)).unwrap().ends_with("0123"));
    assert_eq!(stream.read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock, "the connection stays");
}

#[test]
fn a_runner_speaks_lines_of_json() {
    let suite = Suite::load(&Suite::default_folder()).unwrap_or_else(|faults| panic!("{faults}"));
    let control = Arc::new(Control::new(suite).unwrap());
    let (address, serving) = RUNTIME.block_on(control.listen()).unwrap();
    RUNTIME.spawn(serving);
    let stream = TcpStream::connect(address).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut say = |line: &str| -> serde_json::Value {
        (&stream).write_all(format!("{line}\n").as_bytes()).unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert!(say(r#"{"do": "list"}"#)["scenarios"].as_array().unwrap().len() >= 150);
    let started = say(r#"{"do": "start", "id": "files.list_null"}"#);
    assert_eq!((started["run"].as_u64(), started["calls"][0]["op"].as_str()), (Some(1), Some("list")));
    let ended = say(r#"{"do": "finish", "run": 1, "outcome": {"steps": [{"ok": {"files": []}}]}}"#);
    assert_eq!(ended["pass"], false);
    let report = ended["report"].as_str().unwrap();
    assert!(report.contains("expected 3 outcomes, got 1") && report.contains("it came 0 times"), "{report}");
    assert!(say(r#"{"do": "finish", "run": 1, "outcome": {"steps": []}}"#)["fault"].is_string());
    assert!(say("nonsense")["fault"].is_string());
    assert!(control.open()["files.list_null"].contains("it came 0 times"), "what was not passed stays open");
}
