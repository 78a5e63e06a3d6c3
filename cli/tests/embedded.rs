//! The files of an embedded service: they are deleted when no handle needs them, and the folder when the process ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // tests state what they expect
#![cfg(all(unix, feature = "local"))]

use nix::sys::signal::Signal;
use recto::{Call, Client, ErrorKind, FileId, Operation, OperationKind, Overrides, Source};
use recto_service::{Isolation, LocalService, LocalServiceBuilder, WorkerProgram};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const RECTO: &str = env!("CARGO_BIN_EXE_recto");
const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/form.pdf");

fn builder(folder: &Path) -> LocalServiceBuilder {
    LocalService::builder().data_dir(folder).isolation(isolation())
}

fn isolation() -> Isolation {
    Isolation { program: Some(WorkerProgram::recto(RECTO)), ..Isolation::default() }
}

/// A client of an embedded service whose files are below `folder`.
fn client(folder: &Path, keep_files: bool) -> Client {
    client_of(builder(folder).start().unwrap(), keep_files)
}

fn client_of(service: LocalService, keep_files: bool) -> Client {
    let unused = service.unused_files();
    let builder =
        Client::builder().base_url(service.base_url()).api_key(service.api_key().clone()).no_proxy();
    let builder = builder.delete_unused(move |id| unused.delete(id)).keep_files(keep_files);
    builder.keep_alive(Arc::new(service)).build().unwrap()
}

fn start(client: &Client, source: impl Into<Source>) -> Operation {
    client.start_json(OperationKind::Optimize, source.into(), &Value::Null, &Call::new()).unwrap()
}

fn files(client: &Client) -> usize {
    client.files().list(false, &Call::new()).unwrap().len()
}

fn exists(client: &Client, id: &str) -> bool {
    match client.files().get(&FileId::new(id), &Call::new()) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("{error}"),
    }
}

fn result_of(operation: &Operation) -> String {
    operation.wait(&Call::new()).unwrap().output.unwrap().file_id.unwrap()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < until, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The size of all files below `folder`.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_below(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

#[test]
fn many_jobs_leave_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path(), false);
    let mut most = 0;
    for number in 0..30 {
        let operation = start(&client, REPORT);
        // In three ways, the result is downloaded completely.
        match number % 3 {
            0 => drop(operation.save(folder.path().join("small.pdf"), &Call::new()).unwrap()),
            1 => drop(operation.read(&Call::new()).unwrap()),
            _ => assert!(operation.stream(None, &Call::new()).unwrap().all(|chunk| chunk.is_ok())),
        }
        most = most.max(files(&client));
    }
    assert!(most <= 4, "{most} files at the same time");
    wait_until("all files are deleted", || files(&client) == 0);
    fs::remove_file(folder.path().join("small.pdf")).unwrap();
    wait_until("all bytes are deleted", || bytes_below(folder.path()) == 0);
    drop(client);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "the folder is left");
}

#[test]
fn a_file_that_the_caller_uploaded_or_did_not_download_stays() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path(), false);
    let uploaded = client.files().upload(REPORT, &Call::new()).unwrap();
    let operation = start(&client, uploaded.clone());
    operation.read(&Call::new()).unwrap();
    let downloaded = result_of(&operation);
    drop(operation);
    wait_until("the result is deleted", || !exists(&client, &downloaded));
    assert!(exists(&client, uploaded.as_str()));

    // The result of this one is known, but was not downloaded.
    let operation = start(&client, REPORT);
    let known = result_of(&operation);
    drop(operation);
    wait_until("the document is deleted", || files(&client) == 2);
    assert!(exists(&client, &known) && exists(&client, uploaded.as_str()));

    // A clone is a handle too.
    let operation = start(&client, REPORT);
    let clone = operation.clone();
    operation.read(&Call::new()).unwrap();
    drop(operation);
    assert!(clone.read(&Call::new()).unwrap().starts_with(b"%PDF-"));
    drop(clone);
    wait_until("its files are deleted", || files(&client) == 2);

    // A document of which the operation could not be started is not left.
    let broken = client.start_json(
        OperationKind::StampText,
        Source::from(REPORT),
        &serde_json::json!({"text": "x", "margin": {"top": 1, "unit": "cm"}}),
        &Call::new().extra_options(serde_json::json!({"text": 5})),
    );
    assert!(broken.is_err());
    wait_until("the document is deleted", || files(&client) == 2);
}

#[test]
fn the_result_of_an_operation_is_shared_with_the_operation_that_uses_it() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path(), false);
    let first = start(&client, REPORT);
    let second = client.start_json(OperationKind::Validate, &first, &Value::Null, &Call::new()).unwrap();
    let shared = result_of(&first);
    drop(second);
    // The document of the first one goes with it, its result stays as long as its handle.
    std::thread::sleep(Duration::from_millis(200));
    assert!(exists(&client, &shared));
    assert!(first.read(&Call::new()).unwrap().starts_with(b"%PDF-"));
    let third = client.start_json(OperationKind::Validate, &first, &Value::Null, &Call::new()).unwrap();
    drop(first);
    assert!(third.wait(&Call::new()).unwrap().validation.is_some());
    assert!(exists(&client, &shared));
    drop(third);
    wait_until("all files are deleted", || files(&client) == 0);
}

#[test]
fn files_are_kept_on_purpose() {
    let folder = tempfile::tempdir().unwrap();
    let keeping = client(folder.path(), true);
    start(&keeping, REPORT).read(&Call::new()).unwrap();
    let client = client(folder.path(), false);
    // A copy of a client has its own setting, for the operations that it starts.
    let copy = |client: &Client, keep| client.with_options(&Overrides::new().keep_files(keep)).unwrap();
    start(&copy(&keeping, false), REPORT).read(&Call::new()).unwrap();
    wait_until("only the files of the first operation are kept", || files(&keeping) == 2);
    start(&copy(&client, true), REPORT).read(&Call::new()).unwrap();
    start(&client, REPORT).read(&Call::new()).unwrap();
    wait_until("only the files of the copy are kept", || files(&client) == 2);
    for file in client.files().list(false, &Call::new()).unwrap() {
        client.files().delete(&FileId::new(file.id), &Call::new()).unwrap();
    }
    let operation = start(&client, REPORT);
    operation.keep();
    operation.read(&Call::new()).unwrap();
    drop(operation);
    let operation = start(&client, REPORT);
    let token = operation.token();
    operation.read(&Call::new()).unwrap();
    drop(operation);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((files(&keeping), files(&client)), (2, 4));
    // A resumed operation owns no files, but can delete the result.
    let resumed = client.resume(&token).unwrap();
    assert!(resumed.read(&Call::new()).unwrap().starts_with(b"%PDF-"));
    drop(resumed);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(files(&client), 4);
    client.resume(&token).unwrap().delete(&Call::new()).unwrap();
    assert_eq!(files(&client), 3);
}

#[test]
fn an_operation_that_timed_out_is_kept_until_its_handle_has_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path(), false);
    let timed_out = |operation: &Operation| {
        let error = operation.wait(&Call::new().wait_timeout(Some(Duration::ZERO))).err();
        error.is_some_and(|error| error.token().is_some())
    };
    let patient = start(&client, REPORT);
    let impatient = start(&client, REPORT);
    assert!(timed_out(&patient) && timed_out(&impatient), "the operations were too fast for this test");
    patient.read(&Call::new()).unwrap();
    drop((patient, impatient));
    // The document and the result of one operation.
    wait_until("the files of the other operation are deleted", || files(&client) == 2);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(files(&client), 2);
}

#[test]
fn a_batch_leaves_only_results_that_it_did_not_save() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path(), false);
    let out = tempfile::tempdir().unwrap();
    let options = || recto::Options::from_user_json(OperationKind::Optimize, &Value::Null).unwrap();
    let saved = client.batch(options()).to(out.path()).run([REPORT, REPORT, REPORT]).unwrap();
    assert_eq!(saved.filter(|item| item.as_ref().is_ok_and(|item| item.outcome.is_ok())).count(), 3);
    wait_until("all files are deleted", || files(&client) == 0);
    let unsaved = client.batch(options()).run([REPORT, REPORT]).unwrap();
    assert_eq!(unsaved.filter(|item| item.as_ref().is_ok_and(|item| item.outcome.is_ok())).count(), 2);
    wait_until("the documents are deleted", || files(&client) == 2);
}

/// `recto serve` in a process of its own, with one document in it.
struct Served {
    process: Child,
    scratch: tempfile::TempDir,
}

impl Served {
    fn start(worker: Option<&str>) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let mut command = Command::new(RECTO);
        command.arg("serve").env("TMPDIR", scratch.path()).env("RECTO_API_KEY", "the-key-of-the-test");
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(worker) = worker {
            command.env("RECTO_WORKER", worker);
        }
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("RECTO_BASE_URL=").unwrap();
        let client = Client::builder().base_url(base_url).api_key("the-key-of-the-test").no_proxy();
        let client = client.build().unwrap();
        start(&client, REPORT).read(&Call::new()).unwrap();
        let served = Self { process, scratch };
        assert!(bytes_below(served.scratch.path()) > 0, "the service has no files");
        served
    }

    fn end(&mut self, signal: Signal) {
        let process = nix::unistd::Pid::from_raw(self.process.id().try_into().unwrap());
        nix::sys::signal::kill(process, signal).unwrap();
        self.process.wait().unwrap();
    }

    fn is_clean(&self) -> bool {
        fs::read_dir(self.scratch.path()).unwrap().next().is_none()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn the_folder_of_a_service_is_removed_however_its_process_ends() {
    for signal in [Signal::SIGINT, Signal::SIGHUP] {
        // Shells start background jobs with SIGINT ignored, `nohup` with SIGHUP ignored, and child processes inherit
        // this. SAFETY: no handler is set, and this process has none that would be lost.
        unsafe { nix::sys::signal::signal(signal, nix::sys::signal::SigHandler::SigDfl) }.unwrap();
    }
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL, Signal::SIGHUP, Signal::SIGABRT] {
        let mut served = Served::start(None);
        served.end(signal);
        wait_until(&format!("the folder is removed after {signal}"), || served.is_clean());
    }
}

#[test]
fn without_workers_the_next_service_removes_the_folder_of_a_killed_one() {
    let mut served = Served::start(Some("none"));
    served.end(Signal::SIGKILL);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!served.is_clean());
    let next = LocalService::builder().data_dir(served.scratch.path()).start().unwrap();
    wait_until("only the folder of the new service is there", || {
        fs::read_dir(served.scratch.path()).unwrap().count() == 1
    });
    next.shutdown();
    assert!(served.is_clean());
}

#[test]
fn the_watch_holds_no_descriptor_of_the_program_and_ends_with_the_service() {
    let folder = tempfile::tempdir().unwrap();
    // A pipe whose writing end is inherited by the processes that this one starts.
    let (mut reader, writer) = std::io::pipe().unwrap();
    let inherited = nix::unistd::dup(&writer).unwrap();
    drop(writer);
    // The worker ends with its operation, so then only the watch could still have the writing end.
    let isolation = Isolation { operations_per_worker: 1, ..isolation() };
    let client = client_of(builder(folder.path()).isolation(isolation).start().unwrap(), false);
    start(&client, REPORT).read(&Call::new()).unwrap();
    drop(inherited);
    let ended = std::thread::spawn(move || reader.read(&mut [0; 1]).unwrap());
    wait_until("nobody has the writing end", || ended.is_finished());
    assert!(watches() > 0);
    assert_eq!(ended.join().unwrap(), 0);
    drop(client);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The number of children of this process that watch a folder.
fn watches() -> usize {
    let own = std::process::id().to_string();
    let is_watch = |entry: fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((name, rest)) = stat.split_once(") ") else { return false };
        name.ends_with("(recto-watch") && rest.split(' ').nth(1) == Some(own.as_str())
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().map(is_watch).filter(|is| *is).count()
}

#[test]
fn settings_of_the_embedded_service_are_flags_variables_and_keys() {
    let scratch = tempfile::tempdir().unwrap();
    let config = scratch.path().join("recto.toml");
    fs::write(&config, "[local]\nstored_bytes = 100\n").unwrap();
    let out = scratch.path().join("small.pdf");
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(RECTO);
        command.args(["optimize", REPORT, "-o"]).arg(&out).args(arguments);
        command.envs(variables.iter().copied()).env("TMPDIR", scratch.path());
        let run = command.output().unwrap();
        (run.status.success(), String::from_utf8(run.stderr).unwrap())
    };
    let config = config.to_str().unwrap();
    for (arguments, variables, message) in [
        (&["--isolation", "workers", "--worker", "/nowhere/recto"][..], &[][..], "/nowhere/recto"),
        (&["--isolation", "tight"], &[], "--isolation: unknown isolation mode"),
        (&[], &[("RECTO_LOCAL_ISOLATION", "tight")], "RECTO_LOCAL_ISOLATION: "),
        (&["--config", config], &[], "storage"),
        (&[], &[("RECTO_LOCAL_STORED_BYTES", "100")], "storage"),
    ] {
        let (succeeded, errors) = run(arguments, variables);
        assert!(!succeeded && errors.contains(message), "{arguments:?} {variables:?}: {errors}");
    }
    let good =
        ["--isolation", "workers", "--worker", RECTO, "--worker-memory", "1GiB", "--stored-bytes", "1GiB"];
    let (succeeded, errors) = run(&[&good[..], &["--retention", "1h", "--config", config]].concat(), &[]);
    assert!(succeeded, "{errors}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2, "the config file and the result");
}
