//! The command line, for `python -m recto` and the `recto` script.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Run a command line, program name first, and return the exit code.
#[pyfunction]
pub fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| recto_cli::run(arguments))
}
