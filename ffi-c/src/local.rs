//! `recto_local`: the embedded service, started explicitly.

use crate::embedded::Embedded;
use crate::error::{Outcome, recto_error};
use crate::memory::handles::{free, read_handle};
use crate::status::*;
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
/// `options` is a JSON object, or NULL for none:
///
/// - `port`: the port to listen on. Default: a free port.
/// - `api_key`: the key that clients must send. Default: a random one.
/// - `fetch_ports`: the ports that recto_upload_url() may use, such as [80, 443, 8443]. Default: 80 and 443, or every port
///   with `allow_private_urls`.
/// - `data_dir`: an existing directory, in which the service creates a private one for its files. Default: the temporary
///   directory of the system.
/// - `workers`: how many operations run at the same time. Default: one for each core.
/// - `isolation`, `worker`, `in_process_bytes`: as in recto_config_set(). The last one is a number.
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
    entry!(err, out: out, options: optional_text => {
        let options = options.map_or(Ok(Options::default()), |text| {
            serde_json::from_str(text).map_err(|error| {
                recto_error::new(RECTO_E_INVALID, format!("invalid options of the service: {error}"))
            })
        })?;
        out.set(start(options)?)
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

/// Stops the service: aborts its operations, closes the port and removes its files. This takes some milliseconds, or up to
/// two seconds if operations are running. NULL is allowed and does nothing.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_free(local: *mut recto_local) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(local) };
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    port: u16,
    api_key: Option<String>,
    fetch_ports: Option<Vec<u16>>,
    data_dir: Option<std::path::PathBuf>,
    workers: Option<usize>,
    allow_private_urls: bool,
    isolation: Option<String>,
    worker: Option<String>,
    in_process_bytes: Option<u64>,
}

impl Options {
    fn embedded(&self) -> Outcome<Embedded> {
        let mut embedded = Embedded::default();
        if let Some(mode) = &self.isolation {
            embedded.set("isolation", mode)?;
        }
        if let Some(path) = &self.worker {
            embedded.set("worker", path)?;
        }
        if let Some(bytes) = self.in_process_bytes {
            embedded.set("in_process_bytes", &bytes.to_string())?;
        }
        Ok(embedded)
    }
}

#[cfg(feature = "local")]
type Service = recto_service::LocalService;
#[cfg(not(feature = "local"))]
type Service = std::convert::Infallible;

#[cfg(feature = "local")]
fn start(options: Options) -> Outcome<recto_local> {
    let builder = recto_service::LocalService::builder();
    let mut builder =
        options.embedded()?.apply(builder).port(options.port).allow_private_urls(options.allow_private_urls);
    if let Some(api_key) = options.api_key {
        builder = builder.api_key(api_key);
    }
    if let Some(ports) = options.fetch_ports {
        builder = builder.fetch_ports(ports);
    }
    if let Some(data_dir) = options.data_dir {
        builder = builder.data_dir(data_dir);
    }
    if let Some(workers) = options.workers {
        builder = builder.workers(workers);
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
fn start(options: Options) -> Outcome<recto_local> {
    options.embedded()?;
    Err(recto_error::new(
        RECTO_E_CONFIG,
        "the library was built without the embedded service; build it with the feature `local`",
    ))
}
