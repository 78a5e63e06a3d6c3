//! Tests of a durable service: accepted operations, files and results must survive a shutdown, a restart and a killed
//! process.
#![cfg(feature = "durable")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_engine::{EngineError, Output};
use recto_service::{Engine, LocalService, LocalServiceBuilder, Store};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use support::{Api, OCTETS, builder, send};

const OPTIMIZE: &str = "/v1/operations/optimize";

fn on(directory: &Path) -> LocalServiceBuilder {
    builder().store(Store::Directory(directory.to_owned()))
}

/// An engine that runs until it is cancelled.
fn endless() -> Engine {
    Engine::new(|_, _, job| {
        loop {
            job.proceed()?;
            std::thread::sleep(Duration::from_millis(2));
        }
    })
}

#[test]
fn an_accepted_operation_is_finished_by_the_next_service_for_the_same_client() {
    let directory = tempfile::tempdir().unwrap();
    let first = on(directory.path()).engine(endless()).workers(1).start().unwrap();
    let api = Api(&first);
    let file = api.upload("a.pdf", b"hello");
    let (_, ticket) = api.ticket("later.pdf");
    let operations: Vec<_> =
        (0..5).map(|_| api.start(OPTIMIZE, &json!({"input": {"fileId": file}}))).collect();
    let (key, port) =
        (first.api_key().clone(), first.base_url().rsplit_once(':').unwrap().1.parse().unwrap());
    first.shutdown();
    let second = on(directory.path()).port(port).start().unwrap();
    assert!(*second.api_key() == key, "the client's key is no longer valid");
    let api = Api(&second);
    for operation in operations {
        let result = api.result(&operation, 30).json();
        assert_eq!(result["operationStatus"], "finished", "{result}");
        assert_eq!(send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body, b"olleh");
    }
    assert_eq!(
        send("PUT", &ticket, &[OCTETS], b"x").status,
        200,
        "an upload address from before the restart"
    );
    assert_eq!(api.get("/v1/files").json()["files"].as_array().unwrap().len(), 7);
}

#[test]
fn results_survive_a_restart_and_still_expire() {
    let directory = tempfile::tempdir().unwrap();
    let operation = {
        let service = on(directory.path()).start().unwrap();
        let api = Api(&service);
        let file = api.upload("a.pdf", b"hello");
        let operation = api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
        assert_eq!(api.result(&operation, 30).json()["operationStatus"], "finished");
        operation
    };
    {
        let service = on(directory.path()).start().unwrap();
        let result = Api(&service).result(&operation, 0).json();
        assert_eq!(send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body, b"olleh");
    }
    std::thread::sleep(Duration::from_millis(20));
    let service = on(directory.path()).retention(Duration::from_millis(10)).start().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while Api(&service).result(&operation, 0).status != 404
        || fs::read_dir(directory.path().join("files")).unwrap().next().is_some()
    {
        assert!(Instant::now() < until, "something remained");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn only_one_service_can_use_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let first = on(directory.path()).start().unwrap();
    let error = on(directory.path()).start().unwrap_err().to_string();
    assert!(error.contains("another service is using it"), "{error}");
    assert_eq!(Api(&first).get("/v1/files").status, 200);
    first.shutdown();
    on(directory.path()).start().unwrap();
}

#[test]
fn files_without_a_record_are_removed_at_the_start_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let file = Api(&on(directory.path()).start().unwrap()).upload("a.pdf", b"kept");
    let files = directory.path().join("files");
    fs::write(files.join("half-an-upload"), b"x").unwrap();
    let service = on(directory.path()).start().unwrap();
    assert_eq!(fs::read_dir(&files).unwrap().count(), 1);
    assert_eq!(Api(&service).get(&format!("/v1/files/{file}")).json()["name"], "a.pdf");
}

#[test]
fn a_password_is_nowhere_in_the_directory_and_works_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let password = "correct horse battery staple";
    let service = on(directory.path()).engine(endless()).start().unwrap();
    let api = Api(&service);
    let file = api.upload("a.pdf", b"hello");
    let body = json!({"input": {"fileId": file}, "options": {"password": password}});
    let operation = api.start("/v1/operations/encrypt", &body);
    assert_nowhere(directory.path(), password.as_bytes());
    service.shutdown();
    assert_nowhere(directory.path(), password.as_bytes());
    let reveals = Engine::new(|options, _, _| {
        let json = options.to_json().ok_or(EngineError::PasswordRequired)?;
        Ok(Output::file(json["password"].as_str().unwrap_or_default().as_bytes().to_vec(), "pdf"))
    });
    let service = on(directory.path()).engine(reveals).start().unwrap();
    let result = Api(&service).result(&operation, 30).json();
    let body = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body;
    assert_eq!(body, password.as_bytes());
}

#[test]
fn an_operation_whose_key_was_lost_fails_and_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let service = on(directory.path()).engine(endless()).start().unwrap();
    let file = Api(&service).upload("a.pdf", b"hello");
    let operation = Api(&service).start(OPTIMIZE, &json!({"input": {"fileId": file}}));
    service.shutdown();
    fs::remove_file(directory.path().join("secret.key")).unwrap();
    let service = on(directory.path()).start().unwrap();
    let result = Api(&service).result(&operation, 30).json();
    assert_eq!(result["operationStatus"], "failed");
    let detail = result["error"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("another secret key") && detail.contains("start the operation again"),
        "{detail}"
    );
}

#[test]
fn the_error_names_a_directory_that_cannot_be_used() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("a-file");
    fs::write(&file, b"").unwrap();
    let error =
        LocalService::builder().store(Store::Directory(file.clone())).start().unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()), "{error}");
    let directory = parent.path().join("data");
    drop(on(&directory).start().unwrap());
    fs::write(directory.join("recto.sqlite3"), vec![b'x'; 4096]).unwrap();
    for log in ["recto.sqlite3-wal", "recto.sqlite3-shm"] {
        let _ = fs::remove_file(directory.join(log));
    }
    let error = on(&directory).start().unwrap_err().to_string();
    assert!(error.contains("recto.sqlite3") && error.contains("not a database"), "{error}");
}

fn assert_nowhere(directory: &Path, secret: &[u8]) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(&path, secret);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{}", path.display());
    }
}
