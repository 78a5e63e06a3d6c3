//! What a batch returns for each document.

use crate::error::Error;
use crate::operation::result::OperationResult;
use recto_interface::ValidationReport;
use std::path::PathBuf;

/// One document of a batch, and its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchItem {
    /// Its position among the sources, from 0.
    pub index: usize,
    /// The source, as the caller passed it.
    pub source: PathBuf,
    /// The result of the document, or the error.
    pub outcome: Result<Done, Error>,
    /// Why the service still has files of the document, if [`delete_after`](super::BatchBuilder::delete_after) is set
    /// and deleting them failed.
    pub left_behind: Option<Error>,
}

/// A completed document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// The result file; `None` without [`to`](super::BatchBuilder::to), and for an operation without result files.
    pub path: Option<PathBuf>,
    /// The report of a validation.
    pub validation: Option<ValidationReport>,
    /// The operation's identifier.
    pub operation_id: String,
    /// The service's result; `None` for a document that an earlier run completed.
    pub result: Option<OperationResult>,
    /// Whether an earlier run completed it: no request was sent now.
    pub resumed: bool,
}
