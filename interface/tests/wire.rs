//! Tests of the JSON bodies: every body of the specification in both directions, and deviations that servers may
//! send.
#![allow(clippy::unwrap_used, clippy::panic)]

use recto_interface::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json};

fn round_trip<T: DeserializeOwned + Serialize>(body: Value) -> T {
    let read: T = from_value(body.clone()).unwrap_or_else(|error| panic!("{body}: {error}"));
    assert_eq!(serde_json::to_value(&read).unwrap(), body);
    read
}

#[test]
fn bodies_of_the_file_endpoints() {
    round_trip::<UploadRequest>(json!({"fileName": "report.pdf"}));
    let ticket: UploadTicket =
        round_trip(json!({"fileId": "f1", "uploadUrl": "https://s.example/u/1?sig=a%2Bb"}));
    assert_eq!(ticket.upload_url, "https://s.example/u/1?sig=a%2Bb");
    round_trip::<FromUrlRequest>(json!({"fileUrl": "https://example.org/a.pdf"}));
    round_trip::<FromUrlResponse>(json!({"fileId": "f2"}));
    let record = json!({
        "id": "f1", "createdAt": "2024-05-06T07:08:09.123456Z", "origin": "fromUrl",
        "name": "report.pdf", "extension": "pdf"
    });
    round_trip::<FileRecord>(record.clone());
    round_trip::<FileList>(json!({"files": [record]}));
    round_trip::<FileList>(json!({"files": []}));
}

#[test]
fn bodies_of_an_operation() {
    round_trip::<StartRequest>(json!({"input": {"fileId": "f1"}, "options": {"profile": "web"}}));
    round_trip::<StartRequest>(json!({"input": {"fileId": "f1"}}));
    round_trip::<StartRequest>(json!({}));
    for kind in OperationKind::ALL {
        let body =
            json!({"operationId": "o1", "operationType": kind.wire_name(), "operationStatus": "inProgress"});
        let handle: OperationHandle = round_trip(body);
        assert_eq!(handle.operation_type, Some(OperationType::Known(*kind)));
        assert_eq!(handle.operation_status, Some(OperationStatus::InProgress));
    }
    let output = json!({"fileId": "f9", "name": "report.zip", "url": "https://s.example/d/9?sig=x"});
    let body =
        json!({"operationType": "convertPdfToPng", "operationStatus": "finished", "outputFile": output});
    let done: OperationResult = round_trip(body);
    assert_eq!(done.output_file.unwrap().name.as_deref(), Some("report.zip"));
    let validation =
        json!({"errors": ["/N of object 7 must be 3."], "isConforming": false, "conformance": "pdf15"});
    let body = json!({"operationType": "validate", "operationStatus": "finished", "validation": validation});
    let report: OperationResult = round_trip(body);
    assert_eq!(report.validation.unwrap().is_conforming, Some(false));
}

#[test]
fn the_odd_result_of_power_archive_is_read_as_it_is() {
    let body = json!({"operationType": "optimize", "operationStatus": "powerArchive", "outputFile": {"fileId": "f"}});
    let odd: OperationResult = round_trip(body);
    assert_eq!(odd.operation_type, Some(OperationType::Known(OperationKind::Optimize)));
    assert_eq!(odd.operation_status, Some(OperationStatus::PowerArchive));
    assert!(odd.output_file.is_some());
}

#[test]
fn unknown_fields_are_kept_and_unknown_values_named() {
    let record: FileRecord = round_trip(json!({"id": "f", "size": 12, "tags": {"a": [1]}}));
    assert_eq!(record.extra["size"], 12);
    let body = json!({"operationId": "o", "operationType": "translate", "operationStatus": "queued"});
    let handle: OperationHandle = round_trip(body);
    assert_eq!(handle.operation_type, Some(OperationType::Other("translate".into())));
    assert_eq!(handle.operation_status, Some(OperationStatus::Other("queued".into())));
}

#[test]
fn missing_optional_fields_and_nulls_are_no_errors() {
    let record: FileRecord = from_value(json!({"id": "f", "name": null})).unwrap();
    assert_eq!(record, FileRecord { id: "f".into(), ..FileRecord::default() });
    let list: FileList = from_value(json!({"files": null})).unwrap();
    assert!(list.files.is_empty());
    let report: ValidationReport = from_value(json!({"errors": null, "isConforming": true})).unwrap();
    assert_eq!((report.errors.len(), report.is_conforming), (0, Some(true)));
    let result: OperationResult = from_value(json!({"outputFile": null, "validation": null})).unwrap();
    assert_eq!(result, OperationResult::default());
    assert!(
        from_value::<UploadTicket>(json!({"fileId": "f"})).is_err(),
        "a ticket without an address is invalid"
    );
}

#[test]
fn words_of_failure_are_known_in_any_case() {
    for word in
        ["failed", "Failed", "ERROR", "canceled", "cancelled", "aborted", "rejected", "expired", "Timeout"]
    {
        let status = OperationStatus::from(word);
        assert!(status.is_failure(), "{word}");
        assert_eq!(status.as_str(), word);
    }
    for word in ["finished", "inProgress", "powerArchive", "Finished", "failing", ""] {
        assert!(!OperationStatus::from(word).is_failure(), "{word}");
    }
}

#[test]
fn nothing_secret_is_printed() {
    let ticket: UploadTicket =
        from_value(json!({"fileId": "f", "uploadUrl": "https://h/u?sig=SECRET"})).unwrap();
    let output: OutputFile = from_value(json!({"fileId": "f", "url": "https://h/d?sig=SECRET"})).unwrap();
    let from_url = FromUrlRequest { file_url: "https://h/f?sig=SECRET".into() };
    let options = Options::from_json(OperationKind::Encrypt, &json!({"password": "SECRET"})).unwrap();
    let printed = format!("{ticket:?} {output:?} {from_url:?} {options:?} {}", Secret::new("SECRET"));
    assert!(!printed.contains("SECRET"), "{printed}");
    assert_eq!(options.to_json(), Some(json!({"password": "SECRET"})));
    assert!(Secret::new("a") == Secret::from("a") && Secret::new("a") != Secret::new("ab"));
}

#[test]
fn a_problem_is_rfc_9457() {
    let problem: Problem = round_trip(json!({
        "type": "about:blank", "title": "Not found", "status": 404, "detail": "There is no file f.",
        "code": "file_not_found", "traceId": "t1", "instance": "/v1/files/f"
    }));
    assert_eq!(problem.extra["instance"], "/v1/files/f");
}
