//! Writes a log event as a line of text, for bindings that pass the line to a logger of their programming language.

use recto_interface::printable::printable;
use std::fmt::{self, Write};
use tracing::Event;
use tracing::field::{Field, Visit};

/// The line: `message name=value …`.
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
