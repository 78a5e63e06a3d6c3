//! The endpoints as the specification has them, over real connections.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_interface::{OperationKind, Yields};
use serde_json::{Value, json};
use support::{Api, OCTETS, send, service};

#[test]
fn a_document_is_uploaded_processed_and_downloaded() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("report.docx", b"hello");
    let started = api.post("/v1/operations/convert/doc-to-pdf", &json!({"input": {"fileId": id}}));
    assert_eq!(started.status, 200, "{started:?}");
    let handle = started.json();
    assert_eq!(
        (&handle["operationType"], &handle["operationStatus"]),
        (&json!("docToPdf"), &json!("inProgress"))
    );
    let response = api.result(handle["operationId"].as_str().unwrap(), 10);
    let result = response.json();
    assert_eq!(
        (&result["operationType"], &result["operationStatus"]),
        (&json!("docToPdf"), &json!("finished"))
    );
    assert_eq!(result["outputFile"]["name"], "report.pdf");
    assert_eq!(response.header("preference-applied"), Some("wait=10"));
    let got = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"");
    assert_eq!((got.status, &*got.body), (200, &b"olleh"[..]));
    assert_eq!(got.header("content-type"), Some("application/pdf"));
    assert_eq!(got.header("content-disposition"), Some("attachment; filename*=UTF-8''report.pdf"));
}

#[test]
fn every_operation_of_the_table_starts_at_its_addresses_and_ends_as_specified() {
    let service = service();
    let api = Api(&service);
    for &kind in OperationKind::ALL {
        let document: &[u8] = if kind.yields() == Yields::Report { b"report" } else { b"hello" };
        let id = api.upload(&format!("in.{}", kind.accepts()[0]), document);
        let options = match kind {
            OperationKind::ArchivePdfA | OperationKind::PowerArchive => json!({"conformance": "pdf_a2_b"}),
            _ => needed_options(kind),
        };
        for path in [Some(kind.path()), kind.beta_path()].into_iter().flatten() {
            let mut body = json!({"input": {"fileId": id}});
            if options.as_object().is_some_and(|options| !options.is_empty()) {
                body["options"] = options.clone();
            }
            let started = api.post(path, &body);
            assert_eq!(started.status, 200, "{kind} {started:?}");
            let handle = started.json();
            assert_eq!(handle["operationType"], kind.wire_name());
            assert_eq!(handle["operationStatus"], "inProgress");
            let result = api.result(handle["operationId"].as_str().unwrap(), 10).json();
            let (wire_type, status) = match kind {
                OperationKind::PowerArchive => ("optimize", "powerArchive"),
                _ => (kind.wire_name(), "finished"),
            };
            assert_eq!(
                (&result["operationType"], &result["operationStatus"]),
                (&json!(wire_type), &json!(status)),
                "{result}"
            );
            let (there, not_there) = match kind.yields() {
                Yields::File => ("outputFile", "validation"),
                Yields::Report => ("validation", "outputFile"),
            };
            assert!(result[there].is_object() && result[not_there].is_null(), "{result}");
        }
    }
}

/// The required options of an operation, from its table.
fn needed_options(kind: OperationKind) -> Value {
    let mut options = json!({});
    for field in kind.fields().iter().filter(|field| field.need == recto_interface::Need::Required) {
        let value = match field.kind {
            recto_interface::FieldKind::Text => json!("code128"),
            recto_interface::FieldKind::Choice(set) => json!(set.texts[0]),
            recto_interface::FieldKind::Number => json!(1.5),
            recto_interface::FieldKind::Integer { max, .. } => json!(max),
            recto_interface::FieldKind::Bool => json!(true),
            recto_interface::FieldKind::Secret => json!("secret"),
        };
        let mut place = &mut options;
        for step in field.path.split('.') {
            place = &mut place[step];
        }
        *place = value;
    }
    options
}

#[test]
fn a_validation_report_and_notes_are_carried_as_the_engine_gives_them() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"report");
    let operation = api.start("/v1/operations/validate", &json!({"input": {"fileId": id}}));
    let report = &api.result(&operation, 10).json()["validation"];
    assert_eq!(*report, json!({"errors": ["no fonts"], "isConforming": false, "conformance": "pdf15"}));
    let id = api.upload("a.b.pdf", b"notes");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    let result = api.result(&operation, 10).json();
    assert_eq!(
        (&result["notes"], &result["outputFile"]["name"]),
        (&json!(["one thing was dropped"]), &json!("a.b.zip"))
    );
}

#[test]
fn files_are_listed_shown_and_deleted() {
    let service = service();
    let api = Api(&service);
    assert_eq!(api.get("/v1/files").json(), json!({"files": []}));
    let first = api.upload("one.pdf", b"hello");
    let second = api.upload("two", b"hello");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": first}}));
    let result = api.result(&operation, 10).json();
    let listed = api.get("/v1/files").json();
    let origins: Vec<_> =
        listed["files"].as_array().unwrap().iter().map(|file| file["origin"].clone()).collect();
    assert_eq!(origins, ["fromLocal", "fromLocal", "result"]);
    for query in ["onlyResultFiles=true", "onlyResultFiles=True"] {
        let only = api.get(&format!("/v1/files?{query}")).json();
        assert_eq!(only["files"].as_array().unwrap().len(), 1, "{only}");
        assert_eq!(only["files"][0]["id"], result["outputFile"]["fileId"]);
    }
    assert_eq!(api.get("/v1/files?onlyResultFiles=maybe").code(), "invalid_parameter");
    let record = api.get(&format!("/v1/files/{second}")).json();
    let created = record["createdAt"].as_str().unwrap();
    assert!(created.len() == 24 && created.ends_with('Z') && created.as_bytes()[19] == b'.', "{created}");
    assert_eq!((&record["name"], &record["extension"]), (&json!("two"), &json!("")));
    let remaining = api.send("DELETE", &format!("/v1/files/{first}"), &[], b"").json();
    assert_eq!(remaining["files"].as_array().unwrap().len(), 2, "{remaining}");
    assert_eq!(api.get(&format!("/v1/files/{first}")).code(), "file_not_found");
    assert_eq!(api.send("DELETE", &format!("/v1/files/{first}"), &[], b"").status, 404);
}

#[test]
fn a_ticket_is_not_a_file_until_its_bytes_are_uploaded() {
    let service = service();
    let api = Api(&service);
    let (id, url) = api.ticket("later.pdf");
    assert_eq!(api.get("/v1/files").json(), json!({"files": []}));
    assert_eq!(api.get(&format!("/v1/files/{id}")).code(), "file_not_found");
    let start = || api.post("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    assert_eq!(start().code(), "file_not_uploaded");
    assert_eq!(send("PUT", &url, &[OCTETS], b"").status, 200);
    assert_eq!(start().status, 200);
}

#[test]
fn invalid_requests_are_rejected_with_a_code() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"hello");
    let optimize = "/v1/operations/optimize";
    for (response, status, code) in [
        (api.post(optimize, &json!({"input": {"fileId": "nope"}})), 404, "file_not_found"),
        (
            api.post(optimize, &json!({"input": {"fileId": id}, "options": {"profil": "web"}})),
            422,
            "invalid_option",
        ),
        (
            api.post(optimize, &json!({"input": {"fileId": id}, "options": {"profile": "tiny"}})),
            422,
            "invalid_option",
        ),
        (api.post(optimize, &json!({"input": {"fileId": id}, "option": {}})), 422, "invalid_request"),
        (api.post(optimize, &json!({"input": {}})), 422, "invalid_request"),
        (api.post("/v1/operations/encrypt", &json!({})), 422, "invalid_request"),
        (api.post("/v1/files/upload/fromLocal", &json!({"fileName": ""})), 422, "invalid_request"),
        (api.post("/v1/files/upload/fromLocal", &json!({})), 422, "invalid_request"),
        (api.send("POST", optimize, &[support::JSON], b"{\"input\""), 400, "invalid_json"),
        (api.send("POST", optimize, &[support::JSON], b""), 400, "invalid_json"),
        (api.send("POST", optimize, &[], b"{}"), 415, "unsupported_media_type"),
        (api.send("POST", optimize, &[("Content-Type", "text/json")], b"{}"), 415, "unsupported_media_type"),
        (api.get("/v1/operations/nope/result"), 404, "operation_not_found"),
        (api.get("/v1/nothing"), 404, "unknown_endpoint"),
        (api.get("/v1/files/"), 404, "unknown_endpoint"),
        (api.get("/test/controls"), 404, "unknown_endpoint"),
        (api.get(optimize), 405, "method_not_allowed"),
        (api.send("PATCH", "/v1/files", &[], b""), 405, "method_not_allowed"),
    ] {
        assert_eq!((response.status, response.code().as_str()), (status, code), "{response:?}");
    }
    assert_eq!(api.get(optimize).header("allow"), Some("POST"));
    let unknown = api.post(optimize, &json!({"input": {"fileId": id}, "options": {"profil": "web"}})).json();
    assert!(unknown["detail"].as_str().unwrap().contains("profil"), "{unknown}");
    let choice = api.post(optimize, &json!({"input": {"fileId": id}, "options": {"profile": "tiny"}})).json();
    assert_eq!((&choice["field"], &choice["allowed"][0]), (&json!("options.profile"), &json!("web")));
}

#[test]
fn a_failed_operation_says_why() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"fail");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    let response = api.result(&operation, 10);
    assert_eq!(response.status, 200);
    let result = response.json();
    assert_eq!(
        (&result["operationStatus"], &result["error"]["code"]),
        (&json!("failed"), &json!("password_required"))
    );
    assert!(result["error"]["detail"].as_str().unwrap().contains("decrypt"), "{result}");
    assert!(result["outputFile"].is_null());
}

#[test]
fn health_needs_no_key() {
    let service = service();
    let response = send("GET", &Api(&service).url("/health"), &[], b"");
    assert_eq!((response.status, &response.json()["status"]), (200, &json!("ok")));
}
