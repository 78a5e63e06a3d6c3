//! The text beside a document that was set aside: what happened, and what to do. No input or output.

use crate::error::Error;
use recto_interface::OperationKind;
use recto_interface::printable::printable;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const SUFFIX: &str = ".reason.txt";
/// The longest name, in bytes, to which the suffix is added. Most file systems allow names of 255 bytes.
const LONGEST_NAME: usize = 240;

/// The path of the text about the document at `document`.
pub(super) fn path(document: &Path) -> PathBuf {
    let name = document.file_name().unwrap_or_default();
    let mut name = if name.len() > LONGEST_NAME {
        let text = name.to_string_lossy();
        let end = (0..=LONGEST_NAME).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.get(..end).unwrap_or_default().into()
    } else {
        name.to_owned()
    };
    name.push(SUFFIX);
    document.with_file_name(name)
}

/// Explains `error`, whose texts contain no secrets.
pub(super) fn text(document: &Path, operation: OperationKind, error: &Error) -> String {
    let mut text =
        String::from("This document could not be processed. It was set aside and is unchanged.\n\n");
    let mut line = |name: &str, value: &str| {
        // A text of the service stays on its line.
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{:<12}{}", format!("{name}:"), printable(&value));
    };
    let kind =
        error.code().map_or_else(|| error.kind().to_string(), |code| format!("{} ({code})", error.kind()));
    line("Document", &document.to_string_lossy());
    line("Operation", operation.name());
    line("Error", &kind);
    line("Message", error.message());
    if let Some(detail) = error.detail().filter(|detail| !error.message().contains(detail)) {
        line("Detail", detail);
    }
    if let Some(id) = error.operation_id() {
        line("ID", id);
    }
    line("Time", &httpdate::fmt_http_date(SystemTime::now()));
    let advice =
        error.advice().map_or_else(String::new, |advice| format!("{}. ", advice.trim_end_matches('.')));
    line("What to do", &format!("{advice}To try the document again, move it back into the watched folder."));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_text_of_the_service_cannot_add_lines_or_control_the_terminal() {
        let error = Error::new(ErrorKind::OperationFailed, "no\nTime: never\u{1b}[2J");
        let text = text(Path::new("/in/a.pdf"), OperationKind::Optimize, &error);
        assert_eq!(text.lines().filter(|line| line.starts_with("Time:")).count(), 1);
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn the_name_of_the_text_is_not_too_long() {
        assert_eq!(path(Path::new("/f/a.pdf")), Path::new("/f/a.pdf.reason.txt"));
        let long = format!("/f/{}.pdf", "é".repeat(124));
        assert!(path(Path::new(&long)).file_name().unwrap().len() <= 255);
    }
}
