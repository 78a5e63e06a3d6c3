//! One operation on one document.

use crate::exit::{self, Failure};
use crate::progress::One;
use crate::{batch, connect, flags, report, resume};
use clap::ArgMatches;
use recto::{Call, Operation, OperationResult, Source, ValidationReport};
use recto_interface::{FieldKind, OperationKind, Options, Yields};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub fn run(name: &str, matches: &ArgMatches) -> Result<u8, Failure> {
    let kind: OperationKind = name.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    // Options and the input are looked at before a service is started: a mistake costs nothing.
    let options = options(kind, matches)?;
    if batch::is_asked_for(matches) {
        return batch::run(kind, options, matches);
    }
    let input = Input::new(kind, matches)?;
    let output = matches.try_get_one::<PathBuf>("output").ok().flatten();
    if let Some(output) = output {
        writable(output)?;
    }
    let waits = !matches.get_flag("no-wait");
    if !waits && !connect::is_standing(matches)? {
        return Err(Failure::usage(
            "the embedded service ends with the command: --no-wait needs --base-url or RECTO_BASE_URL",
        ));
    }
    let client = connect::client(matches)?;
    let label = input.label;
    let bar = One::new(&label, matches);
    let call = bar.watch(connect::call(matches)?.force(matches.get_flag("force")));
    let failed = |error: recto::Error| {
        bar.finish();
        Failure::of(&error, &label)
    };
    let operation = client.start(input.source, options, &call).map_err(failed)?;
    if !waits {
        bar.finish();
        return Ok(resume::hand_over(&operation, matches));
    }
    match (kind.yields(), output) {
        (Yields::File, Some(output)) => {
            deliver(&operation, output, &call, &bar, &label, input.bytes, matches)
        }
        _ => {
            let result = operation.wait(&call).map_err(failed)?;
            bar.finish();
            Ok(tell_result(&label, &operation, &result, matches))
        }
    }
}

/// Waits for a result file, and puts it where it is wanted.
pub fn deliver(
    operation: &Operation,
    output: &Path,
    call: &Call<'_>,
    bar: &One,
    label: &str,
    before: Option<u64>,
    matches: &ArgMatches,
) -> Result<u8, Failure> {
    let ended = if is_standard(output) {
        operation.write_to(&mut std::io::stdout().lock(), call).map(|_| None)
    } else {
        operation.save(output, call).map(Some)
    };
    bar.finish();
    if let Some(saved) = ended.map_err(|error| Failure::of(&error, label))? {
        tell_file(operation, label, before, &saved, matches);
    }
    Ok(exit::OK)
}

fn options(kind: OperationKind, matches: &ArgMatches) -> Result<Options, Failure> {
    let mut json = flags::options(kind, matches).map_err(Failure::usage)?;
    for field in kind.fields().iter().filter(|field| field.kind == FieldKind::Secret) {
        if let Some(file) = matches.get_one::<PathBuf>(&flags::file_id(field.path)) {
            json[field.path] = Value::String(connect::first_line(file, "the password")?);
        }
    }
    Options::from_json(kind, &json).map_err(|error| {
        let flag = error.field.strip_prefix("options.").map(flags::name);
        Failure::usage(flag.map_or_else(|| error.to_string(), |flag| format!("--{flag}: {}", error.reason)))
    })
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

pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub fn reason(error: &std::io::Error) -> String {
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

/// Prints what came of an operation whose file is not fetched, or that makes none. For a validation the exit code says
/// whether the document conforms.
pub fn tell_result(label: &str, operation: &Operation, result: &OperationResult, matches: &ArgMatches) -> u8 {
    let Some(report) = &result.validation else {
        if matches.get_flag("json") {
            let output = result.output.as_ref();
            let outcome = json!({"operation": operation.kind().name(), "operationId": operation.id(),
                "status": result.status, "fileId": output.and_then(|output| output.file_id.as_deref()),
                "name": output.and_then(|output| output.name.as_deref())});
            report::line(&outcome.to_string());
        } else if !matches.get_flag("quiet") {
            report::line(&format!("{label}: {}", result.status));
        }
        return exit::OK;
    };
    let conforms = report.is_conforming.unwrap_or(false);
    if matches.get_flag("json") {
        let outcome = json!({"operation": "validate", "input": label, "isConforming": conforms,
            "conformance": report.conformance, "errors": report.errors});
        report::line(&outcome.to_string());
    } else if !matches.get_flag("quiet") {
        tell_validation(label, report);
    }
    if conforms { exit::OK } else { exit::FAILED }
}

/// Prints a validation report.
pub fn tell_validation(label: &str, report: &ValidationReport) {
    let verdict = if report.is_conforming == Some(true) { "conforms" } else { "does not conform" };
    let claim = report.conformance.as_ref().map_or_else(String::new, |claim| format!(" (claims {claim})"));
    report::line(&format!("{label}: {verdict}{claim}"));
    report.errors.iter().for_each(|error| report::line(&format!("  {error}")));
}
