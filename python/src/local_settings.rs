//! The settings of the embedded service, as a client takes them in a mapping and `LocalService` as keywords.

use crate::arguments::{FilePath, Seconds};
use crate::errors;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use recto_service::{IsolationMode, LocalSettings};

/// The names of the settings.
const NAMES: &[&str] = &[
    "isolation",
    "worker",
    "workers",
    "worker_memory",
    "in_process_bytes",
    "stored_bytes",
    "retention",
    "data_dir",
];

/// The settings of the embedded service that the caller has set.
#[derive(Default)]
pub struct Local(pub LocalSettings);

impl Local {
    /// Sets the setting `name`. `None` leaves it as it is.
    pub fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        if value.is_none() {
            return Ok(());
        }
        let number = |expected: &str| match value.extract::<u64>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(errors::config(py, &format!("{name} takes {expected}, not {}", value.repr()?))),
        };
        let bytes = || number("a number of bytes above 0");
        let settings = &mut self.0;
        match name {
            "isolation" => {
                let mode: String = value.extract().map_err(|_| wrong_type(name, "a str", value))?;
                let mode = mode.parse::<IsolationMode>().map_err(|why| errors::config(py, &why))?;
                settings.isolation = Some(mode);
            }
            "worker" => settings.worker = Some(value.extract::<FilePath>()?.0),
            "workers" => {
                let workers = number("a number of operations above 0")?;
                settings.workers = Some(usize::try_from(workers).unwrap_or(usize::MAX));
            }
            "worker_memory" => settings.worker_memory = Some(bytes()?),
            "in_process_bytes" => settings.in_process_bytes = Some(bytes()?),
            "stored_bytes" => settings.stored_bytes = Some(bytes()?),
            "retention" => {
                let time = value.extract::<Seconds>()?.0;
                if time.is_zero() {
                    return Err(errors::config(py, "retention takes seconds above 0, such as 3600"));
                }
                settings.retention = Some(time);
            }
            "data_dir" => settings.data_dir = Some(value.extract::<FilePath>()?.0),
            _ => {
                let known = NAMES.join(", ");
                let message =
                    format!("unknown setting '{name}' of the embedded service; known settings: {known}");
                return Err(errors::config(py, &message));
            }
        }
        Ok(())
    }
}

impl FromPyObject<'_, '_> for Local {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let mapping = object.cast::<PyMapping>().map_err(|_| {
            PyTypeError::new_err(
                "local is a mapping of the settings of the embedded service, such as {\"isolation\": \"workers\"}",
            )
        })?;
        let mut local = Self::default();
        for item in mapping.items()? {
            let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
            local.set(&name, &value)?;
        }
        Ok(local)
    }
}

fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(kind) => PyTypeError::new_err(format!("{name} is {expected}, not {kind}")),
        Err(error) => error,
    }
}
