//! `recto wait` and `recto fetch`: resume an operation that another command started.

use crate::exit::Failure;
use crate::report::outcome;
use crate::report::progress::DocumentBar;
use crate::{connect, output};
use clap::ArgMatches;
use recto_interface::Yields;
use std::path::PathBuf;

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    if !connect::is_external(matches)? {
        return Err(Failure::usage(
            "only an operation of a service that keeps running can be resumed: give --base-url or set RECTO_BASE_URL",
        ));
    }
    let token = matches.get_one::<String>("token").cloned().unwrap_or_default();
    let operation = connect::client(matches)?.resume(&token)?;
    let label = format!("{} {}", operation.name(), operation.id());
    let bar = DocumentBar::new(&label, matches);
    let call = bar.watch(connect::call(matches)?.overwrite(output::may_overwrite(matches)));
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
