//! One operation on one document.

use crate::exit::{self, Failure};
use crate::{connect, flags, report};
use clap::ArgMatches;
use recto::{Operation, OperationResult, Source};
use recto_interface::{FieldKind, OperationKind, Options, Yields};
use serde_json::{Value, json};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a file that are looked at for a password.
const LONGEST_PASSWORD_LINE: u64 = 64 * 1024;

pub fn run(name: &str, matches: &ArgMatches) -> Result<u8, Failure> {
    let kind: OperationKind = name.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    // Options and the input are looked at before a service is started: a mistake costs nothing.
    let options = options(kind, matches)?;
    let input = Input::new(kind, matches)?;
    let output = matches.try_get_one::<PathBuf>("output").ok().flatten();
    if let Some(output) = output {
        writable(output)?;
    }
    let client = connect::client(matches)?;
    let call = connect::call(matches)?.force(matches.get_flag("force"));
    let label = input.label;
    let failed = |error: recto::Error| Failure::of(&error, &label);
    let operation = client.start(input.source, options, &call).map_err(failed)?;
    match (kind.yields(), output) {
        (Yields::File, Some(output)) if is_standard(output) => {
            operation.write_to(&mut std::io::stdout().lock(), &call).map_err(failed)?;
            Ok(exit::OK)
        }
        (Yields::File, Some(output)) => {
            let saved = operation.save(output, &call).map_err(failed)?;
            tell_file(&operation, &label, input.bytes, &saved, matches);
            Ok(exit::OK)
        }
        _ => Ok(tell_report(&label, &operation.wait(&call).map_err(failed)?, matches)),
    }
}

fn options(kind: OperationKind, matches: &ArgMatches) -> Result<Options, Failure> {
    let mut json = flags::options(kind, matches).map_err(Failure::usage)?;
    for field in kind.fields().iter().filter(|field| field.kind == FieldKind::Secret) {
        if let Some(file) = matches.get_one::<PathBuf>(&flags::file_id(field.path)) {
            json[field.path] = Value::String(first_line(file)?);
        }
    }
    Options::from_json(kind, &json).map_err(|error| {
        let flag = error.field.strip_prefix("options.").map(flags::name);
        Failure::usage(flag.map_or_else(|| error.to_string(), |flag| format!("--{flag}: {}", error.reason)))
    })
}

fn first_line(file: &Path) -> Result<String, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::file(format!("{}: the password cannot be read: {error}", file.display()))
    };
    let reader: Box<dyn Read> = if is_standard(file) {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(unreadable)?)
    };
    let mut line = String::new();
    std::io::BufReader::new(reader.take(LONGEST_PASSWORD_LINE)).read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The document, and what to call it in messages.
struct Input {
    source: Source,
    label: String,
    bytes: Option<u64>,
}

impl Input {
    fn new(kind: OperationKind, matches: &ArgMatches) -> Result<Self, Failure> {
        let path = matches.get_one::<PathBuf>("input").cloned().unwrap_or_default();
        let name = matches.get_one::<String>("name");
        if is_standard(&path) {
            let name = match (name, kind.accepts()) {
                (Some(name), _) => name.clone(),
                (None, [only]) => format!("input.{only}"),
                (None, several) => {
                    let several = several.join(", ");
                    return Err(Failure::usage(format!(
                        "standard input has no name: give --name (its extension one of {several})"
                    )));
                }
            };
            let source = Source::reader(Box::new(std::io::stdin()), name, None);
            return Ok(Self { source, label: "standard input".to_owned(), bytes: None });
        }
        let found = std::fs::metadata(&path)
            .map_err(|error| Failure::file(format!("{}: {}", path.display(), reason(&error))))?;
        if found.is_dir() {
            return Err(Failure::file(format!("{} is a directory; name a document in it", path.display())));
        }
        let label = path.display().to_string();
        if name.is_some() {
            return Err(Failure::usage(format!("--name is for standard input; {label} has a name")));
        }
        Ok(Self { source: Source::path(path), label, bytes: found.is_file().then_some(found.len()) })
    }
}

/// Whether the result can go there, asked before the work rather than after it.
fn writable(output: &Path) -> Result<(), Failure> {
    if is_standard(output) {
        return Ok(());
    }
    let folder = match output.parent() {
        _ if output.is_dir() => output,
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => {
            Err(Failure::file(format!("{}: {} is not a folder", output.display(), folder.display())))
        }
        Ok(found) if found.permissions().readonly() => Err(Failure::file(format!(
            "{}: the folder {} cannot be written to",
            output.display(),
            folder.display()
        ))),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::file(format!(
            "{}: the folder {}: {}",
            output.display(),
            folder.display(),
            reason(&error)
        ))),
    }
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn tell_file(operation: &Operation, label: &str, before: Option<u64>, saved: &Path, matches: &ArgMatches) {
    let after = std::fs::metadata(saved).map(|found| found.len()).unwrap_or_default();
    if matches.get_flag("json") {
        let outcome = json!({
            "operation": operation.kind().name(), "operationId": operation.id(), "input": label,
            "output": saved.display().to_string(), "inputBytes": before, "outputBytes": after,
        });
        report::line(&outcome.to_string());
    } else if !matches.get_flag("quiet") {
        let was = before.map_or_else(String::new, |before| format!(" (was {})", report::size(before)));
        report::line(&format!("{}: {}{was}", saved.display(), report::size(after)));
    }
}

/// Prints a validation report; the exit code says whether the document conforms.
fn tell_report(label: &str, result: &OperationResult, matches: &ArgMatches) -> u8 {
    let report = result.validation.clone().unwrap_or_default();
    let conforms = report.is_conforming.unwrap_or(false);
    if matches.get_flag("json") {
        let outcome = json!({"operation": "validate", "input": label, "isConforming": conforms,
            "conformance": report.conformance, "errors": report.errors});
        report::line(&outcome.to_string());
    } else if !matches.get_flag("quiet") {
        let verdict = if conforms { "conforms" } else { "does not conform" };
        let claim = report.conformance.map_or_else(String::new, |claim| format!(" (claims {claim})"));
        report::line(&format!("{label}: {verdict}{claim}"));
        report.errors.iter().for_each(|error| report::line(&format!("  {error}")));
    }
    if conforms { exit::OK } else { exit::FAILED }
}
