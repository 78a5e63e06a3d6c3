//! What an operation does to a document: bytes and typed options in, bytes or a report out.
//!
//! [`run`] is the one door. The engine knows neither HTTP nor the service's files; every long loop in it asks its
//! [`Job`] whether to go on, so that limits hold and a cancel is seen.
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
pub use operations::run;

use recto_interface::ValidationReport;

/// A document to work on: its bytes, and the name it came with (which is advice, never trusted).
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The document.
    pub bytes: &'a [u8],
    /// Its file name, with the extension that tells Office formats apart.
    pub name: &'a str,
}

/// What an operation made.
#[derive(Debug)]
pub enum Output {
    /// A file.
    File(OutputFile),
    /// The outcome of a validation.
    Report(ValidationReport),
}

/// A file that an operation made.
#[derive(Debug)]
pub struct OutputFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its extension, without the dot.
    pub extension: &'static str,
    /// What the user should know of how it was made: what had to be dropped, changed or broken.
    pub notes: Vec<String>,
}

impl Output {
    /// A file without notes.
    pub fn file(bytes: Vec<u8>, extension: &'static str) -> Self {
        Self::File(OutputFile { bytes, extension, notes: Vec::new() })
    }
}
