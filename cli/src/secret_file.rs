//! Reads secrets (a key, a password, headers) from a file.

use crate::exit::Failure;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The maximum number of bytes that are read from the file of a secret.
const LONGEST: u64 = 64 * 1024;

/// The first line of a file that contains a secret. If `file` is `-`, the first line of standard input. `what` names
/// the secret in error messages.
pub fn first_line(file: &Path, what: &str) -> Result<String, Failure> {
    let mut line = String::new();
    open(file)
        .and_then(|mut reader| reader.read_line(&mut line))
        .map_err(|error| unreadable(file, what, &error))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The lines of a file that contains secrets, without empty ones. If `file` is `-`, those of standard input.
pub fn lines(file: &Path, what: &str) -> Result<Vec<String>, Failure> {
    let mut text = String::new();
    open(file)
        .and_then(|mut reader| reader.read_to_string(&mut text))
        .map_err(|error| unreadable(file, what, &error))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

fn open(file: &Path) -> io::Result<BufReader<io::Take<Box<dyn Read>>>> {
    let reader: Box<dyn Read> = match file.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(std::fs::File::open(file)?),
    };
    Ok(BufReader::new(reader.take(LONGEST)))
}

fn unreadable(file: &Path, what: &str, error: &io::Error) -> Failure {
    Failure::file(format!("{}: cannot read {what}: {error}", file.display()))
}
