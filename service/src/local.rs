//! The embedded service, which runs on its own thread until its [`LocalService`] is dropped.

use crate::config::{Config, Store};
use crate::error::ServiceError;
use crate::execution::Engine;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::queue::unused::UnusedFiles;
use crate::server::{BoundService, runtime_with};
use crate::signal_mask::without_signals;
use recto_interface::Secret;
use std::fmt;
use std::io;
use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;
use tracing::dispatcher::{self, Dispatch};

/// A service on loopback, for this process. Dropping the value cancels the service's operations, closes its port and
/// removes its files. Calling [`shutdown`](Self::shutdown) does the same. The drop and the call return only when all of
/// this is done.
///
/// ```
/// let service = recto_service::LocalService::start()?;
/// assert!(service.base_url().starts_with("http://127.0.0.1:"));
/// service.shutdown();
/// # Ok::<(), recto_service::ServiceError>(())
/// ```
///
/// The service does not run in a forked child process. In a child, [`is_of_this_process`](Self::is_of_this_process)
/// returns `false`, and dropping the inherited value does nothing.
pub struct LocalService {
    base_url: String,
    api_key: Secret,
    page_url: Secret,
    unused: UnusedFiles,
    process: u32,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LocalService {
    /// Starts a service with the default settings.
    ///
    /// # Errors
    /// [`ServiceError`] describes which part of the system is the cause.
    pub fn start() -> Result<Self, ServiceError> {
        Self::builder().start()
    }

    /// A builder for a service with settings that are not the default settings.
    pub fn builder() -> LocalServiceBuilder {
        LocalServiceBuilder { config: Config::default(), log: None }
    }

    /// The base URL for a client, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The API key for a client.
    pub fn api_key(&self) -> &Secret {
        &self.api_key
    }

    /// An address that opens the service's web page in a browser. The page then has the API key. The address works
    /// once, within ten minutes.
    pub fn page_url(&self) -> &Secret {
        &self.page_url
    }

    /// Returns a handle that deletes files of this service that the program no longer needs.
    pub fn unused_files(&self) -> UnusedFiles {
        self.unused.clone()
    }

    /// Whether this process started the service. `false` in a forked child process.
    pub fn is_of_this_process(&self) -> bool {
        self.process == process::id()
    }

    /// Stops the service. Returns when the service has removed its files.
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
            // The thread and the files belong to the parent process. Dropping these values could wait for ever for a
            // lock that another thread held during the fork.
            mem::forget((stop, thread));
            return;
        }
        drop(stop);
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of the local service panicked");
        }
    }
}

/// The settings of a [`LocalService`]. [`Config`] describes each setting and its default.
#[derive(Clone, Debug)]
pub struct LocalServiceBuilder {
    config: Config,
    log: Option<Dispatch>,
}

impl From<Config> for LocalServiceBuilder {
    fn from(config: Config) -> Self {
        Self { config, log: None }
    }
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
        /// The host name or address to listen on. The default is `127.0.0.1`.
        host: impl Into<String> => host.into();
        /// The port to listen on. The default is 0, which chooses a free port.
        port: u16 => port;
        /// The API key that clients must send. The default is a random key.
        api_key: impl Into<Secret> => Some(api_key.into());
        /// Where files, results and operations are kept. By default, they are removed when the service ends.
        store: Store => store;
        /// The maximum number of operations that run at the same time. The default is the number of processor cores.
        workers: usize => Some(workers);
        /// The limits of the requests of clients.
        limits: Limits => limits;
        /// The limits of one operation.
        engine_limits: recto_engine::Limits => engine_limits;
        /// What a document may decode to, in bytes, if its operation runs in this program instead of in a worker
        /// process. The default is 256 MiB.
        in_process_bytes: u64 => in_process_bytes;
        /// How operations are isolated from this program. By default, operations run in worker processes, if a program
        /// to start workers from is known.
        isolation: Isolation => isolation;
        /// How long files and results are kept. The default is 24 hours.
        retention: Duration => retention;
        /// How long the address of an upload or download is valid. The default is one hour.
        link_lifetime: Duration => link_lifetime;
        /// The base URL that clients use for the service, if this URL is not the address that the service listens on.
        public_url: impl Into<String> => Some(public_url.into());
        /// Whether files may be fetched from private, loopback and link-local addresses. The default is `false`.
        allow_private_urls: bool => allow_private_urls;
        /// The ports that files may be fetched from. The default is 80 and 443, or every port if private addresses are
        /// allowed.
        fetch_ports: impl Into<Vec<u16>> => Some(fetch_ports.into());
        /// Whether the service refuses a request with an unknown field or an unknown option. By default, the service
        /// ignores unknown fields and options.
        strict_fields: bool => strict_fields;
    }

    /// Whether the test controls below `/test` are available. The default is `false`.
    #[cfg(feature = "test-controls")]
    #[must_use]
    pub fn test_controls(mut self, test_controls: bool) -> Self {
        self.config.test_controls = test_controls;
        self
    }

    /// The folder in which the service creates its private directory. The service removes the private directory when it
    /// ends. The default is the system's temporary directory.
    #[must_use]
    pub fn data_dir(self, parent: impl Into<PathBuf>) -> Self {
        self.store(Store::Temporary { parent: Some(parent.into()) })
    }

    /// The subscriber that receives the log events of the service's threads. The default is the global subscriber of
    /// the program.
    #[must_use]
    pub fn log_to(mut self, subscriber: Dispatch) -> Self {
        self.log = Some(subscriber);
        self
    }

    /// Replaces the engine, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.config.engine = engine;
        self
    }

    /// The settings, to change several of them.
    pub(crate) fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// Starts the service. Returns when the service listens.
    ///
    /// # Errors
    /// [`ServiceError`] describes which setting or which part of the system is the cause.
    pub fn start(self) -> Result<LocalService, ServiceError> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, started) = mpsc::sync_channel(1);
        let (unused, received) = unbounded_channel();
        let log = self.log;
        let serve = move || {
            let _log = log.as_ref().map(dispatcher::set_default);
            let runtime = match runtime_with(log) {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(ServiceError::from(error)))),
            };
            runtime.block_on(async {
                match BoundService::bind(self.config).await {
                    Err(error) => drop(ready.send(Err(error))),
                    Ok(bound) => {
                        drop(ready.send(Ok(bound.serving.clone())));
                        // No value is ever sent through `stopped`: the service stops when the sender is dropped.
                        bound.deleting(received).run(async { drop(stopped.await) }).await;
                    }
                }
            });
            // If an operation does not notice its cancellation in time, its thread keeps running until the process
            // ends.
            runtime.shutdown_timeout(Duration::from_millis(200));
        };
        let thread = without_signals(|| Builder::new().name("recto-service".to_owned()).spawn(serve))?;
        let serving = started.recv().unwrap_or_else(|_| {
            Err(ServiceError::System(io::Error::other(
                "the thread of the local service ended before the service had started",
            )))
        })?;
        Ok(LocalService {
            base_url: serving.base_url,
            api_key: serving.api_key,
            page_url: serving.page_url,
            unused: UnusedFiles::new(unused),
            process: process::id(),
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}
