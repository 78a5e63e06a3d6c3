//! `recto wait`, `recto fetch` and `recto delete`: resume an operation that another command started.

use crate::exit::{self, Failure};
use crate::report::outcome;
use crate::report::progress::DocumentBar;
use crate::{connect, output};
use clap::ArgMatches;
use recto::Operation;
use recto_interface::Yields;
use std::path::PathBuf;

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let operation = resumed(matches)?;
    let label = format!("{} {}", operation.name(), operation.id());
    let bar = DocumentBar::new(&label, matches);
    let call = connect::call(matches)?.overwrite(output::may_overwrite(matches));
    let call = bar.watch(call.delete_after(output::deletes(matches)));
    match matches.try_get_one::<PathBuf>("output").ok().flatten() {
        Some(target) if operation.kind().is_none_or(|kind| kind.yields() == Yields::File) => {
            output::save(&operation, target, &call, &bar, &label, None, matches)
        }
        Some(_) => Err(Failure::usage(format!("{} has no result file: use `recto wait`", operation.name()))),
        None => {
            let result = operation.wait(&call).map_err(|error| Failure::of(&error, &label))?;
            bar.finish();
            Ok(outcome::print_result(&label, &operation, &result, matches))
        }
    }
}

/// Deletes the result of an operation from the service.
pub fn delete(matches: &ArgMatches) -> Result<u8, Failure> {
    let operation = resumed(matches)?;
    let label = format!("{} {}", operation.name(), operation.id());
    operation.delete(&connect::call(matches)?).map_err(|error| Failure::of(&error, &label))?;
    Ok(exit::OK)
}

fn resumed(matches: &ArgMatches) -> Result<Operation, Failure> {
    let token = matches.get_one::<String>("token").cloned().unwrap_or_default();
    require_lasting_service(matches)?;
    Ok(connect::client(matches)?.resume(&token)?)
}

/// Returns an error for the embedded service, which has no operations of other commands.
pub fn require_lasting_service(matches: &ArgMatches) -> Result<(), Failure> {
    if connect::is_external(matches)? {
        return Ok(());
    }
    Err(Failure::usage(
        "only an operation of a service that keeps running can be resumed: give --base-url or set RECTO_BASE_URL",
    ))
}
