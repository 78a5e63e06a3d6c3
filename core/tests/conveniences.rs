//! Extra headers, newer operations and options, results as inputs, streams, deleting: against a real server on the
//! loopback interface.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Client, ErrorKind, FileId, OptimizeOptions, Overrides, Source, StampTextOptions};
use serde_json::{Value, json};
use support::{Reply, Request, Server};

const KEY: &str = "the-key-of-the-test";
const PDF: &[u8] = b"%PDF-1.7\nnot much of a document\n%%EOF\n";

fn client(server: &Server) -> Client {
    Client::builder()
        .base_url(server.url())
        .api_key(KEY)
        .header("X-Gateway", "blue")
        .no_proxy()
        .build()
        .unwrap()
}

/// A service and its storage, which has another origin.
fn service() -> (Server, Server) {
    let storage = Server::start(move |request, _| match request.method.as_str() {
        "PUT" => Reply::status(200),
        _ => Reply::Answer(200, Vec::new(), PDF.to_vec()),
    });
    let at = storage.url();
    let api = Server::start(move |request, _| {
        let line = request.line();
        match line.as_str() {
            "POST /v1/files/upload/fromLocal" => {
                Reply::json(200, format!(r#"{{"fileId":"up","uploadUrl":"{at}/u"}}"#))
            }
            "GET /v1/operations/o/result" => Reply::json(
                200,
                format!(
                    r#"{{"operationStatus":"finished","outputFile":{{"fileId":"r","name":"out.pdf","url":"{at}/d"}}}}"#
                ),
            ),
            _ if line.starts_with("DELETE ") => Reply::json(200, r#"{"files":[]}"#),
            _ if line.starts_with("POST /v1/operations/") => {
                Reply::json(200, r#"{"operationId":"o","operationStatus":"inProgress"}"#)
            }
            _ => Reply::json(404, r#"{"detail":"no such path"}"#),
        }
    });
    (api, storage)
}

fn starts(api: &Server) -> Vec<(String, Value)> {
    let is_start = |request: &&Request| request.line().starts_with("POST /v1/operations/");
    let seen = api.seen();
    let starts = seen.iter().filter(is_start);
    starts.map(|request| (request.line(), serde_json::from_slice(&request.body).unwrap())).collect()
}

#[test]
fn extra_headers_are_sent_to_the_service_and_to_no_other_origin() {
    let (api, storage) = service();
    let client = client(&api).with_options(&Overrides::new().header("X-Copy", "1")).unwrap();
    let call = Call::new().header("traceparent", "00-1").header("x-gateway", "green");
    let operation = client.start(Source::bytes(PDF, "a.pdf"), OptimizeOptions::default(), &call).unwrap();
    assert_eq!(operation.read(&call).unwrap(), PDF);
    assert!(api.seen().len() >= 3 && storage.seen().len() == 2);
    for request in api.seen() {
        for (name, value) in
            [("traceparent", "00-1"), ("x-gateway", "green"), ("x-copy", "1"), ("x-api-key", KEY)]
        {
            assert_eq!(request.header(name), Some(value), "{} {name}", request.line());
        }
    }
    for request in storage.seen() {
        for name in ["traceparent", "x-gateway", "x-copy", "x-api-key"] {
            assert_eq!(request.header(name), None, "{} {name}", request.line());
        }
    }
    for name in ["X-API-KEY", "Content-Length"] {
        let error = client.files().list(false, &Call::new().header(name, "1")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{name}");
    }
}

#[test]
fn the_result_of_an_operation_is_the_input_of_the_next_one() {
    let (api, storage) = service();
    let client = client(&api);
    let first = client.start(FileId::new("mine"), OptimizeOptions::default(), &Call::new()).unwrap();
    let stamp = StampTextOptions { text: "DRAFT".to_owned(), margin: None, text_style: None };
    client.start(&first, stamp, &Call::new()).unwrap();
    assert_eq!(starts(&api)[1].1["input"], json!({"fileId": "r"}));
    assert!(storage.seen().is_empty(), "nothing was downloaded and sent again");
}

#[test]
fn results_of_operations_are_documents_of_a_batch() {
    let (api, storage) = service();
    let client = client(&api);
    let folder = tempfile::tempdir().unwrap();
    let first = client.start(FileId::new("mine"), OptimizeOptions::default(), &Call::new()).unwrap();
    let stamp = StampTextOptions { text: "DRAFT".to_owned(), margin: None, text_style: None };
    let batch = client.batch(stamp).to(folder.path()).delete_after(true).run([&first]).unwrap();
    let items: Vec<_> = batch.map(Result::unwrap).collect();
    let done = items[0].outcome.as_ref().unwrap();
    assert_eq!(done.path.as_deref(), Some(folder.path().join("o.pdf").as_path()));
    assert_eq!(starts(&api)[1].1["input"], json!({"fileId": "r"}));
    assert!(storage.seen().iter().all(|request| request.method == "GET"), "nothing was sent again");

    // The operation of another service: its result is downloaded and sent, and that copy is deleted.
    let (other, _storage) = service();
    let copy = Client::builder().base_url(other.url()).api_key(KEY).no_proxy().build().unwrap();
    let batch = copy.batch(OptimizeOptions::default()).to(folder.path()).delete_after(true).run([&first]);
    assert!(batch.unwrap().all(|item| item.unwrap().outcome.is_ok()));
    let lines: Vec<_> = other.seen().iter().map(Request::line).collect();
    assert!(lines.contains(&"POST /v1/files/upload/fromLocal".to_owned()), "{lines:?}");
    assert!(lines.contains(&"DELETE /v1/files/up".to_owned()), "{lines:?}");
}

#[test]
fn newer_options_and_operations_are_sent_as_they_are() {
    let (api, _storage) = service();
    let client = client(&api);
    let call = Call::new().extra_options(json!({"newer": [1]}));
    client.start(FileId::new("mine"), OptimizeOptions::default(), &call).unwrap();
    let operation =
        client.run("convert/pdf-to-webp", FileId::new("mine"), &json!({"quality": 8}), &Call::new());
    let operation = operation.unwrap();
    let starts = starts(&api);
    assert_eq!(starts[0].1["options"], json!({"newer": [1]}));
    assert_eq!(
        (starts[1].0.as_str(), &starts[1].1["options"]),
        ("POST /v1/operations/convert/pdf-to-webp", &json!({"quality": 8}))
    );
    assert_eq!((operation.name(), operation.kind()), ("convert/pdf-to-webp", None));
    assert_eq!(client.resume(&operation.token()).unwrap().read(&Call::new()).unwrap(), PDF);
    let error = client.run("../files", FileId::new("mine"), &Value::Null, &Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
}

#[test]
fn a_stream_has_chunks_of_the_size_and_deletes_the_files_at_its_end() {
    let (api, _storage) = service();
    let client = client(&api);
    let operation =
        client.start(Source::bytes(PDF, "a.pdf"), OptimizeOptions::default(), &Call::new()).unwrap();
    let chunks: Result<Vec<_>, _> =
        operation.stream(Some(7), &Call::new().delete_after(true)).unwrap().collect();
    let chunks = chunks.unwrap();
    assert!(chunks.iter().rev().skip(1).all(|chunk| chunk.len() == 7));
    assert_eq!(chunks.concat(), PDF);
    let deleted: Vec<_> =
        api.seen().iter().map(Request::line).filter(|line| line.starts_with("DELETE")).collect();
    assert_eq!(deleted, ["DELETE /v1/files/up", "DELETE /v1/files/r"]);
}
