//! Converts errors of the core into the Python classes of `recto.errors`, and local I/O errors into `OSError`.

use crate::import;
use crate::spelling::{Spelling, snake_case};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use recto::{Error, ErrorKind};
use recto_interface::{InvalidOption, OperationKind};
use std::error::Error as _;
use std::io;
use std::path::Path;

/// The Python exception for `error`. `file` is the local file that the call reads or writes, if there is one.
pub fn exception(py: Python<'_>, error: &Error, file: Option<&Path>) -> PyErr {
    if error.kind() == ErrorKind::Io {
        return os_error(py, error, file);
    }
    build(py, error).unwrap_or_else(|broken| broken)
}

/// A `ConfigError` with this message.
pub fn config(py: Python<'_>, message: &str) -> PyErr {
    plain(py, "ConfigError", "configure", message)
}

/// An `InvalidRequest` for an argument that is refused in `phase`, before any request is sent.
pub fn invalid(py: Python<'_>, phase: &str, message: &str) -> PyErr {
    plain(py, "InvalidRequest", phase, message)
}

/// The exception for a comparison that failed.
pub fn of_comparison(py: Python<'_>, error: &recto_compare::Error) -> PyErr {
    use recto_compare::Error as E;
    match error {
        E::Call { error, .. } => exception(py, error, None),
        E::Settings(_) | E::Pages { .. } => invalid(py, "start", &error.to_string()),
        E::File { path, error: cause } => {
            match (cause.raw_os_error().or_else(|| number_of(cause.kind())), path) {
                (Some(number), Some(path)) => {
                    PyOSError::new_err((number, error.to_string(), path.clone().into_os_string()))
                }
                (Some(number), None) => PyOSError::new_err((number, error.to_string())),
                _ => PyOSError::new_err(error.to_string()),
            }
        }
        _ => plain(py, "ProtocolError", "download", &error.to_string()),
    }
}

/// The exception for a comparison whose time limit expired between two pages.
pub fn comparison_timeout(py: Python<'_>) -> PyErr {
    plain(py, "RequestTimeout", "download", "the pages could not be compared within the timeout")
}

/// The exception for a comparison that was cancelled between two pages.
pub fn comparison_cancelled(py: Python<'_>) -> PyErr {
    plain(py, "Cancelled", "download", "the comparison was cancelled")
}

fn plain(py: Python<'_>, name: &str, phase: &str, message: &str) -> PyErr {
    let make = || {
        let fields = PyDict::new(py);
        fields.set_item("phase", phase)?;
        import::load(py, "recto.errors", name)?.call((message,), Some(&fields))
    };
    make().map_or_else(|broken| broken, PyErr::from_value)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    fields.set_item("status", error.status())?;
    fields.set_item("code", error.code())?;
    fields.set_item("title", error.title())?;
    fields.set_item("detail", error.detail())?;
    fields.set_item("request_id", error.request_id())?;
    fields.set_item("operation_id", error.operation_id())?;
    fields.set_item("document", error.document())?;
    fields.set_item("retry_after", error.retry_after().map(|after| after.as_secs_f64()))?;
    fields.set_item("attempts", Some(error.attempts()).filter(|attempts| *attempts > 0))?;
    fields.set_item("phase", error.phase().map(|phase| phase.as_str()))?;
    fields.set_item("method", error.method())?;
    fields.set_item("url", error.url())?;
    fields.set_item("body", error.body())?;
    fields.set_item("retryable", error.is_retryable())?;
    fields.set_item("token", error.token())?;
    let class = import::load(py, "recto.errors", error.kind().name())?;
    Ok(PyErr::from_value(class.call((error.to_string(),), Some(&fields))?))
}

/// The `OSError` that `open` would raise, with the phase as an attribute. Python chooses the subclass by the error
/// number.
fn os_error(py: Python<'_>, error: &Error, file: Option<&Path>) -> PyErr {
    let system = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let number = error.io_kind().and_then(number_of).or_else(|| system?.raw_os_error());
    let exception = match (number, file) {
        (Some(number), Some(file)) => {
            let text = error.advice().map_or_else(
                || error.message().to_owned(),
                |advice| format!("{}. {advice}", error.message()),
            );
            PyOSError::new_err((number, text, file.to_path_buf().into_os_string()))
        }
        (Some(number), None) => PyOSError::new_err((number, error.to_string())),
        _ => PyOSError::new_err(error.to_string()),
    };
    let phase = error.phase().map(|phase| phase.as_str());
    exception.value(py).setattr("phase", phase).map_or_else(|broken| broken, |()| exception)
}

/// The `errno` for a kind of error that has its own subclass of `OSError`. The numbers are the same on every Unix.
fn number_of(kind: io::ErrorKind) -> Option<i32> {
    match kind {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::AlreadyExists => Some(17),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::IsADirectory => Some(21),
        io::ErrorKind::StorageFull => Some(28),
        _ => None,
    }
}

/// An `InvalidRequest` for an option. The message uses the names of Python, or the names of the interface if the
/// caller used them.
pub fn invalid_option(py: Python<'_>, refused: &InvalidOption, spelling: Spelling) -> PyErr {
    let place = refused.field.strip_prefix("options.").unwrap_or(&refused.field);
    let (shown, reason) = match spelling {
        Spelling::Python => (snake_case(place), in_python(&refused.reason)),
        Spelling::Interface => (place.to_owned(), refused.reason.clone()),
    };
    let message = match shown.as_str() {
        "options" => reason,
        _ => format!("option {shown}: {reason}"),
    };
    invalid(py, "start", &message)
}

/// The fields of an option as text for a message: "margin and unit by name".
pub fn parts_by_name(operation: OperationKind, option: &str, spelling: Spelling) -> Option<String> {
    let parts: Vec<_> = operation
        .fields()
        .iter()
        .filter_map(|field| field.path.split_once('.').filter(|(parent, _)| *parent == option))
        .map(|(_, part)| if spelling == Spelling::Python { snake_case(part) } else { part.to_owned() })
        .collect();
    let (last, others) = parts.split_last()?;
    Some(format!("{} and {last} by name", others.join(", ")))
}

/// Changes the names between backquotes into Python's case.
fn in_python_names(reason: &str) -> String {
    let quoted = reason.split('`').enumerate();
    quoted
        .map(
            |(number, part)| {
                if number % 2 == 1 { format!("`{}`", snake_case(part)) } else { part.to_owned() }
            },
        )
        .collect()
}

/// Writes a reason as Python programmers write values and names: True, False, None, parts by name.
fn in_python(reason: &str) -> String {
    let reason = in_python_names(reason).replace("give true or false", "give True or False");
    let reason = match reason.split_once("give an object with ") {
        Some((found, parts)) => format!("{found}give {parts} by name"),
        None => reason,
    };
    for (json, python) in [("true", "True"), ("false", "False"), ("null", "None")] {
        if let Some(rest) = reason.strip_prefix(json).filter(|rest| rest.starts_with(" is not")) {
            return format!("{python}{rest}");
        }
    }
    reason
}
