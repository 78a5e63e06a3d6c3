//! `recto_config`: what a client is told.

use crate::error::{Outcome, recto_error};
use crate::log::{Log, recto_drop_fn, recto_log_fn};
use crate::memory::handles::free;
use crate::status::{RECTO_E_CONFIG, recto_status};
use recto::ClientBuilder;
use std::ffi::{c_char, c_void};
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// What a client is told, by name and value. What it is not told it takes from the environment: RECTO_BASE_URL,
/// RECTO_API_KEY, RECTO_TIMEOUT (seconds).
///
/// Threads: one at a time.
pub struct recto_config {
    pub(crate) builder: ClientBuilder,
    pub(crate) environment: bool,
    pub(crate) log: Option<Log>,
}

/// Makes a configuration that tells nothing, freed with recto_config_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_new(
    out: *mut *mut recto_config,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, out: out => {
        out.give(recto_config { builder: ClientBuilder::new(), environment: true, log: None })
    })
}

/// Tells a setting. Numbers are decimal, switches "true" or "false", times milliseconds above 0. The settings:
///
/// - `base_url`: the service's address, such as `https://pdf.example.com`; it may carry a path. Without one, here and
///   in the environment, the client brings a service along: documents are processed on this machine.
/// - `api_key`: the key, sent to the base URL's origin and nowhere else; empty for none.
/// - `timeout_ms`: the longest a call may take, retries and transfers included, waiting for an operation not. Default:
///   5 minutes for small requests; none for transfers, which may take as long as they move.
/// - `connect_timeout_ms`: the longest to wait for a connection, TLS included. Default: 10000.
/// - `stall_timeout_ms`: the longest a request may go unanswered, or a transfer move no byte. Default: 30000.
/// - `wait_timeout_ms`: the longest to wait for an operation to end; -1 for ever. Default: 900000, 15 minutes.
/// - `retries`: how many times a failed request is repeated. Default: 3.
/// - `retry_unknown`: whether starting an operation is repeated also when nobody knows whether it was started; the
///   work may then be done, and paid for, twice. Default: false.
/// - `allow_http`: allows a base URL that is plain http to another machine. Default: false.
/// - `proxy`: `http://[user:password@]host:port`; empty for none. Default: what the environment says (HTTPS_PROXY,
///   HTTP_PROXY, ALL_PROXY, NO_PROXY), never for this machine itself.
/// - `ca_bundle`: a PEM file of certificate authorities to trust besides the system's.
/// - `client_certificate`: a PEM file with the certificate, and its unencrypted key, that the client shows.
/// - `user_agent`: the User-Agent. Default: "recto/" and the version.
/// - `json_limit`: the most bytes that a JSON answer may have. Default: 16777216.
/// - `environment`: whether what is not told is taken from the environment. Default: true.
///
/// Errors: RECTO_E_CONFIG for an unknown setting or a value that cannot be read. What only a client can find wrong,
/// such as a missing file, recto_client_new() says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_set(
    config: *mut recto_config,
    name: *const c_char,
    value: *const c_char,
    err: *mut *mut recto_error,
) -> recto_status {
    entry!(err, config: handle_mut, name: text, value: text => config.set(name, value))
}

/// Has `log` told what happens in the calls of the clients that are made with this configuration, up to `level`, a
/// RECTO_LOG_ value. `drop`, which may be NULL, is given `userdata` exactly once: when the configuration, its clients
/// and their operations are all freed, or when another log has taken this one's place. It is not called when this
/// function fails.
///
/// Errors: RECTO_E_INVALID for a level that is none.
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

/// Frees a configuration. Clients that were made with it are not concerned. NULL is a no-op.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_config_free(config: *mut recto_config) {
    // SAFETY: the header requires NULL or a handle of this library, which nobody uses any more.
    unsafe { free(config) };
}

impl recto_config {
    fn set(&mut self, name: &str, value: &str) -> Outcome {
        if name == "environment" {
            self.environment = read(name, value, "true or false")?;
            return Ok(());
        }
        self.builder = told(std::mem::take(&mut self.builder), name, value)?;
        Ok(())
    }
}

fn told(builder: ClientBuilder, name: &str, value: &str) -> Outcome<ClientBuilder> {
    let milliseconds = || match read(name, value, TIME)? {
        0 => Err(recto_error::invalid_setting(name, value, TIME)),
        milliseconds => Ok(Duration::from_millis(milliseconds)),
    };
    Ok(match name {
        "base_url" => builder.base_url(value),
        "api_key" => builder.api_key(value),
        "timeout_ms" => builder.timeout(milliseconds()?),
        "connect_timeout_ms" => builder.connect_timeout(milliseconds()?),
        "stall_timeout_ms" => builder.stall_timeout(milliseconds()?),
        "wait_timeout_ms" if value == "-1" => builder.wait_timeout(None),
        "wait_timeout_ms" => builder.wait_timeout(Some(milliseconds()?)),
        "retries" => builder.retries(read(name, value, "a number")?),
        "retry_unknown" => builder.retry_unknown(read(name, value, "true or false")?),
        "allow_http" => builder.allow_http(read(name, value, "true or false")?),
        "proxy" if value.is_empty() => builder.no_proxy(),
        "proxy" => builder.proxy(value),
        "ca_bundle" => builder.ca_bundle(value),
        "client_certificate" => builder.client_certificate(value),
        "user_agent" => builder.user_agent(value),
        "json_limit" => builder.json_limit(read(name, value, "a number of bytes")?),
        _ => {
            let message = format!("there is no setting {name:?}; the settings are {}", SETTINGS.join(", "));
            return Err(recto_error::new(RECTO_E_CONFIG, message));
        }
    })
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
];

fn read<T: FromStr>(name: &str, value: &str, wanted: impl Display) -> Outcome<T> {
    value.parse().map_err(|_| recto_error::invalid_setting(name, value, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_named_in_the_message_and_the_manual_can_be_told() {
        let mut config = recto_config { builder: ClientBuilder::new(), environment: true, log: None };
        let manual = include_str!("config.rs");
        for name in SETTINGS {
            assert!(manual.contains(&format!("/// - `{name}`: ")), "{name} is not in the manual");
            assert!(["1", "true"].iter().any(|value| config.set(name, value).is_ok()), "{name}");
        }
        let explained = manual.lines().filter(|line| line.starts_with("/// - `")).count();
        assert_eq!(explained, SETTINGS.len());
    }

    #[test]
    fn a_value_that_cannot_be_read_is_named_with_what_is_wanted() {
        let mut config = recto_config { builder: ClientBuilder::new(), environment: true, log: None };
        let message = |name, value, config: &mut recto_config| {
            config.set(name, value).unwrap_err().message().to_str().unwrap().to_owned()
        };
        assert!(message("timeout_ms", "0", &mut config).contains("milliseconds above 0"));
        assert!(message("retries", "-1", &mut config).contains("\"-1\""));
        assert!(message("allow_http", "yes", &mut config).contains("true or false"));
        assert!(message("timeout", "1", &mut config).contains("timeout_ms"));
    }
}
