//! Arguments that need a conversion of their own: times, paths, headers and callbacks.

use crate::import::imported;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use std::path::PathBuf;
use std::time::Duration;

/// A time in seconds. Infinity means that there is no limit.
#[derive(Clone, Copy)]
pub struct Seconds(pub Duration);

impl Seconds {
    /// The time limit for waiting for an operation; `None` if there is no limit.
    pub fn to_wait(self) -> Option<Duration> {
        Some(self.0).filter(|time| *time != Duration::MAX)
    }
}

impl FromPyObject<'_, '_> for Seconds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let seconds: f64 = object.extract()?;
        if seconds == f64::INFINITY {
            return Ok(Self(Duration::MAX));
        }
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| {
            crate::errors::config(
                object.py(),
                &format!("{seconds} is not a time; give seconds, such as 60 or 0.5"),
            )
        })
    }
}

/// A path of any type that `open` accepts: `str`, `bytes` or path-like, in any encoding.
pub struct FilePath(pub PathBuf);

impl FromPyObject<'_, '_> for FilePath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let os = object.py().import("os")?;
        match os.call_method1("fsdecode", (object,)) {
            Ok(path) => Ok(Self(path.extract()?)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "a path is a str, bytes or os.PathLike, not {}",
                object.get_type().name()?
            ))),
        }
    }
}

/// Headers that are added to requests: a mapping of names to values.
#[derive(Default)]
pub struct Headers(pub Vec<(String, String)>);

impl FromPyObject<'_, '_> for Headers {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let invalid = || {
            PyTypeError::new_err("headers are a mapping of names to values, such as {\"traceparent\": \"…\"}")
        };
        let mapping = object.cast::<PyMapping>().map_err(|_| invalid())?;
        let mut headers = Vec::new();
        for item in mapping.items()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let text = |part: &Bound<'_, PyAny>| match part.cast::<PyString>() {
                Ok(text) => text.to_str().map(str::to_owned).map_err(|_| invalid()),
                Err(_) => Err(invalid()),
            };
            headers.push((text(&name)?, text(&value)?));
        }
        Ok(Self(headers))
    }
}

/// Options as JSON, with the names as the caller wrote them: a mapping of values that `json.dumps` accepts.
#[derive(Default)]
pub struct JsonOptions(pub serde_json::Value);

impl FromPyObject<'_, '_> for JsonOptions {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.is_none() {
            return Ok(Self::default());
        }
        if object.cast::<PyMapping>().is_err() {
            return Err(PyTypeError::new_err(
                "options are a mapping of names to values, such as {\"profile\": \"web\"}",
            ));
        }
        let settings = PyDict::new(py);
        settings.set_item("allow_nan", false)?;
        let text: String = imported!(py, "json", "dumps")?.call((object,), Some(&settings))?.extract()?;
        serde_json::from_str(&text)
            .map(Self)
            .map_err(|_| crate::errors::invalid(py, "start", "the options cannot be written as JSON"))
    }
}

/// A callback for progress. A coroutine function is refused: nothing would await its coroutines.
pub struct Callback(pub Py<PyAny>);

impl FromPyObject<'_, '_> for Callback {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if !object.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "on_progress takes a function of one argument, not {}",
                object.get_type().name()?
            )));
        }
        match is_coroutine_function(&object) {
            true => Err(not_awaited()),
            false => Ok(Self(object.to_owned().unbind())),
        }
    }
}

/// The exception for a progress callback that returns a coroutine.
pub fn not_awaited() -> PyErr {
    PyTypeError::new_err(
        "on_progress is a coroutine function (async def), which nothing would await; give an ordinary function (def)",
    )
}

/// Whether calling the object returns a coroutine or an asynchronous generator, as far as its code shows it.
pub fn is_coroutine_function(object: &Bound<'_, PyAny>) -> bool {
    // CO_COROUTINE, CO_ITERABLE_COROUTINE and CO_ASYNC_GENERATOR of Python's `inspect`.
    const FLAGS: u32 = 0x80 | 0x100 | 0x200;
    let mut function = object.clone();
    for _ in 0..8 {
        let flags = function.getattr("__code__").and_then(|code| code.getattr("co_flags")?.extract::<u32>());
        if let Ok(flags) = flags {
            return flags & FLAGS != 0;
        }
        // A bound method, a functools.partial, or an object with `__call__`.
        let inner = ["__func__", "func"].iter().find_map(|name| function.getattr(*name).ok());
        let Some(inner) = inner.or_else(|| function.get_type().getattr("__call__").ok()) else {
            return false;
        };
        function = inner;
    }
    false
}
