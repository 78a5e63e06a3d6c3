//! The command line as clap reads it: a command for each operation of the table, and the other commands.

pub mod compare;
pub mod extra;
pub mod flags;
#[cfg(feature = "local")]
pub mod settings;
#[cfg_attr(not(feature = "local"), allow(dead_code, reason = "most values are settings of the service"))]
mod values;
mod watch;

use crate::exit;
use clap::builder::{NonEmptyStringValueParser, OsStringValueParser};
use clap::{Arg, ArgAction, Command, value_parser};
use clap_complete::Shell;
use recto_interface::{OperationKind, Yields};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  recto optimize report.pdf -o small.pdf               on this machine, nothing to set up
  recto optimize report.pdf -o small.pdf --profile web
  recto image-to-pdf scan.png -o scan.pdf --page-margin 1.5cm
  recto encrypt report.pdf -o secret.pdf --password-file pass.txt
  cat report.pdf | recto optimize - -o - > small.pdf
  recto optimize scans/ -r -o small/ --journal run.jsonl         a folder; run it again to resume
  RECTO_BASE_URL=https://... RECTO_API_KEY=... recto optimize report.pdf -o small.pdf";

const ENVIRONMENT: &str = "\
Environment:
  RECTO_BASE_URL  the address of the service to use; default: an embedded service on this machine
  RECTO_API_KEY   the key of that service
  RECTO_TIMEOUT   how many seconds a command may take
  RECTO_SERVICE   the service to use, by its name in the config file; `local` is the embedded one
  RECTO_CONFIG    the config file
  RECTO_LOG       which events to log to standard error: error, warn, info, debug, trace
  RECTO_WORKER    the recto program that runs as worker process; `none` for no worker processes";

/// The whole command line.
pub fn command() -> Command {
    Command::new("recto")
        .about("Process PDF documents: compress, convert, stamp, protect, validate, archive")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(format!("{EXAMPLES}\n\n{ENVIRONMENT}\n\n{}", exit::HELP))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_arguments())
        .subcommands(OperationKind::ALL.iter().copied().map(operation))
        .subcommand(watch::command())
        .subcommand(compare::command())
        .subcommand(run())
        .subcommand(files())
        .subcommand(wait())
        .subcommand(fetch())
        .subcommand(delete())
        .subcommand(serve())
        .subcommand(worker())
        .subcommand(
            Command::new("doctor").about("Check the setup, and explain how to repair what does not work"),
        )
        .subcommand(
            Command::new("completions")
                .about("Print the completion script for a shell")
                .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell))),
        )
        .subcommand(
            Command::new("man")
                .about("Print the manual page, or write those of all commands to a folder")
                .arg(
                    Arg::new("folder").value_name("DIR").value_parser(value_parser!(PathBuf)).help(
                        "Write the pages of all commands to this folder [default: print the main page]",
                    ),
                ),
        )
}

/// The arguments that every command has.
fn global_arguments() -> [Arg; 7] {
    [
        Arg::new("base-url")
            .long("base-url")
            .global(true)
            .value_name("URL")
            .env("RECTO_BASE_URL")
            .value_parser(NonEmptyStringValueParser::new())
            .help("The address of the service to use [default: an embedded service on this machine]"),
        Arg::new("service")
            .long("service")
            .global(true)
            .value_name("NAME")
            .env("RECTO_SERVICE")
            .value_parser(NonEmptyStringValueParser::new())
            .help("The name of the service to use, as in the config file; `local` is the embedded one"),
        Arg::new("config")
            .long("config")
            .global(true)
            .value_name("FILE")
            .env("RECTO_CONFIG")
            .value_parser(value_parser!(PathBuf))
            .help("The config file [default: recto/config.toml in your settings folder]"),
        Arg::new("timeout")
            .long("timeout")
            .global(true)
            .value_name("SECONDS")
            .env("RECTO_TIMEOUT")
            .value_parser(value_parser!(f64))
            .help("The time limit of the whole command: upload, start, wait, download and retries. When it expires during the wait, the operation continues, and its token is printed [default: none, but the wait is limited to 15 minutes]"),
        extra::header_argument(),
        Arg::new("quiet")
            .long("quiet")
            .short('q')
            .global(true)
            .action(ArgAction::SetTrue)
            .help("Print errors only"),
        Arg::new("json")
            .long("json")
            .global(true)
            .action(ArgAction::SetTrue)
            .help("Print the outcome of each document as one line of JSON"),
    ]
}

fn operation(kind: OperationKind) -> Command {
    let no_wait = Arg::new("no-wait")
        .long("no-wait")
        .action(ArgAction::SetTrue)
        .help("Start the operation and print its token, without waiting; `recto fetch` and `recto wait` take the token");
    let no_wait = if kind.yields() == Yields::File { no_wait.conflicts_with("output") } else { no_wait };
    let command = Command::new(kind.name())
        .about(kind.about().trim_end_matches('.'))
        .arg(
            Arg::new("input")
                .value_name("IN")
                .required_unless_present(FROM_TOKEN)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help(format!(
                    "The document ({}), an http(s) address that the service downloads, or `-` for standard input. Several documents, a folder or a pattern are processed as a batch",
                    kind.accepts().join(", ")
                )),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The name of the document on standard input; its extension determines the format"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Send the document even if the operation does not take its extension"),
        )
        .arg(from_token().conflicts_with_all(BATCH_ONLY))
        .arg(extra::option_argument())
        .arg(no_wait)
        .next_help_heading("Batches")
        .args(batch_arguments(kind))
        .next_help_heading("Options of the operation")
        .args(flags::arguments(kind))
        .next_help_heading("Embedded service")
        .args(embedded_settings())
        .next_help_heading(None::<&str>);
    match kind.yields() {
        Yields::Report => command,
        Yields::File => command.arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("OUT")
                .required_unless_present("no-wait")
                .value_parser(value_parser!(PathBuf))
                .help("Save the result to OUT: a file, a folder (the file is named after the document), or `-` for standard output"),
        ).arg(no_overwrite()),
    }
}

/// The arguments that apply only to a batch.
fn batch_arguments(kind: OperationKind) -> Vec<Arg> {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).conflicts_with("no-wait").help(help)
    };
    let mut arguments = vec![
        flag("recursive", "Include the documents in subfolders").short('r'),
        Arg::new("jobs")
            .long("jobs")
            .short('j')
            .value_name("N")
            .value_parser(value_parser!(u16).range(1..=256))
            .help("How many documents to process at once [default: 8]"),
        Arg::new("journal")
            .long("journal")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with("no-wait")
            .help("Record each step in FILE; an interrupted batch that is run again resumes from it"),
        flag("stop-on-error", "Start no further documents after the first one that fails"),
        flag("dry-run", "Print what would be done, without doing it").short('n'),
    ];
    if kind.yields() == Yields::File {
        arguments.push(delete_after().conflicts_with("no-wait"));
    }
    arguments
}

fn delete_after() -> Arg {
    Arg::new("delete-after")
        .long("delete-after")
        .action(ArgAction::SetTrue)
        .help("Delete each document and its result from the service once the result is saved")
}

/// Runs an operation that this version may not know.
fn run() -> Command {
    Command::new("run")
        .about("Run an operation of the service that is newer than this command")
        .long_about(
            "Runs an operation that this version does not know, on one document. Its options are given with --option, and sent \
             without a check. `recto OPERATION` runs an operation that this version knows.",
        )
        .arg(
            Arg::new("operation")
                .value_name("OPERATION")
                .required(true)
                .help("The end of the operation's endpoint: convert/pdf-to-webp for POST /v1/operations/convert/pdf-to-webp"),
        )
        .arg(
            Arg::new("input")
                .value_name("IN")
                .required_unless_present(FROM_TOKEN)
                .value_parser(value_parser!(PathBuf))
                .help("The document, an http(s) address that the service downloads, or `-` for standard input"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The name of the document on standard input; its extension determines the format"),
        )
        .arg(from_token())
        .arg(extra::option_argument())
        .arg(
            Arg::new("no-wait")
                .long("no-wait")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["output", "delete-after"])
                .help("Start the operation and print its token, without waiting; `recto fetch` and `recto wait` take the token"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .help("Save the result to OUT: a file, a folder (the file is named after the document), or `-` for standard output [default: the result stays in the service]"),
        )
        .arg(no_overwrite())
        .arg(delete_after().requires("output"))
}

fn delete() -> Command {
    Command::new("delete")
        .about("Delete the result of an operation that another command started")
        .long_about(
            "Deletes the result file of an operation from the service. The document that was uploaded for the operation stays: \
             delete it with `recto files delete`, or start the operation with --delete-after.",
        )
        .arg(token())
}

/// The argument for the token of an operation whose result is the document.
pub const FROM_TOKEN: &str = "from-token";

/// Arguments that mean a batch.
const BATCH_ONLY: [&str; 3] = ["recursive", "journal", "dry-run"];

fn from_token() -> Arg {
    Arg::new(FROM_TOKEN)
        .long(FROM_TOKEN)
        .value_name("TOKEN")
        .conflicts_with_all(["input", "name"])
        .help("Process the result of an operation that another command started with --no-wait, instead of a document")
}

fn token() -> Arg {
    Arg::new("token").value_name("TOKEN").required(true).help("The token that --no-wait or a timeout printed")
}

fn wait() -> Command {
    Command::new("wait")
        .about("Wait for an operation that another command started, and show its outcome")
        .arg(token())
}

fn fetch() -> Command {
    Command::new("fetch").about("Wait for an operation that another command started, and save its result").arg(token()).arg(
        Arg::new("output")
            .short('o')
            .long("output")
            .value_name("OUT")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("Save the result to OUT: a file, a folder (existing files in it are not replaced), or `-` for standard output"),
    ).arg(no_overwrite()).arg(delete_after().help("Delete the result from the service once it is saved"))
}

fn no_overwrite() -> Arg {
    Arg::new("no-overwrite")
        .long("no-overwrite")
        .action(ArgAction::SetTrue)
        .help("Fail if the result file exists already. Even without this flag, a result in a folder never replaces its own document")
}

fn files() -> Command {
    let id = || Arg::new("id").value_name("FILE_ID").required(true);
    Command::new("files")
        .about("List, show, upload and delete the files of a service")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("list").about("List the active files").arg(
                Arg::new("only-result-files")
                    .long("only-result-files")
                    .action(ArgAction::SetTrue)
                    .help("Only results of operations"),
            ),
        )
        .subcommand(Command::new("get").about("Show one file").arg(id()))
        .subcommand(Command::new("delete").about("Delete one file").arg(id()))
        .subcommand(
            Command::new("upload")
                .about("Upload a file, or have the service download one from a URL, and print its identifier")
                .arg(
                    Arg::new("source")
                        .value_name("FILE|URL")
                        .required(true)
                        .value_parser(OsStringValueParser::new()),
                ),
        )
}

fn serve() -> Command {
    let serve = Command::new("serve")
        .about("Run the service on this machine until interrupted")
        .long_about(
            "Runs the service on this machine until interrupted. It has the same interface as the hosted service. \
             Its key is RECTO_API_KEY, or a random one that is printed.\n\n\
             Every flag is also an environment variable (RECTO_SERVE_DATA_DIR for --data-dir) and a key in the \
             table [serve] of the config file (data_dir). The flag takes precedence over the variable, and the \
             variable over the file. A SIZE is a number of bytes, or a number with KB, MB, GB, TB, KiB, MiB, GiB or \
             TiB. A TIME is a number of seconds, or a number with ms, s, m, h or d.",
        )
        .args(service_settings());
    #[cfg(feature = "test-controls")]
    let serve = serve.arg(
        Arg::new("test-controls")
            .long("test-controls")
            .action(ArgAction::SetTrue)
            .hide(true)
            .help("Serve the endpoints below /test, which only tests use"),
    );
    serve
}

fn worker() -> Command {
    Command::new("worker")
        .about("Process documents for services on other machines, until interrupted")
        .long_about(
            "Runs the operations that services on other machines have accepted, until interrupted. Services and workers, \
             any number of each, share a database and a bucket (--database, --bucket, --secret-key-file). The worker \
             serves /health on --host and --port, for the program that supervises it.\n\n\
             Its settings are those of `recto serve`: a flag, an environment variable RECTO_SERVE_…, or a key in the \
             table [serve] of the config file.",
        )
        .args(service_settings())
}

/// The settings of the service as flags. A build without the service has none.
fn service_settings() -> Vec<Arg> {
    #[cfg(feature = "local")]
    return settings::flags(&settings::SERVE).collect();
    #[cfg(not(feature = "local"))]
    Vec::new()
}

/// The settings of the embedded service as flags, which the short help leaves out.
fn embedded_settings() -> Vec<Arg> {
    #[cfg(feature = "local")]
    return settings::flags(&settings::LOCAL).map(|flag| flag.hide_short_help(true)).collect();
    #[cfg(not(feature = "local"))]
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_valid_and_include_every_operation() {
        let command = command();
        command.clone().debug_assert();
        for kind in OperationKind::ALL {
            assert!(command.find_subcommand(kind.name()).is_some(), "{kind}");
        }
    }
}
