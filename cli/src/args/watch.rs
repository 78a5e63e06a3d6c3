//! The arguments of `recto watch`. Its operation is a command of its own: `recto watch in --to out optimize --profile
//! web`.

use super::{delete_after, embedded_settings, extra, flags, values};
use clap::{Arg, ArgAction, Command, value_parser};
use recto_interface::OperationKind;
use std::path::PathBuf;

pub fn command() -> Command {
    Command::new("watch")
        .about("Process the documents that arrive in a folder, until interrupted")
        .long_about(
            "Processes the documents in a folder, and those that arrive in it, until it is interrupted: `recto watch in --to out \
             optimize --profile web`. The options of the operation come after its name.\n\n\
             A document that cannot be processed is moved to a folder for failures, with a text beside it that contains the \
             reason. After any other failure, such as a service that cannot be reached, the document stays and is tried again. A \
             result replaces no file: a number is appended to its name. A watch that was killed processes nothing twice when \
             it is started again.\n\n\
             The first Ctrl-C (or SIGTERM) ends the watch when the documents in progress are finished, with exit code 0. The \
             second one cancels them.",
        )
        .subcommand_required(true)
        .subcommand_value_name("OPERATION")
        .subcommand_help_heading("Operations")
        .args(arguments())
        .subcommands(OperationKind::ALL.iter().copied().map(operation))
}

fn arguments() -> [Arg; 10] {
    let folder = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("DIR").value_parser(value_parser!(PathBuf)).help(help)
    };
    [
        Arg::new("folder")
            .value_name("IN")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("The folder to watch"),
        folder("to", "Save the results in this folder; `validate` needs none"),
        Arg::new("recursive")
            .long("recursive")
            .short('r')
            .action(ArgAction::SetTrue)
            .help("Include the documents in subfolders; their results get the same subfolders"),
        folder(
            "move-originals",
            "Move a document to this folder when it is done [default: documents stay, and are processed once]",
        ),
        Arg::new("delete-originals")
            .long("delete-originals")
            .action(ArgAction::SetTrue)
            .conflicts_with("move-originals")
            .help("Delete a document when it is done"),
        folder("failed", "Move documents that cannot be processed to this folder [default: IN/failed]"),
        Arg::new("settle")
            .long("settle")
            .value_name("TIME")
            .value_parser(values::time)
            .help("A document is complete when it has not changed for this time, such as 500ms or 10s; a document that was renamed into the folder is complete at once [default: 2s]"),
        Arg::new("journal")
            .long("journal")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Record each step in FILE [default: a hidden file in IN]"),
        Arg::new("jobs")
            .long("jobs")
            .short('j')
            .value_name("N")
            .value_parser(value_parser!(u16).range(1..=256))
            .help("How many documents to process at once [default: 8]"),
        delete_after(),
    ]
}

fn operation(kind: OperationKind) -> Command {
    Command::new(kind.name())
        .about(kind.about().trim_end_matches('.'))
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help(format!("Process files of every format, not only {}", kind.accepts().join(", "))),
        )
        .arg(extra::option_argument())
        .next_help_heading("Options of the operation")
        .args(flags::arguments(kind))
        .next_help_heading("Embedded service")
        .args(embedded_settings())
        .next_help_heading(None::<&str>)
}
