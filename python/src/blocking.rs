//! Calls from Python into the core: all of them go through [`run`].
//!
//! A call runs without the GIL on the thread that made it. Every 50 ms it takes the GIL to check for signals.
//! Progress callbacks, readers and writers take the GIL when they are called. If one of them raises an exception, the
//! call ends and raises the same exception.

use crate::arguments::not_awaited;
use crate::cancel::Cancel;
use crate::connection::Connection;
use crate::{errors, logging, records};
use pyo3::prelude::*;
use recto::Progress;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The settings of one call.
#[derive(Default)]
pub struct Call<'a> {
    pub timeout: Option<Duration>,
    pub wait_timeout: Option<Option<Duration>>,
    pub force: bool,
    /// Whether an existing file must not be replaced.
    pub keep_existing: bool,
    pub delete_after: bool,
    pub extra_options: serde_json::Value,
    pub headers: Vec<(String, String)>,
    pub on_progress: Option<&'a Py<PyAny>>,
    pub cancel: Option<&'a Py<Cancel>>,
    /// The local file that the call reads or writes. Errors of the call name it.
    pub file: Option<PathBuf>,
    /// The exception that a reader, a writer or a callback of this call raised.
    pub raised: Raised,
}

/// The exception that Python code raised during a call.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps the first exception. Returns `Break` for an exception, which ends the call.
    pub fn keep<T>(&self, outcome: PyResult<T>) -> ControlFlow<(), T> {
        match outcome {
            Ok(value) => ControlFlow::Continue(value),
            Err(exception) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(exception);
                ControlFlow::Break(())
            }
        }
    }

    fn is_kept(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Runs `work` with the client of the connection, without the GIL.
pub fn run<T: Send>(
    py: Python<'_>,
    connection: &Connection,
    call: &Call<'_>,
    work: impl FnOnce(&recto::Client, &recto::Call<'_>) -> Result<T, recto::Error> + Send,
) -> PyResult<T> {
    logging::follow(py);
    let client = connection.client(py)?;
    let cancel = call.cancel.map(|cancel| cancel.get().0.clone());
    let outcome = py.detach(|| {
        let raised = &call.raised;
        let mut settings = recto::Call::new().force(call.force).overwrite(!call.keep_existing).tick(|| {
            if raised.is_kept() {
                return ControlFlow::Break(());
            }
            raised.keep(Python::attach(|py| {
                logging::deliver(py);
                py.check_signals()
            }))
        });
        settings = settings.delete_after(call.delete_after).extra_options(call.extra_options.clone());
        for (name, value) in &call.headers {
            settings = settings.header(name, value);
        }
        if let Some(timeout) = call.timeout {
            settings = settings.timeout(timeout);
        }
        if let Some(wait_timeout) = call.wait_timeout {
            settings = settings.wait_timeout(wait_timeout);
        }
        if let Some(cancel) = &cancel {
            settings = settings.cancel(cancel);
        }
        if let Some(callback) = call.on_progress {
            settings = settings
                .on_progress(|progress| raised.keep(Python::attach(|py| report(py, callback, progress))));
        }
        work(&client, &settings)
    });
    logging::deliver(py);
    if let Some(exception) = call.raised.take() {
        return Err(exception);
    }
    outcome.map_err(|error| errors::exception(py, &error, call.file.as_deref()))
}

fn report(py: Python<'_>, callback: &Py<PyAny>, progress: &Progress) -> PyResult<()> {
    notify(callback.bind(py), records::progress(py, progress)?)
}

/// Calls a progress callback. A coroutine that it returns is an error: nothing would await it.
pub fn notify(callback: &Bound<'_, PyAny>, progress: Bound<'_, PyAny>) -> PyResult<()> {
    let returned = callback.call1((progress,))?;
    if !returned.is_none() && returned.hasattr("__await__")? {
        // Otherwise Python would warn that the coroutine was never awaited.
        let _ = returned.call_method0("close");
        return Err(not_awaited());
    }
    Ok(())
}
