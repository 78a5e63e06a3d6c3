//! What a client is connected to: the service it was given, or the embedded one.

use crate::embedded;
use crate::errors;
use pyo3::prelude::*;
use recto_service::{PerProcess, SharedService};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Shared by a client, its files and its operations. The embedded service lives as long as one of them, or until
/// the client is closed.
pub struct Connection {
    builder: recto::ClientBuilder,
    /// What the client says of itself.
    described: String,
    /// The core's client of a service that was given; it survives a fork by itself.
    given: Option<recto::Client>,
    /// The client of the embedded service, made on first use in each process.
    own: PerProcess<Mutex<Option<Own>>>,
    closed: AtomicBool,
}

struct Own {
    client: recto::Client,
    _service: Arc<SharedService>,
}

impl Connection {
    /// A connection as the builder and the environment say. Nothing is sent, and no service started.
    pub fn new(py: Python<'_>, builder: recto::ClientBuilder) -> PyResult<Self> {
        let made = py.detach(|| {
            let builder = builder.from_env()?;
            let given = if builder.has_base_url() { Some(builder.clone().build()?) } else { None };
            Ok((builder, given))
        });
        let (builder, given) = made.map_err(|error: recto::Error| errors::exception(py, &error, None))?;
        let described = match &given {
            Some(client) => format!("of {}", client.base_url()),
            None => "of the embedded service".to_owned(),
        };
        Ok(Self { builder, described, given, own: PerProcess::new(), closed: AtomicBool::new(false) })
    }

    /// The core's client for one call.
    pub fn client(&self, py: Python<'_>) -> PyResult<recto::Client> {
        if let Some(client) = &self.given {
            return Ok(client.clone());
        }
        embedded::stop_at_exit(py)?;
        match py.detach(|| self.own_client()) {
            Ok(client) => Ok(client),
            Err(Trouble::Core(error)) => Err(errors::exception(py, &error, None)),
            Err(Trouble::Said(message)) => Err(errors::config(py, &message)),
        }
    }

    fn own_client(&self) -> Result<recto::Client, Trouble> {
        let mut own = self.own.get().lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Err(Trouble::Said("the client is closed; make a new one".to_owned()));
        }
        if let Some(own) = &*own {
            return Ok(own.client.clone());
        }
        let service = SharedService::acquire()
            .map_err(|error| Trouble::Said(format!("the embedded service did not start: {error}")))?;
        let builder = self.builder.clone().base_url(service.base_url()).api_key(service.api_key().clone());
        // Says that the service is embedded; what keeps it alive is this connection, which can be closed.
        let builder = builder.no_proxy().keep_alive(Arc::new(Arc::downgrade(&service)));
        let client = builder.build().map_err(Trouble::Core)?;
        *own = Some(Own { client: client.clone(), _service: service });
        Ok(client)
    }

    /// Ends the calls that are running and, with the last client, the embedded service. Blocks for a moment: call it
    /// without the GIL.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        if let Some(client) = &self.given {
            return client.close();
        }
        let own = self.own.get().lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(own) = own {
            own.client.close();
        }
    }

    /// Which service it is connected to, for people.
    pub fn described(&self) -> &str {
        &self.described
    }
}

enum Trouble {
    Core(recto::Error),
    Said(String),
}
