//! The tree of commands: one for each operation, made from the table, and those around it.

use crate::{exit, flags};
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
  recto optimize scans/ -r -o small/ --journal run.jsonl         a folder; run again, it goes on
  RECTO_BASE_URL=https://... RECTO_API_KEY=... recto optimize report.pdf -o small.pdf";

const ENVIRONMENT: &str = "\
Environment:
  RECTO_BASE_URL  the service to use; without it, an embedded local service does the work
  RECTO_API_KEY   the key of that service
  RECTO_TIMEOUT   seconds that a command may take
  RECTO_SERVICE   the service to use, by its name in the config file; `local` is the embedded one
  RECTO_CONFIG    the config file
  RECTO_LOG       what to log to standard error: error, warn, info, debug, trace
  RECTO_WORKER    the recto program that processes documents apart from the service; `none` for none";

/// The whole command line.
pub fn command() -> Command {
    Command::new("recto")
        .about("Process PDF documents: compress, convert, stamp, protect, validate, archive")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(format!("{EXAMPLES}\n\n{ENVIRONMENT}\n\n{}", exit::HELP))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(everywhere())
        .subcommands(OperationKind::ALL.iter().copied().map(operation))
        .subcommand(files())
        .subcommand(wait())
        .subcommand(fetch())
        .subcommand(serve())
        .subcommand(worker())
        .subcommand(
            Command::new("doctor")
                .about("Show what is set up, whether it works, and how to mend what does not"),
        )
        .subcommand(
            Command::new("completions")
                .about("Print the completions for a shell")
                .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell))),
        )
        .subcommand(
            Command::new("man").about("Print the manual page, or write those of all commands").arg(
                Arg::new("folder")
                    .value_name("DIR")
                    .value_parser(value_parser!(PathBuf))
                    .help("Where to write a page for each command"),
            ),
        )
}

/// What may stand behind every command.
fn everywhere() -> [Arg; 6] {
    [
        Arg::new("base-url")
            .long("base-url")
            .global(true)
            .value_name("URL")
            .env("RECTO_BASE_URL")
            .value_parser(NonEmptyStringValueParser::new())
            .help("The service to use; without it, an embedded local service does the work"),
        Arg::new("service")
            .long("service")
            .global(true)
            .value_name("NAME")
            .env("RECTO_SERVICE")
            .value_parser(NonEmptyStringValueParser::new())
            .help("The service to use, by its name in the config file; `local` is the embedded one"),
        Arg::new("config")
            .long("config")
            .global(true)
            .value_name("FILE")
            .env("RECTO_CONFIG")
            .value_parser(value_parser!(PathBuf))
            .help("The config file [default: recto/config.toml in the folder of your settings]"),
        Arg::new("timeout")
            .long("timeout")
            .global(true)
            .value_name("SECONDS")
            .env("RECTO_TIMEOUT")
            .value_parser(value_parser!(f64))
            .help("The longest the command may take"),
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
            .help("Print the outcome of each document as one JSON object in a line"),
    ]
}

fn operation(kind: OperationKind) -> Command {
    let no_wait = Arg::new("no-wait")
        .long("no-wait")
        .action(ArgAction::SetTrue)
        .help("Only start it, and print the token that `recto fetch` and `recto wait` take");
    let no_wait = if kind.yields() == Yields::File { no_wait.conflicts_with("output") } else { no_wait };
    let command = Command::new(kind.name())
        .about(kind.about().trim_end_matches('.'))
        .arg(
            Arg::new("input")
                .value_name("IN")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help(format!(
                    "The document ({}); `-` reads standard input. Several, a folder or a pattern make a batch",
                    kind.accepts().join(", ")
                )),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The document's name, where standard input has none: its extension tells the format"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Send the document whatever its extension"),
        )
        .arg(no_wait)
        .next_help_heading("Batches")
        .args(of_batches(kind))
        .next_help_heading("Options of the operation")
        .args(flags::arguments(kind))
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
                .help("The result: a file, a folder to put it in under its own name, or `-` for standard output"),
        ),
    }
}

/// What only matters where there are many documents.
fn of_batches(kind: OperationKind) -> Vec<Arg> {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).conflicts_with("no-wait").help(help)
    };
    let mut arguments = vec![
        flag("recursive", "Take the documents in the folders below a folder, too").short('r'),
        Arg::new("jobs")
            .long("jobs")
            .short('j')
            .value_name("N")
            .value_parser(value_parser!(u16).range(1..=256))
            .help("How many documents are in work at once [default: 8]"),
        Arg::new("journal")
            .long("journal")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with("no-wait")
            .help("Write each step to FILE; a batch that was cut off and is run again goes on from it"),
        flag("stop-on-error", "After the first document that fails, take no further ones"),
        flag("dry-run", "Only say what would be done").short('n'),
    ];
    if kind.yields() == Yields::File {
        arguments.push(flag(
            "delete-after",
            "Delete documents and results from the service when the result is here",
        ));
    }
    arguments
}

fn token() -> Arg {
    Arg::new("token")
        .value_name("TOKEN")
        .required(true)
        .help("The token that --no-wait or a time-out printed")
}

fn wait() -> Command {
    Command::new("wait")
        .about("Wait for an operation that another command started, and show what came of it")
        .arg(token())
}

fn fetch() -> Command {
    Command::new("fetch").about("Wait for an operation that another command started, and fetch its result").arg(token()).arg(
        Arg::new("output")
            .short('o')
            .long("output")
            .value_name("OUT")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("The result: a file, a folder to put it in under its own name, or `-` for standard output"),
    )
}

fn files() -> Command {
    let id = || Arg::new("id").value_name("FILE_ID").required(true);
    Command::new("files")
        .about("List, show, upload and delete files in a service")
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
                .about("Upload a file, or have the service fetch one, and print its identifier")
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
            "Runs the service on this machine until interrupted. It speaks the interface of the hosted service; \
             its key is RECTO_API_KEY, or a random one that is printed.\n\n\
             Every flag is also a variable of the environment (RECTO_SERVE_DATA_DIR for --data-dir) and a key in the \
             config file's table [serve] (data_dir): the flag goes before the variable, the variable before the file. \
             A SIZE is a number of bytes, or one with KB, MB, GB, KiB, MiB, GiB; a TIME one of seconds, or one with \
             ms, s, m, h, d.",
        )
        .args(crate::serve::flags());
    #[cfg(feature = "test-controls")]
    let serve = serve.arg(
        Arg::new("test-controls")
            .long("test-controls")
            .action(ArgAction::SetTrue)
            .hide(true)
            .help("Answer below /test: for tests only"),
    );
    serve
}

fn worker() -> Command {
    Command::new("worker")
        .about("Do the work that services on other machines have accepted, until interrupted")
        .long_about(
            "Does the work that services on other machines have accepted, until interrupted. It shares a database and a \
             bucket with them (--database, --bucket, --secret-key-file), and any number of workers may. On --host and \
             --port it answers /health, for whatever looks after it.\n\n\
             Its settings are those of `recto serve`: a flag, RECTO_SERVE_… in the environment, or a key in the config \
             file's table [serve].",
        )
        .args(crate::serve::flags())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_sound_and_holds_every_operation() {
        let command = command();
        command.clone().debug_assert();
        for kind in OperationKind::ALL {
            assert!(command.find_subcommand(kind.name()).is_some(), "{kind}");
        }
    }
}
