//! Tests of the life of operations and of a service: waiting, panics, cancellation, retention, and a shutdown that
//! leaves no files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_service::{Config, IsolationMode, Limits, LocalService, LocalSettings, serve};
use serde_json::json;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::{Api, builder, send, service};

const OPTIMIZE: &str = "/v1/operations/optimize";

fn started(api: &Api<'_>, document: &[u8]) -> (String, String) {
    let id = api.upload("a.pdf", document);
    let operation = api.start(OPTIMIZE, &json!({"input": {"fileId": id}}));
    (id, operation)
}

#[test]
fn a_pending_result_says_when_to_request_it_again() {
    let service = service();
    let api = Api(&service);
    let (_, operation) = started(&api, b"sleep");
    let response = api.get(&format!("/v1/operations/{operation}/result"));
    assert_eq!((response.status, response.header("retry-after")), (200, Some("1")));
    assert_eq!(response.json(), json!({"operationType": "optimize", "operationStatus": "inProgress"}));
    assert_eq!(response.header("preference-applied"), None);
    let began = Instant::now();
    let held = api.result(&operation, 1);
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(
        (held.json()["operationStatus"].as_str(), held.header("preference-applied")),
        (Some("inProgress"), Some("wait=1"))
    );
}

#[test]
fn a_held_request_gets_its_response_as_soon_as_the_operation_ends() {
    let service = service();
    let api = Api(&service);
    let (_, operation) = started(&api, b"nap");
    let began = Instant::now();
    let response = api.result(&operation, 600);
    assert_eq!(response.json()["operationStatus"], "finished");
    assert_eq!(response.header("preference-applied"), Some("wait=30"));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn a_panic_fails_only_its_own_operation() {
    let service = service();
    let api = Api(&service);
    let operations: Vec<_> = (0..6).map(|_| started(&api, b"panic").1).collect();
    for operation in operations {
        let result = api.result(&operation, 30).json();
        assert_eq!(
            (&result["operationStatus"], &result["error"]["code"]),
            (&json!("failed"), &json!("internal"))
        );
    }
    let (_, operation) = started(&api, b"hello");
    assert_eq!(api.result(&operation, 30).json()["operationStatus"], "finished");
}

#[test]
fn deleting_the_input_cancels_running_and_waiting_operations() {
    let service = builder().workers(1).start().unwrap();
    let api = Api(&service);
    let (running_on, running) = started(&api, b"sleep");
    let (waiting_on, waiting) = started(&api, b"sleep");
    for (file, operation) in [(waiting_on, waiting), (running_on, running)] {
        api.send("DELETE", &format!("/v1/files/{file}"), &[], b"");
        let result = api.result(&operation, 30).json();
        assert_eq!(
            (&result["operationStatus"], &result["error"]["code"]),
            (&json!("failed"), &json!("cancelled"))
        );
    }
    let (_, operation) = started(&api, b"hello");
    assert_eq!(api.result(&operation, 30).json()["operationStatus"], "finished", "the worker is free again");
}

#[test]
fn operations_beyond_the_limit_are_rejected_until_others_end() {
    let service = builder().limits(Limits { operations: 2, ..Limits::default() }).start().unwrap();
    let api = Api(&service);
    let (file, _) = started(&api, b"sleep");
    api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
    let response = api.post(OPTIMIZE, &json!({"input": {"fileId": file}}));
    assert_eq!(
        (response.status, response.code().as_str(), response.header("retry-after")),
        (429, "too_many_operations", Some("1"))
    );
}

#[test]
fn a_hundred_clients_at_once_each_get_their_own_result() {
    let service = service();
    let api = Api(&service);
    std::thread::scope(|scope| {
        for client in 0..100 {
            let api = &api;
            scope.spawn(move || {
                let document = format!("{client} is the number");
                let (_, operation) = started(api, document.as_bytes());
                let result = api.result(&operation, 30).json();
                let got = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body;
                assert_eq!(got.iter().rev().copied().collect::<Vec<_>>(), document.as_bytes());
            });
        }
    });
    assert_eq!(api.get("/v1/files").json()["files"].as_array().unwrap().len(), 200);
}

#[test]
fn files_and_results_expire() {
    let parent = tempfile::tempdir().unwrap();
    let service = support::in_directory(builder().retention(Duration::from_millis(300)), parent.path());
    let service = service.start().unwrap();
    let api = Api(&service);
    let (_, operation) = started(&api, b"hello");
    assert_eq!(api.result(&operation, 30).status, 200);
    let until = Instant::now() + Duration::from_secs(20);
    while api.result(&operation, 0).status != 404 || api.get("/v1/files").json() != json!({"files": []}) {
        assert!(Instant::now() < until, "nothing expired");
    }
    while !support::kept_files(parent.path()).is_empty() {
        assert!(Instant::now() < until, "bytes remained");
    }
}

#[test]
fn it_starts_quickly_and_stops_leaving_no_file_and_no_port() {
    let parent = tempfile::tempdir().unwrap();
    let mut quickest = Duration::MAX;
    for document in [&b"hello"[..], b"sleep", b"panic", b"sleep"] {
        let began = Instant::now();
        let service = builder().data_dir(parent.path()).start().unwrap();
        quickest = quickest.min(began.elapsed());
        let api = Api(&service);
        let (_, operation) = started(&api, document);
        let held = std::thread::spawn({
            let url = api.url(&format!("/v1/operations/{operation}/result"));
            let key = service.api_key().clone();
            move || send("GET", &url, &[("X-Api-Key", key.expose()), ("Prefer", "wait=30")], b"").status
        });
        let address = service.base_url().trim_start_matches("http://").to_owned();
        let idle = TcpStream::connect(&address).unwrap();
        let private = std::fs::read_dir(parent.path()).unwrap().next().unwrap().unwrap();
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&private.metadata().unwrap().permissions()) & 0o777,
            0o700
        );
        let began = Instant::now();
        service.shutdown();
        println!("stopped in {:?}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(!private.path().exists(), "files were left");
        assert!(TcpStream::connect(&address).is_err(), "the port is still open");
        let _ = held.join();
        drop(idle);
    }
    println!("started in {quickest:?}");
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn an_unused_file_is_deleted_when_no_operation_needs_it_any_more() {
    let parent = tempfile::tempdir().unwrap();
    let service = support::in_directory(builder(), parent.path()).start().unwrap();
    let (api, unused) = (Api(&service), service.unused_files());
    let listed = |id: &str| api.get(&format!("/v1/files/{id}")).status == 200;
    let wait_for_end = |id: &str| {
        let until = Instant::now() + Duration::from_secs(20);
        while listed(id) {
            assert!(Instant::now() < until, "the file was not deleted");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let idle = api.upload("a.pdf", b"hello");
    unused.delete(&idle);
    if module_path!().starts_with("on_sqlite::") {
        // A service that keeps its data deletes nothing by itself.
        std::thread::sleep(Duration::from_millis(200));
        assert!(listed(&idle));
        return;
    }
    unused.delete("no-such-file");
    wait_for_end(&idle);

    // Two operations use the file. Neither is cancelled, and the file stays until both have ended.
    let (file, first) = started(&api, b"nap");
    let second = api.start(OPTIMIZE, &json!({"input": {"fileId": file}}));
    unused.delete(&file);
    std::thread::sleep(Duration::from_millis(50));
    assert!(listed(&file));
    for operation in [first, second] {
        let result = api.result(&operation, 30).json();
        assert_eq!(result["operationStatus"], "finished", "{result}");
        let output = result["outputFile"]["fileId"].as_str().unwrap().to_owned();
        assert!(listed(&output), "the result was not to be deleted");
        unused.delete(&output);
        wait_for_end(&output);
    }
    wait_for_end(&file);
    let until = Instant::now() + Duration::from_secs(20);
    while !support::kept_files(parent.path()).is_empty() {
        assert!(Instant::now() < until, "bytes remained");
    }
    // After the end of the service, nothing happens.
    service.shutdown();
    unused.delete(&file);
}

#[test]
fn settings_limit_an_embedded_service() {
    let settings = LocalSettings { stored_bytes: Some(1000), workers: Some(1), ..LocalSettings::default() };
    let service = builder().settings(&settings).start().unwrap();
    let api = Api(&service);
    let (_, url) = api.ticket("a.pdf");
    assert_eq!(send("PUT", &url, &[support::OCTETS], &[7; 1001]).status, 507);
    let required = LocalSettings {
        isolation: Some(IsolationMode::Workers),
        worker: Some("/nowhere/recto".into()),
        ..settings
    };
    let refused = LocalService::builder().settings(&required).start().unwrap_err().to_string();
    assert!(refused.contains("/nowhere/recto"), "{refused}");
}

#[test]
fn what_is_in_the_way_of_a_start_is_named() {
    let service = service();
    let port: u16 = service.base_url().rsplit_once(':').unwrap().1.parse().unwrap();
    let taken = LocalService::builder().port(port).start().unwrap_err().to_string();
    assert!(taken.contains(&port.to_string()) && taken.contains("another host or port"), "{taken}");
    let nowhere = LocalService::builder().data_dir("/nowhere/at/all").start().unwrap_err().to_string();
    assert!(nowhere.contains("/nowhere/at/all"), "{nowhere}");
    for url in ["no address", "ftp://x/", "http://user:pass@x/", "http://x/?q"] {
        assert!(LocalService::builder().public_url(url).start().is_err(), "{url}");
    }
}

#[tokio::test]
async fn it_serves_inside_a_runtime_until_it_is_told_to_stop() {
    let (up, is_up) = tokio::sync::oneshot::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = tokio::spawn(serve(Config::default(), |serving| drop(up.send(serving.clone())), async {
        drop(stopped.await)
    }));
    let serving = is_up.await.unwrap();
    assert!(serving.key_is_generated);
    let url = format!("{}/health", serving.base_url);
    let response = tokio::task::spawn_blocking(move || send("GET", &url, &[], b"")).await.unwrap();
    assert_eq!(response.status, 200);
    drop(stop);
    served.await.unwrap().unwrap();
    assert!(TcpStream::connect(serving.address).is_err());
}

#[test]
fn test_controls_set_the_timing_of_results() {
    let service = builder().test_controls(true).start().unwrap();
    let api = Api(&service);
    let set = |controls: serde_json::Value| {
        let response = api.send("PUT", "/test/controls", &[support::JSON], controls.to_string().as_bytes());
        assert_eq!(response.status, 200, "{response:?}");
    };
    set(json!({"finishAfterPolls": 2}));
    let (_, operation) = started(&api, b"hello");
    let status = |wait| api.result(&operation, wait).json()["operationStatus"].as_str().unwrap().to_owned();
    assert_eq!(
        [status(5), status(5), status(5), status(5)],
        ["inProgress", "inProgress", "finished", "finished"]
    );
    set(json!({"delayMs": 400}));
    let began = Instant::now();
    let (_, operation) = started(&api, b"hello");
    assert_eq!(api.result(&operation, 0).json()["operationStatus"], "inProgress");
    assert_eq!(api.result(&operation, 10).json()["operationStatus"], "finished");
    assert!(began.elapsed() >= Duration::from_millis(400));
    let log = api.get("/test/requests").json();
    let last = log["requests"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        last,
        json!({"method": "GET", "path": format!("/v1/operations/{operation}/result"), "status": 200})
    );
    assert_eq!(api.post("/test/reset", &json!({})).status, 200);
    assert_eq!(api.get("/v1/files").json(), json!({"files": []}));
    assert_eq!(api.get("/test/requests").json()["requests"].as_array().unwrap().len(), 1);
    assert_eq!(api.send("PUT", "/test/controls", &[support::JSON], b"{\"x\": 1}").code(), "invalid_request");
}
