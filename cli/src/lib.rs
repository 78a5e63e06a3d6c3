//! The `recto` command, as a library: the program `recto` and Python's `recto` script both enter at [`run`].
//!
//! - `args`: the tree of commands, made from the table of operations;
//! - `flags`: an option of an operation as a flag, and back to the `options` object;
//! - `operate`, `batch`, `resume`, `files`, `serve`, `doctor`, `generate`: what the commands do;
//! - `inputs`: which documents are meant; `connect`, `config`: which service does it;
//! - `progress`, `report`, `exit`: how it is told to people and to the shell.
#![forbid(unsafe_code)]

mod args;
mod batch;
mod config;
mod connect;
mod doctor;
mod exit;
mod files;
mod flags;
mod generate;
mod inputs;
mod interrupt;
mod operate;
mod progress;
mod report;
mod resume;
mod serve;

use std::ffi::OsString;

/// Has the services of this process start their workers from this program.
pub fn workers_are_this_program() {
    #[cfg(feature = "local")]
    if let Ok(program) = std::env::current_exe() {
        recto_service::WorkerProgram::recto(program).announce();
    }
}

/// Runs one command line, program name first, and returns the exit code: 0 for success, else one of those that
/// `recto --help` lists. Messages go to standard error, results to standard output.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Before anything else: a worker is shut in while its process has one thread.
    #[cfg(feature = "local")]
    if arguments.get(1).is_some_and(|command| command == recto_service::WORKER_COMMAND) {
        return recto_service::run_worker();
    }
    let matches = match args::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { exit::USAGE } else { exit::OK };
            // Nobody is left to tell when the terminal is gone.
            let _ = error.print();
            return code;
        }
    };
    // These have settings for that, which they read first.
    if !matches!(matches.subcommand_name(), Some("serve" | "worker")) {
        report::log_to_stderr(report::LogFormat::Text, None);
    }
    let outcome = match matches.subcommand() {
        Some(("serve", matches)) => serve::run(matches),
        Some(("worker", matches)) => serve::work(matches),
        Some(("files", matches)) => files::run(matches),
        Some(("wait" | "fetch", matches)) => resume::run(matches),
        Some(("doctor", matches)) => doctor::run(matches),
        Some(("completions", matches)) => Ok(generate::completions(matches)),
        Some(("man", matches)) => generate::man(matches),
        Some((name, matches)) => operate::run(name, matches),
        None => Ok(exit::OK),
    };
    outcome.unwrap_or_else(|failure| {
        report::failure(&failure);
        failure.code
    })
}
