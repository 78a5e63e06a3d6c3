//! Tests of batches against a server that counts how often each document is uploaded, processed, downloaded and
//! deleted.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Batch, BatchBuilder, BatchItem, Call, Client, ErrorKind, OptimizeOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::batch_service::service;
use support::{Request, Server, entries};

fn client(server: &Server) -> Client {
    Client::builder().base_url(server.url()).api_key("the-key-of-the-test").no_proxy().build().unwrap()
}

fn batch(server: &Server) -> BatchBuilder {
    client(server).batch(OptimizeOptions::default())
}

/// A folder with documents. The content of each document is different.
fn documents(names: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let paths = names.iter().map(|name| {
        let path = folder.path().join("in").join(name);
        std::fs::write(&path, format!("%PDF-1.7 {name}")).unwrap();
        path
    });
    let paths = paths.collect();
    (folder, paths)
}

fn failed(items: &[BatchItem]) -> Vec<(usize, ErrorKind)> {
    items.iter().filter_map(|item| Some((item.index, item.outcome.as_ref().err()?.kind()))).collect()
}

fn all(batch: Batch<'_>) -> Vec<BatchItem> {
    let mut items: Vec<_> = batch.map(Result::unwrap).collect();
    items.sort_by_key(|item| item.index);
    items
}

#[test]
fn five_hundred_operations_complete_although_a_third_of_the_requests_is_refused() {
    // The refused requests are pseudorandom, and the same in every run.
    let draw = AtomicU64::new(7);
    let refuse = move |_: &Request, _| {
        let drawn = draw.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        (drawn ^ (drawn >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32 & 0xffff < 0x5555
    };
    let (server, books) = service(refuse);
    let names: Vec<String> = (0..500).map(|number| format!("{number}.pdf")).collect();
    let (folder, paths) = documents(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let out = folder.path().join("out");
    let items = all(batch(&server).to(&out).concurrency(16).run(paths).unwrap());
    assert_eq!((items.len(), failed(&items)), (500, Vec::new()));
    for name in &names {
        assert_eq!(std::fs::read_to_string(out.join(name)).unwrap(), format!("%PDF-1.7 {name}"));
    }
    assert_eq!(entries(&out).len(), 500);
    let requests = server.seen().len();
    let refused = requests - 5 * 500;
    println!(
        "{requests} requests for 500 operations, {refused} refused: {} of the least",
        requests as f64 / 2500.0
    );
    assert!(refused > 1000 && requests <= 2500 * 16 / 10, "{requests}");
    assert!(books.lock().unwrap().starts.values().all(|starts| *starts == 1));
}

#[test]
fn a_failed_document_is_an_item_and_the_batch_continues() {
    let (server, _) = service(|_, _| false);
    let (folder, mut paths) = documents(&["a.pdf", "bad.pdf", "b.pdf", "notes.txt"]);
    paths.push(folder.path().join("in/missing.pdf"));
    paths.push(paths[0].clone());
    let out = folder.path().join("deep/er/out");
    let items = all(batch(&server).to(&out).run(paths).unwrap());
    let expected = [(1, ErrorKind::OperationFailed), (3, ErrorKind::InvalidRequest), (4, ErrorKind::Io)];
    assert_eq!(failed(&items), expected);
    assert_eq!(items[0].outcome.as_ref().unwrap().path, Some(out.join("a.pdf")));
    // The same document again has a result of its own.
    assert_eq!(entries(&out), ["a-2.pdf", "a.pdf", "b.pdf"]);
}

#[test]
fn a_batch_with_stop_on_error_stops_at_the_first_error() {
    let (server, books) = service(|_, _| false);
    let (_folder, paths) = documents(&["a.pdf", "bad.pdf", "b.pdf", "c.pdf"]);
    let items = all(batch(&server).concurrency(1).stop_on_error(true).run(paths).unwrap());
    assert_eq!((items.len(), failed(&items)), (2, vec![(1, ErrorKind::OperationFailed)]));
    assert_eq!(books.lock().unwrap().starts.len(), 2);
}

#[test]
fn sources_are_taken_only_while_there_is_room_and_the_caller_waits() {
    let (server, _) = service(|_, _| false);
    let (_folder, paths) = documents(&["a.pdf", "b.pdf", "c.pdf", "d.pdf", "e.pdf"]);
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let sources = paths.into_iter().inspect(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let mut batch = batch(&server).concurrency(2).run(sources).unwrap();
    assert_eq!(taken.load(Ordering::Relaxed), 0);
    assert!(batch.next().is_some());
    assert_eq!(taken.load(Ordering::Relaxed), 2);
    assert!(batch.next().is_some());
    assert_eq!(taken.load(Ordering::Relaxed), 3);
    assert_eq!(batch.count(), 3);
}

#[test]
fn a_slow_document_does_not_delay_the_others_and_a_cancel_drops_it() {
    let (server, _) = service(|_, _| false);
    let (folder, paths) = documents(&["slow.pdf", "a.pdf", "b.pdf"]);
    let out = folder.path().join("out");
    let mut batch = batch(&server).to(&out).concurrency(2).run(paths).unwrap();
    for _ in 0..2 {
        assert!(batch.next_item(&Call::new()).unwrap().unwrap().outcome.is_ok());
    }
    let (began, mut ticks) = (Instant::now(), 0);
    let call = Call::new().tick(move || {
        ticks += 1;
        if ticks == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(batch.next_item(&call).unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(2));
    assert!(batch.next_item(&Call::new()).unwrap().is_none());
    assert_eq!(entries(&out), ["a.pdf", "b.pdf"]);
}

#[test]
fn an_interrupted_run_resumes_without_doing_anything_twice() {
    let (server, books) = service(|_, _| false);
    let names: Vec<String> = (0..40).map(|number| format!("{number}.pdf")).collect();
    let (folder, paths) = documents(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    let run = || batch(&server).to(&out).concurrency(4).journal(&journal).run(paths.clone()).unwrap();
    let mut runs = 0;
    loop {
        runs += 1;
        let mut batch = run();
        // The batch is dropped while other documents are in progress.
        if batch
            .by_ref()
            .filter(|item| !item.as_ref().unwrap().outcome.as_ref().unwrap().resumed)
            .take(7)
            .count()
            < 7
        {
            break;
        }
    }
    assert!(runs >= 3, "{runs}");
    let text = std::fs::read_to_string(&journal).unwrap();
    assert!(!text.contains("the-key-of-the-test"));
    let known = text.matches(r#""step":"started""#).count();
    let books = books.lock().unwrap();
    let starts: usize = books.starts.values().sum();
    // If the batch is dropped before the response to a start arrives, the journal does not contain this start. That
    // can happen to every document in progress, at each interruption.
    assert!(books.starts.len() == 40 && starts - known <= 4 * (runs - 1), "{starts} {known}");
    assert_eq!(known, 40);
    assert_eq!(entries(&out).len(), 40);
    let again = all(run());
    assert!(again.iter().all(|item| item.outcome.as_ref().unwrap().resumed));
}

#[test]
fn files_of_an_earlier_run_in_the_service_are_used_and_missing_ones_are_created_again() {
    let (server, books) = service(|_, _| false);
    let (folder, paths) = documents(&["a.pdf", "b.pdf"]);
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    let run = || all(batch(&server).to(&out).journal(&journal).run(paths.clone()).unwrap());
    assert_eq!(failed(&run()), []);
    // The result of one document is deleted here, and the other document has changed.
    std::fs::remove_file(out.join("a.pdf")).unwrap();
    std::fs::write(&paths[1], "%PDF-1.7 another b").unwrap();
    let items = run();
    assert!(items.iter().all(|item| !item.outcome.as_ref().unwrap().resumed));
    assert_eq!(std::fs::read_to_string(out.join("b.pdf")).unwrap(), "%PDF-1.7 another b");
    {
        let mut books = books.lock().unwrap();
        assert_eq!((books.starts["a.pdf"], books.fetches["a.pdf"], books.starts["b.pdf"]), (1, 2, 2));
        books.files.clear();
    }
    // Now the service has lost its copy of the result as well.
    std::fs::remove_file(out.join("a.pdf")).unwrap();
    assert_eq!(failed(&run()), []);
    assert_eq!(books.lock().unwrap().starts["a.pdf"], 2);
    assert_eq!(entries(&out), ["a.pdf", "b.pdf"]);
}

#[test]
fn a_failed_document_is_tried_again_by_the_next_run() {
    let (server, books) = service(|_, _| false);
    let (folder, paths) = documents(&["bad.pdf"]);
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    for runs in 1..=2 {
        let items = all(batch(&server).to(&out).journal(&journal).run(paths.clone()).unwrap());
        assert_eq!(failed(&items), [(0, ErrorKind::OperationFailed)]);
        let books = books.lock().unwrap();
        assert_eq!((books.uploads["bad.pdf"], books.starts["bad.pdf"]), (1, runs));
    }
}

#[test]
fn delete_after_leaves_nothing_in_the_service() {
    let (server, books) = service(|_, _| false);
    let (folder, paths) = documents(&["a.pdf"]);
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    let run = |delete| {
        all(batch(&server).to(&out).journal(&journal).delete_after(delete).run(paths.clone()).unwrap())
    };
    assert_eq!(failed(&run(false)), []);
    assert!(books.lock().unwrap().deleted.is_empty());
    // The documents are complete: the next run only deletes them from the service.
    for _ in 0..2 {
        let items = run(true);
        assert!(items[0].outcome.as_ref().unwrap().resumed && items[0].left_behind.is_none());
        let books = books.lock().unwrap();
        assert_eq!((books.deleted.len(), books.starts["a.pdf"]), (2, 1));
    }
    let error = batch(&server).delete_after(true).run(paths.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[test]
fn a_validation_has_a_report_and_no_file() {
    let (server, _) = service(|_, _| false);
    let (folder, paths) = documents(&["a.pdf"]);
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    for resumed in [false, true] {
        let options = recto::ValidateOptions::default();
        let batch = client(&server).batch(options).to(&out).journal(&journal).run(&paths).unwrap();
        let items = all(batch);
        let done = items[0].outcome.as_ref().unwrap();
        assert_eq!((done.resumed, &done.path), (resumed, &None));
        assert_eq!(done.validation.as_ref().unwrap().is_conforming, Some(false));
    }
}

#[test]
fn a_result_never_overwrites_its_source() {
    let (server, books) = service(|_, _| false);
    let (folder, paths) = documents(&["a.pdf"]);
    let items = all(batch(&server).to(folder.path().join("in")).run(&paths).unwrap());
    assert_eq!(failed(&items), [(0, ErrorKind::InvalidRequest)]);
    assert!(books.lock().unwrap().uploads.is_empty());
}

#[test]
fn a_batch_replaces_no_file_if_that_is_forbidden() {
    let (server, books) = service(|_, _| false);
    let (folder, paths) = documents(&["a.pdf", "b.pdf"]);
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("a.pdf"), "before").unwrap();
    let items = all(batch(&server).to(&out).overwrite(false).run(&paths).unwrap());
    assert_eq!(failed(&items), [(0, ErrorKind::Io)]);
    assert_eq!(std::fs::read(out.join("a.pdf")).unwrap(), b"before");
    assert_eq!(books.lock().unwrap().uploads.keys().collect::<Vec<_>>(), ["b.pdf"]);
    assert_eq!(failed(&all(batch(&server).to(&out).run(&paths).unwrap())), []);
    assert_ne!(std::fs::read(out.join("a.pdf")).unwrap(), b"before");
}

#[test]
fn addresses_are_imported_and_neither_items_nor_the_journal_contain_their_queries() {
    let (server, books) = service(|_, _| false);
    let folder = tempfile::tempdir().unwrap();
    let (out, journal) = (folder.path().join("out"), folder.path().join("run.jsonl"));
    let sources = [
        "https://documents.test/x/a.pdf?sig=first-secret",
        "https://documents.test/x/a.pdf?sig=other-secret",
        "http://documents.test/bad.pdf?sig=third-secret",
    ];
    for resumed in [false, true] {
        let items = all(batch(&server).to(&out).journal(&journal).run(sources).unwrap());
        assert_eq!(failed(&items), [(2, ErrorKind::OperationFailed)]);
        assert_eq!(items[0].outcome.as_ref().unwrap().resumed, resumed);
        assert_eq!(items[0].source, Path::new("https://documents.test/x/a.pdf?[redacted]"));
        assert_eq!(entries(&out), ["a-2.pdf", "a.pdf"]);
        let shown = format!("{items:?}") + &std::fs::read_to_string(&journal).unwrap();
        assert!(!shown.contains("secret"), "{shown}");
    }
    let books = books.lock().unwrap();
    assert_eq!((books.uploads["a.pdf"], books.starts["a.pdf"]), (2, 2));
}

#[test]
fn invalid_settings_are_refused_before_anything_is_done() {
    let (server, _) = service(|_, _| false);
    let none = || Vec::<PathBuf>::new();
    let kind = |builder: BatchBuilder| builder.run(none()).unwrap_err().kind();
    assert_eq!(kind(batch(&server).concurrency(0)), ErrorKind::Config);
    assert_eq!(kind(batch(&server).concurrency(257)), ErrorKind::Config);
    assert_eq!(kind(batch(&server).to("/dev/null/out")), ErrorKind::Io);
    assert_eq!(kind(batch(&server).journal("/dev/null/j")), ErrorKind::Io);
    let options = serde_json::json!({"profile": "nope"});
    let wrong = client(&server).batch_json(recto::OperationKind::Optimize, &options);
    assert!(
        wrong
            .and_then(|batch| batch.run(none()))
            .is_err_and(|error| error.kind() == ErrorKind::InvalidRequest)
    );
    assert_eq!(all(batch(&server).run(none()).unwrap()).len(), 0);
    assert!(server.seen().is_empty());
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_as_a_journal() {
    let (server, _) = service(|_, _| false);
    let error = batch(&server).journal(Path::new("/dev/null")).run(Vec::<PathBuf>::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.message().contains("/dev/null"), "{error}");
}

#[test]
fn a_closed_client_ends_the_batch_with_an_error() {
    let (server, _) = service(|_, _| false);
    let (_folder, paths) = documents(&["a.pdf", "slow.pdf", "b.pdf"]);
    let client = client(&server);
    let mut batch = client.batch(OptimizeOptions::default()).concurrency(1).run(paths).unwrap();
    assert!(batch.next().unwrap().is_ok());
    client.close();
    assert_eq!(batch.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(batch.next().is_none());
}
