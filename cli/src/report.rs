//! Prints the output of a command: results on standard output, everything else on standard error.

mod log;
pub mod outcome;
pub mod progress;

use crate::exit::Failure;
use recto_interface::printable::{printable, printable_json};
use serde_json::Value;
use std::io::Write;
use tracing_subscriber::EnvFilter;

/// Prints a line on standard output. The line may contain texts from documents and services, so characters that control
/// the terminal or reorder the line are escaped. An error is ignored, because the reader of standard output may have
/// closed the pipe.
pub fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{}", printable(text));
}

/// Prints the columns of a line on standard output, with tabs between them.
pub fn columns<const N: usize>(texts: [&str; N]) {
    let texts = texts.map(printable);
    let _ = writeln!(std::io::stdout().lock(), "{}", texts.join("\t"));
}

/// Prints a JSON value on one line of standard output.
pub fn json(value: &Value) {
    let _ = writeln!(std::io::stdout().lock(), "{}", printable_json(&value.to_string()));
}

/// Prints a note on standard error.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}

/// Prints in one line why a command failed.
pub fn failure(failure: &Failure) {
    let _ = writeln!(std::io::stderr().lock(), "recto: {}", one_line(&failure.message));
}

/// Prints a warning in one line.
pub fn warning(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "recto: warning: {}", one_line(text));
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Log lines for people.
    Text,
    /// Log lines for programs: each line is a JSON object.
    Json,
}

/// Logs events to standard error. `RECTO_LOG` selects the events. If this variable is not set, `default_filter` selects
/// them.
pub fn log_to_stderr(format: LogFormat, default_filter: Option<&str>) {
    let variable = std::env::var("RECTO_LOG").ok();
    let Some(filter) = variable.as_deref().or(default_filter) else { return };
    match EnvFilter::try_new(filter) {
        // In a Python process, another logger may already be installed. That logger stays installed.
        Ok(filter) => {
            let logger = tracing_subscriber::fmt().with_env_filter(filter);
            let _ = match format {
                LogFormat::Text => {
                    logger.fmt_fields(log::PrintableFields).with_writer(std::io::stderr).try_init()
                }
                LogFormat::Json => {
                    let logger = logger.json().flatten_event(true).with_span_list(false);
                    logger.with_writer(|| log::PrintableJson(std::io::stderr())).try_init()
                }
            };
        }
        Err(error) => warning(&format!(
            "RECTO_LOG has the invalid value {filter:?} ({error}); give error, warn, info, debug or trace"
        )),
    }
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Formats a number of bytes: `340 kB` (1 kB = 1,000 bytes).
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let sizes = [0, 999, 1000, 1_234, 9_949, 9_950, 340_000, 999_499, 999_500, 12_000_000, 3_000_000_000];
        let expected = "0 B|999 B|1.0 kB|1.2 kB|9.9 kB|10 kB|340 kB|999 kB|1.0 MB|12 MB|3.0 GB";
        assert_eq!(sizes.map(size).join("|"), expected);
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(one_line("a\n  b\tc"), "a b c");
        assert_eq!(one_line("\u{1b}]0;x\u{7} \u{202e}fdp"), "\\u{1b}]0;x\\u{7} \\u{202e}fdp");
    }
}
