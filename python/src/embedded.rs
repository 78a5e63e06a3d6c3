//! The end of the embedded service with the interpreter: objects that live until then are not always dropped.

use pyo3::prelude::*;
use recto_service::SharedService;
use std::sync::atomic::{AtomicBool, Ordering};

/// Has the interpreter stop the service at its exit.
pub fn stop_at_exit(py: Python<'_>) -> PyResult<()> {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        py.import("atexit")?.call_method1("register", (wrap_pyfunction!(stop, py)?,))?;
    }
    Ok(())
}

/// Stops this process's service.
#[pyfunction]
fn stop(py: Python<'_>) {
    py.detach(SharedService::stop);
}
