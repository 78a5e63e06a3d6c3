//! `Files`: the files in the service.

use crate::arguments::{Callback, Headers, Seconds};
use crate::blocking::{self, Call};
use crate::cancel::Cancel;
use crate::connection::Connection;
use crate::{records, source};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use recto::FileId;
use recto_interface::FileRecord;
use std::sync::Arc;

/// The files in the service: `client.files`.
///
/// >>> client.files
/// <recto.Files of the embedded service>
#[pyclass(frozen, module = "recto")]
pub struct Files(pub Arc<Connection>);

#[pymethods]
impl Files {
    /// Send a document to the service and return its identifier.
    ///
    /// `source` is a path, an address, bytes or another buffer, a binary file object, an iterable of bytes or a tuple
    /// `(name, content)`; `name` is the file name for the service, for a source without one. `headers` are sent besides
    /// those of the client.
    ///
    /// >>> file_id = client.files.upload("report.pdf")
    /// >>> client.files.get(file_id).name
    /// 'report.pdf'
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, nearly all optional")]
    #[pyo3(signature = (source, name=None, *, timeout=None, on_progress=None, headers=None, cancel=None))]
    fn upload<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'py, PyAny>,
        name: Option<String>,
        timeout: Option<Seconds>,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut call = settings(timeout, headers, cancel);
        call.on_progress = on_progress.as_ref().map(|callback| &callback.0);
        let source = source::source(source, name, None, &mut call)?;
        let id = blocking::run(py, &self.0, &call, move |client, call| client.files().upload(source, call))?;
        records::file_id(py, id.as_str())
    }

    /// Let the service fetch a document by its address and return its identifier.
    ///
    /// >>> file_id = client.files.upload_from_url("https://www.example.org/report.pdf")
    #[pyo3(signature = (url, *, timeout=None, headers=None, cancel=None))]
    fn upload_from_url<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = settings(timeout, headers, cancel);
        let id = blocking::run(py, &self.0, &call, |client, call| client.files().upload_from_url(url, call))?;
        records::file_id(py, id.as_str())
    }

    /// List the files in the service, or only the results of operations.
    ///
    /// >>> file_id = client.files.upload("report.pdf")
    /// >>> file_id in [record.id for record in client.files.list()]
    /// True
    #[pyo3(signature = (only_result_files=false, *, timeout=None, headers=None, cancel=None))]
    fn list<'py>(
        &self,
        py: Python<'py>,
        only_result_files: bool,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let call = settings(timeout, headers, cancel);
        let list =
            blocking::run(py, &self.0, &call, |client, call| client.files().list(only_result_files, call))?;
        records_of(py, &list)
    }

    /// Return the record of a file.
    ///
    /// >>> client.files.get(client.files.upload("report.pdf")).extension
    /// 'pdf'
    #[pyo3(signature = (file_id, *, timeout=None, headers=None, cancel=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        file_id: String,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (call, id) = (settings(timeout, headers, cancel), FileId::new(file_id));
        let record = blocking::run(py, &self.0, &call, |client, call| client.files().get(&id, call))?;
        records::file_record(py, &record)
    }

    /// Delete a file and return the records in the service's response.
    ///
    /// >>> file_id = client.files.upload("report.pdf")
    /// >>> remaining = client.files.delete(file_id)
    /// >>> client.files.get(file_id)
    /// Traceback (most recent call last):
    /// recto.errors.NotFound: ...
    #[pyo3(signature = (file_id, *, timeout=None, headers=None, cancel=None))]
    fn delete<'py>(
        &self,
        py: Python<'py>,
        file_id: String,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (call, id) = (settings(timeout, headers, cancel), FileId::new(file_id));
        let list = blocking::run(py, &self.0, &call, |client, call| client.files().delete(&id, call))?;
        records_of(py, &list)
    }

    fn __repr__(&self) -> String {
        format!("<recto.Files {}>", self.0.described())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Files cannot be pickled; make a client in the worker process: recto.Client.from_env()",
        ))
    }
}

fn settings<'a>(
    timeout: Option<Seconds>,
    headers: Option<Headers>,
    cancel: Option<&'a Bound<'_, Cancel>>,
) -> Call<'a> {
    Call {
        timeout: timeout.map(|time| time.0),
        headers: headers.unwrap_or_default().0,
        cancel: cancel.map(Bound::as_unbound),
        ..Call::default()
    }
}

fn records_of<'py>(py: Python<'py>, list: &[FileRecord]) -> PyResult<Bound<'py, PyList>> {
    let records = PyList::empty(py);
    for record in list {
        records.append(records::file_record(py, record)?)?;
    }
    Ok(records)
}
