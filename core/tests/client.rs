//! Tests of the client against a real server on the loopback interface: what callers get, and which requests are
//! sent.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Cancel, Client, ErrorKind, FileId, OptimizeOptions, Phase, SignedUrl, Sink, Source};
use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use support::{Reply, Request, Server, entries};

const KEY: &str = "the-key-of-the-test";

fn client(server: &Server) -> Client {
    Client::builder().base_url(server.url()).api_key(KEY).no_proxy().build().unwrap()
}

fn pdf(length: usize) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    bytes.extend((0..length.saturating_sub(bytes.len())).map(|n| (n % 251) as u8));
    bytes
}

/// A service and its storage. Their origins differ, as in the specification.
fn service(document: Vec<u8>) -> (Server, Server) {
    let storage = Server::start(move |request, _| match request.method.as_str() {
        "PUT" => Reply::status(200),
        _ => Reply::Answer(200, vec![("etag", "\"1\"".to_owned())], document.clone()),
    });
    let at = storage.url();
    let api = Server::start(move |request, _| match request.line().as_str() {
        "POST /v1/files/upload/fromLocal" => {
            Reply::json(200, format!(r#"{{"fileId":"f 1","uploadUrl":"{at}/u/1?sig=a%2Bb&x=(q)"}}"#))
        }
        "POST /v1/operations/optimize" => Reply::json(
            200,
            r#"{"operationId":"o/1","operationType":"optimize","operationStatus":"inProgress"}"#,
        ),
        "GET /v1/operations/o%2F1/result" => Reply::json(
            200,
            format!(
                r#"{{"operationType":"optimize","operationStatus":"finished",
                "outputFile":{{"fileId":"r","name":"out.pdf","url":"{at}/d?sig=%41(b"}}}}"#
            ),
        ),
        _ => Reply::json(404, r#"{"detail":"no such path"}"#),
    });
    (api, storage)
}

#[test]
fn a_document_is_uploaded_processed_and_downloaded() {
    let document = pdf(300_000);
    let (api, storage) = service(document.clone());
    let directory = tempfile::tempdir().unwrap();
    let phases = RefCell::new(Vec::new());
    let call = Call::new().on_progress(|progress| {
        phases.borrow_mut().push((progress.phase, progress.done));
        ControlFlow::Continue(())
    });
    let source = Source::bytes(document.clone(), "in.pdf");
    let operation = client(&api).start(source, OptimizeOptions::default(), &call).unwrap();
    assert_eq!(operation.id(), "o/1");
    let saved = operation.save(directory.path(), &call).unwrap();
    assert_eq!(saved, directory.path().join("in.pdf"));
    assert!(std::fs::read(saved).unwrap() == document);
    assert_eq!(entries(directory.path()), ["in.pdf"]);

    let size = document.len() as u64;
    for mark in [(Phase::Upload, 0), (Phase::Upload, size), (Phase::Wait, 0), (Phase::Download, size)] {
        assert!(phases.borrow().contains(&mark), "{mark:?} not in {:?}", phases.borrow());
    }
    let asked = api.seen();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].body, br#"{"fileName":"in.pdf"}"#);
    assert_eq!(asked[1].body, br#"{"input":{"fileId":"f 1"}}"#);
    assert!(asked[2].header("prefer").unwrap().starts_with("wait="));
    assert!(asked.iter().all(|request| request.header("x-api-key") == Some(KEY)));
    assert!(asked.iter().all(|request| request.header("accept") == Some("application/json")));
    let moved = storage.seen();
    assert_eq!(storage.lines(), ["PUT /u/1?sig=a%2Bb&x=(q)", "GET /d?sig=%41(b"], "byte for byte");
    assert!(moved.iter().all(|request| request.header("x-api-key").is_none()));
    assert_eq!(moved[0].header("content-type"), Some("application/octet-stream"));
    assert_eq!(moved[0].header("content-length"), Some("300000"));
    assert!(moved[0].body == document);
}

#[test]
fn a_result_in_a_folder_never_replaces_its_source() {
    let (api, _) = service(pdf(100));
    let directory = tempfile::tempdir().unwrap();
    let (source, other) = (directory.path().join("form.pdf"), directory.path().join("other.pdf"));
    std::fs::write(&source, "the source").unwrap();
    let client = client(&api);
    let save = |source: Source, to: &std::path::Path| {
        client.start(source, OptimizeOptions::default(), &Call::new()).unwrap().save(to, &Call::new())
    };
    let reader = || Source::reader(Box::new(std::fs::File::open(&source).unwrap()), "form.pdf", None);
    let mut sources = vec![Source::path(&source), reader().read_from(&source)];
    #[cfg(unix)]
    {
        std::fs::create_dir(directory.path().join("linked")).unwrap();
        std::os::unix::fs::symlink(&source, directory.path().join("linked/form.pdf")).unwrap();
        sources.push(Source::path(directory.path().join("linked/form.pdf")));
        std::os::unix::fs::symlink(directory.path(), directory.path().join("here")).unwrap();
        sources.push(Source::path(directory.path().join("here/form.pdf")));
    }
    for from in sources {
        let error = save(from, directory.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.to_string().contains("would replace its source"), "{error}");
    }
    assert_eq!(std::fs::read(&source).unwrap(), b"the source");
    // A file that the caller names is replaced, as a whole.
    assert_eq!(save(Source::path(&source), &source).unwrap(), source);
    assert_eq!(std::fs::read(&source).unwrap(), pdf(100));
    let operation = client.start(FileId::new("f"), OptimizeOptions::default(), &Call::new()).unwrap();
    let keep = Call::new().overwrite(false);
    assert_eq!(operation.save(&other, &keep).unwrap(), other);
    assert_eq!(operation.save(&other, &keep).unwrap_err().io_kind(), Some(io::ErrorKind::AlreadyExists));
    let checked = Sink::path(directory.path()).check_result(
        &Source::path(&source),
        recto::OperationKind::Optimize,
        true,
    );
    assert_eq!(checked.unwrap_err().kind(), ErrorKind::InvalidRequest);
}

#[test]
fn an_empty_document_is_sent_with_its_length() {
    let (api, storage) = service(pdf(10));
    client(&api).files().upload(Source::bytes(Vec::new(), "empty.pdf"), &Call::new()).unwrap();
    assert_eq!(storage.seen()[0].header("content-length"), Some("0"));
}

#[test]
fn an_input_that_the_operation_does_not_accept_is_refused_before_anything_is_sent() {
    let (api, _) = service(pdf(10));
    let start = |call: &Call<'_>| {
        client(&api).start(Source::bytes(pdf(10), "in.docx"), OptimizeOptions::default(), call)
    };
    let error = start(&Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(error.to_string().contains(".pdf"), "{error}");
    assert!(api.seen().is_empty());
    start(&Call::new().force(true)).unwrap();
}

#[test]
fn identifiers_that_would_change_the_path_are_refused() {
    let (api, _) = service(pdf(10));
    for id in ["", ".", ".."] {
        let error = client(&api).files().delete(&FileId::new(id), &Call::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }
    assert!(api.seen().is_empty());
}

#[test]
fn a_redirect_to_another_origin_keeps_the_body_and_drops_the_key() {
    let elsewhere = Server::start(|_, _| Reply::json(200, r#"{"fileId":"f"}"#));
    let there = elsewhere.url();
    let api = Server::start(move |request, _| match request.target.as_str() {
        "/v1/files/upload/fromUrl" => Reply::redirect(307, "/moved?a=(b)"),
        _ => Reply::redirect(308, format!("{there}/x")),
    });
    let id = client(&api).files().upload_from_url("https://d.example/a?sig=1", &Call::new()).unwrap();
    assert_eq!(id.as_str(), "f");
    assert_eq!(api.lines(), ["POST /v1/files/upload/fromUrl", "POST /moved?a=(b)"]);
    assert!(api.seen().iter().all(|request| request.header("x-api-key") == Some(KEY)));
    let arrived = &elsewhere.seen()[0];
    assert_eq!(arrived.header("x-api-key"), None);
    assert_eq!(arrived.body, br#"{"fileUrl":"https://d.example/a?sig=1"}"#);
}

#[test]
fn a_call_ends_when_another_thread_cancels_it_or_closes_the_client() {
    let api = Server::start(|_, _| Reply::Stall);
    let (client, cancel) = (client(&api), Cancel::new());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| client.files().list(false, &Call::new().cancel(&cancel)));
        let other = scope.spawn(|| client.files().list(true, &Call::new()));
        while api.seen().len() < 2 {
            std::thread::yield_now();
        }
        cancel.trigger();
        assert_eq!(waiting.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        client.close();
        assert_eq!(other.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
    let error = client.files().list(false, &Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.to_string().contains("closed"), "{error}");
}

#[test]
fn a_progress_callback_can_end_the_call_and_no_file_remains() {
    let (api, _) = service(pdf(1000));
    let directory = tempfile::tempdir().unwrap();
    let operation = client(&api).start(FileId::new("f"), OptimizeOptions::default(), &Call::new()).unwrap();
    let stop = Call::new().on_progress(|progress| match progress.phase {
        Phase::Download => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let error = operation.save(directory.path().join("o.pdf"), &stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(entries(directory.path()).is_empty());
}

#[test]
fn a_stalled_transfer_times_out_and_a_slow_one_does_not() {
    let build = |server: &Server| {
        let builder = Client::builder().base_url(server.url()).no_proxy().retries(0);
        builder.stall_timeout(Duration::from_millis(400)).build().unwrap()
    };
    let fetch = |server: &Server| {
        let mut bytes = Vec::new();
        let from = SignedUrl::new(format!("{}/d?sig=secret", server.url()));
        let done = build(server).files().download(&from, Sink::memory(&mut bytes), &Call::new());
        done.map(|_| bytes)
    };
    let slow = Server::start(|_, _| Reply::Drip(b"0123456789".to_vec(), Duration::from_millis(100)));
    assert_eq!(fetch(&slow).unwrap(), b"0123456789");
    let still = Server::start(|_, _| Reply::Drip(b"0123456789".to_vec(), Duration::from_secs(60)));
    let error = fetch(&still).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RequestTimeout);
    assert!(!error.to_string().contains("secret"), "{error}");
}

/// Serves `document` in pieces: each response breaks off after `piece` bytes. If `ranges` is set, the server honours
/// ranges.
fn cutting(
    document: Vec<u8>,
    piece: usize,
    ranges: bool,
    tag: impl Fn(usize) -> String + Send + Sync + 'static,
) -> Server {
    Server::start(move |request, before| {
        let tag = tag(before);
        let from = request.header("range").map(|range| range[6..range.len() - 1].parse::<usize>().unwrap());
        let fits = request.header("if-range").is_none_or(|wanted| wanted == tag);
        let headers = vec![("etag", tag.clone())];
        match from {
            Some(from) if ranges && fits => {
                let range = format!("bytes {from}-{}/{}", document.len() - 1, document.len());
                let headers = [headers, vec![("content-range", range)]].concat();
                let rest = document[from..].to_vec();
                let sent = piece.min(rest.len());
                Reply::Cut(206, headers, rest, sent)
            }
            _ if before < 3 => Reply::Cut(200, headers, document.clone(), piece),
            _ => Reply::Answer(200, headers, document.clone()),
        }
    })
}

fn fetch_to(server: &Server, path: &std::path::Path) -> Result<(), recto::Error> {
    let from = SignedUrl::new(format!("{}/d", server.url()));
    client(server).files().download(&from, Sink::path(path), &Call::new()).map(drop)
}

#[test]
fn an_interrupted_download_resumes_where_it_stopped() {
    let (document, directory) = (pdf(100_000), tempfile::tempdir().unwrap());
    let server = cutting(document.clone(), 30_000, true, |_| "\"v1\"".to_owned());
    let target = directory.path().join("o.pdf");
    fetch_to(&server, &target).unwrap();
    assert!(std::fs::read(target).unwrap() == document);
    let ranges: Vec<_> =
        server.seen().iter().map(|request| request.header("range").map(str::to_owned)).collect();
    let expected = [None, Some("bytes=30000-"), Some("bytes=60000-"), Some("bytes=90000-")];
    assert_eq!(ranges, expected.map(|range| range.map(str::to_owned)));
    assert_eq!(entries(directory.path()), ["o.pdf"]);
}

#[test]
fn an_interrupted_download_that_cannot_resume_starts_again() {
    for (ranges, tag) in [(false, "\"v1\""), (true, "W/\"weak\""), (true, "changing")] {
        let (document, directory) = (pdf(100_000), tempfile::tempdir().unwrap());
        let changing = tag == "changing";
        let of = move |n| if changing { format!("\"v{n}\"") } else { tag.to_owned() };
        let server = cutting(document.clone(), 30_000, ranges, of);
        let target = directory.path().join("o.pdf");
        fetch_to(&server, &target).unwrap();
        assert!(std::fs::read(target).unwrap() == document, "{ranges} {tag}");
        assert_eq!(server.seen().len(), 4);
    }
}

#[test]
fn a_writer_gets_each_byte_once_or_an_error() {
    let document = pdf(100_000);
    for (ranges, tag, works) in
        [(true, "\"v1\"", true), (false, "\"v1\"", true), (false, "W/\"weak\"", false)]
    {
        let server = cutting(document.clone(), 30_000, ranges, move |_| tag.to_owned());
        let mut written = std::io::Cursor::new(Vec::new());
        let from = SignedUrl::new(format!("{}/d", server.url()));
        let done = client(&server).files().download(&from, Sink::writer(&mut written), &Call::new());
        assert_eq!(done.is_ok(), works, "{ranges} {tag}: {done:?}");
        assert!(document.starts_with(written.get_ref()));
        assert_eq!(written.get_ref().len() == document.len(), works);
    }
}

#[test]
fn a_failed_download_keeps_the_existing_file() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("o.pdf");
    std::fs::write(&target, "before").unwrap();
    let page = Server::start(|_, _| Reply::json(200, "<html>sorry</html>"));
    assert_eq!(fetch_to(&page, &target).unwrap_err().kind(), ErrorKind::Protocol);
    let broken = Server::start(|_, _| Reply::Cut(200, Vec::new(), pdf(5000), 2000));
    assert_eq!(fetch_to(&broken, &target).unwrap_err().kind(), ErrorKind::Transport);
    assert_eq!(broken.seen().len(), 4);
    assert_eq!(std::fs::read(&target).unwrap(), b"before");
    assert_eq!(entries(directory.path()), ["o.pdf"]);
}

#[test]
fn an_endless_response_is_refused_and_not_kept_in_memory() {
    let long = |_: &Request, _| Reply::json(200, format!("{{\"files\":[{}]}}", " ".repeat(40_000)));
    let api = Server::start(long);
    let client = Client::builder().base_url(api.url()).no_proxy().json_limit(10_000).build().unwrap();
    let error = client.files().list(false, &Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.body().unwrap().len() < 4000);
    assert_eq!(api.seen().len(), 1);
}

#[test]
fn deeply_nested_json_is_an_error_not_a_crash() {
    let api = Server::start(|_, _| Reply::json(200, "[".repeat(1_000_000)));
    let error = client(&api).files().list(false, &Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
}

#[test]
fn an_error_does_not_contain_a_key_that_the_service_echoes() {
    let api = Server::start(|request, _| {
        let key = request.header("x-api-key").unwrap_or_default();
        Reply::json(
            400,
            format!(r#"{{"title":"{key}","detail":"bad key {key} at https://h/?sig=1","code":"{key}"}}"#),
        )
    });
    let error = client(&api).files().list(false, &Call::new()).unwrap_err();
    let shown = format!(
        "{error} {error:?} {:?} {:?} {:?} {:?}",
        error.body(),
        error.title(),
        error.detail(),
        error.code()
    );
    assert!(!shown.contains(KEY) && !shown.contains("sig=1"), "{shown}");
}

#[test]
fn a_start_that_may_have_been_processed_is_repeated_only_if_configured() {
    let api = Server::start(|_, before| match before {
        0 => Reply::Close,
        _ => Reply::json(200, r#"{"operationId":"o"}"#),
    });
    let start = |client: &Client| client.start(FileId::new("f"), OptimizeOptions::default(), &Call::new());
    let error = start(&client(&api)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(api.seen().len(), 1);

    let api = Server::start(|_, before| match before {
        0 => Reply::Close,
        1 => Reply::status(502),
        _ => Reply::json(200, r#"{"operationId":"o"}"#),
    });
    let willing = Client::builder().base_url(api.url()).no_proxy().retry_unknown(true).build().unwrap();
    assert_eq!(start(&willing).unwrap().id(), "o");
    assert_eq!(api.seen().len(), 3);
}

#[test]
fn a_failed_connection_is_retried_even_for_a_start() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client =
        Client::builder().base_url(format!("http://{nobody}")).no_proxy().retries(1).build().unwrap();
    let error = client.start(FileId::new("f"), OptimizeOptions::default(), &Call::new()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Transport, 2));
    assert!(error.to_string().contains("refused"), "{error}");
}

#[test]
fn a_wait_survives_failures_and_ends_with_a_token_that_resumes_it() {
    let api = Server::start(|request, before| match (request.method.as_str(), before) {
        ("POST", _) => Reply::json(200, r#"{"operationId":"o","operationType":"optimize"}"#),
        (_, 1) => Reply::status(404),
        (_, 2) => Reply::Close,
        (_, 3) => Reply::status(500),
        (_, 4..=30) => Reply::json(200, r#"{"operationStatus":"inProgress"}"#),
        _ => Reply::status(403),
    });
    let client = client(&api);
    let operation = client.start(FileId::new("f"), OptimizeOptions::default(), &Call::new()).unwrap();
    let short = Call::new().wait_timeout(Some(Duration::from_millis(1500)));
    let error = operation.wait(&short).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimeout);
    assert_eq!(error.operation_id(), Some("o"));
    let asked = api.seen().len();
    assert!((5..=30).contains(&asked), "{asked}");
    let token = error.token().unwrap();
    assert_eq!(client.resume(token).unwrap().id(), "o");
    let other = Client::builder().base_url("https://other.example").build().unwrap();
    assert_eq!(other.resume(token).unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn a_time_limit_covers_all_attempts() {
    let api = Server::start(|_, _| Reply::Stall);
    let begun = Instant::now();
    let error =
        client(&api).files().list(false, &Call::new().timeout(Duration::from_millis(300))).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RequestTimeout, 1));
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_new_ticket_and_a_new_address_are_requested_once() {
    let storage = Server::start(|request, _| match request.target.as_str() {
        "/u2" => Reply::status(200),
        "/d2" => Reply::Answer(200, Vec::new(), pdf(20)),
        _ => Reply::status(403),
    });
    let at = storage.url();
    let api = Server::start(move |request, before| {
        let fresh = if before == 0 || before == 3 { 1 } else { 2 };
        match request.method.as_str() {
            "GET" => Reply::json(200, format!(r#"{{"outputFile":{{"url":"{at}/d{fresh}"}}}}"#)),
            _ if request.target.contains("upload") => {
                Reply::json(200, format!(r#"{{"fileId":"f{fresh}","uploadUrl":"{at}/u{fresh}"}}"#))
            }
            _ => Reply::json(200, r#"{"operationId":"o"}"#),
        }
    });
    let source = Source::reader(Box::new(&b"%PDF-"[..]), "a.pdf", None);
    let operation = client(&api).start(source, OptimizeOptions::default(), &Call::new()).unwrap();
    assert_eq!(operation.read(&Call::new()).unwrap(), pdf(20));
    assert_eq!(storage.lines(), ["PUT /u1", "PUT /u2", "GET /d1", "GET /d2"]);
    assert_eq!(api.seen()[2].body, br#"{"input":{"fileId":"f2"}}"#);
}

#[test]
fn a_client_can_be_used_from_many_threads_and_keeps_its_values_alive() {
    let (api, _) = service(pdf(10));
    let kept = Arc::new(());
    let builder = Client::builder().base_url(api.url()).no_proxy().keep_alive(kept.clone());
    let client = builder.build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| client.files().upload(Source::bytes(pdf(5000), "a.pdf"), &Call::new()).unwrap());
        }
    });
    let operation = client.start(FileId::new("f"), OptimizeOptions::default(), &Call::new()).unwrap();
    drop(client);
    assert_eq!(Arc::strong_count(&kept), 2);
    drop(operation);
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn a_service_that_holds_responses_is_polled_at_once() {
    let holding = Server::start(move |request, _| {
        let ended =
            r#"{"operationType":"optimize","operationStatus":"finished","outputFile":{"fileId":"r"}}"#;
        match request.line().as_str() {
            "POST /v1/operations/optimize" => {
                Reply::json(200, r#"{"operationId":"o","operationStatus":"inProgress"}"#)
            }
            _ => Reply::Answer(200, vec![("preference-applied", "x, wait=14".to_owned())], ended.into()),
        }
    });
    let client = client(&holding);
    let run = || {
        let options = OptimizeOptions::default();
        client.start(FileId::new("f"), options, &Call::new()).unwrap().wait(&Call::new()).unwrap()
    };
    // During the first run, the client does not know that the service delays responses, and polls after 100 ms. Later
    // runs poll at once.
    run();
    let began = Instant::now();
    (0..20).for_each(|_| drop(run()));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

/// A document whose second chunk can be read only after the server has received the first.
struct Slow {
    document: io::Cursor<Vec<u8>>,
    arrived: Receiver<()>,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.document.position() {
            0 => std::thread::sleep(Duration::from_millis(60)),
            FIRST => self.arrived.recv_timeout(Duration::from_secs(20)).map_err(io::Error::other)?,
            _ => {}
        }
        self.document.read(buffer)
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.document.seek(to)
    }
}

const FIRST: u64 = 128 * 1024;

#[test]
fn a_chunk_that_was_slow_to_read_is_sent_before_the_next_is_read() {
    let storage = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = storage.local_addr().unwrap();
    let (sender, arrived) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stream = storage.accept().unwrap().0;
        let (mut got, mut buffer) = (0, vec![0; 1 << 16]);
        while got < 3 * FIRST {
            got += stream.read(&mut buffer).unwrap() as u64;
            if got >= FIRST {
                let _ = sender.send(());
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    });
    let api = Server::start(move |_, _| {
        Reply::json(200, format!(r#"{{"fileId":"f","uploadUrl":"http://{at}/u"}}"#))
    });
    let document = Slow { document: io::Cursor::new(pdf(3 * FIRST as usize)), arrived };
    let source = Source::seekable(Box::new(document), "a.pdf");
    assert!(client(&api).files().upload(source, &Call::new()).is_ok());
}
