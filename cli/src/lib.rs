//! The `recto` command, as a library: the program `recto` and the `recto` script of the Python package call [`run`].
//!
//! - `args`: the command line: its commands, the options of operations as flags, the settings of the service;
//! - `commands`: a file for each command, and the choice between them;
//! - `inputs`, `output`, `secret_file`: which documents are processed, where results go, where secrets are read from;
//! - `connect`, `config`: which service is used;
//! - `report`, `exit`, `interrupt`: messages and progress, exit codes, signals.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod config;
mod connect;
mod exit;
mod inputs;
mod interrupt;
mod output;
mod report;
mod secret_file;

use std::ffi::OsString;

/// Announces this program to the services of this process: they start this program again for their worker processes.
pub fn use_this_program_for_workers() {
    #[cfg(feature = "local")]
    if let Ok(program) = std::env::current_exe() {
        recto_service::WorkerProgram::recto(program).announce();
    }
}

/// Runs one command line, whose first argument is the program name. Returns the exit code: 0 for success, otherwise one
/// of the codes that `recto --help` lists. Messages go to standard error, results to standard output.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // This check comes first, because a worker must enter its sandbox while the process has only one thread.
    #[cfg(feature = "local")]
    if arguments.get(1).is_some_and(|command| command == recto_service::WORKER_COMMAND) {
        return recto_service::run_worker();
    }
    let matches = match args::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { exit::USAGE } else { exit::OK };
            // An error is ignored: if the terminal is gone, there is nowhere to report the error.
            let _ = error.print();
            return code;
        }
    };
    // `serve` and `worker` have settings for the log. These two commands start the log after they have read their
    // settings.
    if !matches!(matches.subcommand_name(), Some("serve" | "worker")) {
        report::log_to_stderr(report::LogFormat::Text, None);
    }
    let outcome = match matches.subcommand() {
        Some((name, matches)) => commands::run(name, matches),
        None => Ok(exit::OK),
    };
    outcome.unwrap_or_else(|failure| {
        report::failure(&failure);
        failure.code
    })
}
