//! `Cancel`: cancels calls from another thread.

use pyo3::prelude::*;

/// Cancels the calls that it is passed to, from any thread. It cannot be reset.
///
/// >>> cancel = recto.Cancel()
/// >>> cancel.cancel()
/// >>> cancel.is_cancelled
/// True
#[pyclass(frozen, module = "recto")]
#[derive(Default)]
pub struct Cancel(pub recto::Cancel);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Cancel every call that got this object; each raises `Cancelled` within 50 ms.
    ///
    /// >>> cancel = recto.Cancel()
    /// >>> cancel.cancel()
    /// >>> client.files.list(cancel=cancel)
    /// Traceback (most recent call last):
    /// recto.errors.Cancelled: ...
    fn cancel(&self) {
        self.0.trigger();
    }

    /// Whether `cancel()` was called.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_triggered()
    }

    fn __repr__(&self) -> &'static str {
        if self.0.is_triggered() { "<recto.Cancel, cancelled>" } else { "<recto.Cancel>" }
    }
}
