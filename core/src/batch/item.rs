//! The value that a batch returns for each document.

use crate::error::Error;
use crate::operation::result::OperationResult;
use recto_interface::ValidationReport;
use std::path::PathBuf;

/// One document of a batch, and its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchItem {
    /// The position of the document among the sources, from 0.
    pub index: usize,
    /// The path of the source as the caller passed it, or the address of the source without its query.
    pub source: PathBuf,
    /// The result of the document, or the error.
    pub outcome: Result<Done, Error>,
    /// The error if the document's files could not be deleted from the service. Set only with
    /// [`delete_after`](super::BatchBuilder::delete_after). In a watch also the error if the file could not be moved or
    /// deleted after the document ended: it stays in the watched folder.
    pub left_behind: Option<Error>,
    /// The path to which a watch has moved the file after the document ended.
    pub moved_to: Option<PathBuf>,
}

/// A completed document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// The path of the result file. `None` if [`to`](super::BatchBuilder::to) is not set, and for an operation that
    /// has no result files.
    pub path: Option<PathBuf>,
    /// The report of a validation; `None` for other operations.
    pub validation: Option<ValidationReport>,
    /// The identifier of the operation.
    pub operation_id: String,
    /// The result that the service returned; `None` for a document that an earlier run completed.
    pub result: Option<OperationResult>,
    /// Whether an earlier run completed the document. In that case this run sent no request to process it.
    pub resumed: bool,
}
