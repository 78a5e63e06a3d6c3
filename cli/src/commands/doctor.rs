//! `recto doctor`: checks the setup, and explains how to repair what does not work.

use crate::connect::{self, Target};
use crate::exit::{self, Failure};
use crate::{config, report};
use clap::ArgMatches;
use recto::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The result of one check of `recto doctor`.
enum Finding {
    Good(String),
    /// The checked part works with a restriction. Contains what is missing, and what the user can do about it.
    Lacking(String, String),
    /// The checked part does not work. Contains what is wrong, and how to repair it.
    Bad(String, String),
}

pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let mut code = exit::OK;
    let mut print = |what: &str, finding: Finding| match finding {
        Finding::Good(state) => report::line(&format!("ok    {what}: {state}")),
        Finding::Lacking(state, advice) => {
            report::line(&format!("warn  {what}: {state}"));
            report::line(&format!("      {advice}"));
        }
        Finding::Bad(state, advice) => {
            code = exit::SERVICE;
            report::line(&format!("BAD   {what}: {state}"));
            report::line(&format!("      {advice}"));
        }
    };
    print("version", Finding::Good(env!("CARGO_PKG_VERSION").to_owned()));
    print("config file", config_file(matches));
    let target = match connect::target(matches) {
        Ok(target) => target,
        Err(failure) => {
            print(
                "service",
                Finding::Bad(failure.message, "Correct the config file, the variable or the flag".to_owned()),
            );
            return Ok(code);
        }
    };
    print("temporary files", temporary_files());
    match &target.base_url {
        Some(base_url) => {
            print("service", Finding::Good(format!("{base_url} ({})", target.set_by)));
            print("key", key(&target));
        }
        None => print("service", Finding::Good(format!("the embedded one ({})", target.set_by))),
    }
    print("connection", connection(&target, matches));
    if target.base_url.is_none() {
        print("isolation", isolation());
        print("user", user());
        print("Office documents", office());
    }
    Ok(code)
}

fn config_file(matches: &ArgMatches) -> Finding {
    let named = matches.get_one::<PathBuf>("config").cloned();
    if let Some(missing) = named.as_ref().filter(|path| !path.exists()) {
        return Finding::Bad(
            format!("{} does not exist", missing.display()),
            "Give an existing file".to_owned(),
        );
    }
    let path = match named.or_else(config::usual_path) {
        Some(path) if path.exists() => path,
        Some(path) => return Finding::Good(format!("none (the usual path is {})", path.display())),
        None => return Finding::Good("none".to_owned()),
    };
    let shown = path.display().to_string();
    match config::Config::read(Some(&path)) {
        Err(failure) => Finding::Bad(failure.message, "Correct the file, or remove it".to_owned()),
        Ok(config)
            if config.services.values().any(|service| service.api_key.is_some())
                && others_can_read(&path) =>
        {
            Finding::Lacking(
                format!("{shown} contains a key, and other users can read it"),
                format!("Restrict it to yourself: chmod 600 {shown}"),
            )
        }
        Ok(_) => Finding::Good(shown),
    }
}

#[cfg(unix)]
fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

fn temporary_files() -> Finding {
    let folder = std::env::temp_dir();
    let name = folder.join(format!(".recto-doctor-{}", std::process::id()));
    let tried = std::fs::write(&name, "x").and_then(|()| std::fs::remove_file(&name));
    match tried {
        Ok(()) => Finding::Good(folder.display().to_string()),
        Err(error) => Finding::Bad(
            format!("cannot write to {}: {error}", folder.display()),
            "Set TMPDIR to a folder that is writable".to_owned(),
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
        (false, false) => {
            Finding::Lacking("none".to_owned(), "Set RECTO_API_KEY, if the service requires a key".to_owned())
        }
    }
}

/// Checks the connection and the API key. Listing the files is the cheapest request that needs the API key.
fn connection(target: &Target, matches: &ArgMatches) -> Finding {
    let began = Instant::now();
    let client = match connect::client(matches) {
        Ok(client) => client,
        Err(failure) => return Finding::Bad(failure.message, "See the line above".to_owned()),
    };
    let started = began.elapsed();
    let listed = connect::call(matches).and_then(|call| {
        client.files().list(true, &call).map_err(|error| {
            let advice = match error.kind() {
                ErrorKind::Auth | ErrorKind::PermissionDenied => {
                    "Set RECTO_API_KEY to the key of this service"
                }
                ErrorKind::NotFound | ErrorKind::Protocol => {
                    "Check the base URL: another program responds there"
                }
                _ => error.advice().unwrap_or("Check the address, the network and the proxy"),
            };
            Failure { code: exit::SERVICE, message: format!("{}\n{advice}", error.message()) }
        })
    });
    match listed {
        Ok(_) if target.base_url.is_none() => {
            Finding::Good(format!("it started in {:.1} ms and responds", started.as_secs_f64() * 1e3))
        }
        Ok(_) => {
            Finding::Good(format!("it responds in {:.0} ms", (began.elapsed() - started).as_secs_f64() * 1e3))
        }
        Err(failure) => match failure.message.split_once('\n') {
            Some((state, advice)) => Finding::Bad(state.to_owned(), advice.to_owned()),
            None => Finding::Bad(failure.message, "Check the address, the network and the proxy".to_owned()),
        },
    }
}

#[cfg(feature = "local")]
fn isolation() -> Finding {
    match recto_service::Isolation::default().probe() {
        Ok(Some(found)) if found.lacking.is_empty() => {
            Finding::Good(format!("documents are processed in sandboxed processes ({})", found.by.join(", ")))
        }
        Ok(Some(found)) => Finding::Lacking(
            format!(
                "documents are processed in worker processes whose sandbox lacks {}",
                found.lacking.join("; ")
            ),
            "The page Security of the documentation explains each part of the sandbox".to_owned(),
        ),
        Ok(None) => Finding::Lacking(
            "documents are processed in the service itself, without a sandbox".to_owned(),
            format!("Set {} to the path of the recto program", recto_service::WORKER_VARIABLE),
        ),
        Err(why) => Finding::Bad(
            format!("no document can be processed: {why}"),
            format!(
                "Set {variable} to the path of the recto program of this version, or to none to process documents without \
                 isolation",
                variable = recto_service::WORKER_VARIABLE
            ),
        ),
    }
}

/// Whether the service would run as a privileged user.
#[cfg(feature = "local")]
fn user() -> Finding {
    if recto_service::runs_as_root() {
        return Finding::Lacking(
            "the service would run as root, but it needs no privileges".to_owned(),
            "Run `recto serve` as a user of its own, which owns no other files".to_owned(),
        );
    }
    Finding::Good("not root".to_owned())
}

#[cfg(not(feature = "local"))]
fn user() -> Finding {
    Finding::Good("not part of this build".to_owned())
}

#[cfg(not(feature = "local"))]
fn isolation() -> Finding {
    Finding::Good("not part of this build".to_owned())
}

#[cfg(feature = "local")]
fn office() -> Finding {
    match recto_service::office_program() {
        Ok(path) => Finding::Good(format!("LibreOffice at {}", path.display())),
        Err(why) => Finding::Lacking(
            "doc-to-pdf, presentation-to-pdf and spreadsheet-to-pdf will fail".to_owned(),
            why.to_string(),
        ),
    }
}

#[cfg(not(feature = "local"))]
fn office() -> Finding {
    Finding::Good("not part of this build".to_owned())
}
