//! Stops the embedded services when the interpreter exits: Python does not always drop the objects that still exist at
//! exit.

use pyo3::prelude::*;
use recto_service::SharedService;
use std::sync::atomic::{AtomicBool, Ordering};

/// Registers [`stop`] with `atexit`. Later calls do nothing.
pub fn stop_at_exit(py: Python<'_>) -> PyResult<()> {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.swap(true, Ordering::Relaxed) {
        py.import("atexit")?.call_method1("register", (wrap_pyfunction!(stop, py)?,))?;
    }
    Ok(())
}

/// Stops the service that the clients of this process share, and removes the files of those that were started
/// explicitly.
#[pyfunction]
fn stop(py: Python<'_>) {
    py.detach(|| {
        SharedService::stop();
        recto_service::remove_folders_at_exit();
    });
}
