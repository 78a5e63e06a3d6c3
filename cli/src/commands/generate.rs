//! `recto completions` and `recto man`: completion scripts and manual pages, generated from the command line.

use crate::exit::{self, Failure};
use crate::{args, report};
use clap::ArgMatches;
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;

/// Prints the completion script for a shell.
pub fn completions(matches: &ArgMatches) -> u8 {
    let shell = matches.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "recto", &mut script);
    // An error is ignored: the reader of standard output may have closed the pipe.
    let _ = std::io::stdout().lock().write_all(&script);
    exit::OK
}

/// Writes the manual pages to a folder, one page for each command. Without a folder, prints the main page.
pub fn man(matches: &ArgMatches) -> Result<u8, Failure> {
    let Some(folder) = matches.get_one::<PathBuf>("folder") else {
        let mut page = Vec::new();
        clap_mangen::Man::new(args::command())
            .render(&mut page)
            .map_err(|error| Failure::file(format!("cannot generate the manual page: {error}")))?;
        let _ = std::io::stdout().lock().write_all(&page);
        return Ok(exit::OK);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(args::command(), folder))
        .map_err(|error| {
            Failure::file(format!("{}: cannot write the manual pages: {error}", folder.display()))
        })?;
    report::note(&format!("{}: wrote the manual pages; read one with `man -l`", folder.display()));
    Ok(exit::OK)
}
