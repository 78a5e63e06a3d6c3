//! The arguments of `recto compare`.

use clap::{Arg, ArgAction, Command, value_parser};
use std::path::PathBuf;

/// The command `compare`.
pub fn command() -> Command {
    Command::new("compare")
        .about("Compare the pages of two PDF documents as pictures")
        .long_about(
            "Compares the pages of two PDF documents as pictures, and can show both side by side with the differences \
             outlined in red. The service renders the documents (pdf-to-png).\n\n\
             The figure of a page is the share of its tiles of 8 x 8 pixels whose mean colour difference exceeds \
             --tolerance. Exit code 0: no page differs by more than --threshold; 1: a page differs, or only one document \
             has it.",
        )
        .arg(document("first", "A", "The first document, or an http(s) address that the service downloads"))
        .arg(document("second", "B", "The second document, or an http(s) address"))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("OUT")
                .value_parser(value_parser!(PathBuf))
                .help("Show both documents side by side: a file that ends with .html, a file that ends with .png for documents of one page, or a folder for a PNG file of each page"),
        )
        .arg(
            Arg::new("no-overwrite")
                .long("no-overwrite")
                .action(ArgAction::SetTrue)
                .help("Fail if a file of the report exists already"),
        )
        .arg(
            Arg::new("only-differing")
                .long("only-differing")
                .action(ArgAction::SetTrue)
                .requires("output")
                .help("Show only the pages that differ"),
        )
        .arg(
            Arg::new("threshold")
                .long("threshold")
                .value_name("PERCENT")
                .value_parser(value_parser!(f64))
                .help("The percentage of a page that may differ [default: 0]"),
        )
        .arg(
            Arg::new("tolerance")
                .long("tolerance")
                .value_name("NUMBER")
                .value_parser(value_parser!(f32))
                .help("The largest colour difference of a tile that does not count, from 0 to 100, which is that of black and white [default: 2.3, which people just notice]"),
        )
        .arg(
            Arg::new("max-pages")
                .long("max-pages")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .help("How many pages a document may have [default: 1000]"),
        )
        .arg(
            Arg::new("password-file")
                .long("password-file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("A file whose first line is the password of the documents; `-` reads it from standard input. One of the documents may have no password"),
        )
        .arg(
            Arg::new("delete-after")
                .long("delete-after")
                .action(ArgAction::SetTrue)
                .help("Delete the documents and pictures from the service after the pictures were downloaded"),
        )
        .next_help_heading("Embedded service")
        .args(super::embedded_settings())
        .next_help_heading(None::<&str>)
}

fn document(id: &'static str, name: &'static str, help: &'static str) -> Arg {
    Arg::new(id).value_name(name).required(true).value_parser(value_parser!(PathBuf)).help(help)
}
