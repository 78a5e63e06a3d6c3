//! Where a result goes: a binary file object, a socket, or `bytes`.

use crate::blocking::Raised;
use crate::source::{binary_file, raised_in_python};
use pyo3::exceptions::{PyBlockingIOError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use recto::Erase;
use std::io::{self, Write};

/// Writes to a Python file object, on the thread of the call.
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
            // To a raw file that means "would block"; a plain writer that returns nothing took all.
            return match self.is_raw {
                true => Err(PyBlockingIOError::new_err(
                    "the file object is in non-blocking mode and takes no data",
                )),
                false => Ok(bytes.len()),
            };
        }
        let written: usize = written.extract()?;
        if written > bytes.len() {
            return Err(PyValueError::new_err("write() of the file object returned more than it was given"));
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

/// A result in memory, to become `bytes` without a second copy of all of it.
///
/// What is small is gathered here; the rest goes piece by piece into an `io.BytesIO`, which gives away the very `bytes`
/// that it has written to. A piece is large, for each takes the GIL.
pub struct Gathered {
    piece: Vec<u8>,
    buffer: Option<Py<PyAny>>,
    raised: Raised,
}

const PIECE: usize = 1 << 20;

impl Gathered {
    pub fn new(raised: Raised) -> Self {
        Self { piece: Vec::new(), buffer: None, raised }
    }

    pub fn into_bytes(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        if self.buffer.is_none() {
            return Ok(PyBytes::new(py, &self.piece));
        }
        self.pass_on(py)?;
        let bytes = self.buffer.map(|buffer| buffer.call_method0(py, "getvalue")).transpose()?;
        Ok(bytes.unwrap_or_else(|| py.None()).into_bound(py).cast_into()?)
    }

    fn pass_on(&mut self, py: Python<'_>) -> PyResult<()> {
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => py.import("io")?.call_method0("BytesIO")?.unbind(),
        };
        let buffer = self.buffer.insert(buffer);
        buffer.call_method1(py, "write", (PyBytes::new(py, &self.piece),))?;
        self.piece.clear();
        Ok(())
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            let outcome = Python::attach(|py| self.pass_on(py));
            self.raised.keep(outcome).continue_value().ok_or_else(raised_in_python)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Erase for Gathered {
    fn erase(&mut self) -> io::Result<()> {
        self.piece.clear();
        self.buffer = None;
        Ok(())
    }
}
