//! Chooses the service: the service that the command line, the environment or the config file names. If none of them
//! names a service, an embedded service is started, which ends with the client.

use crate::args::extra;
use crate::config::{Config, Service};
use crate::exit::Failure;
use crate::interrupt;
use crate::secret_file::{first_line, lines};
use clap::ArgMatches;
use clap::parser::ValueSource;
use recto::{Call, Client, ClientBuilder};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The service to use, and which flag, variable or file named it.
pub struct Target {
    /// The base URL of the service. `None` for the embedded service.
    pub base_url: Option<String>,
    pub set_by: SetBy,
    /// The settings of this service in the config file.
    pub settings: Option<Service>,
}

/// Which flag, environment variable or file named the service to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetBy {
    Flag(&'static str),
    Variable(&'static str),
    ConfigFile,
    Default,
}

impl fmt::Display for SetBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) => f.write_str(name),
            Self::ConfigFile => f.write_str("the config file"),
            Self::Default => f.write_str("the default"),
        }
    }
}

/// Chooses the service. A flag takes precedence over an environment variable, and an environment variable over the
/// config file.
pub fn target(matches: &ArgMatches) -> Result<Target, Failure> {
    let mut config = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let given = |id: &str, source| {
        matches.get_one::<String>(id).filter(|_| matches.value_source(id) == Some(source)).cloned()
    };
    let named = |config: &mut Config, name: &str, set_by| {
        let settings = match config.service(name).map_err(Failure::usage)? {
            Some(_) => config.services.remove(name),
            None => None,
        };
        Ok(Target { base_url: settings.as_ref().map(|service| service.base_url.clone()), set_by, settings })
    };
    let sources = [
        (ValueSource::CommandLine, SetBy::Flag("--base-url"), SetBy::Flag("--service")),
        (ValueSource::EnvVariable, SetBy::Variable("RECTO_BASE_URL"), SetBy::Variable("RECTO_SERVICE")),
    ];
    for (source, by_address, by_name) in sources {
        if let Some(base_url) = given("base-url", source) {
            return Ok(Target { base_url: Some(base_url), set_by: by_address, settings: None });
        }
        if let Some(name) = given("service", source) {
            return named(&mut config, &name, by_name);
        }
    }
    match config.service.clone() {
        Some(name) => named(&mut config, &name, SetBy::ConfigFile),
        None => Ok(Target { base_url: None, set_by: SetBy::Default, settings: None }),
    }
}

/// Whether the service is not the embedded service. An external service keeps running after the command has ended.
pub fn is_external(matches: &ArgMatches) -> Result<bool, Failure> {
    Ok(target(matches)?.base_url.is_some())
}

/// Creates the client for the chosen service, with the settings of that service.
pub fn client(matches: &ArgMatches) -> Result<Client, Failure> {
    let target = target(matches)?;
    let headers = headers(matches)?;
    let mut builder = match &target.base_url {
        Some(base_url) => Client::builder().base_url(base_url),
        None => embedded(Client::builder(), matches)?,
    };
    if let Some(settings) = target.settings {
        if let Some(file) = &settings.api_key_file {
            builder = builder.api_key(first_line(file, "the key")?);
        }
        if let Some(key) = settings.api_key {
            builder = builder.api_key(key);
        }
        if let Some(proxy) = settings.proxy {
            builder = builder.proxy(proxy);
        }
        if let Some(bundle) = settings.ca_bundle {
            builder = builder.ca_bundle(bundle);
        }
        if let Some(certificate) = settings.client_certificate {
            builder = builder.client_certificate(certificate);
        }
        for (name, value) in settings.headers {
            builder = builder.header(name, value.expose());
        }
    }
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    Ok(builder.from_env()?.build()?)
}

/// The headers of `--header`, in the order of the command line.
fn headers(matches: &ArgMatches) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = Vec::new();
    for text in matches.get_many::<String>(extra::HEADER).into_iter().flatten() {
        let read = |text: &str| extra::header(text).map_err(|why| Failure::usage(format!("--header: {why}")));
        match text.strip_prefix('@') {
            None => headers.push(read(text)?),
            Some(file) => {
                for line in lines(Path::new(file), "the headers")? {
                    headers.push(read(&line)?);
                }
            }
        }
    }
    Ok(headers)
}

#[cfg(feature = "local")]
fn embedded(builder: ClientBuilder, matches: &ArgMatches) -> Result<ClientBuilder, Failure> {
    use crate::args::settings::{self, LOCAL};
    let file = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let settings = settings::read(matches, &LOCAL, &file.local).map_err(Failure::usage)?;
    let service = recto_service::LocalServiceBuilder::from(settings.service).start();
    let service = service.map_err(|error| Failure::service(error.to_string()))?;
    let unused = service.unused_files();
    let builder = builder.base_url(service.base_url()).api_key(service.api_key().clone()).no_proxy();
    let builder = builder.delete_unused(move |id| unused.delete(id));
    Ok(builder.keep_alive(std::sync::Arc::new(service)))
}

#[cfg(not(feature = "local"))]
fn embedded(_: ClientBuilder, _: &ArgMatches) -> Result<ClientBuilder, Failure> {
    Err(Failure::usage(
        "built without the embedded service (the feature `local`): give --base-url or set RECTO_BASE_URL",
    ))
}

/// The settings of every call of a command: the time at which the command must end, and cancellation by a signal.
pub fn call(matches: &ArgMatches) -> Result<Call<'static>, Failure> {
    let call = Call::new().cancel(&interrupt::cancel());
    let end = timeout(matches)?.and_then(|timeout| Instant::now().checked_add(timeout));
    Ok(match end {
        Some(end) => call.until(end),
        None => call,
    })
}

/// The time limit of the command: from `--timeout`, or from the config file. `None` if neither sets a time limit.
pub fn timeout(matches: &ArgMatches) -> Result<Option<Duration>, Failure> {
    let of_service = || target(matches).ok()?.settings?.timeout;
    let Some(seconds) = matches.get_one::<f64>("timeout").copied().or_else(of_service) else {
        return Ok(None);
    };
    Duration::try_from_secs_f64(seconds)
        .map(Some)
        .map_err(|_| Failure::usage(format!("--timeout takes seconds, such as 60 or 0.5, not {seconds}")))
}
