//! The log lines of operations, and log events as lines of text.

use crate::error::{Error, seconds};
use recto_interface::printable::printable;
use std::fmt::{self, Write};
use std::time::Duration;
use tracing::Event;
use tracing::field::{Field, Visit};

/// Logs that an operation has finished.
pub(crate) fn finished(operation: &str, document: Option<&str>, id: &str, took: Duration) {
    let (of, took) = (of(document), seconds(took));
    tracing::info!("{operation}{of}: finished in {took} s (operation {id})");
}

/// Logs that an operation, or waiting for it, has failed.
pub(crate) fn failed(operation: &str, document: Option<&str>, error: &Error) {
    let of = of(document);
    tracing::info!("{operation}{of}: {}: {}", error.kind(), error.message());
}

fn of(document: Option<&str>) -> String {
    document.map_or_else(String::new, |document| format!(" {document}"))
}

/// The line: `message name=value …`, for bindings that pass it to a logger of their programming language.
pub fn line_of(event: &Event<'_>) -> String {
    let mut line = Line::default();
    event.record(&mut line);
    // Events quote documents and services, which can contain characters that control a terminal.
    printable(&(line.message + &line.fields)).into_owned()
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
