//! Tests that the endpoints, over real connections, respond as the specification requires.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_interface::{OperationKind, Yields};
use serde_json::{Value, json};
use support::{Api, OCTETS, builder, send, service};

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
            OperationKind::Encrypt => json!({"password": "secret"}),
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

/// The required options of an operation, as its table of fields lists them.
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
    for value in ["true", "True", "TRUE", "1"] {
        let only = api.get(&format!("/v1/files?onlyResultFiles={value}")).json();
        assert_eq!(only["files"].as_array().unwrap().len(), 1, "{only}");
        assert_eq!(only["files"][0]["id"], result["outputFile"]["fileId"]);
    }
    for value in ["false", "False", "0"] {
        let all = api.get(&format!("/v1/files?onlyResultFiles={value}")).json();
        assert_eq!(all["files"].as_array().unwrap().len(), 3, "{value}: {all}");
    }
    for value in ["", "maybe", "2", "yes", "true%20"] {
        let refused = api.get(&format!("/v1/files?onlyResultFiles={value}"));
        assert_eq!((refused.status, &*refused.code()), (400, "invalid_parameter"), "{value}");
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("onlyResultFiles") && detail.contains("true or false"), "{detail}");
    }
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
            api.post(optimize, &json!({"input": {"fileId": id}, "options": {"profile": "tiny"}})),
            422,
            "invalid_option",
        ),
        (api.post(optimize, &json!({"input": {}})), 422, "invalid_request"),
        (api.post(optimize, &json!({"input": {"fileID": id}})), 422, "invalid_request"),
        (api.post(optimize, &json!([])), 422, "invalid_request"),
        (api.post("/v1/operations/decrypt", &json!({})), 422, "invalid_request"),
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

/// Requests with a field that the interface does not have. Each entry is the path of the request, its body, and the
/// error code in the response of a strict service.
fn with_unknown_fields(id: &str) -> [(&'static str, Value, &'static str); 5] {
    let margin = json!({"margin": 1, "unit": "cm", "middle": 2});
    [
        ("/v1/files/upload/fromLocal", json!({"fileName": "a.pdf", "size": 5}), "invalid_request"),
        ("/v1/operations/optimize", json!({"input": {"fileId": id}, "priority": "high"}), "invalid_request"),
        ("/v1/operations/optimize", json!({"input": {"fileId": id, "page": 1}}), "invalid_request"),
        (
            "/v1/operations/optimize",
            json!({"input": {"fileId": id}, "options": {"profil": "web"}}),
            "invalid_option",
        ),
        (
            "/v1/operations/convert/image-to-pdf",
            json!({"input": {"fileId": id}, "options": {"pageMargin": margin}}),
            "invalid_option",
        ),
    ]
}

#[test]
fn unknown_fields_are_ignored_by_default() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"hello");
    for (path, body, _) in with_unknown_fields(&id) {
        let response = api.post(path, &body);
        assert_eq!(response.status, 200, "{path} {body}: {response:?}");
    }
    // Known options are checked even if the request also has unknown options.
    let body = json!({"input": {"fileId": id}, "options": {"profil": "web", "profile": "tiny"}});
    assert_eq!(api.post("/v1/operations/optimize", &body).json()["field"], "options.profile");
    let body = json!({"input": {"fileId": id}, "options": {"pasword": "secret"}});
    assert_eq!(api.post("/v1/operations/encrypt", &body).json()["field"], "options.password");
}

#[test]
fn a_strict_service_refuses_unknown_fields_by_name() {
    let service = builder().strict_fields(true).start().unwrap();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"hello");
    for ((path, body, code), name) in
        with_unknown_fields(&id).into_iter().zip(["size", "priority", "page", "profil", "middle"])
    {
        let response = api.post(path, &body);
        assert_eq!((response.status, &*response.code()), (422, code), "{path} {body}");
        let detail = response.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(name), "{detail}");
    }
}

#[test]
fn a_client_that_may_not_know_of_failures_gets_an_error_response() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"fail");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    assert_eq!(api.result(&operation, 10).status, 200);
    let path = format!("/v1/operations/{operation}/result");
    let response = api.send("GET", &path, &[("User-Agent", "curl/8.5.0")], b"");
    assert_eq!((response.status, &*response.code()), (422, "password_required"));
    let problem = response.json();
    assert!(problem["detail"].as_str().unwrap().contains("decrypt"), "{problem}");
    assert_eq!(
        (&problem["operationId"], &problem["operationType"], &problem["operationStatus"]),
        (&json!(operation), &json!("optimize"), &json!("failed"))
    );
    let own = api.send("GET", &path, &[("User-Agent", "recto/0.1.0")], b"");
    assert_eq!((own.status, &own.json()["error"]["code"]), (200, &json!("password_required")));
    // Only the result of a failed operation is an error response.
    let id = api.upload("a.pdf", b"hello");
    let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": id}}));
    api.result(&operation, 10);
    assert_eq!(api.get(&format!("/v1/operations/{operation}/result")).status, 200);
}

#[test]
fn options_that_cannot_work_are_refused_at_the_start() {
    let service = service();
    let api = Api(&service);
    let id = api.upload("a.pdf", b"hello");
    let style = |color: &str| json!({"text": "x", "textStyle": {"textColor": color}});
    for (kind, options, field) in [
        (OperationKind::Encrypt, json!({}), "password"),
        (OperationKind::Encrypt, json!({"password": ""}), "password"),
        (OperationKind::Encrypt, json!({"password": "x".repeat(128)}), "password"),
        (OperationKind::Validate, json!({"conformance": "pdf99"}), "conformance"),
        (OperationKind::PowerArchive, json!({"conformance": "pdf17"}), "conformance"),
        (OperationKind::StampBarcode, json!({"type": "code127", "value": "1"}), "type"),
        (OperationKind::StampBarcode, json!({"type": "code128", "value": ""}), "value"),
        (OperationKind::StampBarcode, json!({"type": "ean13", "value": "x"}), "value"),
        (OperationKind::StampDataMatrix, json!({"value": ""}), "value"),
        (OperationKind::StampQr, json!({"value": ""}), "value"),
        (
            OperationKind::StampQr,
            json!({"value": "1", "stampSize": {"side": 1, "unit": "mm"}}),
            "stampSize.unit",
        ),
        (OperationKind::StampText, json!({"text": " "}), "text"),
        (OperationKind::StampWatermark, json!({"text": ""}), "text"),
        (OperationKind::StampText, style("reddish"), "textStyle.textColor"),
        (OperationKind::StampWatermark, style("#12"), "textStyle.textColor"),
        (OperationKind::ImageToPdf, json!({"pageMargin": {"margin": 30, "unit": "cm"}}), "pageMargin.margin"),
    ] {
        let response = api.post(kind.path(), &json!({"input": {"fileId": id}, "options": options}));
        assert_eq!((response.status, &*response.code()), (422, "invalid_option"), "{kind} {options}");
        assert_eq!(response.json()["field"], format!("options.{field}"), "{kind} {options}");
    }
    for (kind, options) in [
        (OperationKind::Decrypt, json!({})),
        (OperationKind::Decrypt, json!({"password": ""})),
        (OperationKind::Validate, json!({"conformance": "PDF/A-2b"})),
        (OperationKind::PowerArchive, json!({})),
        (OperationKind::StampText, style("red")),
    ] {
        let response = api.post(kind.path(), &json!({"input": {"fileId": id}, "options": options}));
        assert_eq!(response.status, 200, "{kind} {options}: {response:?}");
    }
}

#[test]
fn health_needs_no_key() {
    let service = service();
    let response = send("GET", &Api(&service).url("/health"), &[], b"");
    assert_eq!((response.status, &response.json()["status"]), (200, &json!("ok")));
}

#[test]
fn the_version_is_told_only_with_the_key() {
    let service = service();
    let api = Api(&service);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(api.get("/health").json()["version"], version);
    for key in [None, Some("wrong")] {
        let headers: Vec<_> = key.map(|key| ("X-Api-Key", key)).into_iter().collect();
        for path in ["/health", "/", "/openapi.json", "/page/page.js", "/v1/files", "/metrics", "/nowhere"] {
            let response = send("GET", &api.url(path), &headers, b"");
            let seen = format!("{}\n{}", response.head, String::from_utf8_lossy(&response.body));
            assert!(response.header("server").is_none(), "{path}: {seen}");
            assert!(!seen.contains(version), "{path} {key:?}: {seen}");
        }
    }
}
