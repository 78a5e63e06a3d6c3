//! `recto serve` and `recto worker`: run the service, or a worker of services on other machines, until interrupted.

use crate::exit::Failure;
use clap::ArgMatches;

/// `recto worker`: runs operations that services on other machines have accepted.
#[cfg(feature = "shared")]
pub fn work(matches: &ArgMatches) -> Result<u8, Failure> {
    use crate::{exit, report};
    let config = configured(matches)?;
    if !matches!(config.store, recto_service::Store::Shared(_)) {
        return Err(Failure::usage(
            "a worker needs --database, --bucket and --secret-key-file, with the values of the services it works for",
        ));
    }
    let announce = |serving: &recto_service::Serving| {
        report::line(&format!("RECTO_WORKER_URL={}", serving.base_url));
    };
    recto_service::serve_until_signal(config, announce)
        .map_err(|error| Failure::service(error.to_string()))?;
    Ok(exit::OK)
}

/// This build does not include `recto worker`: returns an error that explains how to get it.
#[cfg(not(feature = "shared"))]
pub fn work(_: &ArgMatches) -> Result<u8, Failure> {
    Err(Failure::usage(
        "built without the feature `shared`: install recto with it to share work between machines",
    ))
}

#[cfg(feature = "local")]
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    use crate::{exit, report};
    use std::io::IsTerminal as _;
    let config = configured(matches)?;
    #[cfg(feature = "shared")]
    if matches!(config.store, recto_service::Store::Shared(_)) && config.api_key.is_none() {
        return Err(Failure::usage(
            "services that share work must have the same key: set RECTO_API_KEY, or give --api-key-file",
        ));
    }
    let announce = |serving: &recto_service::Serving| {
        report::line(&format!("RECTO_BASE_URL={}", serving.base_url));
        if serving.key_is_generated {
            report::line(&format!("RECTO_API_KEY={}", serving.api_key.expose()));
        }
        // The address of the web page gives access to the service, so this address must not end up in a log file.
        if std::io::stderr().is_terminal() {
            report::note(&format!(
                "Open this address in a browser, once and within ten minutes: {}",
                serving.page_url.expose()
            ));
        }
    };
    recto_service::serve_until_signal(config, announce)
        .map_err(|error| Failure::service(error.to_string()))?;
    Ok(exit::OK)
}

#[cfg(feature = "local")]
fn configured(matches: &ArgMatches) -> Result<recto_service::Config, Failure> {
    use crate::args::settings::{self, SERVE};
    use crate::config::Config;
    use crate::report::LogFormat;
    use crate::secret_file::first_line;
    use recto_service::Store;
    use std::path::PathBuf;
    use std::time::Duration;
    let file = Config::read(matches.get_one::<PathBuf>("config").map(PathBuf::as_path))?;
    let settings = settings::read(matches, &SERVE, &file.serve).map_err(Failure::usage)?;
    // Warnings are logged unless RECTO_LOG sets another level.
    let format = if settings.log_json { LogFormat::Json } else { LogFormat::Text };
    crate::report::log_to_stderr(format, Some("warn"));
    let mut service = settings.service;
    #[cfg(feature = "test-controls")]
    {
        service.test_controls = matches.try_get_one::<bool>("test-controls").ok().flatten() == Some(&true);
    }
    service.api_key = std::env::var("RECTO_API_KEY").ok().filter(|key| !key.is_empty()).map(Into::into);
    if let Some(path) = settings.api_key_file.filter(|_| service.api_key.is_none()) {
        service.api_key = Some(first_line(&path, "the key")?.into());
    }
    let shared = [
        ("--database", settings.database.is_some()),
        ("--bucket", settings.bucket.is_some()),
        ("--secret-key-file", settings.secret_key_file.is_some()),
    ];
    if shared.iter().any(|(_, given)| *given) {
        let missing: Vec<_> = shared.iter().filter(|(_, given)| !given).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            return Err(Failure::usage(format!(
                "to share work between machines, also give {}",
                missing.join(" and ")
            )));
        }
        if !matches!(service.store, Store::Temporary { .. }) {
            return Err(Failure::usage("give --data-dir or --database, not both"));
        }
    }
    #[cfg(not(feature = "shared"))]
    if settings.database.is_some() {
        return Err(Failure::usage(
            "built without the feature `shared`: install recto with it to share work between machines",
        ));
    }
    #[cfg(feature = "shared")]
    if let (Some(database), Some(bucket), Some(key)) =
        (settings.database, settings.bucket, settings.secret_key_file)
    {
        service.store = Store::Shared(recto_service::Shared {
            database,
            allow_insecure_database: settings.allow_insecure_database,
            bucket,
            endpoint: settings.bucket_endpoint,
            public_endpoint: settings.bucket_public_endpoint,
            allow_insecure_bucket: settings.allow_insecure_bucket,
            secret_key: first_line(&key, "the secret key")?.into(),
            spool: None,
        });
    }
    let is_kept = !matches!(service.store, Store::Temporary { .. });
    service.drain = settings.drain.unwrap_or(if is_kept { Duration::from_secs(10) } else { Duration::ZERO });
    Ok(service)
}

#[cfg(not(feature = "local"))]
pub fn run(_: &ArgMatches) -> Result<u8, Failure> {
    Err(Failure::usage("built without the feature `local`: install recto with it to run the service"))
}
