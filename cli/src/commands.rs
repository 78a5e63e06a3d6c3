//! The commands of `recto`: this file chooses the command, and each command has its own file.

mod batch;
mod compare;
mod doctor;
mod files;
mod generate;
mod resume;
mod run_one;
mod serve;
mod watch;

use crate::args::flags;
use crate::exit::Failure;
use crate::secret_file::first_line;
use clap::ArgMatches;
use recto_interface::{FieldKind, OperationKind, Options};
use serde_json::Value;
use std::path::PathBuf;

/// Runs the command called `name`, and returns its exit code.
pub fn run(name: &str, matches: &ArgMatches) -> Result<u8, Failure> {
    match name {
        "compare" => compare::run(matches),
        "serve" => serve::run(matches),
        "worker" => serve::work(matches),
        "files" => files::run(matches),
        "watch" => watch::run(matches),
        "run" => run_one::run_unchecked(matches),
        "wait" | "fetch" => resume::run(matches),
        "delete" => resume::delete(matches),
        "doctor" => doctor::run(matches),
        "completions" => Ok(generate::completions(matches)),
        "man" => generate::man(matches),
        operation => run_operation(operation, matches),
    }
}

/// Runs the operation called `name` on one document, or on many documents.
fn run_operation(name: &str, matches: &ArgMatches) -> Result<u8, Failure> {
    let kind: OperationKind = name.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    // The options are checked before a service is started, so that a mistake in an option is reported at once.
    let options = options(kind, matches)?;
    if batch::is_requested(matches) {
        batch::run(kind, options, matches)
    } else {
        run_one::run(kind, options, matches)
    }
}

fn options(kind: OperationKind, matches: &ArgMatches) -> Result<Options, Failure> {
    let mut json = flags::options(kind, matches).map_err(Failure::usage)?;
    for field in kind.fields().iter().filter(|field| field.kind == FieldKind::Secret) {
        if let Some(file) = matches.get_one::<PathBuf>(&flags::file_id(field.path)) {
            json[field.path] = Value::String(first_line(file, "the password")?);
        }
    }
    Options::from_json(kind, &json).map_err(|error| {
        let flag = error.field.strip_prefix("options.").map(flags::name);
        Failure::usage(flag.map_or_else(|| error.to_string(), |flag| format!("--{flag}: {}", error.reason)))
    })
}
