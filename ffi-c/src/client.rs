//! `recto_client`: the client that all requests are made with.

use crate::config::recto_config;
use crate::embedded::Embedded;
use crate::error::{Outcome, recto_error};
use crate::log::Log;
use crate::memory::handles::{free, read_handle};
use crate::memory::text::c_text;
use crate::stack;
use crate::status::{RECTO_E_CONFIG, RECTO_E_FORKED, recto_status};
use recto::{Client, ClientBuilder};
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// A client of the service. It can be freed before its operations, which keep what they need of it.
///
/// A client belongs to the process that created it. In a forked child its calls, and those of its operations, are
/// refused with RECTO_E_FORKED. The child may free these handles, and must create its own client.
///
/// Threads: any number at the same time, except for recto_client_free().
pub struct recto_client(pub(crate) Arc<ClientState>);

/// The state that a client and its operations share.
pub(crate) struct ClientState {
    client: Client,
    base_url: CString,
    log: Option<Log>,
    process: u32,
}

impl ClientState {
    fn handle(client: Client, log: Option<Log>) -> recto_client {
        let base_url = c_text(client.base_url());
        recto_client(Arc::new(Self { client, base_url, log, process: std::process::id() }))
    }

    fn with(&self, changes: &recto_config) -> Outcome<recto_client> {
        self.check_usable()?;
        if let Some(name) = &changes.of_new_clients {
            let message = format!(
                "a copy of a client cannot have its own {name}; create a client with recto_client_new()"
            );
            return Err(recto_error::new(RECTO_E_CONFIG, message));
        }
        let client = self.client.with_options(&changes.overrides)?;
        Ok(Self::handle(client, changes.log.clone().or_else(|| self.log.clone())))
    }

    /// Runs a call on this thread, with the log of the client.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&Client) -> Result<T, recto::Error>) -> Outcome<T> {
        self.check_usable()?;
        let call = || call(&self.client);
        Ok(stack::with_enough(|| match &self.log {
            Some(log) => log.during(call),
            None => call(),
        })?)
    }

    /// Refuses a call in a forked child, and one that a log callback makes.
    pub(crate) fn check_usable(&self) -> Outcome {
        if self.process != std::process::id() {
            let message = "the client was created before fork(); create a new one in the child process";
            return Err(recto_error::new(RECTO_E_FORKED, message));
        }
        Log::refuse_inside_callback()
    }
}

/// Creates a client, freed with recto_client_free(). `config` may be NULL: all settings are then taken from the
/// environment.
///
/// If neither the configuration nor the environment has a base URL, the client uses the embedded service. The first
/// such client of a process starts it, on the loopback interface, with its own key and a private temporary directory.
/// It ends when the last such client and its operations are freed; see FILES at the top. No document leaves the
/// machine. All such clients of a process must have the same settings of the embedded service.
///
/// No request is sent.
///
/// Errors: RECTO_E_CONFIG for an invalid address, key, proxy or certificate, or if the embedded service could not
/// start, has other settings, or is not part of this build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_new(
    config: *const recto_config,
    out: *mut *mut recto_client,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, config: optional => {
        Log::refuse_inside_callback()?;
        out.set(stack::with_enough(|| create(config))?)
    })
}

/// Creates a copy of a client with changed settings, freed with recto_client_free(). The copy takes from `config` the
/// headers, the log callback and the settings `timeout_ms`, `wait_timeout_ms`, `stall_timeout_ms`, `retries`,
/// `retry_unknown` and `keep_files`; everything else is as in `client`. Both clients share the connections and the retry
/// budget. Closing one of the two closes both; the client may be freed before the copy. The environment is not read.
///
/// Errors: RECTO_E_CONFIG if `config` has another setting, which only recto_client_new() accepts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_with(
    client: *const recto_client,
    config: *const recto_config,
    out: *mut *mut recto_client,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, client: handle, config: handle => {
        out.set(client.0.with(config)?)
    })
}

fn create(config: Option<&recto_config>) -> Outcome<recto_client> {
    let (mut builder, log) = match config {
        Some(config) => (config.builder.clone(), config.log.clone()),
        None => (ClientBuilder::new(), None),
    };
    if config.is_none_or(|config| config.environment) {
        builder = builder.from_env()?;
    }
    if !builder.has_base_url() {
        let unset = Embedded::default();
        builder = with_embedded(builder, config.map_or(&unset, |config| &config.embedded), log.as_ref())?;
    }
    let mut client = builder.build()?;
    if let Some(config) = config {
        // The builder has no value for "no time limit". This setting takes precedence over the environment.
        client = client.with_options(&config.overrides)?;
    }
    Ok(ClientState::handle(client, log))
}

/// The address of the service, without user name and password. Valid until the client is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_base_url(client: *const recto_client) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(client, std::ptr::null(), |client| client.0.base_url.as_ptr()) }
}

/// Closes a client: ends the running calls of all threads with RECTO_E_CANCELLED, within 50 ms, and refuses later calls
/// with RECTO_E_CONFIG. Operations continue in the service. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_close(client: *const recto_client) {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(client, (), |client| client.0.client.close()) };
}

/// Frees a client, while none of its calls is running. Its operation handles stay valid. NULL is allowed and does
/// nothing.
///
/// It returns at once, except when it ends the embedded service: that takes some milliseconds, or up to two seconds if
/// operations are running in it, which are then aborted.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_client_free(client: *mut recto_client) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(client) };
}

#[cfg(feature = "local")]
fn with_embedded(builder: ClientBuilder, embedded: &Embedded, log: Option<&Log>) -> Outcome<ClientBuilder> {
    let log = crate::log::service_log(log);
    let started =
        recto_service::SharedService::acquire_with(embedded.prepared(), |service| service.log_to(log));
    let service = started.map_err(|error| {
        recto_error::new(RECTO_E_CONFIG, format!("the embedded service could not start: {error}"))
    })?;
    let (base_url, key) = (service.base_url().to_owned(), service.api_key().clone());
    let unused = service.unused_files();
    let builder = builder.delete_unused(move |id| unused.delete(id)).keep_alive(service);
    Ok(builder.base_url(base_url).api_key(key).no_proxy())
}

#[cfg(not(feature = "local"))]
fn with_embedded(_: ClientBuilder, _: &Embedded, _: Option<&Log>) -> Outcome<ClientBuilder> {
    let message = "no base URL, and the library was built without the embedded service: \
                   set base_url in the configuration, or RECTO_BASE_URL in the environment";
    Err(recto_error::new(RECTO_E_CONFIG, message))
}
