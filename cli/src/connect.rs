//! Which service does the work: the one at the base URL, else an embedded one that lives as long as the client.

use crate::exit::Failure;
use clap::ArgMatches;
use recto::{Call, Client, ClientBuilder};
use std::time::Duration;

/// The client that the command line and the environment ask for.
pub fn client(matches: &ArgMatches) -> Result<Client, Failure> {
    let builder = Client::builder();
    let builder = match matches.get_one::<String>("base-url") {
        Some(base_url) => builder.base_url(base_url),
        None => embedded(builder)?,
    };
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
    let Some(seconds) = matches.get_one::<f64>("timeout") else { return Ok(call) };
    let timeout = Duration::try_from_secs_f64(*seconds)
        .map_err(|_| Failure::usage(format!("--timeout takes seconds, such as 60 or 0.5, not {seconds}")))?;
    Ok(call.timeout(timeout))
}
