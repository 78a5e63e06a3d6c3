//! `recto serve`: the service on this machine until interrupted.

#[cfg(feature = "local")]
mod settings;
#[cfg(feature = "local")]
mod values;

use crate::exit::Failure;
use clap::{Arg, ArgMatches};

/// The flags of the command.
#[cfg(feature = "local")]
pub fn flags() -> impl Iterator<Item = Arg> {
    settings::flags()
}

/// The flags of the command, which this build does not have.
#[cfg(not(feature = "local"))]
pub fn flags() -> impl Iterator<Item = Arg> {
    std::iter::empty()
}

#[cfg(feature = "local")]
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    use crate::{exit, report};
    let config = configured(matches)?;
    let announce = |serving: &recto_service::Serving| {
        report::line(&format!("RECTO_BASE_URL={}", serving.base_url));
        if serving.key_is_generated {
            report::line(&format!("RECTO_API_KEY={}", serving.api_key.expose()));
        }
    };
    recto_service::serve_until_signal(config, announce)
        .map_err(|error| Failure::service(error.to_string()))?;
    Ok(exit::OK)
}

#[cfg(feature = "local")]
fn configured(matches: &ArgMatches) -> Result<recto_service::Config, Failure> {
    use crate::config::Config;
    use recto_service::Store;
    use std::path::PathBuf;
    use std::time::Duration;
    let file = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let settings = settings::read(matches, &file.serve).map_err(Failure::usage)?;
    let mut service = settings.service;
    service.api_key = std::env::var("RECTO_API_KEY").ok().filter(|key| !key.is_empty()).map(Into::into);
    if let Some(path) = settings.api_key_file.filter(|_| service.api_key.is_none()) {
        service.api_key = Some(crate::connect::first_line(&path, "the key")?.into());
    }
    let outlasts = !matches!(service.store, Store::Temporary { .. });
    service.drain = settings.drain.unwrap_or(if outlasts { Duration::from_secs(10) } else { Duration::ZERO });
    Ok(service)
}

#[cfg(not(feature = "local"))]
pub fn run(_: &ArgMatches) -> Result<u8, Failure> {
    Err(Failure::usage("this build has no service; install recto with the feature `local`"))
}
