//! `recto_config`: the settings of a client.

use crate::embedded::{self, Embedded};
use crate::error::{Outcome, recto_error};
use crate::log::{Log, recto_drop_fn, recto_log_fn};
use crate::memory::handles::free;
use crate::status::{RECTO_E_CONFIG, recto_status};
use recto::{ClientBuilder, Overrides};
use std::ffi::{c_char, c_void};
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// The settings of a client, each a name and a value. Settings that are not set are taken from the environment:
/// RECTO_BASE_URL, RECTO_API_KEY, RECTO_TIMEOUT (in seconds).
///
/// Threads: one at a time.
pub struct recto_config {
    pub(crate) builder: ClientBuilder,
    /// The settings that a copy of a client can change.
    pub(crate) overrides: Overrides,
    /// The name of a setting that was set, but that a copy of a client cannot change.
    pub(crate) of_new_clients: Option<String>,
    pub(crate) environment: bool,
    pub(crate) log: Option<Log>,
    pub(crate) embedded: Embedded,
}

/// Creates a configuration in which nothing is set, freed with recto_config_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_new(
    out: *mut *mut recto_config,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => {
        out.set(recto_config::new())
    })
}

/// Sets a setting. Numbers are decimal, switches are "true" or "false", times are milliseconds above 0. The settings:
///
/// - `base_url`: the address of the service, such as `https://pdf.example.com`; it may have a path. If it is set
///   neither here nor in the environment, the client uses the embedded service: documents are processed on this
///   machine.
/// - `api_key`: the API key, which is sent only to the origin of the base URL; empty for none.
/// - `timeout_ms`: the time limit of the whole call: upload, start, wait, download and retries; -1 for no limit.
///   Default: no limit. An API request with its retries is then limited to 5 minutes.
/// - `connect_timeout_ms`: how long to wait for a connection, including TLS. Default: 10000.
/// - `stall_timeout_ms`: how long to wait for the response to a request, or for the next byte of a transfer. Default:
///   30000.
/// - `wait_timeout_ms`: the time limit for waiting for the operation, within the time limit of the whole call; -1 for
///   no limit. When it expires, the call ends with RECTO_E_WAIT_TIMEOUT, and the operation continues. Default: no limit
///   if `timeout_ms` is set, otherwise 15 minutes.
/// - `retries`: how many times a failed request is repeated. Default: 3.
/// - `retry_unknown`: whether the start of an operation is also repeated if it is unknown whether it started. The
///   operation may then run, and be charged, twice. Default: false.
/// - `allow_http`: whether the base URL may be unencrypted http to another machine. Default: false.
/// - `proxy`: `http://[user:password@]host:port`; empty for none. Default: the proxy of the environment (HTTPS_PROXY,
///   HTTP_PROXY, ALL_PROXY, NO_PROXY), which is never used for this machine itself.
/// - `ca_bundle`: a PEM file of certificate authorities to trust in addition to those of the system.
/// - `client_certificate`: a PEM file with the TLS certificate of the client and its unencrypted private key.
/// - `user_agent`: the User-Agent header. Default: "recto/" and the version.
/// - `json_limit`: the largest JSON response, in bytes. Default: 16777216.
/// - `environment`: whether settings that are not set are taken from the environment. Default: true.
/// - `isolation`: how the embedded service isolates documents from this process. `best` processes them in worker
///   processes that are sandboxed as far as the system allows, or in this process if no program for them is known.
///   `workers` requires workers, `strict` workers with a complete sandbox: otherwise recto_client_new() fails. `none`
///   processes documents in this process. Default: best.
/// - `worker`: the path of the `recto` program from which the embedded service starts its workers. Default: see WORKERS
///   at the top.
/// - `workers`: how many operations the embedded service runs at the same time. Default: one for each core.
/// - `worker_memory`: the memory limit of a worker process, in bytes. Default: 4294967296.
/// - `in_process_bytes`: how many bytes a document may decode to, if it is processed in this process. Default:
///   268435456.
/// - `stored_bytes`: the size limit of all files and results in the embedded service, in bytes. Default: 68719476736.
/// - `retention_ms`: after which time the embedded service deletes files and results that were not deleted earlier.
///   Default: 86400000 (24 hours).
/// - `data_dir`: an existing directory, in which the embedded service creates a private directory for its files.
///   Default: the temporary directory of the system.
/// - `keep_files`: whether the embedded service keeps the files of an operation when its handle is freed: see FILES at
///   the top. Default: false.
///
/// Errors: RECTO_E_CONFIG for an unknown setting or an invalid value. Errors that only appear when the setting is used,
/// such as a missing file, are returned by recto_client_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_set(
    config: *mut recto_config,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, config: handle_mut, name: text, value: text => config.set(name, value))
}

/// Sets a header of every request to the service, such as "traceparent" or a header that a gateway requires. It is sent
/// only to the origin of the base URL. A later header with the same name replaces it, and so does
/// recto_call_set_header(). If the name of a header suggests a secret, as "Authorization" does, its value is removed
/// from messages and logs.
///
/// Errors: RECTO_E_CONFIG for an invalid header, and for one that the library sets itself, such as "X-Api-Key".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_set_header(
    config: *mut recto_config,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, config: handle_mut, name: text, value: text => {
        Overrides::new().header(name, value).check()?;
        config.builder = config.builder.clone().header(name, value);
        config.overrides = config.overrides.clone().header(name, value);
        Ok(())
    })
}

/// Sets the log callback: `log` is called for events up to `level`, a RECTO_LOG_ value, in the calls of all clients
/// that are created with this configuration. `drop`, which may be NULL, is called exactly once with `userdata`: when
/// the configuration, its clients and their operations are all freed, or when another log has replaced this one. It is
/// not called if this function fails.
///
/// Errors: RECTO_E_INVALID for an invalid level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_set_log(
    config: *mut recto_config,
    level: i32,
    log: recto_log_fn,
    userdata: *mut c_void,
    drop: recto_drop_fn,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, config: handle_mut => {
        config.log = Some(Log::new(level, log, userdata, drop)?);
        Ok(())
    })
}

/// Frees a configuration. Clients that were created with it stay valid. NULL is allowed and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_free(config: *mut recto_config) {
    // SAFETY: the header requires NULL or a handle of this library that is no longer in use.
    unsafe { free(config) };
}

impl recto_config {
    fn new() -> Self {
        Self {
            builder: ClientBuilder::new(),
            overrides: Overrides::new(),
            of_new_clients: None,
            environment: true,
            log: None,
            embedded: Embedded::default(),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Outcome {
        // Changes are made to copies, so that an invalid value leaves the other settings unchanged.
        match name {
            "environment" => self.environment = read(name, value, "true or false")?,
            _ if embedded::SETTINGS.contains(&name) => self.embedded.set(name, value)?,
            _ => self.builder = apply(self.builder.clone(), name, value)?,
        }
        match overridden(self.overrides.clone(), name, value)? {
            Some(overrides) => self.overrides = overrides,
            None => self.of_new_clients = Some(name.to_owned()),
        }
        Ok(())
    }
}

fn apply(builder: ClientBuilder, name: &str, value: &str) -> Outcome<ClientBuilder> {
    let time = || milliseconds(name, value);
    Ok(match name {
        "base_url" => builder.base_url(value),
        "api_key" => builder.api_key(value),
        "timeout_ms" if value == NO_LIMIT => builder,
        "timeout_ms" => builder.timeout(time()?),
        "connect_timeout_ms" => builder.connect_timeout(time()?),
        "stall_timeout_ms" => builder.stall_timeout(time()?),
        "wait_timeout_ms" => builder.wait_timeout(limit(name, value)?),
        "retries" => builder.retries(read(name, value, "a number")?),
        "retry_unknown" => builder.retry_unknown(read(name, value, "true or false")?),
        "allow_http" => builder.allow_http(read(name, value, "true or false")?),
        "proxy" if value.is_empty() => builder.no_proxy(),
        "proxy" => builder.proxy(value),
        "ca_bundle" => builder.ca_bundle(value),
        "client_certificate" => builder.client_certificate(value),
        "user_agent" => builder.user_agent(value),
        "json_limit" => builder.json_limit(read(name, value, "a number of bytes")?),
        "keep_files" => builder.keep_files(read(name, value, "true or false")?),
        _ => {
            let message = format!("unknown setting {name:?}; the settings are {}", SETTINGS.join(", "));
            return Err(recto_error::new(RECTO_E_CONFIG, message));
        }
    })
}

/// Sets a setting of a copy of a client. `None` if a copy cannot change this setting.
fn overridden(overrides: Overrides, name: &str, value: &str) -> Outcome<Option<Overrides>> {
    Ok(Some(match name {
        "timeout_ms" => overrides.timeout(limit(name, value)?),
        "wait_timeout_ms" => overrides.wait_timeout(limit(name, value)?),
        "stall_timeout_ms" => overrides.stall_timeout(milliseconds(name, value)?),
        "retries" => overrides.retries(read(name, value, "a number")?),
        "retry_unknown" => overrides.retry_unknown(read(name, value, "true or false")?),
        "keep_files" => overrides.keep_files(read(name, value, "true or false")?),
        _ => return Ok(None),
    }))
}

/// The value of a time limit that means "no limit".
const NO_LIMIT: &str = "-1";

fn limit(name: &str, value: &str) -> Outcome<Option<Duration>> {
    if value == NO_LIMIT { Ok(None) } else { milliseconds(name, value).map(Some) }
}

fn milliseconds(name: &str, value: &str) -> Outcome<Duration> {
    match read(name, value, TIME)? {
        0 => Err(recto_error::invalid_setting(name, value, TIME)),
        milliseconds => Ok(Duration::from_millis(milliseconds)),
    }
}

const TIME: &str = "a number of milliseconds above 0";

const SETTINGS: &[&str] = &[
    "base_url",
    "api_key",
    "timeout_ms",
    "connect_timeout_ms",
    "stall_timeout_ms",
    "wait_timeout_ms",
    "retries",
    "retry_unknown",
    "allow_http",
    "proxy",
    "ca_bundle",
    "client_certificate",
    "user_agent",
    "json_limit",
    "environment",
    "isolation",
    "worker",
    "workers",
    "worker_memory",
    "in_process_bytes",
    "stored_bytes",
    "retention_ms",
    "data_dir",
    "keep_files",
];

fn read<T: FromStr>(name: &str, value: &str, expected: impl Display) -> Outcome<T> {
    value.parse().map_err(|_| recto_error::invalid_setting(name, value, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_documented_and_can_be_set() {
        let mut config = recto_config::new();
        let manual = include_str!("config.rs");
        for name in SETTINGS {
            assert!(manual.contains(&format!("/// - `{name}`: ")), "{name} is not in the manual");
            assert!(["1", "true", "best"].iter().any(|value| config.set(name, value).is_ok()), "{name}");
        }
        let explained = manual.lines().filter(|line| line.starts_with("/// - `")).count();
        assert_eq!(explained, SETTINGS.len());
    }

    #[test]
    fn an_invalid_value_is_quoted_with_what_is_expected() {
        let mut config = recto_config::new();
        let message = |name, value, config: &mut recto_config| {
            config.set(name, value).unwrap_err().message().to_str().unwrap().to_owned()
        };
        assert!(message("timeout_ms", "0", &mut config).contains("milliseconds above 0"));
        assert!(message("retries", "-1", &mut config).contains("\"-1\""));
        assert!(message("allow_http", "yes", &mut config).contains("true or false"));
        assert!(message("timeout", "1", &mut config).contains("timeout_ms"));
    }

    #[test]
    fn an_invalid_value_leaves_the_other_settings_as_they_are() {
        let mut config = recto_config::new();
        config.set("base_url", "https://pdf.example.com").ok().unwrap();
        config.set("retries", "many").unwrap_err();
        assert!(config.builder.has_base_url());
    }

    #[test]
    fn settings_of_new_clients_are_noted() {
        let mut config = recto_config::new();
        for name in ["timeout_ms", "wait_timeout_ms", "stall_timeout_ms", "retries"] {
            config.set(name, "5").ok().unwrap();
        }
        config.set("timeout_ms", "-1").ok().unwrap();
        config.set("retry_unknown", "true").ok().unwrap();
        config.set("keep_files", "true").ok().unwrap();
        assert_eq!(config.of_new_clients, None);
        config.set("worker", "/usr/bin/recto").ok().unwrap();
        assert_eq!(config.of_new_clients.as_deref(), Some("worker"));
    }
}
