//! The embedded service: runs on its own thread until its value is dropped.

use crate::config::{Config, Store};
use crate::error::ServiceError;
use crate::execution::Engine;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::server::{BoundService, runtime};
use recto_interface::Secret;
use std::fmt;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use tokio::sync::oneshot;

/// A service on loopback, for this process. Dropping it, or [`shutdown`](Self::shutdown), cancels its operations,
/// closes its port and removes its files; both wait until this is done.
///
/// ```
/// let service = recto_service::LocalService::start()?;
/// assert!(service.base_url().starts_with("http://127.0.0.1:"));
/// service.shutdown();
/// # Ok::<(), recto_service::ServiceError>(())
/// ```
///
/// In a forked child process the service does not run, which [`is_of_this_process`](Self::is_of_this_process) reports;
/// dropping the inherited value there does nothing.
pub struct LocalService {
    base_url: String,
    api_key: Secret,
    page_url: Secret,
    process: u32,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LocalService {
    /// A service with the default settings.
    ///
    /// # Errors
    /// [`ServiceError`] says what the system did not allow.
    pub fn start() -> Result<Self, ServiceError> {
        Self::builder().start()
    }

    /// A builder for a service with other settings.
    pub fn builder() -> LocalServiceBuilder {
        LocalServiceBuilder { config: Config::default() }
    }

    /// The base URL for a client, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The API key for a client.
    pub fn api_key(&self) -> &Secret {
        &self.api_key
    }

    /// An address that opens the service's web page in a browser with the key. It works once, within ten minutes.
    pub fn page_url(&self) -> &Secret {
        &self.page_url
    }

    /// Whether this process started it; `false` in a forked child.
    pub fn is_of_this_process(&self) -> bool {
        self.process == process::id()
    }

    /// Stops it, and returns when its files are removed.
    pub fn shutdown(self) {
        drop(self);
    }
}

impl fmt::Debug for LocalService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalService").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Drop for LocalService {
    fn drop(&mut self) {
        let (stop, thread) = (self.stop.take(), self.thread.take());
        if !self.is_of_this_process() {
            // The thread and the files belong to the parent. Locks inside these values may never be released in this process.
            mem::forget((stop, thread));
            return;
        }
        drop(stop);
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of the local service panicked");
        }
    }
}

/// The settings of a [`LocalService`]; [`Config`] describes each of them and its default.
#[derive(Clone, Debug)]
pub struct LocalServiceBuilder {
    config: Config,
}

macro_rules! settings {
    ($($(#[doc = $about:literal])+ $name:ident: $type:ty => $value:expr;)+) => { $(
        $(#[doc = $about])+
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.config.$name = $value;
            self
        }
    )+ };
}

impl LocalServiceBuilder {
    settings! {
        /// The name or address to listen on; `127.0.0.1` by default.
        host: impl Into<String> => host.into();
        /// The port to listen on; by default 0, which chooses a free one.
        port: u16 => port;
        /// The key that clients must send; a random one by default.
        api_key: impl Into<Secret> => Some(api_key.into());
        /// Where files, results and operations are kept; by default they are removed when the service ends.
        store: Store => store;
        /// How many operations run at the same time; by default as many as there are cores.
        workers: usize => Some(workers);
        /// The limits of what clients may request.
        limits: Limits => limits;
        /// The limits of one operation.
        engine_limits: recto_engine::Limits => engine_limits;
        /// How operations are isolated from this program: in worker processes, if a program to start them from is known.
        isolation: Isolation => isolation;
        /// How long files and results are kept; 24 hours by default.
        retention: Duration => retention;
        /// How long an upload or download address is valid; one hour by default.
        link_lifetime: Duration => link_lifetime;
        /// The address that clients use for the service, if it is another one.
        public_url: impl Into<String> => Some(public_url.into());
        /// Whether files may be fetched from private, loopback and link-local addresses; not by default.
        allow_private_urls: bool => allow_private_urls;
        /// Whether a request with a field or an option that the service does not know is refused; by default it is ignored.
        strict_fields: bool => strict_fields;
    }

    /// Whether the test controls below `/test` are available; not by default.
    #[cfg(feature = "test-controls")]
    #[must_use]
    pub fn test_controls(mut self, test_controls: bool) -> Self {
        self.config.test_controls = test_controls;
        self
    }

    /// Where the service creates its private directory, which it removes when it ends; the system's temporary directory
    /// by default.
    #[must_use]
    pub fn data_dir(self, parent: impl Into<PathBuf>) -> Self {
        self.store(Store::Temporary { parent: Some(parent.into()) })
    }

    /// Replaces the engine, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.config.engine = engine;
        self
    }

    /// Starts the service; returns when it listens.
    ///
    /// # Errors
    /// [`ServiceError`] says which setting or which part of the system is the cause.
    pub fn start(self) -> Result<LocalService, ServiceError> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, started) = mpsc::sync_channel(1);
        let thread = Builder::new().name("recto-service".to_owned()).spawn(move || {
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(ServiceError::from(error)))),
            };
            runtime.block_on(async {
                match BoundService::bind(self.config).await {
                    Err(error) => drop(ready.send(Err(error))),
                    Ok(bound) => {
                        drop(ready.send(Ok(bound.serving.clone())));
                        // Nothing is ever sent: dropping the sender is the signal.
                        bound.run(async { drop(stopped.await) }).await;
                    }
                }
            });
            // An operation that does not notice its cancellation is left running until the process ends.
            runtime.shutdown_timeout(Duration::from_millis(200));
        })?;
        let serving = started.recv().unwrap_or_else(|_| {
            Err(ServiceError::System(io::Error::other(
                "the thread of the local service ended before the service had started",
            )))
        })?;
        Ok(LocalService {
            base_url: serving.base_url,
            api_key: serving.api_key,
            page_url: serving.page_url,
            process: process::id(),
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}
