//! The Rust runner: makes the calls of a scenario through the public API of `recto`, and reports the outcome.

use crate::outcome::{Outcome, Report, Step, StepError};
use crate::run::Prepared;
use crate::scenario::{Call, ClientSettings, From, Op};
use recto::{
    Cancel, Client, ClientBuilder, Error, FileId, FileRecord, Input, Operation, OperationResult, Overrides,
    Progress, Source,
};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Makes the calls of a scenario. The `log` of the outcome has only the debug forms; the caller adds the log events.
pub fn interpret(prepared: &Prepared) -> Outcome {
    let mut runner = Runner {
        settings: prepared.client.clone(),
        client: None,
        operation: None,
        result: None,
        token: None,
        shown: String::new(),
    };
    let steps = prepared.calls.iter().map(|call| runner.step(call)).collect();
    let _ = write!(runner.shown, "{:?} {:?}", runner.client, runner.operation);
    Outcome { steps, log: runner.shown }
}

struct Runner {
    settings: ClientSettings,
    client: Option<Client>,
    operation: Option<Operation>,
    /// What the last `wait` returned.
    result: Option<OperationResult>,
    token: Option<String>,
    /// The debug forms of the client, operations, results and errors. They must not contain secrets either.
    shown: String,
}

/// The fields of the result of a call, or the error.
type Got = Result<Map<String, Value>, Error>;

impl Runner {
    fn step(&mut self, call: &Call) -> Step {
        let reports = RefCell::new(Vec::new());
        let began = Instant::now();
        let got = self.client().and_then(|client| self.make(&client, call, &reports));
        let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let progress = if call.progress { reports.into_inner() } else { Vec::new() };
        match got {
            Ok(ok) => Step { ok: Some(ok), error: None, elapsed_ms, progress },
            Err(error) => {
                let _ = write!(self.shown, "{error:?} ");
                if let Some(token) = error.token() {
                    self.token = Some(token.to_owned());
                }
                Step { ok: None, error: Some(error_fields(&error)), elapsed_ms, progress }
            }
        }
    }

    /// The client. It is created at the first call.
    fn client(&mut self) -> Result<Client, Error> {
        match &self.client {
            Some(client) => Ok(client.clone()),
            None => Ok(self.client.insert(build(&self.settings)?).clone()),
        }
    }

    fn make(&mut self, client: &Client, call: &Call, reports: &RefCell<Vec<Report>>) -> Got {
        let cancel = Cancel::new();
        let _canceller = call.cancel_after_ms.map(|ms| {
            after(ms, {
                let cancel = cancel.clone();
                move || cancel.trigger()
            })
        });
        let _closer = call.close_after_ms.map(|ms| {
            after(ms, {
                let client = client.clone();
                move || client.close()
            })
        });
        let mut settings = recto::Call::new()
            .cancel(&cancel)
            .force(call.force.unwrap_or(false))
            .overwrite(call.overwrite.unwrap_or(true))
            .delete_after(call.delete_after)
            .extra_options(call.extra_options.clone().map_or(Value::Null, Value::Object))
            .on_progress(|progress| {
                reports.borrow_mut().push(report(progress));
                let stops = call.stop_at_phase.as_deref() == Some(progress.phase.as_str());
                if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        for (name, value) in &call.headers {
            settings = settings.header(name, value);
        }
        if let Some(ms) = call.timeout_ms {
            settings = settings.timeout(Duration::from_millis(ms));
        }
        if let Some(ms) = call.wait_timeout_ms {
            settings = settings.wait_timeout(Some(Duration::from_millis(ms)));
        }
        self.perform(client, call, &settings)
    }

    fn perform(&mut self, client: &Client, call: &Call, settings: &recto::Call<'_>) -> Got {
        let files = client.files();
        let id = || FileId::new(call.file_id.clone().unwrap_or_default());
        let to = call.to.as_deref().map(Path::new).unwrap_or(Path::new(""));
        match call.op {
            Op::Upload => file_id(&files.upload(source(call), settings)?),
            Op::UploadUrl => {
                file_id(&files.upload_from_url(call.url.as_deref().unwrap_or_default(), settings)?)
            }
            Op::List => records(&files.list(call.only_result_files.unwrap_or(false), settings)?),
            Op::Get => fields(record(&files.get(&id(), settings)?)),
            Op::Delete => records(&files.delete(&id(), settings)?),
            Op::Start => {
                let kind = call.operation.as_deref().unwrap_or_default().parse();
                // The loader has already checked that this is the name of an operation.
                let kind = kind.unwrap_or(recto::OperationKind::Optimize);
                let options = call.options.clone().map_or(Value::Null, Value::Object);
                let operation = client.start_json(kind, self.input(call), &options, settings)?;
                fields(handle(self.operation.insert(operation)))
            }
            Op::Run => {
                let name = call.operation.as_deref().unwrap_or_default();
                let options = call.options.clone().map_or(Value::Null, Value::Object);
                let operation = client.run(name, self.input(call), &options, settings)?;
                fields(handle(self.operation.insert(operation)))
            }
            Op::Resume => {
                let token = call.token.clone().or_else(|| self.token.clone()).unwrap_or_default();
                let operation = client.resume(&token)?;
                fields(handle(self.operation.insert(operation)))
            }
            Op::Status => fields(json!({"status": self.operation().status(settings)?.as_str()})),
            Op::Wait => {
                let result = self.operation().wait(settings)?;
                let _ = write!(self.shown, "{result:?} ");
                fields(waited(self.result.insert(result)))
            }
            Op::Save => fields(json!({"path": self.operation().save(to, settings)?})),
            Op::Read => {
                let bytes = self.operation().read(settings)?;
                write_copy(to, &bytes);
                fields(json!({"bytes": bytes.len()}))
            }
            Op::WriteTo => {
                let mut copy = Vec::new();
                let length = self.operation().write_to(&mut copy, settings)?;
                write_copy(to, &copy);
                fields(json!({"bytes": length}))
            }
            Op::Token => {
                let token = self.operation().token();
                self.token = Some(token.clone());
                fields(json!({"token": token}))
            }
            Op::DeleteOperation => self.operation().delete(settings).map(|()| Map::new()),
            Op::Close => {
                client.close();
                Ok(Map::new())
            }
            Op::WithOptions => {
                self.client = Some(client.with_options(&overrides(&call.changes))?);
                Ok(Map::new())
            }
            Op::NewClient => {
                self.operation = None;
                let mut settings = self.settings.clone();
                settings.base_url = call.base_url.clone().or(settings.base_url);
                self.client = Some(build(&settings)?);
                Ok(Map::new())
            }
        }
    }

    /// The document of a start.
    fn input(&self, call: &Call) -> Input {
        match call.from {
            Some(From::Operation) => self.operation().into(),
            Some(From::Result) => {
                let output = self.result.as_ref().and_then(|result| result.output.as_ref());
                let id = output.and_then(|output| output.file_id.clone());
                Source::file(FileId::new(id.unwrap_or_default())).into()
            }
            _ => source(call).into(),
        }
    }

    #[expect(clippy::expect_used, reason = "a scenario that waits before it starts is an error in its file")]
    fn operation(&self) -> &Operation {
        self.operation.as_ref().expect("the scenario starts or resumes an operation first")
    }
}

fn build(settings: &ClientSettings) -> Result<Client, Error> {
    let ms = Duration::from_millis;
    let given = |builder: ClientBuilder| builder;
    let mut builder = given(Client::builder());
    macro_rules! set {
        ($($field:ident => $apply:expr),+ $(,)?) => { $(
            if let Some(value) = settings.$field.clone() { builder = $apply(builder, value); }
        )+ };
    }
    set! {
        base_url => |builder: ClientBuilder, value: String| builder.base_url(value),
        api_key => |builder: ClientBuilder, value: String| builder.api_key(value),
        timeout_ms => |builder: ClientBuilder, value| builder.timeout(ms(value)),
        connect_timeout_ms => |builder: ClientBuilder, value| builder.connect_timeout(ms(value)),
        stall_timeout_ms => |builder: ClientBuilder, value| builder.stall_timeout(ms(value)),
        wait_timeout_ms => |builder: ClientBuilder, value| builder.wait_timeout(Some(ms(value))),
        retries => ClientBuilder::retries,
        retry_unknown => ClientBuilder::retry_unknown,
        allow_http => ClientBuilder::allow_http,
        proxy => |builder: ClientBuilder, value: String| builder.proxy(value),
        ca_bundle => |builder: ClientBuilder, value: String| builder.ca_bundle(value),
        client_certificate => |builder: ClientBuilder, value: String| builder.client_certificate(value),
        user_agent => |builder: ClientBuilder, value: String| builder.user_agent(value),
        json_limit => |builder: ClientBuilder, value| builder.json_limit(usize::try_from(value).unwrap_or(usize::MAX)),
    }
    for (name, value) in &settings.headers {
        builder = builder.header(name, value);
    }
    if settings.environment.is_empty() { builder.build() } else { builder.from_env()?.build() }
}

fn source(call: &Call) -> Source {
    let path = call.file.clone().unwrap_or_default();
    let name = || call.name.clone().unwrap_or_default();
    match call.from {
        Some(From::Bytes) => Source::bytes(std::fs::read(&path).unwrap_or_default(), name()),
        Some(from @ (From::Reader | From::SizedReader)) => {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let length = (from == From::SizedReader).then_some(bytes.len() as u64);
            Source::reader(Box::new(std::io::Cursor::new(bytes)), name(), length)
        }
        Some(From::FileId) => Source::file(FileId::new(call.file_id.clone().unwrap_or_default())),
        Some(From::Path | From::Operation | From::Result) | None => Source::path(path),
    }
}

fn overrides(changes: &ClientSettings) -> Overrides {
    let time = |ms: Option<u64>| ms.map(Duration::from_millis);
    let mut overrides = Overrides::new();
    if let Some(timeout) = time(changes.timeout_ms) {
        overrides = overrides.timeout(Some(timeout));
    }
    if let Some(timeout) = time(changes.wait_timeout_ms) {
        overrides = overrides.wait_timeout(Some(timeout));
    }
    if let Some(timeout) = time(changes.stall_timeout_ms) {
        overrides = overrides.stall_timeout(timeout);
    }
    if let Some(retries) = changes.retries {
        overrides = overrides.retries(retries);
    }
    if let Some(retry) = changes.retry_unknown {
        overrides = overrides.retry_unknown(retry);
    }
    changes.headers.iter().fold(overrides, |overrides, (name, value)| overrides.header(name, value))
}

/// Runs `what` after `ms` milliseconds on another thread, unless the returned value is dropped before that.
fn after(ms: u64, what: impl FnOnce() + Send + 'static) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        if receiver.recv_timeout(Duration::from_millis(ms)) == Err(mpsc::RecvTimeoutError::Timeout) {
            what();
        }
    });
    sender
}

fn write_copy(to: &Path, bytes: &[u8]) {
    // If the file cannot be written, the comparison of the files reports that it is missing.
    let _ = std::fs::write(to, bytes);
}

fn report(progress: &Progress) -> Report {
    Report { phase: progress.phase.as_str().to_owned(), done: progress.done, total: progress.total }
}

fn fields(value: Value) -> Got {
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn file_id(id: &FileId) -> Got {
    fields(json!({"fileId": id.as_str()}))
}

fn records(records: &[FileRecord]) -> Got {
    fields(json!({"files": records.iter().map(record).collect::<Vec<_>>()}))
}

fn record(record: &FileRecord) -> Value {
    json!({
        "id": record.id, "createdAt": record.created_at, "origin": record.origin, "name": record.name,
        "extension": record.extension,
    })
}

fn handle(operation: &Operation) -> Value {
    json!({
        "operationId": operation.id(), "operation": operation.name(),
        "operationType": operation.operation_type().as_str(),
    })
}

fn waited(result: &OperationResult) -> Value {
    let output = result.output.as_ref().map(|output| {
        json!({"fileId": output.file_id, "name": output.name, "url": output.url.as_ref().map(recto::SignedUrl::expose)})
    });
    let validation = result.validation.as_ref().map(|report| {
        json!({"isConforming": report.is_conforming, "errors": report.errors, "conformance": report.conformance})
    });
    json!({
        "operationType": result.operation_type.as_str(), "status": result.status.as_str(), "output": output,
        "validation": validation, "raw": result.raw,
    })
}

fn error_fields(error: &Error) -> StepError {
    let fields = json!({
        "status": error.status(), "code": error.code(), "title": error.title(), "detail": error.detail(),
        "requestId": error.request_id(), "operationId": error.operation_id(), "attempts": error.attempts(),
        "retryAfterMs": error.retry_after().map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
        "phase": error.phase().map(recto::Phase::as_str), "method": error.method(), "url": error.url(),
        "body": error.body(), "token": error.token(), "retryable": error.is_retryable(),
    });
    let fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
    StepError { kind: error.kind().name().to_owned(), message: error.to_string(), fields }
}
