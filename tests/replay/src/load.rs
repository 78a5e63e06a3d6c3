//! Loads the recordings, and reports errors in them: unknown fields, an id that does not match the file name,
//! undefined variables, missing bodies, secrets.

use crate::outcome::{ERROR_FIELDS, ERROR_KINDS};
use crate::scenario::{Call, Exchange, From, Op, Request, Response, Scenario};
use crate::variables::{HTTP_DATE, Variables};
use crate::{body::Folders, secrets};
use recto_interface::OperationKind;
use std::path::{Path, PathBuf};

/// The recordings: all scenarios, sorted by id.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The path of `tests/recordings`.
    pub folder: PathBuf,
    /// The scenarios, sorted by id.
    pub scenarios: Vec<Scenario>,
}

/// The errors in the recordings, one on each line.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Faults(pub Vec<String>);

impl Suite {
    /// The folder with the recordings of this repository.
    pub fn default_folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../recordings")
    }

    /// Reads every file `<area>/<name>.json` in a folder.
    ///
    /// # Errors
    /// All errors in all files.
    pub fn load(folder: &Path) -> Result<Self, Faults> {
        let folder =
            folder.canonicalize().map_err(|error| Faults(vec![format!("{}: {error}", folder.display())]))?;
        let mut faults = Vec::new();
        let mut scenarios = Vec::new();
        for path in files(&folder).map_err(|error| Faults(vec![error.to_string()]))? {
            match read(&path, &folder) {
                Ok(scenario) => scenarios.push(scenario),
                Err(found) => faults.extend(found),
            }
        }
        scenarios.sort_by(|a, b| a.id.cmp(&b.id));
        if faults.is_empty() { Ok(Self { folder, scenarios }) } else { Err(Faults(faults)) }
    }

    /// The scenario with this id.
    pub fn get(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }
}

/// The scenario files of a folder, sorted.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for area in std::fs::read_dir(folder)? {
        let area = area?.path();
        if area.is_dir() && area.file_name().is_some_and(|name| name != "bodies") {
            for file in std::fs::read_dir(area)? {
                files.push(file?.path());
            }
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}

/// Reads and checks one scenario file.
///
/// # Errors
/// All errors in the file, with file, line and path.
pub fn read(path: &Path, folder: &Path) -> Result<Scenario, Vec<String>> {
    let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let shown = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| vec![format!("{shown}: {error}")])?;
    let scenario = parse(&text).map_err(|error| vec![format!("{shown}:{error}")])?;
    let wanted: Vec<_> = name.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let mut faults = faults_of(&scenario, folder);
    if scenario.id != wanted.join(".") {
        faults.push(format!("id: it must match the file name: {:?}", wanted.join(".")));
    }
    faults.extend(secrets::faults_of(&text));
    if faults.is_empty() {
        Ok(scenario)
    } else {
        Err(faults.into_iter().map(|fault| format!("{shown}: {fault}")).collect())
    }
}

/// Parses the text of a scenario.
///
/// # Errors
/// The error in the form `line:column: place: what`.
pub fn parse(text: &str) -> Result<Scenario, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let scenario: Scenario = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = error.path().to_string();
        let inner = error.into_inner();
        format!("{}:{}: {place}: {inner}", inner.line(), inner.column())
    })?;
    json.end().map_err(|error| error.to_string())?;
    Ok(scenario)
}

fn faults_of(scenario: &Scenario, folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    if !scenario.about.ends_with('.') {
        faults.push("about: write a sentence".to_owned());
    }
    if scenario.call.0.len() != scenario.expect.0.len() {
        faults.push(format!("expect: {} for {} calls", scenario.expect.0.len(), scenario.call.0.len()));
    }
    for (index, call) in scenario.call.0.iter().enumerate() {
        faults.extend(call_fault(call).map(|fault| format!("call {index}: {fault}")));
    }
    for (index, expect) in scenario.expect.0.iter().enumerate() {
        if expect.ok.is_some() == expect.error.is_some() {
            faults.push(format!("expect {index}: give one of ok and error"));
        }
        let Some(error) = &expect.error else { continue };
        if !ERROR_KINDS.contains(&error.kind.as_str()) {
            faults.push(format!("expect {index}: unknown error class {:?}", error.kind));
        }
        let unknown = error.fields.keys().filter(|name| !ERROR_FIELDS.contains(&name.as_str()));
        faults.extend(unknown.map(|name| format!("expect {index}: an error has no field {name:?}")));
    }
    let folders = Folders { recordings: folder.to_owned(), run: PathBuf::new() };
    for (index, exchange) in scenario.exchanges.iter().enumerate() {
        faults.extend(
            exchange_faults(index, exchange, scenario, &folders)
                .into_iter()
                .map(|fault| format!("exchange {index}: {fault}")),
        );
    }
    for (name, expect) in &scenario.files {
        if [&expect.same_as, &expect.sha256, &expect.begins].into_iter().flatten().count() != 1 {
            faults.push(format!("files: {name}: give one of sameAs, sha256 and begins"));
        }
    }
    for body in scenario.before.values() {
        faults.extend(folders.read(body).err());
    }
    faults.extend(unknown_variables(scenario));
    faults
}

fn call_fault(call: &Call) -> Option<String> {
    let missing = |what: &str| Some(format!("{:?} needs {what}", call.op));
    let known = call.operation.as_ref().filter(|_| call.op != Op::Run);
    if let Some(Err(error)) = known.map(|name| name.parse::<OperationKind>()) {
        return Some(error.to_string());
    }
    match (call.op, call.from) {
        (Op::Start | Op::Run, _) if call.operation.is_none() => missing("operation"),
        (Op::Start | Op::Run | Op::Upload, None) => missing("from"),
        (Op::Start | Op::Run | Op::Upload, Some(From::FileId)) if call.file_id.is_none() => missing("fileId"),
        (Op::Start | Op::Run | Op::Upload, Some(From::Path)) if call.file.is_none() => missing("file"),
        (Op::Upload, Some(From::Operation | From::Result)) => missing("a document"),
        (Op::Start | Op::Run | Op::Upload, Some(From::Bytes | From::Reader | From::SizedReader))
            if call.file.is_none() || call.name.is_none() =>
        {
            missing("file and name")
        }
        (Op::Get | Op::Delete, _) if call.file_id.is_none() => missing("fileId"),
        (Op::UploadUrl, _) if call.url.is_none() => missing("url"),
        (Op::Save | Op::Read | Op::WriteTo, _) if call.to.is_none() => missing("to"),
        _ => None,
    }
}

fn exchange_faults(index: usize, exchange: &Exchange, scenario: &Scenario, folders: &Folders) -> Vec<String> {
    let mut faults = Vec::new();
    let request = &exchange.request;
    match request.same {
        Some(same) if same >= index => faults.push(format!("same: {same} is not an earlier exchange")),
        Some(_)
            if *request
                != (Request {
                    same: request.same,
                    headers: request.headers.clone(),
                    forbid_headers: request.forbid_headers.clone(),
                    ..Request::default()
                }) =>
        {
            faults.push("same: only headers can be added".to_owned());
        }
        None if request.method.is_none() || request.path.is_none() => {
            faults.push("request: give method and path, or same".to_owned())
        }
        _ => {}
    }
    if request.bodies() > 1 || exchange.response.as_ref().is_some_and(|response| response.bodies() > 1) {
        faults.push("a body is exactly one of json, text, base64, bodyFile".to_owned());
    }
    let fault = exchange.fault.as_ref();
    let needs_response =
        fault.is_none_or(|fault| fault.after_response_bytes.is_some() || fault.every_ms.is_some());
    if needs_response != exchange.response.is_some() {
        faults.push("give a response, or a fault that ends the exchange before one".to_owned());
    }
    let files = [
        request.body_file.as_ref(),
        exchange.response.as_ref().and_then(|response| response.body_file.as_ref()),
    ];
    for file in files.into_iter().flatten() {
        match file.strip_prefix("in/") {
            Some(name) if scenario.inputs.contains_key(name) => {}
            Some(name) => faults.push(format!("{file}: inputs has no {name:?}")),
            None => faults.extend(folders.read(file).err()),
        }
    }
    if let Some(response) = exchange.response.as_ref().filter(|response| !is_status(response)) {
        faults.push(format!("invalid status {}", response.status));
    }
    faults
}

fn is_status(response: &Response) -> bool {
    (100..=599).contains(&response.status)
}

fn unknown_variables(scenario: &Scenario) -> Vec<String> {
    let text = serde_json::to_string(scenario).unwrap_or_default();
    let known = |name: &str| {
        name == "any"
            || name.starts_with(HTTP_DATE)
            || Variables::BUILT_IN.contains(&name)
            || scenario.variables.contains_key(name)
    };
    Variables::used_in(&text)
        .into_iter()
        .filter(|name| !known(name))
        .map(|name| format!("undefined variable {{{{{name}}}}}"))
        .collect()
}
