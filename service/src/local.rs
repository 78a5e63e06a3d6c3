//! The embedded service: started from any thread, on a thread of its own, gone with its value.

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
/// closes its port and removes its files; both wait until that is done.
///
/// ```
/// let service = recto_service::LocalService::start()?;
/// assert!(service.base_url().starts_with("http://127.0.0.1:"));
/// service.shutdown();
/// # Ok::<(), recto_service::ServiceError>(())
/// ```
///
/// In a child made by `fork` the service does not run, and nobody should wait for it:
/// [`is_of_this_process`](Self::is_of_this_process) tells, and dropping the inherited value there does nothing.
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
    /// [`ServiceError`] says what the system refused.
    pub fn start() -> Result<Self, ServiceError> {
        Self::builder().start()
    }

    /// A service with settings of one's own.
    pub fn builder() -> LocalServiceBuilder {
        LocalServiceBuilder { config: Config::default() }
    }

    /// The address for a client, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The key for a client.
    pub fn api_key(&self) -> &Secret {
        &self.api_key
    }

    /// An address that opens the service's page in a browser with the key, once and within ten minutes.
    pub fn page_url(&self) -> &Secret {
        &self.page_url
    }

    /// Whether this process started it; not so in a forked child.
    pub fn is_of_this_process(&self) -> bool {
        self.process == process::id()
    }

    /// Ends it, and returns when nothing of it is left.
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
            // The thread is the parent's, and so are the files. What these hold may be locked for ever here.
            mem::forget((stop, thread));
            return;
        }
        drop(stop);
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of the local service panicked");
        }
    }
}

/// The settings of a [`LocalService`]; what each means and its default is said at [`Config`].
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
        /// The port to listen on; 0 by default, any free one.
        port: u16 => port;
        /// The key that clients must send; a random one by default.
        api_key: impl Into<Secret> => Some(api_key.into());
        /// Where files, results and work are kept; by default they end with the service.
        store: Store => store;
        /// How many operations run at the same time; as many as there are cores by default.
        workers: usize => Some(workers);
        /// What clients may ask of the service.
        limits: Limits => limits;
        /// What one operation may take.
        engine_limits: recto_engine::Limits => engine_limits;
        /// How operations are kept apart from this program; in workers, where it was said what those are started from.
        isolation: Isolation => isolation;
        /// How long files and results are kept; 24 hours by default.
        retention: Duration => retention;
        /// How long an upload or download address is good for; one hour by default.
        link_lifetime: Duration => link_lifetime;
        /// The address under which clients reach the service, where it is another.
        public_url: impl Into<String> => Some(public_url.into());
        /// Whether files may be fetched from private, loopback and link-local addresses; not by default.
        allow_private_urls: bool => allow_private_urls;
    }

    /// Whether the test controls answer below `/test`; not by default.
    #[cfg(feature = "test-controls")]
    #[must_use]
    pub fn test_controls(mut self, test_controls: bool) -> Self {
        self.config.test_controls = test_controls;
        self
    }

    /// Where the service makes its private directory, which is gone with it; the system's temporary directory by
    /// default.
    #[must_use]
    pub fn data_dir(self, parent: impl Into<PathBuf>) -> Self {
        self.store(Store::Temporary { parent: Some(parent.into()) })
    }

    /// Does the work in place of the engine: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.config.engine = engine;
        self
    }

    /// Starts the service; returns when it listens.
    ///
    /// # Errors
    /// [`ServiceError`] says which setting or which part of the system is in the way.
    pub fn start(self) -> Result<LocalService, ServiceError> {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, answer) = mpsc::sync_channel(1);
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
                        // Told by the value's end: nothing is ever sent.
                        bound.run(async { drop(stopped.await) }).await;
                    }
                }
            });
            // A job that does not see that it was asked to stop is left behind; it ends with the process.
            runtime.shutdown_timeout(Duration::from_millis(200));
        })?;
        let serving = answer.recv().unwrap_or_else(|_| {
            Err(ServiceError::System(io::Error::other(
                "the thread of the local service ended before it was up",
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
