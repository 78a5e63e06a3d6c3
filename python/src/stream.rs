//! `ByteStream`: iterates over the bytes of a result while it is downloaded.

use crate::blocking::{self, Call};
use crate::cancel::Cancel;
use crate::connection::Connection;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use recto::ResultStream;
use std::sync::{Arc, Mutex, TryLockError};

/// The bytes of a result in chunks: `operation.iter_bytes()` returns it.
///
/// >>> with client.optimize("report.pdf").iter_bytes(chunk_size=100) as chunks:
/// ...     len(next(chunks))
/// 100
#[pyclass(frozen, weakref, module = "recto")]
pub struct ByteStream {
    connection: Arc<Connection>,
    operation_id: String,
    /// `None` once the stream is closed. No thread waits for this lock.
    stream: Mutex<Option<ResultStream>>,
    stop: Py<Cancel>,
}

impl ByteStream {
    pub fn new(
        py: Python<'_>,
        connection: Arc<Connection>,
        operation_id: &str,
        stream: ResultStream,
    ) -> PyResult<Self> {
        let (stream, stop) = (Mutex::new(Some(stream)), Py::new(py, Cancel::default())?);
        Ok(Self { connection, operation_id: operation_id.to_owned(), stream, stop })
    }
}

#[pymethods]
impl ByteStream {
    /// End the download. Iterating then ends.
    ///
    /// >>> chunks = client.optimize("report.pdf").iter_bytes()
    /// >>> chunks.close()
    /// >>> list(chunks)
    /// []
    fn close(&self, py: Python<'_>) {
        self.stop.get().0.trigger();
        // If `stream` is locked, another thread waits for a chunk; the trigger ends its call.
        let stream = self.stream.try_lock().ok().and_then(|mut stream| stream.take());
        py.detach(|| drop(stream));
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut stream = match self.stream.try_lock() {
            Ok(stream) => stream,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyValueError::new_err("another thread is already waiting for the next chunk"));
            }
        };
        let Some(running) = stream.as_mut() else { return Ok(None) };
        let call = Call { cancel: Some(&self.stop), ..Call::default() };
        let next = blocking::run(py, &self.connection, &call, |_, call| running.next_chunk(call));
        if !matches!(next, Ok(Some(_))) {
            let ended = stream.take();
            py.detach(|| drop(ended));
        }
        Ok(next?.map(|chunk| PyBytes::new(py, &chunk)))
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<recto.ByteStream of operation {}>", self.operation_id)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a ByteStream cannot be pickled; read the result in the worker"))
    }
}
