//! `recto serve`: the service on this machine until interrupted.

use crate::exit::Failure;
use clap::ArgMatches;

#[cfg(feature = "local")]
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    use crate::{exit, report};
    let config = recto_service::Config {
        host: matches.get_one::<String>("host").cloned().unwrap_or_default(),
        port: matches.get_one::<u16>("port").copied().unwrap_or_default(),
        api_key: std::env::var("RECTO_API_KEY").ok().filter(|key| !key.is_empty()).map(Into::into),
        workers: matches.get_one::<u16>("workers").map(|workers| usize::from(*workers)),
        public_url: matches.get_one::<String>("public-url").cloned(),
        allow_private_urls: matches.get_flag("allow-private-urls"),
        ..recto_service::Config::default()
    };
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

#[cfg(not(feature = "local"))]
pub fn run(_: &ArgMatches) -> Result<u8, Failure> {
    Err(Failure::usage("this build has no service; install recto with the feature `local`"))
}
