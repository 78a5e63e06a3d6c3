//! The connection of a client. It leads to a service at a base URL, or to the embedded service.

use crate::embedded;
use crate::errors;
use pyo3::prelude::*;
use recto_service::{LocalSettings, PerProcess, SharedService};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A connection that a client shares with its files and its operations. The embedded service exists as long as one of
/// them exists, or until the client is closed.
pub struct Connection {
    builder: recto::ClientBuilder,
    /// The settings of the embedded service.
    local: LocalSettings,
    /// The text that describes the service in the `repr` of a client.
    described: String,
    /// The core's client of the service at the base URL. It can also be used after a fork.
    remote: Option<recto::Client>,
    /// The client of the embedded service. Each process creates its own on first use.
    embedded: PerProcess<Mutex<Option<Embedded>>>,
    closed: AtomicBool,
    /// Set in a copy of a client with other settings: the original, and the settings.
    original: Option<(Arc<Self>, recto::Overrides)>,
}

struct Embedded {
    client: recto::Client,
    _service: Arc<SharedService>,
}

impl Connection {
    /// Creates a connection with the settings of the builder and of the environment. It sends nothing and starts no
    /// service.
    pub fn new(py: Python<'_>, builder: recto::ClientBuilder, local: LocalSettings) -> PyResult<Self> {
        let made = py.detach(|| {
            let builder = builder.from_env()?;
            let remote = if builder.has_base_url() { Some(builder.clone().build()?) } else { None };
            Ok((builder, remote))
        });
        let (builder, remote) = made.map_err(|error: recto::Error| errors::exception(py, &error, None))?;
        let described = match &remote {
            Some(client) => format!("of {}", client.base_url()),
            None => "of the embedded service".to_owned(),
        };
        let (embedded, closed) = (PerProcess::new(), AtomicBool::new(false));
        Ok(Self { builder, local, described, remote, embedded, closed, original: None })
    }

    /// The same connection with other settings. Closing one of the two closes both.
    pub fn with_options(self: &Arc<Self>, py: Python<'_>, overrides: recto::Overrides) -> PyResult<Self> {
        let refused = |error: recto::Error| errors::exception(py, &error, None);
        overrides.check().map_err(refused)?;
        let remote = self.remote.as_ref().map(|client| client.with_options(&overrides));
        Ok(Self {
            builder: self.builder.clone(),
            local: self.local.clone(),
            described: self.described.clone(),
            remote: remote.transpose().map_err(refused)?,
            embedded: PerProcess::new(),
            closed: AtomicBool::new(false),
            original: Some((Arc::clone(self), overrides)),
        })
    }

    /// Returns the core's client, for one call.
    pub fn client(&self, py: Python<'_>) -> PyResult<recto::Client> {
        if let Some(client) = &self.remote {
            return Ok(client.clone());
        }
        if let Some((original, overrides)) = &self.original {
            let client = original.client(py)?.with_options(overrides);
            return client.map_err(|error| errors::exception(py, &error, None));
        }
        embedded::stop_at_exit(py)?;
        match py.detach(|| self.embedded_client()) {
            Ok(client) => Ok(client),
            Err(StartError::Core(error)) => Err(errors::exception(py, &error, None)),
            Err(StartError::Message(message)) => Err(errors::config(py, &message)),
        }
    }

    fn embedded_client(&self) -> Result<recto::Client, StartError> {
        let mut embedded = self.embedded.get().lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Err(StartError::Message("the client is closed; make a new one".to_owned()));
        }
        if let Some(embedded) = &*embedded {
            return Ok(embedded.client.clone());
        }
        let service = SharedService::acquire_with(&self.local, |service| service)
            .map_err(|error| StartError::Message(format!("the embedded service did not start: {error}")))?;
        let builder = self.builder.clone().base_url(service.base_url()).api_key(service.api_key().clone());
        // The value marks the client as a client of an embedded service. The reference is weak, so that only this
        // connection keeps the service running.
        let unused = service.unused_files();
        let builder = builder.no_proxy().delete_unused(move |id| unused.delete(id));
        let builder = builder.keep_alive(Arc::new(Arc::downgrade(&service)));
        let client = builder.build().map_err(StartError::Core)?;
        *embedded = Some(Embedded { client: client.clone(), _service: service });
        Ok(client)
    }

    /// Cancels the running calls. If this was the last client, stops the embedded service. Closing takes a moment, so
    /// it must be called without the GIL.
    pub fn close(&self) {
        if let Some((original, _)) = &self.original {
            return original.close();
        }
        self.closed.store(true, Ordering::Release);
        if let Some(client) = &self.remote {
            return client.close();
        }
        let embedded = self.embedded.get().lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(embedded) = embedded {
            embedded.client.close();
        }
    }

    /// The text that describes the service to people.
    pub fn described(&self) -> &str {
        &self.described
    }
}

enum StartError {
    Core(recto::Error),
    Message(String),
}
