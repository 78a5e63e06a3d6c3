//! `recto_local`: the embedded service, run by hand.

use crate::error::{Outcome, recto_error};
use crate::memory::handles::{free, read_handle};
use crate::status::*;
use std::ffi::{CString, c_char};
use std::ptr::null;

/// The service, on this machine, for other programs or clients with settings of their own. A client without a base URL
/// starts one by itself.
///
/// In a forked child it does not run; the child may free it.
///
/// Threads: one at a time.
pub struct recto_local {
    base_url: CString,
    api_key: CString,
    _service: Service,
}

/// Starts a service on loopback, freed, and so ended, with recto_local_free().
///
/// `options` is a JSON object, or NULL for none:
///
/// - `port`: the port to listen on. Default: any that is free.
/// - `api_key`: the key that clients must send. Default: a random one.
/// - `data_dir`: an existing directory, below which it makes a private one for its files. Default: the system's temporary
///   directory.
/// - `workers`: how many operations run at the same time. Default: one for each core.
/// - `allow_private_urls`: whether recto_upload_url() may name addresses of private networks. Default: false.
///
/// Errors: RECTO_E_INVALID for options that cannot be read; RECTO_E_CONFIG when it could not be started, or was not
/// built into this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_start(
    options: *const c_char,
    out: *mut *mut recto_local,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out, options: optional_text => {
        let options = options.map_or(Ok(Options::default()), |text| {
            serde_json::from_str(text).map_err(|error| {
                recto_error::new(RECTO_E_INVALID, format!("the options of the service cannot be read: {error}"))
            })
        })?;
        out.give(start(options)?)
    })
}

/// The address to give to a client. Lives as long as the handle; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_base_url(local: *const recto_local) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(local, null(), |local| local.base_url.as_ptr()) }
}

/// The key to give to a client. Lives as long as the handle; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_api_key(local: *const recto_local) -> *const c_char {
    // SAFETY: the header requires NULL or a handle of this library.
    unsafe { read_handle(local, null(), |local| local.api_key.as_ptr()) }
}

/// Ends the service: operations are given up, the port closes, its files are removed. It takes some milliseconds, and up
/// to two seconds when operations are running. NULL is a no-op.
///
/// Threads: any, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_local_free(local: *mut recto_local) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(local) };
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    port: u16,
    api_key: Option<String>,
    data_dir: Option<std::path::PathBuf>,
    workers: Option<usize>,
    allow_private_urls: bool,
}

#[cfg(feature = "local")]
type Service = recto_service::LocalService;
#[cfg(not(feature = "local"))]
type Service = std::convert::Infallible;

#[cfg(feature = "local")]
fn start(options: Options) -> Outcome<recto_local> {
    let mut builder = recto_service::LocalService::builder()
        .port(options.port)
        .allow_private_urls(options.allow_private_urls);
    if let Some(api_key) = options.api_key {
        builder = builder.api_key(api_key);
    }
    if let Some(data_dir) = options.data_dir {
        builder = builder.data_dir(data_dir);
    }
    if let Some(workers) = options.workers {
        builder = builder.workers(workers);
    }
    let service = builder
        .start()
        .map_err(|error| recto_error::new(RECTO_E_CONFIG, format!("the service did not start: {error}")))?;
    Ok(recto_local {
        base_url: crate::memory::text::c_text(service.base_url()),
        api_key: crate::memory::text::c_text(service.api_key().expose()),
        _service: service,
    })
}

#[cfg(not(feature = "local"))]
fn start(_: Options) -> Outcome<recto_local> {
    Err(recto_error::new(RECTO_E_CONFIG, "this library was built without the embedded service"))
}
