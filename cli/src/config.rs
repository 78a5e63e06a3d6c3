//! The config file: named services, and the settings of `recto serve`.

use crate::exit::Failure;
use recto_interface::Secret;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name in `--service` and in the config file that selects the embedded service.
pub const LOCAL: &str = "local";

/// The contents of the config file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The name of the service to use by default.
    pub service: Option<String>,
    #[serde(default)]
    pub services: BTreeMap<String, Service>,
    /// The settings of `recto serve`. Their names are the names of the flags of `recto serve`, with underscores for
    /// hyphens.
    #[serde(default)]
    pub serve: BTreeMap<String, toml::Value>,
    /// The settings of the embedded service, with the names of its flags.
    #[serde(default)]
    pub local: BTreeMap<String, toml::Value>,
}

/// A service that has a name in the config file, and how to connect to this service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    pub base_url: String,
    pub api_key: Option<Secret>,
    /// The file whose first line is the API key.
    pub api_key_file: Option<PathBuf>,
    /// The maximum time that a command may take, in seconds.
    pub timeout: Option<f64>,
    pub proxy: Option<String>,
    pub ca_bundle: Option<PathBuf>,
    pub client_certificate: Option<PathBuf>,
    /// Headers that are added to the requests to the service.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
}

impl Config {
    /// Reads the config file at the path `given`, which must exist. Without `given`, reads the config file at the usual
    /// path, if that file exists.
    pub fn read(given: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = given.map(Path::to_owned).or_else(|| usual_path().filter(|path| path.exists()))
        else {
            return Ok(Self::default());
        };
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::file(format!("{}: cannot read the config file: {error}", path.display()))
        })?;
        Self::parse(&text).map_err(|why| Failure::usage(format!("{}: {why}", path.display())))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| {
            // `Display` of the error quotes the line, and `message` quotes the value. Both could contain the API key.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            format!("line {}: {}", before.matches('\n').count() + 1, without_values(error.message()))
        })?;
        if config.services.contains_key(LOCAL) {
            return Err(format!(
                "the name {LOCAL} is reserved for the embedded service; give this service another name"
            ));
        }
        if let Some(name) = &config.service {
            config.service(name)?;
        }
        Ok(config)
    }

    /// The settings of the service called `name`. `None` if `name` is the name of the embedded service, which has no
    /// settings here. `Err` if the config file has no service of that name.
    pub fn service(&self, name: &str) -> Result<Option<&Service>, String> {
        if name == LOCAL {
            return Ok(None);
        }
        self.services.get(name).map(Some).ok_or_else(|| {
            let known: Vec<_> = self.services.keys().map(String::as_str).chain([LOCAL]).collect();
            format!("there is no service named {name:?}; known services: {}", known.join(", "))
        })
    }
}

/// Replaces the part of `message` between its first and its last double quote.
fn without_values(message: &str) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            let (before, after) = (message.get(..first), message.get(last + 1..));
            format!("{}[…]{}", before.unwrap_or_default(), after.unwrap_or_default())
        }
        _ => message.to_owned(),
    }
}

/// The usual path of the config file: `$XDG_CONFIG_HOME/recto/config.toml`, or `~/.config/recto/config.toml` if that
/// variable is not set. On Windows, `%APPDATA%\recto\config.toml`.
pub fn usual_path() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        variable("APPDATA")
    } else {
        variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")))
    };
    folder.map(|folder| folder.join("recto").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        service = "hosted"
        [services.hosted]
        base_url = "https://pdf.example.com"
        api_key = "the-key-in-the-file"
        timeout = 60
    "#;

    #[test]
    fn services_are_found_by_name() {
        let config = Config::parse(FILE).unwrap();
        let hosted = config.service("hosted").unwrap().unwrap();
        assert_eq!((hosted.base_url.as_str(), hosted.timeout), ("https://pdf.example.com", Some(60.0)));
        assert!(config.service(LOCAL).unwrap().is_none());
        assert!(config.service("hoste").unwrap_err().contains("known services: hosted, local"));
        assert!(!format!("{config:?}").contains("the-key"));
    }

    #[test]
    fn an_error_names_its_line_and_does_not_quote_the_key() {
        for (wrong, line) in [
            (FILE.replace("timeout = 60", "timeout = \"the-key-in-the-file\""), "line 6"),
            (FILE.replace("timeout", "timeuot"), "line 6"),
            (FILE.replace("api_key =", "api_key"), "line 5"),
            (FILE.replace("services.hosted", "services.local"), "local"),
            (FILE.replace("\"hosted\"", "\"other\""), "other"),
        ] {
            let why = Config::parse(&wrong).unwrap_err();
            assert!(why.contains(line) && !why.contains("the-key"), "{why}");
        }
        assert!(Config::parse("").is_ok());
    }
}
