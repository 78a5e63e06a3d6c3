//! Generates the scenarios in `tests/recordings/operations`: several for each operation in the table.
//!
//! The expected requests are written here according to the specification. They do not use the options types, because
//! the scenarios test these types. `recto-replay generate` writes the files; a test compares them with the committed
//! files.

use crate::scenario::{
    Call, ClientSettings, ErrorExpect, Exchange, Expect, FileExpect, From, Host, Listen, OneOrMany, Op,
    Origin, OriginKind, Request, Response, Scenario,
};
use recto_interface::{Field, FieldKind, Need, OperationKind, Yields};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The folder of the generated scenarios, which is also the first part of their ids.
pub const AREA: &str = "operations";

/// The generated files: the path below the recordings, and the text.
///
/// # Errors
/// Fails only if this generator has a bug.
pub fn files() -> Result<BTreeMap<String, String>, serde_json::Error> {
    let scenarios = OperationKind::ALL.iter().flat_map(|kind| scenarios_of(*kind));
    scenarios
        .map(|scenario| {
            let path = format!("{}.json", scenario.id.replacen('.', "/", 1));
            Ok((path, crate::format::format(&serde_json::to_string(&scenario)?)?))
        })
        .collect()
}

fn scenarios_of(kind: OperationKind) -> Vec<Scenario> {
    let mut all = vec![main_job(kind), formats(kind), other_formats(kind), unknown_option(kind)];
    let needs = needed(kind);
    if needs.is_empty() {
        let about = "If no option is set, the request has no options object.";
        all.push(starts(kind, "without_options", about, &["requests.unset_left_out"], vec![Map::new()]));
    } else {
        let about = "With only the required options set, the request has these and no others.";
        all.push(starts(kind, "with_what_it_needs", about, &["requests.unset_left_out"], vec![needs]));
    }
    if kind.fields().len() > 1 {
        let every = every_option(kind);
        all.push(starts(
            kind,
            "with_every_option",
            "Every option is sent under the specification's name.",
            &[],
            vec![every],
        ));
    }
    for field in kind.fields() {
        let values = good_values(field).into_iter().map(|value| options_with(kind, field, value)).collect();
        let shows = match field.kind {
            FieldKind::Choice(_) => &["requests.closed_sets_checked"][..],
            FieldKind::Text if ["conformance", "type", "textStyle.textColor"].contains(&field.path) => {
                &["requests.open_sets_taken"]
            }
            _ => &[],
        };
        let about = format!("Each allowed value of {} is sent as the specification writes it.", field.path);
        all.push(starts(kind, &format!("option_{}", field.path.replace('.', "_")), &about, shows, values));
    }
    all.extend(refusals(kind));
    all
}

/// The main job of an operation: upload, operation, download.
fn main_job(kind: OperationKind) -> Scenario {
    let (name, body) = input(kind);
    let mut options = needed(kind);
    options.extend(
        kind.fields()
            .iter()
            .filter(|field| field.kind == FieldKind::Secret)
            .map(|field| (field.path.into(), sample(field))),
    );
    let start_call = Call {
        operation: Some(kind.name().into()),
        from: Some(From::Path),
        file: Some(format!("{{{{bodies}}}}/{name}")),
        options: Some(options.clone()).filter(|options| !options.is_empty()),
        ..call(Op::Start)
    };
    let (result_name, result_body) = output(kind);
    let mut exchanges = upload_of(&name, &body);
    exchanges.push(start(kind, &options));
    exchanges.push(result(kind, result_name));
    let mut scenario =
        scenario(kind, "main_job", "A document is uploaded and processed, and its result is downloaded.");
    scenario.shows = vec!["result.finished_by_content".into()];
    scenario.origin.service = true;
    if kind.yields() == Yields::Report {
        scenario.call = OneOrMany(vec![start_call, call(Op::Wait)]);
        let report =
            json!({"isConforming": false, "errors": ["A font is not embedded."], "conformance": "pdf15"});
        scenario.expect = OneOrMany(vec![
            started(kind),
            ok(json!({"operationType": kind.wire_name(), "validation": report})),
        ]);
    } else {
        exchanges.push(Exchange {
            request: request("GET", Host::Storage, "/d/{{resultId}}?sig={{signature}}"),
            ..answered(Response { status: 200, body_file: Some(result_body.into()), ..Response::default() })
        });
        let target = format!("{{{{out}}}}/{result_name}");
        scenario.call =
            OneOrMany(vec![start_call, call(Op::Wait), Call { to: Some(target.clone()), ..call(Op::Save) }]);
        let output = json!({"fileId": "{{resultId}}", "name": result_name, "url": "{{storage}}/d/{{resultId}}?sig={{signature}}"});
        let waited = ok(json!({"operationType": kind.wire_name(), "output": output}));
        scenario.expect = OneOrMany(vec![started(kind), waited, ok(json!({"path": target}))]);
        scenario.files.insert(
            result_name.into(),
            FileExpect { same_as: Some(result_body.into()), ..FileExpect::default() },
        );
    }
    scenario.exchanges = exchanges;
    if kind == OperationKind::PowerArchive {
        scenario.about =
            "The result has another type and status; the type in the response to the start is reported."
                .into();
        scenario.shows.push("result.power_archive_type_stands".into());
    }
    scenario
}

/// Inputs with every accepted extension, in upper and lower case, are uploaded without `force`.
fn formats(kind: OperationKind) -> Scenario {
    let mut made =
        scenario(kind, "takes_its_formats", "Every accepted extension is accepted in upper and lower case.");
    made.shows = vec!["requests.extension_checked".into()];
    let mut calls = Vec::new();
    for (index, extension) in kind.accepts().iter().enumerate() {
        let extension = if index % 2 == 0 { (*extension).to_owned() } else { extension.to_uppercase() };
        let name = format!("document.{extension}");
        calls.push(start_bytes(kind, &name));
        made.exchanges.extend(upload_of(&name, "bodies/letter.txt"));
        made.exchanges.push(start(kind, &needed(kind)));
    }
    made.expect = OneOrMany(calls.iter().map(|_| started(kind)).collect());
    made.call = OneOrMany(calls);
    made
}

/// An input with another extension is refused before anything is sent. With `force`, it is uploaded.
fn other_formats(kind: OperationKind) -> Scenario {
    let mut made = scenario(
        kind,
        "refuses_other_formats",
        "Another extension is refused before anything is sent, unless forced.",
    );
    made.shows = vec!["requests.extension_checked".into(), "requests.force_sends_anyway".into()];
    let refused = start_bytes(kind, "document.xyz");
    let forced = Call { force: Some(true), ..refused.clone() };
    made.call = OneOrMany(vec![refused, start_bytes(kind, "document"), forced]);
    let accepted = kind.accepts().iter().map(|extension| (*extension).to_owned());
    let refusal = invalid(std::iter::once("document.xyz".to_owned()).chain(accepted).collect());
    made.expect = OneOrMany(vec![refusal, invalid(vec![kind.accepts()[0].to_owned()]), started(kind)]);
    made.exchanges = upload_of("document.xyz", "bodies/letter.txt");
    made.exchanges.push(start(kind, &needed(kind)));
    made
}

/// An unknown option is refused, and the error names it.
fn unknown_option(kind: OperationKind) -> Scenario {
    let mut made =
        scenario(kind, "refuses_an_unknown_option", "An unknown option is refused, and the error names it.");
    let mut options = needed(kind);
    options.insert("colour".into(), json!("red"));
    made.call = OneOrMany(vec![start_file(kind, options)]);
    made.expect = OneOrMany(vec![invalid(vec!["colour".into()])]);
    made
}

/// Every value outside a set or range is refused before anything is sent, and so is every start without a required
/// option.
fn refusals(kind: OperationKind) -> Option<Scenario> {
    let mut calls = Vec::new();
    let mut expect = Vec::new();
    for field in kind.fields() {
        for value in bad_values(field) {
            let mut told = vec![field.path.to_owned()];
            if let (FieldKind::Choice(set), Value::String(text)) = (field.kind, &value) {
                told.extend(set.texts.iter().map(|allowed| (*allowed).to_owned()));
                told.push(text.clone());
            }
            calls.push(start_file(kind, options_with(kind, field, value)));
            expect.push(invalid(told));
        }
        if field.need == Need::Required {
            let mut options = needed(kind);
            options.remove(field.path);
            calls.push(start_file(kind, options));
            expect.push(invalid(vec![field.path.to_owned()]));
        }
        if let (Need::WithParent, Some((parent, name))) = (field.need, field.path.split_once('.')) {
            let mut options = every_option(kind);
            options.get_mut(parent).and_then(Value::as_object_mut)?.remove(name);
            calls.push(start_file(kind, options));
            expect.push(invalid(vec![parent.to_owned(), name.to_owned()]));
        }
    }
    if calls.is_empty() {
        return None;
    }
    let about = "A value that the specification does not allow, and a missing required one, are refused before anything is sent.";
    let mut made = scenario(kind, "refuses_wrong_options", about);
    made.shows = vec!["requests.closed_sets_checked".into()];
    if kind.fields().iter().any(|field| field.need == Need::WithParent) {
        made.shows.push("requests.required_together".into());
    }
    made.call = OneOrMany(calls);
    made.expect = OneOrMany(expect);
    Some(made)
}

/// One start with a file in the service for each set of options.
fn starts(
    kind: OperationKind,
    name: &str,
    about: &str,
    shows: &[&str],
    options: Vec<Map<String, Value>>,
) -> Scenario {
    let mut made = scenario(kind, name, about);
    made.shows = shows.iter().map(|id| (*id).to_owned()).collect();
    made.exchanges = options.iter().map(|options| start(kind, options)).collect();
    made.expect = OneOrMany(options.iter().map(|_| started(kind)).collect());
    made.call = OneOrMany(options.into_iter().map(|options| start_file(kind, options)).collect());
    if kind == OperationKind::PdfToJpeg && !name.starts_with("without") {
        made.shows.push("requests.required_together".into());
    }
    made
}

/// The options as they must be sent: the two options of JPEG are always sent together, with the documented default
/// for a missing one. `strategy` is sent in the documented case.
fn sent(kind: OperationKind, options: &Map<String, Value>) -> Option<Value> {
    let mut options = options.clone();
    if options.is_empty() {
        return None;
    }
    if kind == OperationKind::PdfToJpeg {
        options.entry("colorSpace").or_insert(json!("rgb"));
        options.entry("jpegQuality").or_insert(json!(85));
    }
    if let Some(Value::String(strategy)) = options.get_mut("strategy") {
        let documented = ["Auto", "ShrinkToPage", "ShrinkToPortrait"]
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(strategy));
        *strategy = documented.unwrap_or(strategy).to_owned();
    }
    Some(Value::Object(options))
}

fn needed(kind: OperationKind) -> Map<String, Value> {
    let fields = kind.fields().iter().filter(|field| field.need == Need::Required);
    fields.map(|field| (field.path.to_owned(), sample(field))).collect()
}

fn every_option(kind: OperationKind) -> Map<String, Value> {
    let mut options = Map::new();
    for field in kind.fields() {
        set(&mut options, field.path, sample(field));
    }
    options
}

/// The options with which one field can be tested: the options that the operation requires, the fields that the object
/// of this field requires, and the field itself.
fn options_with(kind: OperationKind, field: &Field, value: Value) -> Map<String, Value> {
    let mut options = needed(kind);
    if let Some((parent, _)) = field.path.split_once('.') {
        let siblings = kind.fields().iter().filter(|other| {
            other.need == Need::WithParent && other.path.split_once('.').is_some_and(|(of, _)| of == parent)
        });
        for sibling in siblings {
            set(&mut options, sibling.path, sample(sibling));
        }
    }
    set(&mut options, field.path, value);
    options
}

fn set(options: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            options.insert(path.to_owned(), value);
        }
        Some((parent, name)) => {
            if let Value::Object(object) = options.entry(parent).or_insert_with(|| Value::Object(Map::new()))
            {
                object.insert(name.to_owned(), value);
            }
        }
    }
}

fn sample(field: &Field) -> Value {
    good_values(field).into_iter().next().unwrap_or(Value::Null)
}

fn good_values(field: &Field) -> Vec<Value> {
    match field.kind {
        FieldKind::Choice(set) if field.path == "strategy" => set
            .texts
            .iter()
            .flat_map(|value| [json!(value), json!(value.to_lowercase()), json!(value.to_uppercase())])
            .collect(),
        FieldKind::Choice(set) => set.texts.iter().map(|value| json!(value)).collect(),
        FieldKind::Bool => vec![json!(true), json!(false)],
        FieldKind::Integer { min, max } => vec![json!(min), json!(max), json!(min.midpoint(max))],
        FieldKind::Number => vec![json!(2), json!(0.5)],
        FieldKind::Secret => vec![json!("{{password}}")],
        FieldKind::Text => match field.path {
            "conformance" => vec![json!("pdf_a2_b"), json!("pdf13"), json!("a level of tomorrow")],
            "type" => vec![json!("code128"), json!("a type of tomorrow")],
            "textStyle.textColor" => vec![json!("#c00000"), json!("red"), json!("rgb(1 2 3)")],
            _ => vec![json!("Entwurf für \"Zoë\" 日本\nA-1/2")],
        },
    }
}

fn bad_values(field: &Field) -> Vec<Value> {
    match field.kind {
        FieldKind::Choice(_) if field.path == "strategy" => vec![json!("Stretch"), json!(1)],
        FieldKind::Choice(set) => vec![json!("nonsense"), json!(set.texts[0].to_uppercase()), json!(true)],
        FieldKind::Bool => vec![json!("true"), json!(1)],
        FieldKind::Integer { min: 0, max } => {
            vec![json!(-1), json!(u64::from(max) + 1), json!(0.5), json!("85")]
        }
        FieldKind::Integer { min, max } => {
            vec![json!(min - 1), json!(u64::from(max) + 1), json!(0.5), json!("85")]
        }
        FieldKind::Number if field.path.ends_with("Size") || field.path.starts_with("stampSize") => {
            vec![json!(0), json!(-1), json!("2")]
        }
        FieldKind::Number if field.path == "pageMargin.margin" => vec![json!(-1), json!("2")],
        FieldKind::Number => vec![json!("2")],
        FieldKind::Secret | FieldKind::Text => vec![json!(1)],
    }
}

/// The name and the body of a document that the operation accepts.
fn input(kind: OperationKind) -> (String, String) {
    let name = match kind.accepts().first() {
        Some(&"jpg") => "image.png",
        Some(&"doc") => "letter.txt",
        Some(&"ppt") => "slides.odp",
        Some(&"xls") => "table.csv",
        _ => "one-page.pdf",
    };
    (name.to_owned(), format!("bodies/{name}"))
}

/// The name of the result, as the specification shows it, and the body of the result.
fn output(kind: OperationKind) -> (&'static str, &'static str) {
    match kind {
        OperationKind::PdfToJpeg | OperationKind::PdfToPng | OperationKind::PdfToTiff => {
            ("pages.zip", "bodies/pages.zip")
        }
        OperationKind::PdfToTiffFax => ("pages.tif", "bodies/pages.tif"),
        _ => ("result.pdf", "bodies/result.pdf"),
    }
}

fn scenario(kind: OperationKind, name: &str, about: &str) -> Scenario {
    Scenario {
        id: format!("{AREA}.{}_{name}", kind.name()),
        about: about.to_owned(),
        shows: Vec::new(),
        origin: Origin {
            kind: OriginKind::Specification,
            from: Some(format!("POST {}", kind.path())),
            service: false,
        },
        variables: BTreeMap::new(),
        listen: Listen::default(),
        inputs: BTreeMap::new(),
        before: BTreeMap::new(),
        client: ClientSettings::default(),
        call: OneOrMany(Vec::new()),
        exchanges: Vec::new(),
        expect: OneOrMany(Vec::new()),
        files: BTreeMap::new(),
    }
}

fn call(op: Op) -> Call {
    Call {
        op,
        operation: None,
        from: None,
        file: None,
        name: None,
        file_id: None,
        options: None,
        extra_options: None,
        headers: BTreeMap::new(),
        changes: ClientSettings::default(),
        url: None,
        only_result_files: None,
        base_url: None,
        token: None,
        to: None,
        force: None,
        delete_after: false,
        overwrite: None,
        timeout_ms: None,
        wait_timeout_ms: None,
        cancel_after_ms: None,
        close_after_ms: None,
        stop_at_phase: None,
        progress: false,
    }
}

fn start_file(kind: OperationKind, options: Map<String, Value>) -> Call {
    let options = Some(options).filter(|options| !options.is_empty());
    let (operation, file_id) = (Some(kind.name().into()), Some("{{fileId}}".into()));
    Call { operation, from: Some(From::FileId), file_id, options, ..call(Op::Start) }
}

fn start_bytes(kind: OperationKind, name: &str) -> Call {
    let options = Some(needed(kind)).filter(|options| !options.is_empty());
    let file = Some("{{bodies}}/letter.txt".into());
    Call {
        operation: Some(kind.name().into()),
        from: Some(From::Bytes),
        file,
        name: Some(name.into()),
        options,
        ..call(Op::Start)
    }
}

fn request(method: &str, to: Host, path: &str) -> Request {
    Request { method: Some(method.into()), to, path: Some(path.into()), ..Request::default() }
}

fn answered(response: Response) -> Exchange {
    Exchange { request: Request::default(), response: Some(response), fault: None, repeat: None }
}

fn answered_json(json: Value) -> Exchange {
    answered(Response { status: 200, json: Some(json), ..Response::default() })
}

fn upload_of(name: &str, body: &str) -> Vec<Exchange> {
    let ticket = Exchange {
        request: Request {
            json: Some(json!({"fileName": name})),
            ..request("POST", Host::Api, "/v1/files/upload/fromLocal")
        },
        ..answered_json(
            json!({"fileId": "{{fileId}}", "uploadUrl": "{{storage}}/u/{{fileId}}?sig={{signature}}"}),
        )
    };
    let put = Exchange {
        request: Request {
            body_file: Some(body.into()),
            ..request("PUT", Host::Storage, "/u/{{fileId}}?sig={{signature}}")
        },
        ..answered(Response { status: 200, ..Response::default() })
    };
    vec![ticket, put]
}

fn start(kind: OperationKind, options: &Map<String, Value>) -> Exchange {
    let mut body = json!({"input": {"fileId": "{{fileId}}"}});
    if let (Some(options), Some(body)) = (sent(kind, options), body.as_object_mut()) {
        body.insert("options".into(), options);
    }
    let handle = json!({"operationId": "{{operationId}}", "operationType": kind.wire_name(), "operationStatus": "inProgress"});
    Exchange {
        request: Request { json: Some(body), ..request("POST", Host::Api, kind.path()) },
        ..answered_json(handle)
    }
}

fn result(kind: OperationKind, name: &str) -> Exchange {
    let get = request("GET", Host::Api, "/v1/operations/{{operationId}}/result");
    let output = json!({"fileId": "{{resultId}}", "name": name, "url": "{{storage}}/d/{{resultId}}?sig={{signature}}"});
    let body = match kind {
        OperationKind::Validate => json!({
            "operationType": "validate", "operationStatus": "finished",
            "validation": {"errors": ["A font is not embedded."], "isConforming": false, "conformance": "pdf15"},
        }),
        OperationKind::PowerArchive => {
            json!({"operationType": "optimize", "operationStatus": "powerArchive", "outputFile": output})
        }
        _ => json!({"operationType": kind.wire_name(), "operationStatus": "finished", "outputFile": output}),
    };
    Exchange { request: get, ..answered_json(body) }
}

fn started(kind: OperationKind) -> Expect {
    ok(json!({"operation": kind.name(), "operationId": "{{operationId}}", "operationType": kind.wire_name()}))
}

fn ok(fields: Value) -> Expect {
    Expect { ok: fields.as_object().cloned(), ..Expect::default() }
}

fn invalid(message_has: Vec<String>) -> Expect {
    let error =
        ErrorExpect { kind: "InvalidRequest".into(), fields: Map::new(), message_has, never: Vec::new() };
    Expect { error: Some(error), ..Expect::default() }
}
