//! What a batch returns for each document.

use crate::error::Error;
use crate::operation::result::OperationResult;
use recto_interface::ValidationReport;
use std::path::PathBuf;

/// One document of a batch, and what became of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchItem {
    /// Its place among the sources, from 0.
    pub index: usize,
    /// The source, as the caller gave it.
    pub source: PathBuf,
    /// What came of it.
    pub outcome: Result<Done, Error>,
    /// Why the service still holds files of it, where [`delete_after`](super::BatchBuilder::delete_after) was asked for.
    pub left_behind: Option<Error>,
}

/// A document that is done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Done {
    /// The result file; `None` without [`to`](super::BatchBuilder::to), and for an operation that makes none.
    pub path: Option<PathBuf>,
    /// The report of a validation.
    pub validation: Option<ValidationReport>,
    /// The operation's identifier.
    pub operation_id: String,
    /// The service's result; `None` for a document that an earlier run has done.
    pub result: Option<OperationResult>,
    /// Whether an earlier run had done it: nothing was asked of the service now.
    pub resumed: bool,
}
