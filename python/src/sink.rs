//! Writes a result to a binary file object, a socket or `bytes`.

use crate::blocking::Raised;
use crate::source::{binary_file, raised_in_python};
use pyo3::exceptions::{PyBlockingIOError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use recto::Erase;
use std::io::{self, Write};

/// Writes to a Python file object, on the thread that made the call.
pub struct Sink {
    file: Py<PyAny>,
    is_raw: bool,
    raised: Raised,
}

impl Sink {
    pub fn new(object: &Bound<'_, PyAny>, raised: Raised) -> PyResult<Self> {
        let file = binary_file(object, "wb")?;
        let is_raw = file.is_instance(&object.py().import("io")?.getattr("RawIOBase")?)?;
        Ok(Self { file: file.unbind(), is_raw, raised })
    }

    fn put(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        let written = self.file.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
        if written.is_none() {
            // A raw file returns None if writing would block. Another writer that returns None has written all bytes.
            return match self.is_raw {
                true => Err(PyBlockingIOError::new_err(
                    "write() of the file object returned None: it is non-blocking; use a blocking one",
                )),
                false => Ok(bytes.len()),
            };
        }
        let written: usize = written.extract()?;
        if written > bytes.len() {
            return Err(PyValueError::new_err(
                "write() of the file object returned more than the length of the data",
            ));
        }
        Ok(written)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = Python::attach(|py| self.put(py, bytes));
        self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects a result in memory, and returns it as `bytes` without copying the whole result a second time.
///
/// A small result is collected in `chunk`. A larger result is written in chunks to an `io.BytesIO`, whose
/// `getvalue()` returns its buffer without a copy. The chunks are large, because writing each chunk takes the GIL.
pub struct BytesSink {
    chunk: Vec<u8>,
    buffer: Option<Py<PyAny>>,
    raised: Raised,
}

const CHUNK_SIZE: usize = 1 << 20;

impl BytesSink {
    pub fn new(raised: Raised) -> Self {
        Self { chunk: Vec::new(), buffer: None, raised }
    }

    pub fn into_bytes(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        if self.buffer.is_none() {
            return Ok(PyBytes::new(py, &self.chunk));
        }
        self.flush_chunk(py)?;
        let bytes = self.buffer.map(|buffer| buffer.call_method0(py, "getvalue")).transpose()?;
        Ok(bytes.unwrap_or_else(|| py.None()).into_bound(py).cast_into()?)
    }

    fn flush_chunk(&mut self, py: Python<'_>) -> PyResult<()> {
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => py.import("io")?.call_method0("BytesIO")?.unbind(),
        };
        let buffer = self.buffer.insert(buffer);
        buffer.call_method1(py, "write", (PyBytes::new(py, &self.chunk),))?;
        self.chunk.clear();
        Ok(())
    }
}

impl Write for BytesSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK_SIZE {
            let outcome = Python::attach(|py| self.flush_chunk(py));
            self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Erase for BytesSink {
    fn erase(&mut self) -> io::Result<()> {
        self.chunk.clear();
        self.buffer = None;
        Ok(())
    }
}
