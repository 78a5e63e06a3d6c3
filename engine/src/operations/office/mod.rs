//! `doc-to-pdf`, `presentation-to-pdf` and `spreadsheet-to-pdf`: by LibreOffice, one process and one profile for each job.
//!
//! What the document is, is read from its first bytes, and LibreOffice is told so; its exit status says little, so that the
//! result counts only when it is a PDF that opens.

mod format;
mod profile;
mod program;

pub(super) use format::Family;

use crate::document::load;
use crate::{EngineError, Input, Job, Output};
use format::Format;
use std::fs;

/// The LibreOffice that Office documents are converted by.
///
/// # Errors
/// [`EngineError::MissingProgram`], which names the package to install.
pub fn installed_program() -> Result<std::path::PathBuf, EngineError> {
    program::find(&Job::default(), Family::Writer)
}

/// Runs the operation of this family.
pub(super) fn run(family: Family, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let format = Format::of(family, input.bytes, job)?;
    let program = program::find(job, family)?;
    let failed = |error: std::io::Error| EngineError::Internal(format!("a temporary directory: {error}"));
    let directory = tempfile::Builder::new().prefix("recto-office-").tempdir().map_err(failed)?;
    let document = directory.path().join(format!("document.{}", format.extension()));
    fs::write(&document, input.bytes).map_err(failed)?;
    profile::write(&directory.path().join("profile")).map_err(failed)?;
    program::convert(&program, directory.path(), &document, &format.filter(input.bytes), job)?;
    let result = fs::read(directory.path().join("result/document.pdf")).map_err(|_| not_opened())?;
    if result.len() as u64 > job.limits().output_bytes {
        return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
    }
    match load(&result, job) {
        Ok(_) => Ok(Output::file(result, "pdf")),
        Err(error @ (EngineError::Cancelled | EngineError::Limit { .. })) => Err(error),
        Err(_) => Err(not_opened()),
    }
}

fn not_opened() -> EngineError {
    EngineError::Damaged(
        "LibreOffice cannot open it; it may be incomplete or locked by a password".to_owned(),
    )
}
