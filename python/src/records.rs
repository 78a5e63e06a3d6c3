//! Converts the results of calls into the classes of `recto.records`.

use crate::import::imported;
use crate::json;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use recto::{Done, FileRecord, OperationType, OutputFile, Progress, ValidationReport};
use std::path::{Path, PathBuf};
use std::time::Duration;

type PyValue<'py> = PyResult<Bound<'py, PyAny>>;

/// Creates a `recto.FileId`.
pub fn file_id<'py>(py: Python<'py>, id: &str) -> PyValue<'py> {
    imported!(py, "recto.records", "FileId")?.call1((id,))
}

/// Creates a `recto.FileRecord`.
pub fn file_record<'py>(py: Python<'py>, record: &FileRecord) -> PyValue<'py> {
    let created_at =
        record.created_at.as_deref().and_then(|text| moment(py, text).transpose()).transpose()?;
    let raw = json::python(py, &serde_json::to_value(record).unwrap_or_default())?;
    imported!(py, "recto.records", "FileRecord")?.call1((
        &record.id,
        created_at,
        record.origin.as_deref(),
        record.name.as_deref(),
        record.extension.as_deref(),
        raw,
    ))
}

/// Converts a timestamp of the service into a datetime with the time zone UTC; `None` if the text is not a timestamp.
/// The text itself stays in `raw`.
fn moment<'py>(py: Python<'py>, text: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let datetime = imported!(py, "datetime", "datetime")?;
    let utc = imported!(py, "datetime", "timezone")?.getattr("utc")?;
    let Ok(moment) = datetime.call_method1("fromisoformat", (text,)) else { return Ok(None) };
    if moment.getattr("tzinfo")?.is_none() {
        let fields = pyo3::types::PyDict::new(py);
        fields.set_item("tzinfo", utc)?;
        return moment.call_method("replace", (), Some(&fields)).map(Some);
    }
    moment.call_method1("astimezone", (utc,)).map(Some)
}

/// Creates a `recto.OutputFile`.
pub fn output_file<'py>(py: Python<'py>, output: &OutputFile) -> PyValue<'py> {
    imported!(py, "recto.records", "OutputFile")?.call1((
        output.file_id.as_deref(),
        output.name.as_deref(),
        output.url.as_ref().map(recto::SignedUrl::expose),
    ))
}

/// Creates a `recto.ValidationReport`.
pub fn validation<'py>(py: Python<'py>, report: &ValidationReport) -> PyValue<'py> {
    imported!(py, "recto.records", "ValidationReport")?.call1((
        report.is_conforming,
        PyTuple::new(py, &report.errors)?,
        report.conformance.as_deref(),
    ))
}

/// Creates a `recto.Result`.
pub fn result<'py>(py: Python<'py>, result: &recto::OperationResult) -> PyValue<'py> {
    imported!(py, "recto.records", "Result")?.call1((
        operation_type(py, &result.operation_type)?,
        result.status.as_str(),
        result.output.as_ref().map(|output| output_file(py, output)).transpose()?,
        result.validation.as_ref().map(|report| validation(py, report)).transpose()?,
        json::python(py, &result.raw)?,
        result.request_id.as_deref(),
    ))
}

/// Creates a `recto.ComparedPage`. `picture` is the PNG file, `path` the file that it was written to.
pub fn compared_page<'py>(
    py: Python<'py>,
    page: &recto_compare::ComparedPage,
    picture: Option<&[u8]>,
    path: Option<&Path>,
) -> PyValue<'py> {
    let [in_first, in_second] = page.is_in();
    imported!(py, "recto.records", "ComparedPage")?.call1((
        page.number,
        page.share(),
        page.differs,
        page.difference.size_differs(),
        in_first,
        in_second,
        picture.map(|bytes| PyBytes::new(py, bytes)),
        path,
    ))
}

/// Creates a `recto.Comparison`.
pub fn comparison<'py>(
    py: Python<'py>,
    summary: &recto_compare::Summary,
    pages: Vec<Bound<'py, PyAny>>,
    path: Option<&Path>,
) -> PyValue<'py> {
    let pages = PyTuple::new(py, pages)?;
    imported!(py, "recto.records", "Comparison")?.call1((summary.is_same(), summary.share(), pages, path))
}

/// Creates a `recto.OperationType`, or a `str` for a type that this version does not know.
pub fn operation_type<'py>(py: Python<'py>, operation_type: &OperationType) -> PyValue<'py> {
    match operation_type {
        OperationType::Known(kind) => {
            imported!(py, "recto.enums", "OperationType")?.call1((kind.wire_name(),))
        }
        OperationType::Other(text) => Ok(PyString::new(py, text).into_any()),
    }
}

/// Creates a `recto.BatchItem`: a finished document, or its exception and the identifier of its operation.
pub fn batch_item<'py>(
    py: Python<'py>,
    index: usize,
    source: Bound<'py, PyAny>,
    outcome: Result<&Done, (Py<PyBaseException>, Option<String>)>,
    (left_behind, moved_to): (Option<Py<PyBaseException>>, Option<PathBuf>),
) -> PyValue<'py> {
    let fields = PyDict::new(py);
    match outcome {
        Ok(done) => {
            fields.set_item("path", done.path.as_deref())?;
            let done_result = done.result.as_ref().map(|found| result(py, found)).transpose()?;
            fields.set_item("result", done_result)?;
            let report = done.validation.as_ref().map(|report| validation(py, report)).transpose()?;
            fields.set_item("validation", report)?;
            fields.set_item("operation_id", &done.operation_id)?;
            fields.set_item("resumed", done.resumed)?;
        }
        Err((exception, operation_id)) => {
            fields.set_item("error", exception)?;
            fields.set_item("operation_id", operation_id)?;
        }
    }
    fields.set_item("left_behind", left_behind)?;
    fields.set_item("moved_to", moved_to)?;
    imported!(py, "recto.records", "BatchItem")?.call((index, source), Some(&fields))
}

/// Creates a `recto.Progress` for a batch: it counts documents.
pub fn batch_progress(py: Python<'_>, done: u64, total: Option<u64>, elapsed: Duration) -> PyValue<'_> {
    let phase = imported!(py, "recto.enums", "Phase")?.call1(("batch",))?;
    imported!(py, "recto.records", "Progress")?.call1((phase, done, total, elapsed.as_secs_f64()))
}

/// Creates a `recto.Progress`.
pub fn progress<'py>(py: Python<'py>, progress: &Progress) -> PyValue<'py> {
    let phase = imported!(py, "recto.enums", "Phase")?.call1((progress.phase.as_str(),))?;
    imported!(py, "recto.records", "Progress")?.call1((
        phase,
        progress.done,
        progress.total,
        progress.elapsed.as_secs_f64(),
    ))
}
