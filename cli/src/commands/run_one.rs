//! Runs one operation on one document.

use super::resume;
use crate::args::{FROM_TOKEN, extra};
use crate::exit::{self, Failure};
use crate::inputs::{self, is_standard_stream};
use crate::report::outcome;
use crate::report::progress::DocumentBar;
use crate::{connect, output};
use clap::ArgMatches;
use recto::{Call, Client, Input, Operation, Source};
use recto_interface::{OperationKind, Options};
use serde_json::Value;
use std::path::PathBuf;

/// Runs an operation of the table.
pub fn run(kind: OperationKind, options: Options, matches: &ArgMatches) -> Result<u8, Failure> {
    let document = Document::new(kind.accepts(), matches)?;
    let target = writable_target(matches)?.filter(|target| !is_standard_stream(target));
    if let (Some(target), Content::Source(source)) = (target, &document.content) {
        recto::Sink::path(target).check_result(source, kind, output::may_overwrite(matches))?;
    }
    finish(document, |client, input, call| client.start(input, options, call), matches)
}

/// `recto run`: runs an operation that this version may not know.
pub fn run_unchecked(matches: &ArgMatches) -> Result<u8, Failure> {
    let name = matches.get_one::<String>("operation").cloned().unwrap_or_default();
    let document = Document::new(&[], matches)?;
    writable_target(matches)?;
    // The options of the command line are those of the call.
    finish(document, |client, input, call| client.run(&name, input, &Value::Null, call), matches)
}

/// The output path of the command line, if it has one. Checks that the result can be written there.
fn writable_target(matches: &ArgMatches) -> Result<Option<&PathBuf>, Failure> {
    let target = target(matches);
    target.map_or(Ok(()), |target| output::check_writable(target))?;
    Ok(target)
}

fn target(matches: &ArgMatches) -> Option<&PathBuf> {
    matches.try_get_one::<PathBuf>("output").ok().flatten()
}

/// Starts the operation, and saves or prints its result.
fn finish(
    document: Document,
    start: impl FnOnce(&Client, Input, &Call<'_>) -> Result<Operation, recto::Error>,
    matches: &ArgMatches,
) -> Result<u8, Failure> {
    let waits = !matches.get_flag("no-wait");
    if !waits && !connect::is_external(matches)? {
        return Err(Failure::usage(
            "--no-wait needs a service that keeps running, and the embedded one ends with the command: \
             give --base-url or set RECTO_BASE_URL",
        ));
    }
    let force = matches.try_get_one::<bool>("force").ok().flatten().copied().unwrap_or_default();
    let call = connect::call(matches)?
        .force(force)
        .overwrite(output::may_overwrite(matches))
        .delete_after(output::deletes(matches))
        .extra_options(extra::options(matches).map_err(Failure::usage)?);
    let client = connect::client(matches)?;
    let label = document.label;
    let bar = DocumentBar::new(&label, matches);
    let call = bar.watch(call);
    let failed = |error: recto::Error| {
        bar.finish();
        Failure::of(&error, &label)
    };
    let input = match document.content {
        Content::Source(source) => Input::from(source),
        Content::ResultOf(token) => Input::from(client.resume(&token).map_err(failed)?),
    };
    let operation = start(&client, input, &call).map_err(failed)?;
    if !waits {
        bar.finish();
        return Ok(outcome::print_token(&operation, matches));
    }
    match target(matches) {
        Some(target) => output::save(&operation, target, &call, &bar, &label, document.bytes, matches),
        None => {
            let result = operation.wait(&call).map_err(failed)?;
            bar.finish();
            Ok(outcome::print_result(&label, &operation, &result, matches))
        }
    }
}

/// The document of an operation.
struct Document {
    content: Content,
    label: String,
    /// The size of the document in bytes, if the size is known.
    bytes: Option<u64>,
}

enum Content {
    Source(Source),
    /// The result of the operation with this token.
    ResultOf(String),
}

impl Document {
    /// `accepts` are the extensions that the operation takes; none if they are not known.
    fn new(accepts: &[&str], matches: &ArgMatches) -> Result<Self, Failure> {
        if let Some(token) = matches.get_one::<String>(FROM_TOKEN) {
            resume::require_lasting_service(matches)?;
            let content = Content::ResultOf(token.clone());
            return Ok(Self { content, label: "result of the operation".to_owned(), bytes: None });
        }
        let path = matches.get_one::<PathBuf>("input").cloned().unwrap_or_default();
        let name = matches.get_one::<String>("name");
        if is_standard_stream(&path) {
            let name = match (name, accepts) {
                (Some(name), _) => name.clone(),
                (None, [only]) => format!("input.{only}"),
                (None, []) => {
                    return Err(Failure::usage(
                        "standard input has no name: give --name with the extension of the document",
                    ));
                }
                (None, several) => {
                    let several = several.join(", ");
                    return Err(Failure::usage(format!(
                        "standard input has no name: give --name with one of the extensions {several}"
                    )));
                }
            };
            let source = Source::reader(Box::new(std::io::stdin()), name, None);
            // A file that the shell redirects to standard input is not replaced by its result.
            #[cfg(unix)]
            let source = source.read_from("/dev/stdin");
            let content = Content::Source(source);
            return Ok(Self { content, label: "standard input".to_owned(), bytes: None });
        }
        let label = inputs::label(&path);
        if name.is_some() {
            return Err(Failure::usage(format!(
                "--name is only for standard input; {label} already has a name"
            )));
        }
        if inputs::is_address(&path) {
            return Ok(Self { content: Content::Source(Source::path(path)), label, bytes: None });
        }
        let found = std::fs::metadata(&path)
            .map_err(|error| Failure::file(format!("{label}: {}", exit::io_reason(&error))))?;
        if found.is_dir() {
            return Err(Failure::file(format!("{label} is a directory; give a document in it")));
        }
        let bytes = found.is_file().then_some(found.len());
        Ok(Self { content: Content::Source(Source::path(path)), label, bytes })
    }
}
