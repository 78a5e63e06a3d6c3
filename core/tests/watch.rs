//! Tests of a watched folder against a server that counts what happens to each document.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{BatchBuilder, BatchItem, Cancel, Client, Error, ErrorKind, OptimizeOptions, Watch};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::batch_service::service;
use support::{Server, entries};

const SETTLE: Duration = Duration::from_millis(300);

/// The folders of a watch: `in`, `out` and `done`.
struct Folders(tempfile::TempDir);

impl Folders {
    fn new() -> Self {
        let folders = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folders.path("in")).unwrap();
        folders
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str) {
        fs::write(self.path("in").join(name), format!("%PDF-1.7 {name}")).unwrap();
    }

    /// Writes a file elsewhere and renames it into the folder.
    fn rename(&self, name: &str, content: &str) {
        let part = self.path("part");
        fs::write(&part, content).unwrap();
        fs::rename(part, self.path("in").join(name)).unwrap();
    }

    /// The visible entries of `in`.
    fn waiting(&self) -> Vec<String> {
        visible(&self.path("in"))
    }
}

fn visible(folder: &Path) -> Vec<String> {
    if folder.exists() {
        entries(folder).into_iter().filter(|name| !name.starts_with('.')).collect()
    } else {
        Vec::new()
    }
}

fn client(url: &str) -> Client {
    let builder = Client::builder().base_url(url).api_key("the-key-of-the-test").no_proxy();
    builder.retries(0).build().unwrap()
}

fn batch(server: &Server, folders: &Folders) -> BatchBuilder {
    client(&server.url()).batch(OptimizeOptions::default()).to(folders.path("out"))
}

fn watch(folders: &Folders) -> Watch {
    Watch::folder(folders.path("in")).settle(SETTLE)
}

/// A watch that runs in a thread until it is stopped.
struct Running {
    stop: Cancel,
    thread: JoinHandle<(Vec<BatchItem>, Option<Error>)>,
}

impl Running {
    fn new(batch: BatchBuilder, watch: Watch) -> Self {
        let stop = Cancel::new();
        let mut batch = batch.until(&stop).watch(watch).unwrap();
        let thread = std::thread::spawn(move || {
            let mut items = Vec::new();
            for item in batch.by_ref() {
                match item {
                    Ok(item) => items.push(item),
                    Err(error) => return (items, Some(error)),
                }
            }
            (items, None)
        });
        Self { stop, thread }
    }

    /// Ends the watch, and returns the items.
    fn stop(self) -> Vec<BatchItem> {
        self.stop.trigger();
        let (items, error) = self.thread.join().unwrap();
        assert!(error.is_none(), "{error:?}");
        items
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_slow_writer_is_waited_for_and_a_renamed_file_is_not() {
    let (server, books) = service(|_, _| false);
    let folders = Folders::new();
    // Nothing but the renamed file would be complete within the time of the test.
    let patient = Watch::folder(folders.path("in")).settle(Duration::from_secs(3600));
    let running = Running::new(batch(&server, &folders), patient.move_originals(folders.path("done")));
    folders.put("written.pdf");
    folders.rename("renamed.pdf", "%PDF-1.7 renamed.pdf");
    wait_until("the renamed file", || visible(&folders.path("done")) == ["renamed.pdf"]);
    assert_eq!(running.stop().len(), 1);
    fs::remove_file(folders.path("in/written.pdf")).unwrap();

    let settle = Duration::from_millis(400);
    let watch = Watch::folder(folders.path("in")).settle(settle).move_originals(folders.path("done"));
    let running = Running::new(batch(&server, &folders), watch);
    let mut file = fs::File::create(folders.path("in/slow-writer.pdf")).unwrap();
    let began = Instant::now();
    while began.elapsed() < settle * 3 {
        file.write_all(b"%PDF-1.7 ").unwrap();
        assert!(!folders.path("out/slow-writer.pdf").exists());
        std::thread::sleep(Duration::from_millis(10));
    }
    let whole = read(folders.path("in/slow-writer.pdf"));
    wait_until("the slow writer", || folders.path("done/slow-writer.pdf").exists());
    assert_eq!(running.stop().len(), 1);
    assert_eq!(read(folders.path("out/slow-writer.pdf")), whole);
    assert_eq!(books.lock().unwrap().uploads["slow-writer.pdf"], 1);
}

#[test]
fn five_hundred_files_at_once_are_processed_once_each() {
    let (server, books) = service(|_, _| false);
    let folders = Folders::new();
    let running =
        Running::new(batch(&server, &folders).concurrency(16), watch(&folders).delete_originals(true));
    let names: Vec<String> = (0..500).map(|number| format!("{number}.pdf")).collect();
    names.iter().for_each(|name| folders.put(name));
    wait_until("five hundred files", || folders.waiting().is_empty());
    let items = running.stop();
    // If the machine stops the test for longer than the settle time, a file is taken before it is written.
    let (done, failed): (Vec<_>, Vec<_>) = items.iter().partition(|item| item.outcome.is_ok());
    assert_eq!(done.len(), 500);
    assert!(
        failed.iter().all(|item| item.outcome.as_ref().unwrap_err().message().contains("has changed")),
        "{failed:?}"
    );
    assert_eq!(entries(&folders.path("out")).len(), 500);
    for name in &names {
        assert_eq!(read(folders.path("out").join(name)), format!("%PDF-1.7 {name}"));
    }
    assert!(books.lock().unwrap().uploads.values().all(|uploads| *uploads == 1));
}

#[test]
fn a_document_that_fails_is_set_aside_and_the_others_continue() {
    let (server, _) = service(|_, _| false);
    let folders = Folders::new();
    for name in ["a.pdf", "bad.pdf", "notes.txt", ".hidden.pdf"] {
        folders.put(name);
    }
    let running = Running::new(batch(&server, &folders), watch(&folders));
    let failed = folders.path("in/failed");
    wait_until("the failure", || visible(&failed).len() == 2 && folders.path("out/a.pdf").exists());
    let items = running.stop();
    assert_eq!(items.len(), 2);
    let item = items.iter().find(|item| item.outcome.is_err()).unwrap();
    assert_eq!(item.moved_to, Some(failed.join("bad.pdf")));
    assert_eq!(folders.waiting(), ["a.pdf", "failed", "notes.txt"]);
    let reason = read(failed.join("bad.pdf.reason.txt"));
    assert!(reason.contains("OperationFailed") && !reason.contains("the-key-of-the-test"), "{reason}");
}

#[test]
fn while_the_service_is_away_nothing_is_set_aside_and_then_everything_is_done() {
    let away = Arc::new(AtomicBool::new(true));
    let is_away = Arc::clone(&away);
    let (server, books) = service(move |_, _| is_away.load(Ordering::Relaxed));
    let folders = Folders::new();
    (0..20).for_each(|number| folders.put(&format!("{number}.pdf")));
    let watch = watch(&folders).move_originals(folders.path("done"));
    let pauses = (Duration::from_millis(100), Duration::from_millis(400));
    let running = Running::new(batch(&server, &folders).concurrency(4), watch.pauses(pauses.0, pauses.1));
    wait_until("failed attempts", || server.seen().len() > 10);
    assert_eq!(folders.waiting().len(), 20);
    away.store(false, Ordering::Relaxed);
    wait_until("the documents", || visible(&folders.path("done")).len() == 20);
    let items = running.stop();
    let failed = items.iter().filter_map(|item| item.outcome.as_ref().err());
    let kinds: Vec<_> = failed.map(Error::kind).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == ErrorKind::RateLimited), "{kinds:?}");
    assert_eq!(items.len(), 20 + kinds.len());
    assert!(!folders.path("in/failed").exists() && entries(&folders.path("out")).len() == 20);
    assert!(books.lock().unwrap().starts.values().all(|starts| *starts == 1));
}

#[test]
fn an_invalid_key_ends_the_watch_and_leaves_the_files() {
    let server = Server::start(|_, _| support::Reply::json(401, r#"{"title":"no such key"}"#));
    let folders = Folders::new();
    folders.put("a.pdf");
    let running = Running::new(batch(&server, &folders), watch(&folders).delete_originals(true));
    let (_, error) = running.thread.join().unwrap();
    assert_eq!(error.unwrap().kind(), ErrorKind::Auth);
    assert_eq!(folders.waiting(), ["a.pdf"]);
}

#[test]
fn another_file_of_the_same_name_gets_a_result_of_its_own() {
    let (server, _) = service(|_, _| false);
    let folders = Folders::new();
    let running =
        Running::new(batch(&server, &folders), watch(&folders).move_originals(folders.path("done")));
    for number in 1..=3 {
        folders.rename("a.pdf", &format!("%PDF-1.7 content {number}"));
        wait_until("the file", || visible(&folders.path("done")).len() == number);
    }
    assert_eq!(running.stop().len(), 3);
    for folder in ["out", "done"] {
        assert_eq!(entries(&folders.path(folder)), ["a-2.pdf", "a-3.pdf", "a.pdf"]);
        assert_eq!(read(folders.path(folder).join("a-3.pdf")), "%PDF-1.7 content 3");
    }
}

#[test]
fn files_that_stay_are_processed_once_also_after_a_restart_and_when_results_are_taken_away() {
    let (server, books) = service(|_, _| false);
    let folders = Folders::new();
    folders.put("a.pdf");
    folders.put("b.pdf");
    for run in 1..=2 {
        let running = Running::new(batch(&server, &folders), watch(&folders));
        if run == 2 {
            folders.put("c.pdf");
            // A file that changes is a new document.
            fs::write(folders.path("in/b.pdf"), "%PDF-1.7 another b").unwrap();
            wait_until("the new documents", || {
                entries(&folders.path("out")) == ["b-2.pdf", "b.pdf", "c.pdf"]
            });
        } else {
            wait_until("both documents", || visible(&folders.path("out")).len() == 2);
        }
        let items = running.stop();
        assert!(items.len() == 2 && items.iter().all(|item| item.outcome.is_ok()), "{items:?}");
        if run == 1 {
            fs::remove_file(folders.path("out/a.pdf")).unwrap();
        }
    }
    assert_eq!(read(folders.path("out/b-2.pdf")), "%PDF-1.7 another b");
    assert_eq!(books.lock().unwrap().starts["a.pdf"], 1);
    assert_eq!(folders.waiting(), ["a.pdf", "b.pdf", "c.pdf"]);
    // The default journal belongs to one watch at a time.
    let _running = batch(&server, &folders).watch(watch(&folders)).unwrap();
    let error = batch(&server, &folders).watch(watch(&folders)).unwrap_err();
    assert!(error.message().contains("in use"), "{error}");
}

#[test]
fn results_inside_the_watched_folder_are_not_documents_and_subfolders_are_kept() {
    let (server, books) = service(|_, _| false);
    let folders = Folders::new();
    fs::create_dir_all(folders.path("in/sub")).unwrap();
    folders.put("a.pdf");
    folders.put("sub/b.pdf");
    let inside = batch(&server, &folders).to(folders.path("in/out"));
    let watch = watch(&folders).recursive(true).move_originals(folders.path("in/done"));
    let running = Running::new(inside, watch);
    wait_until("the documents", || {
        folders.path("in/done/sub/b.pdf").exists() && folders.path("in/done/a.pdf").exists()
    });
    assert_eq!(running.stop().len(), 2);
    assert_eq!(entries(&folders.path("in/out")), ["a.pdf", "sub"]);
    assert_eq!(entries(&folders.path("in/out/sub")), ["b.pdf"]);
    assert_eq!(books.lock().unwrap().uploads.len(), 2);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let (server, _) = service(|_, _| false);
    let folders = Folders::new();
    let of = |watch: Watch| batch(&server, &folders).watch(watch).unwrap_err().kind();
    let both = watch(&folders).move_originals(folders.path("done")).delete_originals(true);
    assert_eq!(of(both), ErrorKind::Config);
    assert_eq!(of(watch(&folders).move_originals(folders.path("out"))), ErrorKind::Config);
    assert_eq!(of(watch(&folders).settle(Duration::from_secs(3601))), ErrorKind::Config);
    assert_eq!(of(Watch::folder(folders.path("missing"))), ErrorKind::Io);
    let same = batch(&server, &folders).to(folders.path("in")).watch(watch(&folders));
    assert_eq!(same.unwrap_err().kind(), ErrorKind::Config);
}

/// Runs a watch in a process of its own, which [`run_watch`] is.
fn start_watch(server: &Server, folders: &Folders) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run_watch", "--ignored"])
        .env("WATCH_TEST_URL", server.url())
        .env("WATCH_TEST_FOLDER", folders.0.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "the program that another test starts and kills"]
fn run_watch() {
    let Some(folder) = std::env::var_os("WATCH_TEST_FOLDER").map(PathBuf::from) else { return };
    let client = client(&std::env::var("WATCH_TEST_URL").unwrap());
    let batch = client.batch(OptimizeOptions::default()).to(folder.join("out")).concurrency(4);
    let watch = Watch::folder(folder.join("in")).settle(SETTLE).move_originals(folder.join("done"));
    batch.watch(watch).unwrap().for_each(|item| drop(item.unwrap()));
}

#[test]
fn a_watch_that_is_killed_ten_times_loses_nothing_and_saves_each_result_once() {
    let (server, books) = service(|_, _| false);
    let folders = Folders::new();
    let mut draw = 7_u64;
    for round in 0..10 {
        for number in round * 6..round * 6 + 6 {
            folders.put(&format!("{number}.pdf"));
        }
        let mut watch = start_watch(&server, &folders);
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // The first request shows that the watch has begun to work; after it, the kill comes at a random moment.
        let seen = server.seen().len();
        wait_until("a request", || server.seen().len() > seen);
        std::thread::sleep(Duration::from_millis(draw >> 33 & 0x3f));
        watch.kill().unwrap();
        watch.wait().unwrap();
    }
    let mut watch = start_watch(&server, &folders);
    wait_until("the documents", || visible(&folders.path("done")).len() == 60);
    watch.kill().unwrap();
    watch.wait().unwrap();
    for folder in ["out", "done"] {
        let names = entries(&folders.path(folder));
        let results: Vec<_> = names.iter().filter(|name| !name.starts_with('.')).collect();
        assert_eq!(results.len(), 60, "{folder}: {names:?}");
        for number in 0..60 {
            let name = format!("{number}.pdf");
            assert_eq!(read(folders.path(folder).join(&name)), format!("%PDF-1.7 {name}"));
        }
    }
    assert_eq!(folders.waiting(), [""; 0]);
    // A start whose response did not reach the journal is repeated. That can happen to each document in progress.
    let starts: usize = books.lock().unwrap().starts.values().sum();
    println!("{starts} starts of 60 operations");
    assert!(starts <= 60 + 10 * 4, "{starts}");
}
