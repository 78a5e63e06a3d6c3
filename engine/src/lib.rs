//! The engine processes documents: bytes and typed options in, bytes or a report out.
//!
//! [`run`] is the entry point. The engine knows neither HTTP nor the service's files. Every long loop calls
//! [`Job::proceed`], so that limits and cancels take effect.
#![forbid(unsafe_code)]

mod color;
mod conformance;
mod content;
mod document;
mod error;
mod font;
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

/// A document to process: its bytes, and its file name (which is a hint and never trusted).
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The document.
    pub bytes: &'a [u8],
    /// Its file name; the extension distinguishes Office formats.
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
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its extension, without the dot.
    pub extension: &'static str,
    /// Notes for the user: what the operation had to drop, change or break.
    pub notes: Vec<String>,
}

impl Output {
    /// A file without notes.
    pub fn file(bytes: Vec<u8>, extension: &'static str) -> Self {
        Self::File(OutputFile { bytes, extension, notes: Vec::new() })
    }
}
