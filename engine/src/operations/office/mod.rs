//! `doc-to-pdf`, `presentation-to-pdf` and `spreadsheet-to-pdf`. LibreOffice converts the documents; each job has its
//! own LibreOffice process and profile.
//!
//! The input format is detected from the content of the document, and the filter for this format is passed to
//! LibreOffice. The exit status of LibreOffice is unreliable. Therefore a conversion has succeeded only if the result
//! is a PDF that can be opened.

mod format;
mod profile;
mod program;

pub(super) use format::Family;

use crate::document::load;
use crate::{EngineError, Input, Job, Output};
use format::Format;
use std::fs;

/// The path of the LibreOffice program that converts Office documents.
///
/// # Errors
/// [`EngineError::MissingProgram`], which names the package to install.
pub fn installed_program() -> Result<std::path::PathBuf, EngineError> {
    program::find(&Job::default(), Family::Writer)
}

/// Runs the operation for this family of documents.
pub(super) fn run(family: Family, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let format = Format::of(family, input.bytes, job)?;
    let program = program::find(job, family)?;
    let temporary_directory_failed = |error: std::io::Error| {
        EngineError::Internal(format!("cannot write to a temporary directory: {error}"))
    };
    let directory =
        tempfile::Builder::new().prefix("recto-office-").tempdir().map_err(temporary_directory_failed)?;
    let document = directory.path().join(format!("document.{}", format.extension()));
    fs::write(&document, input.bytes).map_err(temporary_directory_failed)?;
    profile::write(&directory.path().join("profile")).map_err(temporary_directory_failed)?;
    program::convert(&program, directory.path(), &document, &format.filter(input.bytes), job)?;
    let result = fs::read(directory.path().join("result/document.pdf")).map_err(|_| cannot_open())?;
    if result.len() as u64 > job.limits().output_bytes {
        return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
    }
    match load(&result, job) {
        Ok(_) => Ok(Output::file(result, "pdf")),
        Err(error @ (EngineError::Cancelled | EngineError::Limit { .. })) => Err(error),
        Err(_) => Err(cannot_open()),
    }
}

fn cannot_open() -> EngineError {
    EngineError::Damaged(
        "LibreOffice cannot open it; it may be incomplete or protected by a password".to_owned(),
    )
}
