//! The connections: listening, HTTP/1.1 with its limits, and an orderly end.

mod connection;
mod paced;

use crate::access::{Hosts, Key};
use crate::config::Config;
use crate::executor::{Executor, InProcess};
use crate::fetch::Fetcher;
use crate::isolation::InWorkers;
use crate::links::Signer;
use crate::metrics::Metrics;
use crate::openapi;
use crate::page::Once;
use crate::routes::router;
use crate::state::{Inner, Service};
use crate::store::{self, Opened};
use crate::sweep::sweep;
use crate::test_controls::TestControls;
use crate::threads;
use crate::worker::{Running, work};
use recto_interface::Secret;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

/// How long, after `drain`, a job that was asked to stop may take to see it.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// How long, after `drain`, an answer that is being written may take.
const LAST_ANSWERS: Duration = Duration::from_millis(100);

/// How often the executor looks after itself.
const TEND: Duration = Duration::from_secs(5);

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The address cannot be listened on.
    #[error(
        "the service cannot listen on {host}:{port}: {source}; choose another host or port, or port 0 for any free one"
    )]
    Listen {
        /// The host asked for.
        host: String,
        /// The port asked for.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The directory for the service's files cannot be used.
    #[error("the service cannot keep files in {}: {source}{}", directory.display(), advice(source))]
    DataDirectory {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The isolation that was asked for cannot be had.
    #[error("the isolation `strict` cannot be had here: {0}; ask for `best` to do with what there is")]
    Isolation(String),
    /// A setting that cannot be followed.
    #[error("{0}")]
    Setting(String),
    /// The system does not give what every service needs: threads, random numbers.
    #[error("the service cannot start: {0}")]
    System(#[from] io::Error),
}

/// What to do about a directory that cannot be used; some causes say so themselves.
fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::ResourceBusy => "",
        _ => "; give it a directory that it may write to",
    }
}

/// A service that is up.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The address for clients on this machine, or the public URL; no slash at its end.
    pub base_url: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// The key that clients must send.
    pub api_key: Secret,
    /// Whether that key was made for this run, so that someone must be told.
    pub key_is_generated: bool,
    /// An address that opens the page with the key, once and within ten minutes.
    pub page_url: Secret,
}

/// Serves until `shutdown` resolves; `ready` is called once, when requests are answered.
///
/// # Errors
/// [`ServiceError`] when it cannot be started. Once it is up, it goes on whatever clients do.
pub async fn serve(
    config: Config,
    ready: impl FnOnce(&Serving),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServiceError> {
    let bound = Bound::bind(config).await?;
    ready(&bound.serving);
    bound.run(shutdown).await;
    Ok(())
}

/// Serves until Ctrl-C, or SIGTERM on Unix, on a runtime of its own: `recto serve`. A second signal ends at once.
///
/// # Errors
/// As [`serve`].
pub fn serve_until_signal(config: Config, ready: impl FnOnce(&Serving)) -> Result<(), ServiceError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let bound = Bound::bind(config).await?;
        ready(&bound.serving);
        let (stop, stopped) = watch::channel(false);
        let mut running = std::pin::pin!(bound.run(async move {
            let mut stopped = stopped;
            // An error means that nobody is left who could tell.
            let _ = stopped.wait_for(|stop| *stop).await;
        }));
        tokio::select! {
            () = &mut running => return Ok(()),
            () = signals.next() => { stop.send_replace(true); }
        }
        tokio::select! {
            () = &mut running => {}
            () = signals.next() => {}
        }
        Ok(())
    });
    runtime.shutdown_timeout(LAST_WAIT);
    served
}

/// The runtime of a service: few threads for the wire, as many as needed for work that blocks.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("recto-service")
        // Documents nest: the engine's limit of depth must fit on the stack.
        .thread_stack_size(threads::STACK)
        .enable_all()
        .build()
}

/// A service that listens, and does not answer yet.
pub(crate) struct Bound {
    pub(crate) serving: Serving,
    listener: TcpListener,
    service: Service,
    stop: watch::Sender<bool>,
}

impl Bound {
    pub(crate) async fn bind(config: Config) -> Result<Self, ServiceError> {
        let public_url = config.public_url.as_deref().map(public_url).transpose()?;
        let listener = listen(&config.host, config.port).await?;
        let address = listener.local_addr()?;
        let Opened { registry, storage, link_key, api_key, key_is_generated, guard } =
            store::open(&config).await?;
        let base_url = match &public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", reachable(address)),
        };
        let (word, once) = Once::new(api_key.clone())?;
        let page_url = Secret::new(format!("{base_url}/#once={}", word.expose()));
        let path = public_url.as_ref().map_or("/", Url::path);
        let openapi = serde_json::to_vec(&openapi::document(path)).map_err(io::Error::from)?;
        let (stop, stopping) = watch::channel(false);
        let test_controls = config.test_controls.then(Arc::<TestControls>::default);
        let service = Service::new(Inner {
            key: Key::new(&api_key),
            hosts: Hosts::of(address.ip(), public_url.as_ref()),
            signer: Signer::new(link_key, config.link_lifetime),
            registry,
            storage,
            fetcher: Fetcher::new(config.allow_private_urls, config.limits.fetches, config.limits.stall_time),
            running: Running::default(),
            metrics: Metrics::new(),
            once,
            openapi: openapi.into(),
            executor: executor(&config, test_controls.clone())?,
            test_controls,
            public_url,
            stopping,
            config,
            _guard: guard,
        });
        let serving = Serving { base_url, address, api_key, key_is_generated, page_url };
        Ok(Self { serving, listener, service, stop })
    }

    /// Answers requests until `shutdown` resolves; then ends in order: no new connections, held requests answered,
    /// `drain` for what goes on, then everything is told to stop and the files are removed.
    pub(crate) async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, service, stop, .. } = self;
        let limits = &service.config.limits;
        let app = router(service.clone());
        let mut background = JoinSet::new();
        for _ in 0..service.config.workers() {
            background.spawn(work(service.clone()));
        }
        background.spawn(sweep(service.clone()));
        background.spawn(tend(service.clone()));
        let places = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
        let mut connections = JoinSet::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                accepted = accept(&listener, &places) => accepted,
                () = &mut shutdown => break,
            };
            let (stream, place) = accepted;
            let (app, stopping) = (app.clone(), service.stopping.clone());
            let pace = connection::Pace { header: limits.header_time, stall: limits.stall_time };
            connections.spawn(async move {
                connection::serve(stream, app, pace, stopping).await;
                drop(place);
            });
            // Those that have ended are taken out, so that the set stays as large as what is open.
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        stop.send_replace(true);
        let _ = timeout(service.config.drain, async {
            while connections.join_next().await.is_some() {}
            while background.join_next().await.is_some() {}
        })
        .await;
        service.running.stop_all();
        // Those whose held request was answered just now end by themselves.
        let _ = timeout(LAST_ANSWERS, async { while connections.join_next().await.is_some() {} }).await;
        connections.shutdown().await;
        if timeout(LAST_WAIT, async { while background.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("an operation did not stop when it was asked to");
        }
        background.shutdown().await;
        let executor = Arc::clone(&service.executor);
        let _ = timeout(LAST_WAIT, tokio::task::spawn_blocking(move || executor.close())).await;
    }
}

/// What executes operations: workers, but for an engine of a test's own, which they do not have.
fn executor(
    config: &Config,
    test_controls: Option<Arc<TestControls>>,
) -> Result<Arc<dyn Executor>, ServiceError> {
    if !config.engine.is_the_engine {
        return Ok(Arc::new(InProcess::new(config)));
    }
    let workers = InWorkers::new(config, test_controls);
    workers.check().map_err(ServiceError::Isolation)?;
    Ok(Arc::new(workers))
}

/// Has the executor look after itself now and then.
async fn tend(service: Service) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(TEND) => service.executor.tend(),
            () = service.told_to_stop() => return,
        }
    }
}

async fn listen(host: &str, port: u16) -> Result<TcpListener, ServiceError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((bare, port)).await.map_err(|source| ServiceError::Listen {
        host: host.to_owned(),
        port,
        source,
    })
}

/// The next connection, once there is a place for it: until then it waits in the system's queue.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit) {
    loop {
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            // The semaphore is never closed.
            return std::future::pending().await;
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                // The client is gone again, or the process has no file descriptor left: both pass.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Where clients on this machine reach a listener: one on all addresses is also on loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    let loopback = match address {
        SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(loopback, address.port())
}

fn public_url(text: &str) -> Result<Url, ServiceError> {
    let url = Url::parse(text)
        .map_err(|error| ServiceError::Setting(format!("the public URL {text:?} is no address: {error}")))?;
    let plain = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if matches!(url.scheme(), "http" | "https") && url.has_host() && plain {
        return Ok(url);
    }
    Err(ServiceError::Setting(
        "the public URL must be an http or https address without a login, query or fragment".to_owned(),
    ))
}

/// Ctrl-C, and on Unix SIGTERM.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    #[allow(clippy::unnecessary_wraps)] // as on Unix
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        // An error means that Ctrl-C cannot be listened for: then only the process's end stops the service.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
