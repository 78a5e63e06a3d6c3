//! Compares two documents as pictures. Pages are compared without the GIL; between two pages, signals, the timeout and
//! cancellation are checked.

use crate::blocking::{self, Call};
use crate::connection::Connection;
use crate::{errors, records, source};
use pyo3::prelude::*;
use recto_compare::report::{Report, Rules, Target};
use recto_compare::{ComparedPage, Comparison, Error, Settings, compare};
use recto_interface::OperationKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What the caller of `Client.compare` wants.
pub struct Wanted {
    pub to: Option<PathBuf>,
    pub rules: Rules,
    pub settings: Settings,
}

/// Compares two documents, and returns a `recto.Comparison`.
pub fn run<'py>(
    py: Python<'py>,
    connection: &Arc<Connection>,
    documents: [&Bound<'py, PyAny>; 2],
    wanted: Wanted,
    mut call: Call<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let end = call.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let [first, second] = documents;
    let mut input = |object: &Bound<'py, PyAny>| {
        let input = source::input(object, None, Some(OperationKind::PdfToPng), &mut call);
        // Either document may be the cause of an error of the call; the error itself names the document.
        call.file = None;
        input
    };
    let inputs = [input(first)?, input(second)?];
    let Wanted { to, rules, settings } = wanted;
    let started =
        blocking::run(py, connection, &call, |client, call| Ok(compare(client, inputs, &settings, call)))?;
    let failed = |error: Error| errors::of_comparison(py, &error);
    let mut comparison = started.map_err(failed)?;
    let report = to.map(|path| Report::new(Target::of(path), &comparison, rules)).transpose();
    let mut report = report.map_err(failed)?;
    let mut pages = Vec::new();
    loop {
        py.check_signals()?;
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(errors::comparison_timeout(py));
        }
        if call.cancel.is_some_and(|cancel| cancel.get().0.is_triggered()) {
            return Err(errors::comparison_cancelled(py));
        }
        let compared = py.detach(|| next(&mut comparison, report.as_mut(), rules)).map_err(failed)?;
        let Some((page, picture, path)) = compared else { break };
        pages.push(records::compared_page(py, &page, picture.as_deref(), path.as_deref())?);
    }
    let summary = comparison.summary();
    let path = report.map(|report| report.finish(&summary)).transpose().map_err(failed)?;
    records::comparison(py, &summary, pages, path.as_deref())
}

/// A page, its picture, and the file that the picture was written to.
type Compared = (ComparedPage, Option<Vec<u8>>, Option<PathBuf>);

/// Compares the next page.
fn next(
    comparison: &mut Comparison,
    report: Option<&mut Report>,
    rules: Rules,
) -> Result<Option<Compared>, Error> {
    let Some(page) = comparison.next().transpose()? else { return Ok(None) };
    Ok(Some(match report {
        Some(report) => {
            let path = report.add(&page)?;
            (page, None, path)
        }
        None if page.differs || !rules.only_differing => {
            let mut picture = Vec::new();
            page.write_png(&mut picture).map_err(|error| Error::File { path: None, error })?;
            (page, Some(picture), None)
        }
        None => (page, None, None),
    }))
}
