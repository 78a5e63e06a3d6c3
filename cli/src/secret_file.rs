//! Reads a secret (a key or a password) from a file.

use crate::exit::Failure;
use std::io::{BufRead, Read};
use std::path::Path;

/// The maximum number of bytes that are read from the file of a secret.
const LONGEST_LINE: u64 = 64 * 1024;

/// The first line of a file that contains a secret. If `file` is `-`, the first line of standard input. `what` names
/// the secret in error messages.
pub fn first_line(file: &Path, what: &str) -> Result<String, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::file(format!("{}: cannot read {what}: {error}", file.display()));
    let reader: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(unreadable)?)
    };
    let mut line = String::new();
    std::io::BufReader::new(reader.take(LONGEST_LINE)).read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
