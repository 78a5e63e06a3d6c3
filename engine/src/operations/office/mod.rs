//! `doc-to-pdf`, `presentation-to-pdf` and `spreadsheet-to-pdf`. LibreOffice converts the documents; each job has its
//! own LibreOffice process and profile.
//!
//! The input format is detected from the content of the document, and the filter for this format is passed to
//! LibreOffice. The exit status of LibreOffice is unreliable. Therefore a conversion has succeeded only if the result
//! is a PDF that can be opened. LibreOffice says if it cannot load a document. If it ends without a result and without
//! this message, it has crashed, which can happen while it starts on a busy computer; then it is started once again.

mod format;
mod profile;
mod program;

pub(super) use format::Family;

use crate::document::load;
use crate::{EngineError, Input, Job, Output};
use format::Format;
use program::Ended;
use std::path::Path;
use std::{fs, io};

/// How often LibreOffice is started for a document, if it crashes.
const ATTEMPTS: usize = 2;

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
    let filter = format.filter(input.bytes);
    for _ in 0..ATTEMPTS {
        let directory =
            tempfile::Builder::new().prefix("recto-office-").tempdir().map_err(temporary_directory_failed)?;
        let document = directory.path().join(format!("document.{}", format.extension()));
        fs::write(&document, input.bytes).map_err(temporary_directory_failed)?;
        profile::write(&directory.path().join("profile")).map_err(temporary_directory_failed)?;
        let ended = program::convert(&program, directory.path(), &document, &filter, job)?;
        if let Some(result) = result(&directory.path().join("result/document.pdf"), job)? {
            return Ok(Output::file(result, "pdf"));
        }
        if ended == Ended::RefusedTheDocument {
            return Err(EngineError::Damaged(
                "LibreOffice cannot open it; it may be incomplete or protected by a password".to_owned(),
            ));
        }
        tracing::warn!("LibreOffice ended without a result");
    }
    Err(EngineError::Damaged(format!(
        "LibreOffice crashed {ATTEMPTS} times while it converted the document; save the document again with the \
         program that made it, or in another format"
    )))
}

/// The bytes of the result, if it is a PDF that can be opened.
fn result(path: &Path, job: &Job) -> Result<Option<Vec<u8>>, EngineError> {
    let Ok(result) = fs::read(path) else {
        return Ok(None);
    };
    if result.len() as u64 > job.limits().output_bytes {
        return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
    }
    match load(&result, job) {
        Ok(_) => Ok(Some(result)),
        Err(error @ (EngineError::Cancelled | EngineError::Limit { .. })) => Err(error),
        Err(_) => Ok(None),
    }
}

fn temporary_directory_failed(error: io::Error) -> EngineError {
    EngineError::Internal(format!("cannot write to a temporary directory: {error}"))
}
