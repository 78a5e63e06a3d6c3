//! The embedded service: one for all clients of a process that were given no base URL.
//!
//! The first that needs it starts it; it ends with the last of them. A forked child leaves its parent's alone and
//! starts its own.

use crate::boundary::Outcome;
use crate::error::recto_error;
use crate::status::RECTO_E_CONFIG;
use recto::interface::Secret;
use recto_service::LocalService;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A service that lives as long as somebody holds it.
pub(crate) struct Embedded(LocalService);

impl Embedded {
    /// This process's service; started, in some milliseconds, when nobody holds it.
    pub(crate) fn acquire() -> Outcome<Arc<Self>> {
        static CURRENT: PerProcess<Mutex<Weak<Embedded>>> = PerProcess::new();
        let mut current = CURRENT.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = current.upgrade() {
            return Ok(running);
        }
        let service = LocalService::start().map_err(|error| {
            recto_error::new(RECTO_E_CONFIG, format!("the embedded service did not start: {error}"))
        })?;
        let started = Arc::new(Self(service));
        *current = Arc::downgrade(&started);
        Ok(started)
    }

    pub(crate) fn base_url(&self) -> &str {
        self.0.base_url()
    }

    pub(crate) fn api_key(&self) -> &Secret {
        self.0.api_key()
    }
}

/// Holds a `T` for the process it is asked in: a lock that another thread of the parent held at a fork stays locked in
/// the child, so the child gets its own.
struct PerProcess<T>(OnceLock<Box<Generation<T>>>);

struct Generation<T> {
    process: u32,
    value: T,
    next: PerProcess<T>,
}

impl<T: Default> PerProcess<T> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn get(&self) -> &T {
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
