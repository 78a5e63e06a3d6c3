//! The embedded service: one for all clients of a process that were given no base URL.
//!
//! The first that needs it starts it; it ends with the last of them, or when the interpreter exits. A forked
//! child leaves its parent's alone and starts its own.

use crate::per_process::PerProcess;
use pyo3::prelude::*;
use recto_service::{LocalService, ServiceError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A service that lives as long as somebody holds it.
pub struct Embedded {
    base_url: String,
    api_key: recto_interface::Secret,
    /// Empty after the interpreter's exit.
    service: Mutex<Option<LocalService>>,
}

static CURRENT: PerProcess<Mutex<Weak<Embedded>>> = PerProcess::new();

impl Embedded {
    /// This process's service; started when nobody holds it. Blocks for some milliseconds: call it without the GIL.
    pub fn acquire() -> Result<Arc<Self>, ServiceError> {
        let mut current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.upgrade() {
            return Ok(running);
        }
        let service = LocalService::start()?;
        let embedded = Arc::new(Self {
            base_url: service.base_url().to_owned(),
            api_key: service.api_key().clone(),
            service: Mutex::new(Some(service)),
        });
        *current = Arc::downgrade(&embedded);
        Ok(embedded)
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub fn api_key(&self) -> &recto_interface::Secret {
        &self.api_key
    }
}

/// Has the interpreter stop the service at its exit: objects that live until then are not always dropped.
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
    py.detach(|| {
        let current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(embedded) = current {
            drop(embedded.service.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    });
}
