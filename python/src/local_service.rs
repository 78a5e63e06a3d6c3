//! `LocalService`: starts and stops an embedded service explicitly.

use crate::arguments::FilePath;
use crate::errors;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Mutex, PoisonError};

/// The service on this machine, which `Client()` starts by default.
///
/// It listens on the loopback interface with its own key and keeps its files in a private directory below `data_dir`, by
/// default the system's temporary directory. `workers` operations run at the same time, by default one for each
/// core. `close()` or the end of a `with` block stops it and removes its files. `fetch_ports` are the ports that
/// `upload_from_url` may use, by default 80 and 443, or every port with `allow_private_urls`.
///
/// >>> with recto.LocalService() as service:
/// ...     with recto.Client(base_url=service.base_url, api_key=service.api_key) as client:
/// ...         client.files.list()
/// []
#[pyclass(frozen, weakref, module = "recto")]
pub struct LocalService {
    base_url: String,
    api_key: recto_interface::Secret,
    service: Mutex<Option<recto_service::LocalService>>,
}

#[pymethods]
impl LocalService {
    #[new]
    #[pyo3(signature = (data_dir=None, workers=None, *, port=0, api_key=None, allow_private_urls=false, fetch_ports=None))]
    fn new(
        py: Python<'_>,
        data_dir: Option<FilePath>,
        workers: Option<usize>,
        port: u16,
        api_key: Option<String>,
        allow_private_urls: bool,
        fetch_ports: Option<Vec<u16>>,
    ) -> PyResult<Self> {
        let mut builder =
            recto_service::LocalService::builder().port(port).allow_private_urls(allow_private_urls);
        if let Some(FilePath(data_dir)) = data_dir {
            builder = builder.data_dir(data_dir);
        }
        if let Some(ports) = fetch_ports {
            builder = builder.fetch_ports(ports);
        }
        if let Some(workers) = workers {
            builder = builder.workers(workers);
        }
        if let Some(api_key) = api_key {
            builder = builder.api_key(api_key);
        }
        let service = py
            .detach(|| builder.start())
            .map_err(|error| errors::config(py, &format!("the service did not start: {error}")))?;
        Ok(Self {
            base_url: service.base_url().to_owned(),
            api_key: service.api_key().clone(),
            service: Mutex::new(Some(service)),
        })
    }

    /// The base URL for a client.
    #[getter]
    fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The API key for a client.
    #[getter]
    fn api_key(&self) -> &str {
        self.api_key.expose()
    }

    /// Stop the service: abort its operations, close its port and remove its files.
    ///
    /// >>> service = recto.LocalService(workers=2)
    /// >>> service.close()
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.service.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("<recto.LocalService at {}>", self.base_url)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a LocalService cannot be pickled; it belongs to the process that started it",
        ))
    }
}
