//! `Operation`: an operation that was started.

use crate::arguments::{Callback, FilePath, Headers, Seconds};
use crate::blocking::{self, Call};
use crate::cancel::Cancel;
use crate::connection::Connection;
use crate::records;
use crate::sink::{BytesSink, Sink};
use crate::stream::ByteStream;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;

/// An operation that was started: `client.optimize(…)` and the other methods return it.
///
/// `timeout` is the time limit of the whole call, in seconds: here wait, download and retries. `wait_timeout` is the
/// time limit for waiting for the operation, within the whole call. When it expires, the call ends with `WaitTimeout`,
/// and the operation continues; the next call waits again. `math.inf` means no limit. The defaults are those of the
/// client. The default of `on_progress` is the callback that the operation was started with.
///
/// >>> operation = client.optimize("report.pdf")
/// >>> operation.kind, operation.type
/// ('optimize', <OperationType.OPTIMIZE: 'optimize'>)
#[pyclass(frozen, weakref, module = "recto")]
pub struct Operation {
    connection: Arc<Connection>,
    operation: recto::Operation,
    on_progress: Option<Py<PyAny>>,
}

impl Operation {
    pub fn new(
        connection: Arc<Connection>,
        operation: recto::Operation,
        on_progress: Option<Py<PyAny>>,
    ) -> Self {
        Self { connection, operation, on_progress }
    }

    /// The operation of the core.
    pub fn handle(&self) -> &recto::Operation {
        &self.operation
    }

    fn call<'a>(
        &'a self,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        on_progress: Option<&'a Callback>,
        headers: Option<Headers>,
        cancel: Option<&'a Bound<'_, Cancel>>,
    ) -> Call<'a> {
        Call {
            timeout: timeout.map(|time| time.0),
            wait_timeout: wait_timeout.map(Seconds::to_wait),
            headers: headers.unwrap_or_default().0,
            on_progress: on_progress.map(|callback| &callback.0).or(self.on_progress.as_ref()),
            cancel: cancel.map(Bound::as_unbound),
            ..Call::default()
        }
    }
}

#[pymethods]
impl Operation {
    /// The operation's identifier.
    #[getter]
    fn id(&self) -> &str {
        self.operation.id()
    }

    /// The operation's name, such as `stamp-qr`.
    #[getter]
    fn kind(&self) -> &str {
        self.operation.name()
    }

    /// The operation's type, as the service names it.
    #[getter]
    fn r#type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        records::operation_type(py, self.operation.operation_type())
    }

    /// The token that resumes the operation in another process: `client.operation(token)`. It contains no key. The
    /// embedded service then keeps the files of the operation, as after `keep()`.
    #[getter]
    fn token(&self) -> String {
        self.operation.token()
    }

    /// The identifier under which the service logged the request that started the operation; `None` if it sent none.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.operation.request_id()
    }

    /// Request the status once: `inProgress`, `finished`, or another one of the service.
    ///
    /// >>> client.optimize("report.pdf").status() in ("inProgress", "finished")
    /// True
    #[pyo3(signature = (*, timeout=None, headers=None, cancel=None))]
    fn status(
        &self,
        py: Python<'_>,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<String> {
        let call = self.call(timeout, None, None, headers, cancel);
        let status = blocking::run(py, &self.connection, &call, |_, call| self.operation.status(call))?;
        Ok(status.as_str().to_owned())
    }

    /// Wait for the result.
    ///
    /// >>> client.optimize("report.pdf").result(timeout=300).output.name
    /// 'report.pdf'
    #[pyo3(signature = (timeout=None, *, wait_timeout=None, on_progress=None, headers=None, cancel=None))]
    fn result<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = self.call(timeout, wait_timeout, on_progress.as_ref(), headers, cancel);
        let result = blocking::run(py, &self.connection, &call, |_, call| self.operation.wait(call))?;
        records::result(py, &result)
    }

    /// Wait for the result, save its file and return the path.
    ///
    /// `path` is the file to write, or a directory: then the file is named after the source, with the extension of the
    /// operation's result, and replaces neither the source nor another source's result of this client. The file is
    /// written completely or not at all; an existing file is replaced only by a complete one, and keeps its mode.
    /// With `overwrite=False` an existing file raises `FileExistsError`.
    ///
    /// >>> client.optimize("report.pdf").save("small.pdf")
    /// PosixPath('small.pdf')
    #[pyo3(signature = (
        path, *, overwrite=true, timeout=None, wait_timeout=None, delete_after=false, on_progress=None, headers=None,
        cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn save(
        &self,
        py: Python<'_>,
        path: FilePath,
        overwrite: bool,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        delete_after: bool,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<PathBuf> {
        let mut call = self.call(timeout, wait_timeout, on_progress.as_ref(), headers, cancel);
        call.delete_after = delete_after;
        call.file = Some(path.0.clone());
        call.keep_existing = !overwrite;
        blocking::run(py, &self.connection, &call, |_, call| self.operation.save(&path.0, call))
    }

    /// Wait for the result and return its file's bytes.
    ///
    /// >>> client.optimize("report.pdf").read().startswith(b"%PDF-")
    /// True
    #[pyo3(signature = (
        *, timeout=None, wait_timeout=None, delete_after=false, on_progress=None, headers=None, cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn read<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        delete_after: bool,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'py, Cancel>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut call = self.call(timeout, wait_timeout, on_progress.as_ref(), headers, cancel);
        call.delete_after = delete_after;
        let mut bytes = BytesSink::new(call.raised.clone());
        blocking::run(py, &self.connection, &call, |_, call| {
            self.operation.fetch(recto::Sink::erasable(&mut bytes), call)
        })?;
        bytes.into_bytes(py)
    }

    /// Wait for the result, write its file to a binary file object and return the number of bytes.
    ///
    /// >>> import io
    /// >>> buffer = io.BytesIO()
    /// >>> client.optimize("report.pdf").write_to(buffer) == len(buffer.getvalue())
    /// True
    #[pyo3(signature = (
        file, *, timeout=None, wait_timeout=None, delete_after=false, on_progress=None, headers=None, cancel=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn write_to(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        delete_after: bool,
        on_progress: Option<Callback>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<u64> {
        let mut call = self.call(timeout, wait_timeout, on_progress.as_ref(), headers, cancel);
        call.delete_after = delete_after;
        let mut sink = Sink::new(file, call.raised.clone())?;
        blocking::run(py, &self.connection, &call, |_, call| self.operation.write_to(&mut sink, call))
    }

    /// Wait for the result and iterate over its file in chunks of `chunk_size` bytes, 64 KiB by default.
    ///
    /// The download continues in the background, and waits if no chunk is taken. If it breaks off and cannot resume,
    /// the iteration raises `TransportError`. `close()`, the end of a `with` block and deleting the iterator end it.
    /// `timeout` and `wait_timeout` are those of `save()`.
    ///
    /// >>> sum(len(chunk) for chunk in client.optimize("report.pdf").iter_bytes()) > 1000
    /// True
    #[pyo3(signature = (chunk_size=None, *, timeout=None, wait_timeout=None, delete_after=false, headers=None))]
    fn iter_bytes(
        &self,
        py: Python<'_>,
        chunk_size: Option<usize>,
        timeout: Option<Seconds>,
        wait_timeout: Option<Seconds>,
        delete_after: bool,
        headers: Option<Headers>,
    ) -> PyResult<ByteStream> {
        let mut call = self.call(timeout, wait_timeout, None, headers, None);
        (call.on_progress, call.delete_after) = (None, delete_after);
        let stream =
            blocking::run(py, &self.connection, &call, |_, call| self.operation.stream(chunk_size, call))?;
        ByteStream::new(py, Arc::clone(&self.connection), self.operation.id(), stream)
    }

    /// Delete from the service the result file, and the document if it was uploaded for this operation.
    ///
    /// A file that was in the service before the operation stays there. `InvalidRequest` is raised if the operation has
    /// not ended yet. `save()`, `read()`, `write_to()` and `iter_bytes()` do the same with `delete_after=True`, once
    /// they have the result.
    ///
    /// >>> operation = client.optimize("report.pdf")
    /// >>> content = operation.read()
    /// >>> operation.delete()
    #[pyo3(signature = (*, timeout=None, headers=None, cancel=None))]
    fn delete(
        &self,
        py: Python<'_>,
        timeout: Option<Seconds>,
        headers: Option<Headers>,
        cancel: Option<&Bound<'_, Cancel>>,
    ) -> PyResult<()> {
        let mut call = self.call(timeout, None, None, headers, cancel);
        call.on_progress = None;
        blocking::run(py, &self.connection, &call, |_, call| self.operation.delete(call))
    }

    /// Keep the files of the operation in the embedded service until they expire.
    ///
    /// Otherwise the embedded service deletes the document when the operation object is gone, and also the result if it
    /// was downloaded. A file that was in the service before the operation stays there. Other services keep all files.
    ///
    /// >>> operation = client.optimize("report.pdf")
    /// >>> operation.keep()
    /// >>> output = operation.result().output
    /// >>> operation.save("small.pdf")
    /// PosixPath('small.pdf')
    /// >>> del operation
    /// >>> client.files.get(output.file_id).origin
    /// 'result'
    fn keep(&self) {
        self.operation.keep();
    }

    fn __repr__(&self) -> String {
        format!("<recto.Operation {} {}>", self.operation.operation_type().as_str(), self.operation.id())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "an Operation cannot be pickled; send its `token` and resume it in the worker process: client.operation(token)",
        ))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.on_progress)
    }
}
