//! The settings of the embedded service that the configuration of a client and an explicitly started service share.

#[cfg(feature = "local")]
mod exit;
#[cfg(feature = "local")]
mod worker;

use crate::error::{Outcome, recto_error};
use crate::status::RECTO_E_CONFIG;

/// The names of these settings.
pub(crate) const SETTINGS: &[&str] = &[
    "isolation",
    "worker",
    "workers",
    "worker_memory",
    "in_process_bytes",
    "stored_bytes",
    "retention_ms",
    "data_dir",
];

/// The settings of the embedded service that the caller has set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Embedded {
    #[cfg(feature = "local")]
    settings: recto_service::LocalSettings,
}

#[cfg(feature = "local")]
impl Embedded {
    /// Sets the setting `name`, which is one of [`SETTINGS`].
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Outcome {
        let bytes = || above_0(name, value, "a number of bytes above 0");
        let path = || match value {
            "" => Err(recto_error::invalid_setting(name, value, "a path")),
            path => Ok(path.into()),
        };
        let settings = &mut self.settings;
        match name {
            "isolation" => {
                let mode = value.parse::<recto_service::IsolationMode>().map_err(|error| {
                    recto_error::new(RECTO_E_CONFIG, format!("the setting isolation: {error}"))
                })?;
                settings.isolation = Some(mode);
            }
            "worker" => settings.worker = Some(path()?),
            "workers" => {
                let number = above_0(name, value, "a number of operations above 0")?;
                settings.workers = Some(usize::try_from(number).unwrap_or(usize::MAX));
            }
            "worker_memory" => settings.worker_memory = Some(bytes()?),
            "in_process_bytes" => settings.in_process_bytes = Some(bytes()?),
            "stored_bytes" => settings.stored_bytes = Some(bytes()?),
            "retention_ms" => {
                let milliseconds = above_0(name, value, "a number of milliseconds above 0")?;
                settings.retention = Some(std::time::Duration::from_millis(milliseconds));
            }
            _ => settings.data_dir = Some(path()?),
        }
        Ok(())
    }

    /// Prepares the process for a service with these settings, and returns them.
    pub(crate) fn prepared(&self) -> &recto_service::LocalSettings {
        worker::announce_installed();
        exit::remove_folders();
        &self.settings
    }
}

#[cfg(not(feature = "local"))]
impl Embedded {
    /// Refuses the setting: there is no embedded service.
    pub(crate) fn set(&mut self, _: &str, _: &str) -> Outcome {
        Err(recto_error::new(RECTO_E_CONFIG, "the library was built without the embedded service"))
    }
}

#[cfg(feature = "local")]
fn above_0(name: &str, value: &str, expected: &str) -> Outcome<u64> {
    let number = value.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| recto_error::invalid_setting(name, value, expected))
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
            ("workers", "2", "0"),
            ("worker_memory", "1073741824", "1GiB"),
            ("in_process_bytes", "1", "0"),
            ("stored_bytes", "1", "-1"),
            ("retention_ms", "1", "0"),
            ("data_dir", "/tmp", ""),
        ] {
            assert!(SETTINGS.contains(&name));
            let before = embedded.clone();
            assert!(embedded.set(name, good).is_ok(), "{name}");
            assert_ne!(embedded, before, "{name}");
            let error = embedded.set(name, bad).unwrap_err();
            assert!(error.message().to_str().unwrap().contains(name), "{name}");
        }
    }
}
