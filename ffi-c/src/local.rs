//! `recto_local`: the embedded service, started explicitly.

use crate::config::recto_config;
use crate::embedded::{self, Embedded};
use crate::error::{Outcome, recto_error};
use crate::log::Log;
use crate::memory::handles::{free, read_handle};
use crate::status::*;
use serde_json::Value;
use std::ffi::{CString, c_char};
use std::ptr::null;

/// An embedded service that is started explicitly, for other programs or for clients with their own settings. A client
/// without a base URL starts one automatically.
///
/// It does not run in a forked child; the child may free the handle.
///
/// Threads: one at a time.
pub struct recto_local {
    base_url: CString,
    api_key: CString,
    _service: Service,
}

/// Starts a service on the loopback interface. recto_local_free() stops it and frees the handle.
///
/// Its clients use it like any service with a base URL: files stay until they are deleted or expire, or the service
/// ends.
///
/// `options` is a JSON object, or NULL for none:
///
/// - `port`: the port to listen on. Default: a free port.
/// - `api_key`: the key that clients must send. Default: a random one.
/// - `fetch_ports`: the ports that recto_upload_url() may use, such as [80, 443, 8443]. Default: 80 and 443, or every
///   port with `allow_private_urls`.
/// - `isolation`, `worker`, `workers`, `worker_memory`, `in_process_bytes`, `stored_bytes`, `retention_ms`, `data_dir`:
///   as in recto_config_set(). The sizes, the time and the number of `workers` are JSON numbers.
/// - `allow_private_urls`: whether recto_upload_url() may use addresses of private networks. Default: false.
///
/// Errors: RECTO_E_INVALID for invalid options; RECTO_E_CONFIG if the service could not start or is not part of this
/// build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_start(
    options: *const c_char,
    out: *mut *mut recto_local,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, options: optional_text => out.set(start(Options::read(options)?, None)?))
}

/// Starts a service like recto_local_start(), with the log callback of `config`: it receives the events of the service,
/// on the threads of the service. The other settings of `config` have no effect. The callback's `userdata` is dropped
/// when the configuration, its clients and this service are all freed.
///
/// Errors: as recto_local_start().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_start_logged(
    options: *const c_char,
    config: *const recto_config,
    out: *mut *mut recto_local,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, options: optional_text, config: handle => {
        out.set(start(Options::read(options)?, config.log.as_ref())?)
    })
}

/// The base URL for clients. Valid until the handle is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_base_url(local: *const recto_local) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(local, null(), |local| local.base_url.as_ptr()) }
}

/// The API key for clients. Valid until the handle is freed; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_api_key(local: *const recto_local) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(local, null(), |local| local.api_key.as_ptr()) }
}

/// Stops the service: aborts its operations, closes the port and removes its files. This takes some milliseconds, or up
/// to two seconds if operations are running. NULL is allowed and does nothing.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_free(local: *mut recto_local) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(local) };
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Options {
    port: u16,
    api_key: Option<String>,
    fetch_ports: Option<Vec<u16>>,
    allow_private_urls: bool,
    /// The settings that the configuration of a client has too.
    #[serde(flatten)]
    embedded: std::collections::BTreeMap<String, serde_json::Value>,
}

impl Options {
    fn read(json: Option<&str>) -> Outcome<Self> {
        json.map_or(Ok(Self::default()), |text| {
            serde_json::from_str(text).map_err(|error| {
                recto_error::new(RECTO_E_INVALID, format!("invalid options of the service: {error}"))
            })
        })
    }

    fn embedded(&self) -> Outcome<Embedded> {
        let mut embedded = Embedded::default();
        for (name, value) in &self.embedded {
            if !embedded::SETTINGS.contains(&name.as_str()) {
                let message = format!("invalid options of the service: unknown option {name:?}");
                return Err(recto_error::new(RECTO_E_INVALID, message));
            }
            match value {
                Value::Null => {}
                Value::String(text) if is_text(name) => embedded.set(name, text)?,
                Value::Number(number) if !is_text(name) => embedded.set(name, &number.to_string())?,
                _ => {
                    let expected = if is_text(name) { "a string" } else { "a number" };
                    let message = format!("invalid options of the service: {name} takes {expected}");
                    return Err(recto_error::new(RECTO_E_INVALID, message));
                }
            }
        }
        Ok(embedded)
    }
}

/// Whether the value of a setting is a JSON string; otherwise it is a number.
fn is_text(name: &str) -> bool {
    matches!(name, "isolation" | "worker" | "data_dir")
}

#[cfg(feature = "local")]
type Service = recto_service::LocalService;
#[cfg(not(feature = "local"))]
type Service = std::convert::Infallible;

#[cfg(feature = "local")]
fn start(options: Options, log: Option<&Log>) -> Outcome<recto_local> {
    let embedded = options.embedded()?;
    let settings = embedded.prepared();
    let mut builder = recto_service::LocalService::builder().settings(settings);
    builder = builder.port(options.port).allow_private_urls(options.allow_private_urls);
    if let Some(api_key) = options.api_key {
        builder = builder.api_key(api_key);
    }
    if let Some(ports) = options.fetch_ports {
        builder = builder.fetch_ports(ports);
    }
    if let Some(log) = log {
        builder = builder.log_to(log.subscriber());
    }
    let service = builder
        .start()
        .map_err(|error| recto_error::new(RECTO_E_CONFIG, format!("the service could not start: {error}")))?;
    Ok(recto_local {
        base_url: crate::memory::text::c_text(service.base_url()),
        api_key: crate::memory::text::c_text(service.api_key().expose()),
        _service: service,
    })
}

#[cfg(not(feature = "local"))]
fn start(options: Options, _: Option<&Log>) -> Outcome<recto_local> {
    options.embedded()?;
    Err(recto_error::new(
        RECTO_E_CONFIG,
        "the library was built without the embedded service; build it with the feature `local`",
    ))
}
