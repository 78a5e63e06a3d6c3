//! `LocalService`: starts and stops an embedded service explicitly.

use crate::local_settings::Local;
use crate::{embedded, errors};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Mutex, PoisonError};

/// The service on this machine, which `Client()` starts by default.
///
/// It listens on the loopback interface with its own key. `close()`, the end of a `with` block or the exit of the
/// program stops it and removes its files. Its clients use it like any service with a base URL: files stay in it until
/// they are deleted or expire.
///
///     data_dir            the directory in which it creates a private directory for its files; default: the temporary
///                         directory of the system
///     workers             how many operations run at the same time; default: one for each core
///     port                the port to listen on; default: a free one
///     api_key             the key that clients must send; default: a random one
///     allow_private_urls  whether `upload_from_url` may use addresses of private networks
///     fetch_ports         the ports that `upload_from_url` may use; default: 80 and 443, or every port with
///                         `allow_private_urls`
///     isolation           how documents are isolated from this program: `best` (the default) processes them in worker
///                         processes if possible, `workers` and `strict` require workers, `none` uses none
///     worker              the `recto` program that runs the workers; default: this interpreter
///     worker_memory       the memory limit of a worker process in bytes; default: 4 GiB
///     in_process_bytes    how many bytes a document may decode to, if processed in this program; default: 256 MiB
///     stored_bytes        the size limit of all files and results together; default: 64 GiB
///     retention           how long files and results are kept, in seconds; default: 24 hours
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
    #[pyo3(signature = (data_dir=None, workers=None, *, port=0, api_key=None, allow_private_urls=false, fetch_ports=None,
        isolation=None, worker=None, worker_memory=None, in_process_bytes=None, stored_bytes=None, retention=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, all optional")]
    fn new(
        py: Python<'_>,
        data_dir: Option<&Bound<'_, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
        port: u16,
        api_key: Option<String>,
        allow_private_urls: bool,
        fetch_ports: Option<Vec<u16>>,
        isolation: Option<&Bound<'_, PyAny>>,
        worker: Option<&Bound<'_, PyAny>>,
        worker_memory: Option<&Bound<'_, PyAny>>,
        in_process_bytes: Option<&Bound<'_, PyAny>>,
        stored_bytes: Option<&Bound<'_, PyAny>>,
        retention: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut local = Local::default();
        for (name, value) in [
            ("data_dir", data_dir),
            ("workers", workers),
            ("isolation", isolation),
            ("worker", worker),
            ("worker_memory", worker_memory),
            ("in_process_bytes", in_process_bytes),
            ("stored_bytes", stored_bytes),
            ("retention", retention),
        ] {
            value.map_or(Ok(()), |value| local.set(name, value))?;
        }
        embedded::stop_at_exit(py)?;
        let mut builder = recto_service::LocalService::builder().settings(&local.0);
        builder = builder.port(port).allow_private_urls(allow_private_urls);
        if let Some(ports) = fetch_ports {
            builder = builder.fetch_ports(ports);
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
