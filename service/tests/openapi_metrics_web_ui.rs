//! Tests of the OpenAPI description, of the metrics and of the web page.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

mod support;

use recto_interface::{Field, FieldKind, Need, OperationKind, endpoint};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{Api, JSON, builder, send, service};

fn description(api: &Api<'_>) -> Value {
    let response = send("GET", &api.url("/openapi.json"), &[], b"");
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    response.json()
}

/// The schema of the options of an operation in the OpenAPI description.
fn options_schema(description: &Value, kind: OperationKind) -> &Value {
    let body =
        &description["paths"][kind.path()]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert!(body["properties"]["options"]["properties"].is_object(), "{kind}: {body}");
    &body["properties"]["options"]
}

/// The schema of one option.
fn field_schema<'d>(options: &'d Value, field: &Field) -> &'d Value {
    let mut schema = options;
    for step in field.path.split('.') {
        schema = &schema["properties"][step];
    }
    schema
}

/// A value that the schema of an option allows, and that the engine knows.
fn allowed(field: &Field, schema: &Value) -> Value {
    let of_type = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap();
    match of_type {
        "boolean" => json!(true),
        "integer" => schema["minimum"].clone(),
        "number" => json!(1.5),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| match field.path {
            "conformance" => json!("pdf_a2_b"),
            "stampSize.unit" => json!("cm"),
            "textStyle.textColor" => json!("red"),
            "type" => json!("code128"),
            _ => json!("x"),
        }),
    }
}

/// The options that the OpenAPI description requires, and the options that must be given together with `field`.
fn needed(options: &Value, kind: OperationKind, field: Option<&Field>) -> Value {
    let parent = |path: &'static str| path.split_once('.').map(|(parent, _)| parent);
    let mut options_needed = json!({});
    for other in kind.fields() {
        let sibling = other.need == Need::WithParent
            && field.is_some_and(|field| parent(field.path) == parent(other.path));
        let required = options["required"].as_array().is_some_and(|all| all.contains(&json!(other.path)));
        if other.need == Need::Required || required || sibling {
            set(&mut options_needed, other.path, allowed(other, field_schema(options, other)));
        }
    }
    options_needed
}

fn set(options: &mut Value, path: &str, value: Value) {
    match path.split_once('.') {
        Some((parent, child)) => options[parent][child] = value,
        None => options[path] = value,
    }
}

/// The error code of the response to a request with the options `options`. The code is `file_not_found` if the options
/// are valid, because the input file does not exist.
fn code_for(api: &Api<'_>, kind: OperationKind, options: &Value) -> String {
    api.post(kind.path(), &json!({"input": {"fileId": "none"}, "options": options})).code()
}

#[test]
fn the_description_of_every_option_matches_what_the_service_accepts() {
    let service = builder().strict_fields(true).start().unwrap();
    let api = Api(&service);
    let description = description(&api);
    for &kind in OperationKind::ALL {
        let options = options_schema(&description, kind);
        let fine = needed(options, kind, None);
        assert_eq!(code_for(&api, kind, &fine), "file_not_found", "{kind}: {fine}");
        assert_eq!(code_for(&api, kind, &json!({ "unheard-of": 1 })), "invalid_option", "{kind}");
        for field in kind.fields() {
            let schema = field_schema(options, field);
            let with = |value: Value| {
                let mut options = needed(options, kind, Some(field));
                set(&mut options, field.path, value);
                code_for(&api, kind, &options)
            };
            let context = format!("{kind} {}: {schema}", field.path);
            assert_eq!(with(allowed(field, schema)), "file_not_found", "{context}");
            assert_eq!(with(json!([["of no type"]])), "invalid_option", "{context}");
            let nullable = schema["type"].is_array();
            let null = with(Value::Null);
            assert_eq!(null == "file_not_found", nullable, "{context}: {null}");
            for value in schema["enum"].as_array().into_iter().flatten().filter(|value| !value.is_null()) {
                assert_eq!(with(value.clone()), "file_not_found", "{context}: {value}");
            }
            match field.kind {
                FieldKind::Choice(_) => {
                    assert_eq!(with(json!("no such value")), "invalid_option", "{context}")
                }
                FieldKind::Integer { .. } => {
                    let (least, most) =
                        (schema["minimum"].as_i64().unwrap(), schema["maximum"].as_i64().unwrap());
                    assert_eq!(with(json!(most)), "file_not_found", "{context}");
                    assert_eq!(with(json!(most as f64)), "file_not_found", "{context}");
                    assert_eq!(with(json!(most as f64 - 0.5)), "invalid_option", "{context}");
                    assert_eq!(with(json!(most + 1)), "invalid_option", "{context}");
                    assert_eq!(with(json!(least - 1)), "invalid_option", "{context}");
                }
                FieldKind::Number => {
                    let least = schema.get("minimum").map(|least| (least.as_f64().unwrap(), true));
                    let above = schema.get("exclusiveMinimum").map(|above| (above.as_f64().unwrap(), false));
                    if let Some((bound, included)) = least.or(above) {
                        assert_eq!(with(json!(bound)) == "file_not_found", included, "{context}");
                        assert_eq!(with(json!(bound - 0.5)), "invalid_option", "{context}");
                    } else {
                        assert_eq!(with(json!(-1e6)), "file_not_found", "{context}");
                    }
                }
                FieldKind::Text | FieldKind::Secret | FieldKind::Bool => {}
            }
        }
        for name in options["required"].as_array().into_iter().flatten() {
            let mut without = fine.clone();
            without.as_object_mut().unwrap().remove(name.as_str().unwrap());
            assert_eq!(code_for(&api, kind, &without), "invalid_option", "{kind} without {name}");
        }
    }
    assert_eq!(options_schema(&description, OperationKind::Encrypt)["required"], json!(["password"]));
    assert!(options_schema(&description, OperationKind::Decrypt)["required"].is_null());
}

#[test]
fn every_path_is_described_and_every_described_path_exists() {
    let service = service();
    let api = Api(&service);
    let description = description(&api);
    let described: BTreeSet<&str> =
        description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let operations =
        OperationKind::ALL.iter().flat_map(|kind| [Some(kind.path()), kind.beta_path()]).flatten();
    let others = [
        endpoint::UPLOAD_FROM_LOCAL,
        endpoint::UPLOAD_FROM_URL,
        endpoint::UPLOAD_FROM_URL_BETA,
        endpoint::FILES,
        endpoint::FILE,
        endpoint::RESULT,
    ];
    for path in operations.chain(others) {
        assert!(described.contains(path), "{path}");
    }
    for (path, methods) in description["paths"].as_object().unwrap() {
        let path = path.replace("{fileId}", "f").replace("{operationId}", "o");
        for (method, operation) in methods.as_object().unwrap() {
            let response = api.send(&method.to_uppercase(), &path, &[JSON], b"");
            let known = response.status.to_string();
            assert!(operation["responses"].get(&known).is_some(), "{method} {path}: {response:?}");
            assert!(response.status != 405, "{method} {path}");
            if response.status == 404 {
                assert!(
                    ["file_not_found", "operation_not_found"].contains(&&*response.code()),
                    "{method} {path}"
                );
            }
        }
    }
    // Every reference in the description can be resolved.
    let text = description.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(description.pointer(reference).is_some(), "{reference}");
    }
}

#[test]
fn metrics_need_the_key_and_count_requests_and_operations() {
    let service = service();
    let api = Api(&service);
    assert_eq!(send("GET", &api.url("/metrics"), &[], b"").code(), "unauthorized");
    let wrong = ("Authorization", "Bearer something");
    assert_eq!(send("GET", &api.url("/metrics"), &[wrong], b"").code(), "unauthorized");
    for document in [&b"hello"[..], b"fail", b"report"] {
        let file = api.upload("a.pdf", document);
        let operation = api.start("/v1/operations/optimize", &json!({"input": {"fileId": file}}));
        let result = api.result(&operation, 30).json();
        if let Some(url) = result["outputFile"]["url"].as_str() {
            assert_eq!(send("GET", url, &[], b"").body, b"olleh");
        }
    }
    let bearer = format!("Bearer {}", service.api_key().expose());
    let text = send("GET", &api.url("/metrics"), &[("Authorization", &bearer)], b"");
    let text = String::from_utf8(text.body).unwrap();
    for line in [
        r#"recto_operations_total{operation="optimize",outcome="finished"} 2"#,
        r#"recto_operations_total{operation="optimize",outcome="password_required"} 1"#,
        r#"recto_http_requests_total{method="POST",route="/v1/operations/optimize",status="200"} 3"#,
        r#"recto_http_requests_total{method="GET",route="/metrics",status="401"} 2"#,
        r#"recto_http_requests_total{method="PUT",route="/transfer/upload/{fileId}",status="200"} 3"#,
        r#"recto_operation_duration_seconds_count{operation="optimize"} 3"#,
        "recto_operations_running 0",
        "recto_operations_waiting 0",
        "recto_received_bytes_total 15",
        "recto_sent_bytes_total 5",
        "# EOF",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
    }
}

#[test]
fn the_page_needs_no_key_but_its_data_does() {
    let service = builder().workers(1).start().unwrap();
    let api = Api(&service);
    for (path, media_type) in
        [("/", "text/html"), ("/page/page.js", "text/javascript"), ("/page/page.css", "text/css")]
    {
        let response = send("GET", &api.url(path), &[], b"");
        assert_eq!(response.status, 200, "{path}");
        assert!(response.header("content-type").unwrap().starts_with(media_type), "{path}");
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let text = String::from_utf8(response.body).unwrap();
        assert!(!text.contains(service.api_key().expose()));
    }
    assert_eq!(send("GET", &api.url("/page/operations"), &[], b"").code(), "unauthorized");
    for document in [&b"hello"[..], b"fail", b"sleep", b"hello"] {
        let file = api.upload("a.pdf", document);
        let operation = api
            .start("/v1/operations/stamp/qr", &json!({"input": {"fileId": file}, "options": {"value": "1"}}));
        if document != b"sleep" && document != b"hello" {
            api.result(&operation, 30);
        }
    }
    let listed = api.get("/page/operations").json();
    let states: Vec<(&str, Option<&str>)> = listed["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| (operation["status"].as_str().unwrap(), operation["code"].as_str()))
        .collect();
    let wanted = [
        ("inProgress", None),
        ("inProgress", None),
        ("failed", Some("password_required")),
        ("finished", None),
    ];
    assert_eq!(states, wanted, "{listed}");
    assert_eq!(listed["operations"][0]["name"], "stamp-qr");
    assert!(listed["operations"][3]["endedAt"].as_str() >= listed["operations"][3]["startedAt"].as_str());
}

#[test]
fn the_link_to_the_page_gives_the_key_once() {
    let service = service();
    let api = Api(&service);
    let link = service.page_url().expose();
    let (page, token) = link.split_once("#once=").unwrap();
    assert_eq!(page, format!("{}/", service.base_url()));
    let redeem = |token: &str| {
        send("POST", &api.url("/page/key"), &[JSON], json!({ "once": token }).to_string().as_bytes())
    };
    assert_eq!(redeem("0123456789abcdef0123456789abcdef").code(), "invalid_link");
    assert_eq!(redeem(token).json(), json!({ "key": service.api_key().expose() }));
    assert_eq!(redeem(token).code(), "invalid_link");
}
