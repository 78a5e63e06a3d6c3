//! `recto_client`: what calls are made on.

use crate::config::recto_config;
use crate::error::{Outcome, recto_error};
use crate::log::Log;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::c_text;
use crate::status::{RECTO_E_FORKED, recto_status};
use recto::{Client, ClientBuilder};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// A client of the service. It may be freed while its operations live: they keep what they need.
///
/// A client belongs to the process it was made in. In a forked child its calls, and those of its operations, are refused
/// with RECTO_E_FORKED; the child may free them, and makes a client of its own.
///
/// Threads: any number at once, but for recto_client_free().
pub struct recto_client(pub(crate) Arc<ClientState>);

/// What a client and its operations share.
pub(crate) struct ClientState {
    client: Client,
    base_url: CString,
    log: Option<Log>,
    process: u32,
}

impl ClientState {
    /// Makes one call, on this thread.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&Client) -> Result<T, recto::Error>) -> Outcome<T> {
        if self.process != std::process::id() {
            let message = "the client was made before fork(): make one in the child, after fork()";
            return Err(recto_error::new(RECTO_E_FORKED, message));
        }
        let call = || call(&self.client);
        Ok(match &self.log {
            Some(log) => log.during(call),
            None => call(),
        }?)
    }
}

/// Makes a client, freed with recto_client_free(). `config` may be NULL: then all is taken from the environment.
///
/// Where neither the configuration nor the environment has a base URL, the client uses the embedded service: the first
/// such client of a process starts it, on loopback with a key of its own and a private temporary directory, and it
/// ends when the last such client and its operations are freed. Nothing leaves the machine.
///
/// Nothing is sent.
///
/// Errors: RECTO_E_CONFIG for whatever cannot be used: an address, a key, a proxy, a certificate; or when the embedded
/// service could not be started, or was not built into this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_new(
    config: *const recto_config,
    out: *mut *mut recto_client,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, config: optional => {
        let (mut builder, log) = match config {
            Some(config) => (config.builder.clone(), config.log.clone()),
            None => (ClientBuilder::new(), None),
        };
        if config.is_none_or(|config| config.environment) {
            builder = builder.from_env()?;
        }
        if !builder.has_base_url() {
            builder = with_embedded(builder)?;
        }
        let client = builder.build()?;
        let base_url = c_text(client.base_url());
        out.give(recto_client(Arc::new(ClientState { client, base_url, log, process: std::process::id() })))
    })
}

/// The service's address, without user name or password. Lives as long as the client; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_base_url(client: *const recto_client) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(client, std::ptr::null(), |client| client.0.base_url.as_ptr()) }
}

/// Ends the running calls of all threads with RECTO_E_CANCELLED, within 50 ms. Later calls are refused with
/// RECTO_E_CONFIG. Operations in the service go on. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_close(client: *const recto_client) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(client, (), |client| client.0.client.close()) };
}

/// Frees a client. No call of it may be running; its operations live on. NULL is a no-op.
///
/// It waits for nothing, except where it ends the embedded service: that takes some milliseconds, and up to two seconds
/// when operations are running in it, which are given up.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_free(client: *mut recto_client) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(client) };
}

#[cfg(feature = "local")]
fn with_embedded(builder: ClientBuilder) -> Outcome<ClientBuilder> {
    let service = recto_service::SharedService::acquire().map_err(|error| {
        recto_error::new(
            crate::status::RECTO_E_CONFIG,
            format!("the embedded service did not start: {error}"),
        )
    })?;
    let (base_url, key) = (service.base_url().to_owned(), service.api_key().clone());
    Ok(builder.base_url(base_url).api_key(key).no_proxy().keep_alive(service))
}

#[cfg(not(feature = "local"))]
fn with_embedded(_: ClientBuilder) -> Outcome<ClientBuilder> {
    let message = "no base URL is given, and this library was built without the embedded service. \
                   Give one: the setting base_url, or RECTO_BASE_URL";
    Err(recto_error::new(crate::status::RECTO_E_CONFIG, message))
}
