//! One local service for each process. All clients without a base URL share this service.
//!
//! The first client starts the service, and the service ends with the last client. A forked child process starts its
//! own service, and does not touch the service of its parent process.

use crate::error::ServiceError;
use crate::local::{LocalService, LocalServiceBuilder};
use crate::local_settings::LocalSettings;
use crate::per_process::PerProcess;
use crate::queue::unused::UnusedFiles;
use recto_interface::Secret;
use std::sync::{Arc, Mutex, PoisonError, Weak};

static CURRENT: PerProcess<Mutex<Weak<SharedService>>> = PerProcess::new();

/// The shared service. It runs until the last reference to this value is dropped.
pub struct SharedService {
    base_url: String,
    api_key: Secret,
    /// The settings with which the service was started.
    settings: LocalSettings,
    unused: UnusedFiles,
    /// `None` after the service was stopped.
    service: Mutex<Option<LocalService>>,
}

impl SharedService {
    /// Returns the service of this process. If the service is not running, starts it, which takes a few milliseconds.
    ///
    /// # Errors
    /// The errors of [`LocalService::start`].
    pub fn acquire() -> Result<Arc<Self>, ServiceError> {
        Self::acquire_with(&LocalSettings::default(), |builder| builder)
    }

    /// Like [`acquire`](Self::acquire), but the service has these settings. If the service has to be started,
    /// `configure` can change settings that may differ between clients, such as the log.
    ///
    /// # Errors
    /// The errors of [`LocalService::start`], and [`ServiceError::Setting`] if the service runs with other settings.
    pub fn acquire_with(
        settings: &LocalSettings,
        configure: impl FnOnce(LocalServiceBuilder) -> LocalServiceBuilder,
    ) -> Result<Arc<Self>, ServiceError> {
        Self::acquire_in(&CURRENT, settings, configure)
    }

    fn acquire_in(
        place: &PerProcess<Mutex<Weak<Self>>>,
        settings: &LocalSettings,
        configure: impl FnOnce(LocalServiceBuilder) -> LocalServiceBuilder,
    ) -> Result<Arc<Self>, ServiceError> {
        let mut current = place.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.upgrade() {
            if running.settings != *settings {
                return Err(ServiceError::Setting(
                    "the embedded service of this process already runs with other settings; use the same settings for all clients without a base URL, or close the other clients first".to_owned(),
                ));
            }
            return Ok(running);
        }
        let service = configure(LocalService::builder().settings(settings)).start()?;
        let shared = Arc::new(Self {
            base_url: service.base_url().to_owned(),
            api_key: service.api_key().clone(),
            settings: settings.clone(),
            unused: service.unused_files(),
            service: Mutex::new(Some(service)),
        });
        *current = Arc::downgrade(&shared);
        Ok(shared)
    }

    /// Stops the service of this process, even if references to it exist. This is for languages whose objects may still
    /// exist when the process exits.
    pub fn stop() {
        let current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(shared) = current {
            drop(shared.service.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }

    /// Whether the service of this process runs.
    pub fn is_running() -> bool {
        CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    /// The base URL of the service: `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns a handle that deletes files of the service that the program no longer needs.
    pub fn unused_files(&self) -> UnusedFiles {
        self.unused.clone()
    }

    /// The API key that requests must contain.
    pub fn api_key(&self) -> &Secret {
        &self.api_key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_with_other_settings_is_not_shared() {
        let cell = PerProcess::<Mutex<Weak<SharedService>>>::new();
        let (plain, other) = (
            LocalSettings::default(),
            LocalSettings { stored_bytes: Some(1 << 20), ..LocalSettings::default() },
        );
        let plain = SharedService::acquire_in(&cell, &plain, |builder| builder).unwrap();
        let refused = SharedService::acquire_in(&cell, &other, |builder| builder);
        assert!(refused.err().unwrap().to_string().contains("other settings"));
        drop(plain);
        assert!(SharedService::acquire_in(&cell, &other, |builder| builder).is_ok());
    }

    #[test]
    fn clients_share_a_service_that_ends_with_the_last_of_them() {
        let (one, other) = (SharedService::acquire().unwrap(), SharedService::acquire().unwrap());
        assert_eq!(one.base_url(), other.base_url());
        let address = one.base_url().trim_start_matches("http://").to_owned();
        assert!(std::net::TcpStream::connect(&address).is_ok());
        drop((one, other));
        assert!(std::net::TcpStream::connect(&address).is_err());
    }
}
