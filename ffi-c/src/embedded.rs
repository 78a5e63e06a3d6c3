//! The settings of the embedded service that the configuration of a client and an explicitly started service share:
//! how documents are isolated from the program.

#[cfg(feature = "local")]
mod worker;

use crate::error::{Outcome, recto_error};
use crate::status::RECTO_E_CONFIG;

/// The names of these settings.
pub(crate) const SETTINGS: &[&str] = &["isolation", "worker", "in_process_bytes"];

/// The settings of the embedded service that the caller has set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Embedded {
    isolation: Option<String>,
    worker: Option<std::path::PathBuf>,
    in_process_bytes: Option<u64>,
}

impl Embedded {
    /// Sets the setting `name`, which is one of [`SETTINGS`].
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Outcome {
        match name {
            "isolation" => {
                check_isolation(value)?;
                self.isolation = Some(value.to_owned());
            }
            "worker" if value.is_empty() => return Err(recto_error::invalid_setting(name, value, "a path")),
            "worker" => self.worker = Some(value.into()),
            _ => {
                let expected = "a number of bytes above 0";
                let bytes = value.parse().ok().filter(|bytes| *bytes > 0);
                self.in_process_bytes =
                    Some(bytes.ok_or_else(|| recto_error::invalid_setting(name, value, expected))?);
            }
        }
        Ok(())
    }
}

#[cfg(feature = "local")]
fn check_isolation(mode: &str) -> Outcome {
    let parsed = mode.parse::<recto_service::IsolationMode>();
    parsed
        .map(|_| ())
        .map_err(|error| recto_error::new(RECTO_E_CONFIG, format!("the setting isolation: {error}")))
}

#[cfg(not(feature = "local"))]
fn check_isolation(_: &str) -> Outcome {
    Err(recto_error::new(RECTO_E_CONFIG, "the library was built without the embedded service"))
}

#[cfg(feature = "local")]
impl Embedded {
    /// Adds these settings to those of a service.
    pub(crate) fn apply(
        &self,
        mut builder: recto_service::LocalServiceBuilder,
    ) -> recto_service::LocalServiceBuilder {
        worker::announce_installed();
        let mut isolation = recto_service::Isolation::default();
        if let Some(mode) = self.isolation.as_ref().and_then(|mode| mode.parse().ok()) {
            isolation.mode = mode;
        }
        if let Some(path) = &self.worker {
            isolation.program = Some(recto_service::WorkerProgram::recto(path));
        }
        if let Some(bytes) = self.in_process_bytes {
            builder = builder.in_process_bytes(bytes);
        }
        builder.isolation(isolation)
    }

    /// These settings as a text, which is equal for equal settings.
    pub(crate) fn key(&self) -> String {
        format!("{self:?}")
    }
}

#[cfg(all(test, feature = "local"))]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_checked_when_it_is_set() {
        let mut embedded = Embedded::default();
        for (name, good, bad) in [
            ("isolation", "workers", "tight"),
            ("worker", "/usr/bin/recto", ""),
            ("in_process_bytes", "1", "0"),
        ] {
            assert!(SETTINGS.contains(&name));
            assert!(embedded.set(name, good).is_ok(), "{name}");
            let error = embedded.set(name, bad).unwrap_err();
            assert!(error.message().to_str().unwrap().contains(name), "{name}");
        }
    }
}
