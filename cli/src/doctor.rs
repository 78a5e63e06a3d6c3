//! `recto doctor`: what is set up, whether it works, and how to mend what does not.

use crate::connect::{self, Target};
use crate::exit::{self, Failure};
use crate::{config, report};
use clap::ArgMatches;
use recto::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How one thing is.
enum Finding {
    Good(String),
    /// It works without, but not all of it.
    Lacking(String, String),
    /// It does not work; and how to mend it.
    Bad(String, String),
}

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let mut code = exit::OK;
    let mut tell = |what: &str, finding: Finding| match finding {
        Finding::Good(how) => report::line(&format!("ok    {what}: {how}")),
        Finding::Lacking(how, mend) => report::line(&format!("lacks {what}: {how}\n      {mend}")),
        Finding::Bad(how, mend) => {
            code = exit::SERVICE;
            report::line(&format!("BAD   {what}: {how}\n      {mend}"));
        }
    };
    tell("version", Finding::Good(env!("CARGO_PKG_VERSION").to_owned()));
    tell("config file", config_file(matches));
    let target = match connect::target(matches) {
        Ok(target) => target,
        Err(failure) => {
            tell("service", Finding::Bad(failure.message, "Mend the config file or the flag".to_owned()));
            return Ok(code);
        }
    };
    tell("temporary files", temporary_files());
    match &target.base_url {
        Some(base_url) => {
            tell("service", Finding::Good(format!("{base_url} ({})", target.said_by)));
            tell("key", key(&target));
        }
        None => tell("service", Finding::Good(format!("the embedded one ({})", target.said_by))),
    }
    tell("connection", connection(&target, matches));
    if target.base_url.is_none() {
        tell("isolation", isolation());
        tell("Office documents", office());
    }
    Ok(code)
}

fn config_file(matches: &ArgMatches) -> Finding {
    let named = matches.get_one::<PathBuf>("config").cloned();
    if let Some(missing) = named.as_ref().filter(|path| !path.exists()) {
        return Finding::Bad(format!("{} is not there", missing.display()), "Name one that is".to_owned());
    }
    let path = match named.or_else(config::usual_path) {
        Some(path) if path.exists() => path,
        Some(path) => return Finding::Good(format!("none (it would be {})", path.display())),
        None => return Finding::Good("none".to_owned()),
    };
    let shown = path.display().to_string();
    match config::Config::read(Some(&path)) {
        Err(failure) => Finding::Bad(failure.message, "Mend it, or take it away".to_owned()),
        Ok(config)
            if config.services.values().any(|service| service.api_key.is_some())
                && others_may_read(&path) =>
        {
            Finding::Lacking(
                format!("{shown} holds a key, and others may read it"),
                format!("Let only yourself: chmod 600 {shown}"),
            )
        }
        Ok(_) => Finding::Good(shown),
    }
}

#[cfg(unix)]
fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &Path) -> bool {
    false
}

fn temporary_files() -> Finding {
    let folder = std::env::temp_dir();
    let name = folder.join(format!(".recto-doctor-{}", std::process::id()));
    let tried = std::fs::write(&name, "x").and_then(|()| std::fs::remove_file(&name));
    match tried {
        Ok(()) => Finding::Good(folder.display().to_string()),
        Err(error) => Finding::Bad(
            format!("{} cannot be written to: {error}", folder.display()),
            "Set TMPDIR to a folder that can".to_owned(),
        ),
    }
}

fn key(target: &Target) -> Finding {
    let has_variable = std::env::var("RECTO_API_KEY").is_ok_and(|key| !key.is_empty());
    let of_file = target
        .settings
        .as_ref()
        .is_some_and(|service| service.api_key.is_some() || service.api_key_file.is_some());
    match (of_file, has_variable) {
        (true, _) => Finding::Good("from the config file".to_owned()),
        (false, true) => Finding::Good("RECTO_API_KEY".to_owned()),
        (false, false) => Finding::Lacking(
            "there is none".to_owned(),
            "Set RECTO_API_KEY, if the service asks for one".to_owned(),
        ),
    }
}

/// Asks the service for its files: the cheapest request that needs the key.
fn connection(target: &Target, matches: &ArgMatches) -> Finding {
    let began = Instant::now();
    let client = match connect::client(matches) {
        Ok(client) => client,
        Err(failure) => return Finding::Bad(failure.message, "See the line above".to_owned()),
    };
    let started = began.elapsed();
    let asked = connect::call(matches).and_then(|call| {
        client.files().list(true, &call).map_err(|error| {
            let mend = match error.kind() {
                ErrorKind::Auth | ErrorKind::PermissionDenied => {
                    "Set RECTO_API_KEY to the key of this service"
                }
                ErrorKind::NotFound | ErrorKind::Protocol => {
                    "Check the base URL: something else answers there"
                }
                _ => error.advice().unwrap_or("Check the address, the network and the proxy"),
            };
            Failure { code: exit::SERVICE, message: format!("{}\n{mend}", error.message()) }
        })
    });
    match asked {
        Ok(_) if target.base_url.is_none() => {
            Finding::Good(format!("it started in {:.1} ms and answers", started.as_secs_f64() * 1e3))
        }
        Ok(_) => {
            Finding::Good(format!("it answers in {:.0} ms", (began.elapsed() - started).as_secs_f64() * 1e3))
        }
        Err(failure) => match failure.message.split_once('\n') {
            Some((how, mend)) => Finding::Bad(how.to_owned(), mend.to_owned()),
            None => Finding::Bad(failure.message, "Check the address, the network and the proxy".to_owned()),
        },
    }
}

#[cfg(feature = "local")]
fn isolation() -> Finding {
    match recto_service::Isolation::default().probe() {
        Ok(Some(found)) if found.lacking.is_empty() => {
            Finding::Good(format!("documents are processed apart, by {}", found.by.join(", ")))
        }
        Ok(Some(found)) => Finding::Lacking(
            format!("documents are processed apart, but without: {}", found.lacking.join("; ")),
            "The page Security of the documentation says what each protects from".to_owned(),
        ),
        Ok(None) => Finding::Lacking(
            "documents are processed in the service itself".to_owned(),
            format!("Name the recto program in {}", recto_service::WORKER_VARIABLE),
        ),
        Err(why) => Finding::Lacking("documents are processed in the service itself".to_owned(), why),
    }
}

#[cfg(not(feature = "local"))]
fn isolation() -> Finding {
    Finding::Good("a service's matter".to_owned())
}

#[cfg(feature = "local")]
fn office() -> Finding {
    match recto_service::office_program() {
        Ok(path) => Finding::Good(format!("LibreOffice at {}", path.display())),
        Err(why) => Finding::Lacking(
            "doc-, presentation- and spreadsheet-to-pdf will fail".to_owned(),
            why.to_string(),
        ),
    }
}

#[cfg(not(feature = "local"))]
fn office() -> Finding {
    Finding::Good("a service's matter".to_owned())
}
