//! The HTTP side of a client in one process: its connections, its retry budget, and features of the service that were
//! detected.

use crate::error::Error;
use crate::http::config::Config;
use crate::http::connections::Connections;
use crate::http::retry::RetryBudget;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::time::Instant;

/// The connections of one client in one process, and what the client has found out about the service.
pub(crate) struct HttpClient {
    pub(crate) connections: Connections,
    pub(crate) retry_budget: Mutex<RetryBudget>,
    /// Which of the two documented paths of an endpoint worked, indexed by [`crate::http::request::PathMemory`].
    pub(crate) working_paths: [AtomicU8; 2],
    /// Whether the service has confirmed `Prefer: wait`: it delays a response until the state of the operation changes,
    /// but not longer than requested.
    pub(crate) holds_responses: AtomicBool,
}

impl HttpClient {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let tls = config.credentials.configure()?;
        let connections = Connections::new(tls, &config.proxies, config.connect_timeout)?;
        let retry_budget = Mutex::new(RetryBudget::new(Instant::now()));
        // The embedded service is part of this project and always supports `Prefer: wait`.
        let holds_responses = AtomicBool::new(config.keep_alive.is_some());
        Ok(Self { connections, retry_budget, working_paths: Default::default(), holds_responses })
    }
}
