//! The recorder: a proxy between a client and a running service. It records the exchanges as a scenario.
//!
//! The recorder replaces addresses in responses by addresses of its own origins, so that the client's requests to the
//! storage also pass through the recorder. At the end, every key, address, identifier and signature is replaced by a
//! variable. Equal texts are replaced by the same variable.

use crate::body::Folders;
use crate::compare;
use crate::outcome::Outcome;
use crate::run::Setup;
use crate::scenario::{Exchange, Expect, FileExpect, Host, Listen, OneOrMany, Request, Response, Scenario};
use crate::script::Head;
use crate::server::http::{Buffer, read_body, read_head, reason};
use crate::server::{Certificates, Origins};
use crate::upstream::{Failure, Upstream, UpstreamResponse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

/// Response headers that matter to a client. Only these are recorded.
const KEPT: &[&str] = &["retry-after", "location", "etag", "content-range", "accept-ranges"];
/// How many equal exchanges in a row are kept: the number of responses that report a pending operation varies.
const MOST_PENDING: usize = 2;

/// Plays the calls of a scenario against a running service. Returns the scenario with the recorded exchanges, and the
/// downloaded bodies with the paths to which they must be written.
///
/// # Errors
/// If the service cannot be reached.
pub fn record(
    scenario: &Scenario,
    recordings: &Path,
    upstream: &Upstream,
    runtime: &tokio::runtime::Runtime,
) -> Result<(Scenario, BTreeMap<String, Vec<u8>>), Failure> {
    let mut bare = scenario.clone();
    (bare.exchanges, bare.listen) = (Vec::new(), Listen::default());
    let origins = Origins::bind()?;
    let certificates = Certificates::make()?;
    let ground = Setup::create(recordings, &bare, &origins, &certificates)?;
    let recorder = Arc::new(Recorder::new(upstream.clone(), &origins));
    let _context = runtime.enter();
    for (host, listener) in origins.listeners()? {
        let recorder = Arc::clone(&recorder);
        runtime.spawn(async move { serve(listener, host, recorder).await });
    }
    let outcome = crate::interpret::interpret(&ground.prepared);
    let names = Names::of(&recorder.passed(), &ground.variables);
    let mut documents = BTreeMap::new();
    let mut made = scenario.clone();
    made.exchanges = exchanges(&recorder.passed(), &names, &ground.folders, &made.id, &mut documents);
    made.expect = OneOrMany(expectations(&outcome, &names));
    made.files = files(&ground.folders.run.join("out"), &made.exchanges, &ground.folders, &documents)?;
    made.variables = names.own();
    Ok((made, documents))
}

/// A recorded exchange.
#[derive(Clone, Debug)]
struct Passed {
    head: Head,
    body: Vec<u8>,
    answer: UpstreamResponse,
}

/// The proxy between the client and the service.
struct Recorder {
    upstream: Upstream,
    /// The origins of the recorder with their addresses, and for each the real origin that it stands for, once known.
    origins: Mutex<Vec<(Host, String, Option<String>)>>,
    passed: Mutex<Vec<Passed>>,
}

impl Recorder {
    fn new(upstream: Upstream, origins: &Origins) -> Self {
        let address = |host| origins.url(host, &Listen::default());
        let real = origin_of(&upstream.base_url).to_owned();
        let api = (Host::Api, address(Host::Api), Some(real));
        let others = [Host::Storage, Host::Elsewhere].map(|host| (host, address(host), None));
        Self {
            upstream,
            origins: Mutex::new([api].into_iter().chain(others).collect()),
            passed: Mutex::default(),
        }
    }

    fn passed(&self) -> Vec<Passed> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request on to the real origin, and replaces the addresses in the response.
    async fn pass(&self, head: Head, body: Vec<u8>) -> Result<UpstreamResponse, Failure> {
        let real = self.real_origin(head.to).ok_or("no real origin is known for this address yet")?;
        let below = if head.to == Host::Api { &self.upstream.base_url } else { &real };
        let hop = ["host", "content-length", "transfer-encoding", "connection", "x-api-key"];
        let mut headers: Vec<(String, String)> =
            head.headers.iter().filter(|(name, _)| !hop.contains(&name.as_str())).cloned().collect();
        if head.values("x-api-key").next().is_some() {
            headers.push(("x-api-key".to_owned(), self.upstream.api_key.clone()));
        }
        let url = if head.to == Host::Api && !head.target.starts_with("/v1") {
            format!("{real}{}", head.target)
        } else {
            format!("{below}{}", head.target)
        };
        let mut answer = self.upstream.send(&head.method, &url, &headers, body.clone()).await?;
        if let Ok(json) = serde_json::from_slice::<Value>(&answer.body) {
            answer.body = self.replaced(&json).to_string().into_bytes();
        }
        for (name, value) in &mut answer.headers {
            if name == "location" {
                *value = self.replaced_text(value);
            }
        }
        let passed = Passed { head, body, answer: answer.clone() };
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).push(passed);
        Ok(answer)
    }

    fn real_origin(&self, host: Host) -> Option<String> {
        let origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        origins.iter().find(|(known, ..)| *known == host).and_then(|(_, _, real)| real.clone())
    }

    fn replaced(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replaced_text(text)),
            Value::Array(items) => items.iter().map(|item| self.replaced(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(name, value)| (name.clone(), self.replaced(value))).collect(),
            ),
            other => other.clone(),
        }
    }

    /// Replaces an address by the address of the recorder's origin that stands for it. A real origin that is new gets
    /// the next free origin of the recorder.
    fn replaced_text(&self, text: &str) -> String {
        let origin = origin_of(text);
        if origin.is_empty() {
            return text.to_owned();
        }
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let known = origins.iter().position(|(.., real)| real.as_deref() == Some(origin));
        let Some(at) = known.or_else(|| origins.iter().position(|(.., real)| real.is_none())) else {
            return text.to_owned();
        };
        origins[at].2 = Some(origin.to_owned());
        format!("{}{}", origins[at].1, &text[origin.len()..])
    }
}

async fn serve(listener: TcpListener, host: Host, recorder: Arc<Recorder>) {
    while let Ok((stream, _)) = listener.accept().await {
        let recorder = Arc::clone(&recorder);
        tokio::spawn(async move { converse(stream, host, &recorder).await });
    }
}

async fn converse(mut stream: TcpStream, host: Host, recorder: &Recorder) -> Result<(), Failure> {
    let mut buffer = Buffer::default();
    while let Some(head) = read_head(&mut stream, &mut buffer, host).await? {
        let body = read_body(&mut stream, &mut buffer, &head, None).await?;
        let answer = recorder.pass(head, body).await?;
        let mut text = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
        let own = ["content-length", "transfer-encoding", "connection"];
        for (name, value) in answer.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if answer.status != 204 {
            text.push_str(&format!("content-length: {}\r\n", answer.body.len()));
        }
        stream.write_all((text + "\r\n").as_bytes()).await?;
        stream.write_all(&answer.body).await?;
    }
    Ok(())
}

/// `scheme://host:port` of an http or https address; empty for any other text.
fn origin_of(text: &str) -> &str {
    let Some(start) =
        ["http://", "https://"].iter().find(|scheme| text.starts_with(**scheme)).map(|scheme| scheme.len())
    else {
        return "";
    };
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    &text[..end]
}

/// The variables that replace real texts.
#[derive(Debug, Default)]
struct Names {
    /// The real texts with the variables that replace them, the longest text first.
    called: Vec<(String, String)>,
    own: BTreeMap<String, String>,
}

impl Names {
    fn of(passed: &[Passed], variables: &crate::variables::Variables) -> Self {
        let mut names = Self::default();
        for name in ["api", "storage", "elsewhere", "apiKey", "password", "in", "out", "bodies"] {
            if let Some(real) = variables.get(name) {
                names.called.push((real.to_owned(), name.to_owned()));
            }
        }
        for passed in passed {
            if let Ok(json) = serde_json::from_slice(&passed.answer.body) {
                names.learn("", &json);
            }
        }
        names.called.sort_by_key(|(real, _)| std::cmp::Reverse(real.len()));
        names
    }

    fn learn(&mut self, parent: &str, json: &Value) {
        let Value::Object(fields) = json else {
            json.as_array().into_iter().flatten().for_each(|item| self.learn(parent, item));
            return;
        };
        for (name, value) in fields {
            match (parent, name.as_str(), value) {
                ("outputFile", "fileId", Value::String(id)) => self.call(id, "resultId"),
                (_, "fileId", Value::String(id)) | ("files", "id", Value::String(id)) => {
                    self.call(id, "fileId")
                }
                (_, "operationId", Value::String(id)) => self.call(id, "operationId"),
                (_, "traceId", Value::String(id)) => self.call(id, "traceId"),
                (_, "uploadUrl" | "url", Value::String(url)) => self.learn_address(url),
                _ => self.learn(name, value),
            }
        }
    }

    /// Replaces signatures and expiry times in the query of an address: a long value is a signature, and the expiry
    /// time differs in each recording.
    fn learn_address(&mut self, url: &str) {
        let query = url.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "expires" => self.call(value, "expires"),
                _ if value.len() >= 16 => self.call(value, "signature"),
                _ => {}
            }
        }
    }

    /// Replaces a real text by a variable. If a text of the same kind has a variable already, the new variable gets a
    /// number and belongs to this scenario only.
    fn call(&mut self, real: &str, kind: &str) {
        if real.is_empty() || self.called.iter().any(|(known, _)| known == real) {
            return;
        }
        let of_kind = self
            .called
            .iter()
            .filter(|(_, name)| name.trim_end_matches(|digit: char| digit.is_ascii_digit()) == kind)
            .count();
        let is_built_in = crate::variables::Variables::BUILT_IN.contains(&kind);
        let name = if of_kind == 0 { kind.to_owned() } else { format!("{kind}{}", of_kind + 1) };
        if of_kind > 0 || !is_built_in {
            self.own.insert(name.clone(), format!("{kind}-{}", of_kind + 1));
        }
        self.called.push((real.to_owned(), name));
    }

    fn own(&self) -> BTreeMap<String, String> {
        self.own.clone()
    }

    fn text(&self, text: &str) -> String {
        self.called
            .iter()
            .fold(text.to_owned(), |text, (real, name)| text.replace(real, &format!("{{{{{name}}}}}")))
    }

    fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(name, value)| (name.clone(), self.json(value))).collect())
            }
            other => other.clone(),
        }
    }
}

fn exchanges(
    passed: &[Passed],
    names: &Names,
    folders: &Folders,
    id: &str,
    documents: &mut BTreeMap<String, Vec<u8>>,
) -> Vec<Exchange> {
    let mut exchanges: Vec<Exchange> = Vec::new();
    for passed in passed {
        let request = Request {
            method: Some(passed.head.method.clone()),
            to: passed.head.to,
            path: Some(names.text(&passed.head.target)),
            json: serde_json::from_slice(&passed.body).ok().map(|json: Value| names.json(&json)),
            body_file: (passed.head.method == "PUT").then(|| known_body(&passed.body, folders)).flatten(),
            ..Request::default()
        };
        let request = if request.body_file.is_some() { Request { json: None, ..request } } else { request };
        let kept = passed.answer.headers.iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
        let mut response = Response {
            status: passed.answer.status,
            headers: kept.map(|(name, value)| (name.clone(), names.text(value))).collect(),
            ..Response::default()
        };
        match serde_json::from_slice::<Value>(&passed.answer.body) {
            _ if passed.answer.body.is_empty() => {}
            Ok(json) => response.json = Some(names.json(&json)),
            Err(_) => {
                let path = format!("bodies/{id}-{}", documents.len());
                documents.insert(path.clone(), passed.answer.body.clone());
                response.body_file = Some(path);
            }
        }
        let exchange = Exchange { request, response: Some(response), fault: None, repeat: None };
        let in_a_row = exchanges.iter().rev().take_while(|earlier| **earlier == exchange).count();
        if in_a_row < MOST_PENDING {
            exchanges.push(exchange);
        }
    }
    exchanges
}

/// The name of the body file or input file that contains these bytes.
fn known_body(bytes: &[u8], folders: &Folders) -> Option<String> {
    let among = |root: &Path, folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).ok()?;
        let mut names: Vec<_> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        // Recorded bodies come last, because they may be deleted before the next recording.
        names.sort_by_key(|name| (name.starts_with("recorded."), name.clone()));
        let found = names
            .into_iter()
            .find(|name| std::fs::read(root.join(folder).join(name)).is_ok_and(|body| body == bytes))?;
        Some(format!("{folder}/{found}"))
    };
    among(&folders.recordings, "bodies").or_else(|| among(&folders.run, "in"))
}

fn expectations(outcome: &Outcome, names: &Names) -> Vec<Expect> {
    let steps = outcome.steps.iter().map(|step| match (&step.ok, &step.error) {
        (_, Some(error)) => {
            let told = error.fields.iter().filter(|(name, value)| {
                ["status", "code", "title", "phase", "method"].contains(&name.as_str()) && !value.is_null()
            });
            let fields = told.map(|(name, value)| (name.clone(), names.json(value))).collect();
            let error = crate::scenario::ErrorExpect {
                kind: error.kind.clone(),
                fields,
                message_has: Vec::new(),
                never: Vec::new(),
            };
            Expect { error: Some(error), ..Expect::default() }
        }
        (ok, None) => {
            let ok = ok.iter().flatten().filter(|(name, _)| *name != "raw" && *name != "token");
            Expect {
                ok: Some(ok.map(|(name, value)| (name.clone(), names.json(value))).collect()),
                ..Expect::default()
            }
        }
    });
    steps.collect()
}

fn files(
    out: &Path,
    exchanges: &[Exchange],
    folders: &Folders,
    documents: &BTreeMap<String, Vec<u8>>,
) -> Result<BTreeMap<String, FileExpect>, Failure> {
    let mut files = BTreeMap::new();
    for name in compare::names(out)? {
        let bytes = std::fs::read(out.join(&name))?;
        let came = exchanges.iter().filter_map(|exchange| exchange.response.as_ref()?.body_file.clone());
        let same_as =
            came.into_iter().find(|body| documents.get(body).is_some_and(|document| *document == bytes));
        let same_as = same_as.or_else(|| known_body(&bytes, folders));
        let sha256 = same_as.is_none().then(|| compare::sha256(&bytes));
        files.insert(name, FileExpect { same_as, sha256, begins: None });
    }
    Ok(files)
}
