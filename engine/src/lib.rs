//! The engine processes documents: an operation takes bytes and typed options, and returns bytes or a report.
//!
//! [`run`] is the entry point. The engine knows neither HTTP nor the files of the service. Every long loop calls
//! [`Job::proceed`], so that a job that is cancelled or exceeds its time limit ends soon.
#![forbid(unsafe_code)]

mod color;
mod conformance;
mod content;
mod document;
mod error;
mod font;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod job;
mod limits;
mod linearize;
mod notes;
mod operations;
mod raster;
mod render;
mod zip;

pub use error::EngineError;
pub use job::{Cancel, Job, Progress};
pub use limits::Limits;
pub use operations::office::installed_program as office_program;
pub use operations::{check_options, run};

use recto_interface::ValidationReport;
use recto_interface::printable::findings;

/// A document to process. The file name is only a hint and is never trusted.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The bytes of the document.
    pub bytes: &'a [u8],
    /// The file name of the document. The extension of the name distinguishes the Office formats from each other.
    pub name: &'a str,
}

/// The result of an operation.
#[derive(Debug)]
pub enum Output {
    /// A file.
    File(OutputFile),
    /// The report of a validation.
    Report(ValidationReport),
}

/// A file as the result of an operation.
#[derive(Debug)]
pub struct OutputFile {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The file name extension, without the dot.
    pub extension: &'static str,
    /// Notes for the user: what the operation had to drop, change or break.
    pub notes: Vec<String>,
}

impl Output {
    /// The same output with texts of limited length and without control characters, because findings and notes quote
    /// the document.
    fn printable(self) -> Self {
        match self {
            Self::File(file) => Self::File(OutputFile { notes: findings(file.notes), ..file }),
            Self::Report(report) => {
                Self::Report(ValidationReport { errors: findings(report.errors), ..report })
            }
        }
    }

    /// The same output with these notes before its own. A report has findings instead of notes and is unchanged.
    fn with_first_notes(self, mut notes: Vec<String>) -> Self {
        match self {
            Self::File(file) => {
                notes.extend(file.notes);
                Self::File(OutputFile { notes, ..file })
            }
            report @ Self::Report(_) => report,
        }
    }

    /// A file without notes.
    pub fn file(bytes: Vec<u8>, extension: &'static str) -> Self {
        Self::File(OutputFile { bytes, extension, notes: Vec::new() })
    }
}
