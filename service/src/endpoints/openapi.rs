//! `GET /openapi.json`: the description of the service (OpenAPI 3.1), generated from the table of operations, the
//! bodies and the error codes.

use crate::auth::presign::Purpose;
use crate::http::failed_result;
use crate::http::problem::{Code, PROBLEM_JSON};
use crate::state::Service;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use recto_interface::wire::{
    FileList, FileRecord, FromUrlRequest, FromUrlResponse, OperationHandle, OperationResult, Problem,
    UploadRequest, UploadTicket,
};
use recto_interface::{Field, FieldKind, Need, OperationKind, Options, endpoint};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// The path of the description.
pub(crate) const PATH: &str = "/openapi.json";

/// The path of the metrics.
pub(crate) const METRICS: &str = "/metrics";

/// The version of the interface. The description is public, so it does not contain the version of the service.
const INTERFACE_VERSION: &str = "1";

/// The path of the health check.
pub(crate) const HEALTH: &str = "/health";

const JSON: &str = "application/json";

/// The errors of every request with an API key.
const ANY_REQUEST: &[Code] = &[Code::InvalidParameter, Code::Unauthorized, Code::UnknownHost, Code::Internal];

/// The errors of a JSON body.
const JSON_BODY: &[Code] = &[
    Code::InvalidJson,
    Code::BodyIncomplete,
    Code::BodyTimeout,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::InvalidRequest,
];

/// `GET /openapi.json`.
pub(super) async fn openapi(State(service): State<Service>) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(JSON))], service.openapi.clone()).into_response()
}

/// The whole description, for a service at the base path `server`.
pub(crate) fn document(server: &str) -> Value {
    let mut builder = DocumentBuilder { schemas: generator(), paths: Map::new() };
    builder.files();
    builder.operations();
    builder.transfers();
    builder.monitoring();
    let schemas = builder.schemas.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Recto",
            "summary": "PDF processing: compress, convert, stamp, protect, validate, archive",
            "description": "The schemas of requests list the known fields. The service ignores unknown ones, and refuses them if it was started with `--strict-fields`.",
            "version": INTERFACE_VERSION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": server }],
        "security": [{ "key": [] }],
        "tags": [{ "name": "files" }, { "name": "operations" }, { "name": "transfers" }, { "name": "monitoring" }],
        "paths": builder.paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "header", "name": "X-Api-Key" },
                "bearer": { "type": "http", "scheme": "bearer" },
            },
        },
    })
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator()
}

struct DocumentBuilder {
    schemas: SchemaGenerator,
    paths: Map<String, Value>,
}

impl DocumentBuilder {
    fn schema<T: JsonSchema>(&mut self) -> Value {
        self.schemas.subschema_for::<T>().to_value()
    }

    fn add(&mut self, path: &str, method: &str, operation: Value) {
        let methods = self.paths.entry(path).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(method.to_owned(), operation);
        }
    }

    /// The responses: 200 with the content `done`, and those of `errors`.
    fn responses(&mut self, about: &str, done: Option<(&str, Value)>, errors: &[&[Code]]) -> Value {
        let problem = self.schema::<Problem>();
        let trace = trace_header();
        let mut responses = Map::new();
        let mut ok = json!({ "description": about, "headers": trace });
        if let (Some((media_type, schema)), Some(ok)) = (done, ok.as_object_mut()) {
            ok.insert("content".to_owned(), json!({ media_type: { "schema": schema } }));
        }
        responses.insert("200".to_owned(), ok);
        let mut codes: Vec<Code> = errors.iter().copied().flatten().copied().collect();
        codes.sort_by_key(|code| (code.status(), code.word()));
        codes.dedup();
        for same in codes.chunk_by(|one, other| one.status() == other.status()) {
            let titles: Vec<String> =
                same.iter().map(|code| format!("`{}`: {}", code.word(), code.title())).collect();
            let Some(status) = same.first().map(|code| code.status()) else { continue };
            let response = json!({
                "description": titles.join("; "), "headers": trace,
                "content": { PROBLEM_JSON: { "schema": problem } },
            });
            responses.insert(status.as_str().to_owned(), response);
        }
        Value::Object(responses)
    }

    fn files(&mut self) {
        let body = |schema: Value| json!({ "required": true, "content": { JSON: { "schema": schema } } });
        let file_id = json!([path_parameter("fileId", "The identifier of a file")]);
        let body_schema = self.schema::<UploadTicket>();
        let responses = self.responses(
            "The upload ticket",
            Some((JSON, body_schema)),
            &[ANY_REQUEST, JSON_BODY, &[Code::TooManyFiles]],
        );
        let schema = body(self.schema::<UploadRequest>());
        self.add(endpoint::UPLOAD_FROM_LOCAL, "post", json!({
            "operationId": "uploadFromLocal", "tags": ["files"], "summary": "Get an upload ticket for a local file",
            "requestBody": schema, "responses": responses,
        }));
        let body_schema = self.schema::<FromUrlResponse>();
        let fetching: &[Code] = &[
            Code::AddressNotAllowed,
            Code::FetchFailed,
            Code::FileTooLarge,
            Code::StorageFull,
            Code::TooManyFiles,
        ];
        let responses = self.responses(
            "The file was fetched",
            Some((JSON, body_schema)),
            &[ANY_REQUEST, JSON_BODY, fetching],
        );
        let schema = body(self.schema::<FromUrlRequest>());
        for (path, name) in [
            (endpoint::UPLOAD_FROM_URL, "uploadFromUrl"),
            (endpoint::UPLOAD_FROM_URL_BETA, "uploadFromUrlBeta"),
        ] {
            self.add(path, "post", json!({
                "operationId": name, "tags": ["files"], "summary": "Have the service fetch a file by its address",
                "requestBody": schema, "responses": responses,
            }));
        }
        let body_schema = self.schema::<FileList>();
        let responses = self.responses(
            "The active files, the oldest first",
            Some((JSON, body_schema.clone())),
            &[ANY_REQUEST],
        );
        self.add(endpoint::FILES, "get", json!({
            "operationId": "listFiles", "tags": ["files"], "summary": "List the active files",
            "parameters": [{
                "name": endpoint::ONLY_RESULT_FILES, "in": "query", "description": "Only results of operations",
                "schema": { "type": "boolean", "default": false },
            }],
            "responses": responses,
        }));
        let one = self.schema::<FileRecord>();
        let responses = self.responses("The file", Some((JSON, one)), &[ANY_REQUEST, &[Code::FileNotFound]]);
        self.add(
            endpoint::FILE,
            "get",
            json!({
                "operationId": "getFile", "tags": ["files"], "summary": "Show one file",
                "parameters": file_id, "responses": responses,
            }),
        );
        let responses = self.responses(
            "The remaining files",
            Some((JSON, body_schema)),
            &[ANY_REQUEST, &[Code::FileNotFound]],
        );
        self.add(
            endpoint::FILE,
            "delete",
            json!({
                "operationId": "deleteFile", "tags": ["files"],
                "summary": "Delete one file, and cancel operations on it that have not ended",
                "parameters": file_id, "responses": responses,
            }),
        );
    }

    fn operations(&mut self) {
        let handle = self.schema::<OperationHandle>();
        let starting: &[Code] =
            &[Code::FileNotFound, Code::FileNotUploaded, Code::InvalidOption, Code::TooManyOperations];
        let responses = self.responses(
            "The operation was accepted",
            Some((JSON, handle)),
            &[ANY_REQUEST, JSON_BODY, starting],
        );
        for &kind in OperationKind::ALL {
            let schema = start_schema(kind);
            for (path, name) in [
                (Some(kind.path()), kind.wire_name().to_owned()),
                (kind.beta_path(), format!("{}Beta", kind.wire_name())),
            ] {
                let Some(path) = path else { continue };
                self.add(path, "post", json!({
                    "operationId": name, "tags": ["operations"], "summary": kind.about(),
                    "description": format!("Accepts a file with one of the extensions {}.", kind.accepts().join(", ")),
                    "x-accepts": kind.accepts(), "x-name": kind.name(),
                    "x-options": kind.fields().iter().map(|field| field.path).collect::<Vec<_>>(),
                    "requestBody": { "required": true, "content": { JSON: { "schema": schema } } },
                    "responses": responses,
                }));
            }
        }
        let body_schema = self.schema::<OperationResult>();
        let gone: &[Code] = &[Code::OperationNotFound, Code::ResultGone];
        let mut responses =
            self.responses("The progress, or the result", Some((JSON, body_schema)), &[ANY_REQUEST, gone]);
        if let Some(headers) = responses.pointer_mut("/200/headers").and_then(Value::as_object_mut) {
            headers.insert(
                "Retry-After".to_owned(),
                json!({
                    "description": "While the operation is in progress: after how many seconds to request the result again",
                    "schema": { "type": "integer" },
                }),
            );
            headers.insert(
                "Preference-Applied".to_owned(),
                json!({
                    "description": "The maximum time for which the service holds this response", "schema": { "type": "string" },
                }),
            );
        }
        let problem = self.schema::<Problem>();
        if let Some(responses) = responses.as_object_mut() {
            responses.insert(
                failed_result::STATUS.as_str().to_owned(),
                json!({
                    "description": format!(
                        "{}: `code` and `detail` say why, `operationStatus` is `failed`. A request with `Prefer: wait=N`, or \
                         whose `User-Agent` begins with `recto/`, gets a 200 with `operationStatus` `failed` and the \
                         problem in `error` instead",
                        failed_result::TITLE
                    ),
                    "headers": trace_header(), "content": { PROBLEM_JSON: { "schema": problem } },
                }),
            );
        }
        self.add(endpoint::RESULT, "get", json!({
            "operationId": "result", "tags": ["operations"], "summary": "Get the result of an operation, or its progress",
            "parameters": [
                path_parameter("operationId", "The identifier of an operation"),
                {
                    "name": "Prefer", "in": "header", "schema": { "type": "string" }, "example": "wait=10",
                    "description": "`wait=N` holds the response until the operation has ended, for at most N seconds",
                },
            ],
            "responses": responses,
        }));
    }

    fn transfers(&mut self) {
        let link = |about: &str| {
            let mut parameters = vec![path_parameter("fileId", about)];
            parameters.extend(["expires", "size", "signature"].map(|name| {
                json!({
                    "name": name, "in": "query", "required": true, "schema": { "type": "string" },
                    "description": "A part of the presigned address",
                })
            }));
            parameters
        };
        let links: &[Code] = &[
            Code::InvalidParameter,
            Code::InvalidLink,
            Code::ExpiredLink,
            Code::UnknownHost,
            Code::FileNotFound,
            Code::Internal,
        ];
        let bytes = json!({ "application/octet-stream": { "schema": {} } });
        let uploading: &[Code] = &[
            Code::BodyIncomplete,
            Code::BodyTimeout,
            Code::FileTooLarge,
            Code::UnsupportedMediaType,
            Code::FileInUse,
            Code::StorageFull,
        ];
        let responses = self.responses("The file was uploaded", None, &[links, uploading]);
        self.add(
            &format!("{}{{fileId}}", Purpose::Upload.prefix()),
            "put",
            json!({
                "operationId": "upload", "tags": ["transfers"], "security": [],
                "summary": "Upload the bytes of a file, to the address in its ticket",
                "parameters": link("The identifier of the file, from the upload ticket"),
                "requestBody": { "required": true, "content": bytes }, "responses": responses,
            }),
        );
        let anything = json!({});
        let mut responses =
            self.responses("The bytes", Some(("*/*", anything)), &[links, &[Code::RangeNotSatisfiable]]);
        if let Some(responses) = responses.as_object_mut() {
            responses.insert(
                "206".to_owned(),
                json!({ "description": "The bytes of the range", "content": { "*/*": {} } }),
            );
            responses.insert("304".to_owned(), json!({ "description": "The client already has the file" }));
        }
        for method in ["get", "head"] {
            self.add(
                &format!("{}{{fileId}}", Purpose::Download.prefix()),
                method,
                json!({
                    "operationId": if method == "get" { "download" } else { "downloadHead" },
                    "tags": ["transfers"], "security": [],
                    "summary": "Download a result file, from the address in the result; `Range` is supported",
                    "parameters": link("The identifier of the result file"), "responses": responses,
                }),
            );
        }
    }

    fn monitoring(&mut self) {
        let open: &[Code] = &[Code::InvalidParameter, Code::UnknownHost, Code::Internal];
        let health = json!({
            "type": "object", "required": ["status"],
            "properties": {
                "status": { "const": "ok" },
                "version": { "type": "string", "description": "The version of the service; only with the API key" },
            },
        });
        let responses = self.responses("The service is running", Some((JSON, health)), &[open]);
        self.add(HEALTH, "get", json!({
            "operationId": "health", "tags": ["monitoring"], "security": [], "summary": "Check that the service is running",
            "responses": responses,
        }));
        let responses = self.responses("This document", Some((JSON, json!({ "type": "object" }))), &[open]);
        self.add(
            PATH,
            "get",
            json!({
                "operationId": "openapi", "tags": ["monitoring"], "security": [], "summary": "This document",
                "responses": responses,
            }),
        );
        let text = json!({ "type": "string" });
        let responses =
            self.responses("The metrics", Some((super::metrics::OPEN_METRICS, text)), &[ANY_REQUEST]);
        self.add(
            METRICS,
            "get",
            json!({
                "operationId": "metrics", "tags": ["monitoring"], "security": [{ "key": [] }, { "bearer": [] }],
                "summary": "Metrics for Prometheus", "responses": responses,
            }),
        );
    }
}

/// The header that every response has.
fn trace_header() -> Value {
    json!({ "X-Request-Id": {
        "description": "The trace id of the request in the log of the service", "schema": { "type": "string" },
    } })
}

fn path_parameter(name: &str, about: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": { "type": "string" } })
}

/// The body that starts an operation.
fn start_schema(kind: OperationKind) -> Value {
    let options = options_schema(kind);
    let needed = options.get("required").is_some();
    let options = if needed { options } else { nullable(options) };
    let required = if needed { json!(["input", "options"]) } else { json!(["input"]) };
    json!({
        "type": "object", "additionalProperties": false, "required": required,
        "properties": {
            "input": {
                "type": "object", "additionalProperties": false, "required": ["fileId"],
                "properties": { "fileId": { "type": "string", "description": "The identifier of an uploaded file" } },
            },
            "options": options,
        },
    })
}

fn options_schema(kind: OperationKind) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in kind.fields() {
        match field.path.split_once('.') {
            None => {
                properties.insert(field.path.to_owned(), field_schema(kind, field));
                if is_required(kind, field) {
                    required.push(field.path);
                }
            }
            Some((parent, child)) => {
                let object = properties.entry(parent).or_insert_with(
                    || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
                );
                if let Some(properties) = object.pointer_mut("/properties").and_then(Value::as_object_mut) {
                    properties.insert(child.to_owned(), field_schema(kind, field));
                }
                if field.need != Need::Optional
                    && let Some(object) = object.as_object_mut()
                    && let Some(children) =
                        object.entry("required").or_insert_with(|| json!([])).as_array_mut()
                {
                    children.push(child.into());
                }
                if field.need == Need::Required && !required.contains(&parent) {
                    required.push(parent);
                }
            }
        }
    }
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(name, schema)| {
            let optional = schema["type"] == "object" && !required.contains(&&*name);
            (name, if optional { nullable(schema) } else { schema })
        })
        .collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if let Some(schema) = schema.as_object_mut().filter(|_| !required.is_empty()) {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

fn field_schema(kind: OperationKind, field: &Field) -> Value {
    let mut schema = match field.kind {
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Secret => json!({ "type": "string", "format": "password" }),
        FieldKind::Bool => json!({ "type": "boolean" }),
        FieldKind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        FieldKind::Number => number_schema(kind, field),
        FieldKind::Choice(set) => json!({ "type": "string", "enum": set.texts }),
    };
    if field.need == Need::Optional && !is_required(kind, field) {
        schema = nullable(schema);
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), field.about.into());
        if let Some(default) = field.default {
            let value = serde_json::from_str(default).unwrap_or_else(|_| default.into());
            schema.insert("default".to_owned(), value);
        }
    }
    schema
}

/// Whether the service refuses options without this one. Some options are optional in the specification although the
/// operation cannot work without them, such as the password of `encrypt`.
fn is_required(kind: OperationKind, field: &Field) -> bool {
    let refused = || {
        let without = Options::from_json(kind, &sample(kind, "", 0.0)).ok()?;
        recto_engine::check_options(&without).err()
    };
    field.need == Need::Required
        || refused().is_some_and(|refused| refused.field.strip_prefix("options.") == Some(field.path))
}

/// Tries out which numbers the option accepts, so that its limits are defined in one place.
fn number_schema(kind: OperationKind, field: &Field) -> Value {
    let takes = |number: f64| Options::from_json(kind, &sample(kind, field.path, number)).is_ok();
    match (takes(-1.0), takes(0.0)) {
        (true, _) => json!({ "type": "number" }),
        (false, true) => json!({ "type": "number", "minimum": 0 }),
        (false, false) => json!({ "type": "number", "exclusiveMinimum": 0 }),
    }
}

/// Valid options with everything that is required, and `number` at `path`.
fn sample(kind: OperationKind, path: &str, number: f64) -> Value {
    let parent = path.split_once('.').map(|(parent, _)| parent);
    let mut options = json!({});
    for field in kind.fields() {
        let sibling =
            field.need == Need::WithParent && field.path.split_once('.').map(|(of, _)| of) == parent;
        if field.need != Need::Required && !sibling && field.path != path {
            continue;
        }
        let value = match field.kind {
            _ if field.path == path => json!(number),
            FieldKind::Text | FieldKind::Secret => json!("x"),
            FieldKind::Bool => json!(true),
            FieldKind::Integer { min, .. } => json!(min),
            FieldKind::Number => json!(1),
            FieldKind::Choice(set) => json!(set.texts.first()),
        };
        match field.path.split_once('.') {
            Some((parent, child)) => options[parent][child] = value,
            None => options[field.path] = value,
        }
    }
    options
}

/// The schema, which also allows `null`: the same as leaving the value out.
fn nullable(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        if let Some(of_type) = schema.get("type").cloned() {
            schema.insert("type".to_owned(), json!([of_type, "null"]));
        }
        if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
    schema
}
