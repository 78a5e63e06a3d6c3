//! Where a result goes: a binary file object or a socket.

use crate::blocking::Raised;
use crate::source::{binary_file, raised_in_python};
use pyo3::exceptions::{PyBlockingIOError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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
