//! Imports Python objects when they are first used, and keeps them.

use pyo3::prelude::*;

/// Returns a Python object, such as a class. It is imported only once, and kept without a lock: a lock that a thread holds
/// during a fork stays locked in the child process.
macro_rules! imported {
    ($py:expr, $module:literal, $name:literal) => {{
        static OBJECT: once_cell::race::OnceBox<pyo3::Py<pyo3::PyAny>> = once_cell::race::OnceBox::new();
        let load = || $crate::import::load($py, $module, $name).map(|object| Box::new(object.unbind()));
        OBJECT.get_or_try_init(load).map(|object| object.bind($py))
    }};
}
pub(crate) use imported;

/// Returns the object `name` of a module, which is imported if it is not imported yet.
pub fn load<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("recto._imports")?.getattr("load")?.call1((module, name))
}
