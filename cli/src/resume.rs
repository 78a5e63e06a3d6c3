//! `recto wait`, `recto fetch`: going on with an operation that another command started.

use crate::exit::{self, Failure};
use crate::progress::One;
use crate::{connect, operate};
use clap::ArgMatches;
use recto_interface::Yields;
use std::path::PathBuf;

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    if !connect::is_standing(matches)? {
        return Err(Failure::usage(
            "an operation goes on in a service that goes on running: give --base-url or set RECTO_BASE_URL",
        ));
    }
    let token = matches.get_one::<String>("token").cloned().unwrap_or_default();
    let operation = connect::client(matches)?.resume(&token)?;
    let label = format!("{} {}", operation.kind(), operation.id());
    let failed = |error: recto::Error| Failure::of(&error, &label);
    let bar = One::new(&label, matches);
    let call = bar.watch(connect::call(matches)?);
    let output = matches.try_get_one::<PathBuf>("output").ok().flatten();
    let code = match output {
        Some(output) if operation.kind().yields() == Yields::File => {
            operate::deliver(&operation, output, &call, &bar, &label, None, matches)?
        }
        Some(_) => {
            return Err(Failure::usage(format!("{} makes no file: use `recto wait`", operation.kind())));
        }
        None => {
            let result = operation.wait(&call).map_err(failed)?;
            bar.finish();
            operate::tell_result(&label, &operation, &result, matches)
        }
    };
    Ok(code)
}

/// How a command ends that was told not to wait: with the token that `recto fetch` takes.
pub fn hand_over(operation: &recto::Operation, matches: &ArgMatches) -> u8 {
    let token = operation.token();
    if matches.get_flag("json") {
        let outcome = serde_json::json!({"operation": operation.kind().name(), "operationId": operation.id(),
            "token": token});
        crate::report::line(&outcome.to_string());
    } else {
        crate::report::line(&token);
    }
    exit::OK
}
