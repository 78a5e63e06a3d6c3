//! Which service does the work: the one that the command line, the environment or the config file names, else an
//! embedded one that lives as long as the client.

use crate::config::{Config, Service};
use crate::exit::Failure;
use clap::ArgMatches;
use clap::parser::ValueSource;
use recto::{Call, Client, ClientBuilder};
use std::fmt;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most bytes of a file that are looked at for a secret.
const LONGEST_SECRET_LINE: u64 = 64 * 1024;

/// The service that is to be used, and who said so.
pub struct Target {
    /// `None` for the embedded service.
    pub base_url: Option<String>,
    pub said_by: SaidBy,
    /// Its settings in the config file.
    pub settings: Option<Service>,
}

/// Who said which service is to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaidBy {
    Flag(&'static str),
    Variable(&'static str),
    ConfigFile,
    Nobody,
}

impl fmt::Display for SaidBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) => f.write_str(name),
            Self::ConfigFile => f.write_str("the config file"),
            Self::Nobody => f.write_str("nothing else is set"),
        }
    }
}

/// Flags go before variables, and those before the config file.
pub fn target(matches: &ArgMatches) -> Result<Target, Failure> {
    let mut config = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let given = |id: &str, source| {
        matches.get_one::<String>(id).filter(|_| matches.value_source(id) == Some(source)).cloned()
    };
    let named = |config: &mut Config, name: &str, said_by| {
        let settings = match config.service(name).map_err(Failure::usage)? {
            Some(_) => config.services.remove(name),
            None => None,
        };
        Ok(Target { base_url: settings.as_ref().map(|service| service.base_url.clone()), said_by, settings })
    };
    let sources = [
        (ValueSource::CommandLine, SaidBy::Flag("--base-url"), SaidBy::Flag("--service")),
        (ValueSource::EnvVariable, SaidBy::Variable("RECTO_BASE_URL"), SaidBy::Variable("RECTO_SERVICE")),
    ];
    for (source, by_address, by_name) in sources {
        if let Some(base_url) = given("base-url", source) {
            return Ok(Target { base_url: Some(base_url), said_by: by_address, settings: None });
        }
        if let Some(name) = given("service", source) {
            return named(&mut config, &name, by_name);
        }
    }
    match config.service.clone() {
        Some(name) => named(&mut config, &name, SaidBy::ConfigFile),
        None => Ok(Target { base_url: None, said_by: SaidBy::Nobody, settings: None }),
    }
}

/// Whether the service goes on running when the command has ended.
pub fn is_standing(matches: &ArgMatches) -> Result<bool, Failure> {
    Ok(target(matches)?.base_url.is_some())
}

/// The client that the command line, the environment and the config file ask for.
pub fn client(matches: &ArgMatches) -> Result<Client, Failure> {
    let target = target(matches)?;
    let mut builder = match &target.base_url {
        Some(base_url) => Client::builder().base_url(base_url),
        None => embedded(Client::builder())?,
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
    }
    Ok(builder.from_env()?.build()?)
}

#[cfg(feature = "local")]
fn embedded(builder: ClientBuilder) -> Result<ClientBuilder, Failure> {
    let service =
        recto_service::LocalService::start().map_err(|error| Failure::service(error.to_string()))?;
    let builder = builder.base_url(service.base_url()).api_key(service.api_key().clone()).no_proxy();
    Ok(builder.keep_alive(std::sync::Arc::new(service)))
}

#[cfg(not(feature = "local"))]
fn embedded(_: ClientBuilder) -> Result<ClientBuilder, Failure> {
    Err(Failure::usage("this build has no embedded service; give --base-url or set RECTO_BASE_URL"))
}

/// The settings of every request: the deadline, and the signal that ends it.
pub fn call(matches: &ArgMatches) -> Result<Call<'static>, Failure> {
    let call = Call::new().cancel(&crate::interrupt::cancel());
    Ok(match timeout(matches)? {
        Some(timeout) => call.timeout(timeout),
        None => call,
    })
}

/// The longest the command may take.
pub fn timeout(matches: &ArgMatches) -> Result<Option<Duration>, Failure> {
    let of_service = || target(matches).ok()?.settings?.timeout;
    let Some(seconds) = matches.get_one::<f64>("timeout").copied().or_else(of_service) else {
        return Ok(None);
    };
    Duration::try_from_secs_f64(seconds)
        .map(Some)
        .map_err(|_| Failure::usage(format!("--timeout takes seconds, such as 60 or 0.5, not {seconds}")))
}

/// The first line of a file that holds a secret; `-` is standard input.
pub fn first_line(file: &Path, what: &str) -> Result<String, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::file(format!("{}: {what} cannot be read: {error}", file.display()));
    let reader: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(unreadable)?)
    };
    let mut line = String::new();
    std::io::BufReader::new(reader.take(LONGEST_SECRET_LINE)).read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
