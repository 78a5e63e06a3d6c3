//! Log lines without characters that control a terminal. Log events can contain such characters, because they quote
//! documents and services.

use recto_interface::printable::{printable, printable_json};
use std::fmt;
use std::io::{self, Write};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

/// The fields of an event as text, with their control characters escaped.
pub struct PrintableFields;

impl<'writer> FormatFields<'writer> for PrintableFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&printable(&text))
    }
}

/// Writes log lines that are JSON objects, with the control characters in their strings escaped. Each call of `write`
/// gets whole lines.
pub struct PrintableJson<W>(pub W);

impl<W: Write> Write for PrintableJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let lines: String = text.split_inclusive('\n').map(escaped).collect();
        self.0.write_all(lines.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn escaped(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => format!("{}\n", printable_json(line)),
        None => printable_json(line).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{9b}31m\r\n\u{202e}fdp";

    fn logged(memory: &Memory) -> String {
        String::from_utf8(memory.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn log_lines_contain_no_character_that_controls_a_terminal() {
        let (text, json) = (Memory::default(), Memory::default());
        let (to_text, to_json) = (text.clone(), json.clone());
        let as_text = tracing_subscriber::fmt()
            .with_ansi(false)
            .fmt_fields(PrintableFields)
            .with_writer(move || to_text.clone());
        let as_json = tracing_subscriber::fmt().json().with_writer(move || PrintableJson(to_json.clone()));
        for subscriber in [tracing::Dispatch::new(as_text.finish()), tracing::Dispatch::new(as_json.finish())]
        {
            tracing::dispatcher::with_default(&subscriber, || {
                tracing::info_span!("document", name = HOSTILE)
                    .in_scope(|| tracing::warn!(finding = %HOSTILE, "{HOSTILE}"));
            });
        }
        for log in [logged(&text), logged(&json)] {
            let line = log.strip_suffix('\n').unwrap();
            assert!(
                line.contains("title") && !line.contains(|c: char| c.is_control() || c == '\u{202e}'),
                "{line:?}"
            );
        }
        let object: serde_json::Value = serde_json::from_str(&logged(&json)).unwrap();
        assert_eq!(object["fields"]["finding"], HOSTILE);
    }
}
