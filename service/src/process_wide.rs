//! The service that all clients of a process share which were given no base URL.
//!
//! The first that needs it starts it; it ends with the last of them. A forked child leaves its parent's alone and
//! starts its own.

use crate::error::ServiceError;
use crate::local::LocalService;
use once_cell::race::OnceBox;
use recto_interface::Secret;
use std::sync::{Arc, Mutex, PoisonError, Weak};

static CURRENT: PerProcess<Mutex<Weak<SharedService>>> = PerProcess::new();

/// A service that lives as long as somebody holds it.
pub struct SharedService {
    base_url: String,
    api_key: Secret,
    /// Empty once it was stopped.
    service: Mutex<Option<LocalService>>,
}

impl SharedService {
    /// This process's service; started, in some milliseconds, when nobody holds it.
    ///
    /// # Errors
    /// Those of [`LocalService::start`].
    pub fn acquire() -> Result<Arc<Self>, ServiceError> {
        let mut current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.upgrade() {
            return Ok(running);
        }
        let service = LocalService::start()?;
        let shared = Arc::new(Self {
            base_url: service.base_url().to_owned(),
            api_key: service.api_key().clone(),
            service: Mutex::new(Some(service)),
        });
        *current = Arc::downgrade(&shared);
        Ok(shared)
    }

    /// Stops this process's service although somebody holds it: for a language whose objects may outlive its exit.
    pub fn stop() {
        let current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(shared) = current {
            drop(shared.service.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The key that requests must carry.
    pub fn api_key(&self) -> &Secret {
        &self.api_key
    }
}

/// Holds a `T` for the process it is asked in. A forked child finds its parent's value no more and gets its own;
/// the parent's is left alone. Found without a lock: one that another thread held at the fork stays locked in the child.
#[doc(hidden)]
pub struct PerProcess<T>(OnceBox<Generation<T>>);

struct Generation<T> {
    process: u32,
    value: T,
    next: PerProcess<T>,
}

impl<T: Default> PerProcess<T> {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// This process's value.
    pub fn get(&self) -> &T {
        let process = std::process::id();
        let mut generation = self;
        loop {
            let found = generation
                .0
                .get_or_init(|| Box::new(Generation { process, value: T::default(), next: Self::new() }));
            if found.process == process {
                return &found.value;
            }
            generation = &found.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
