//! The HTTP/1.1 server: listens, accepts connections within limits, and stops its parts in the right order.

mod connection;
mod own_process;
mod places;
mod signals;
mod write_timeout;

use crate::auth::hosts::Hosts;
use crate::auth::key::Key;
use crate::auth::one_time_token::OneTimeToken;
use crate::auth::presign::Signer;
use crate::config::Config;
use crate::endpoints::{openapi, router};
use crate::error::ServiceError;
use crate::execution::{Executor, InProcess, PutBack, Running, STACK};
use crate::fetch::{Fetcher, Rules};
use crate::isolation::{InWorkers, Parent};
use crate::metrics::Metrics;
use crate::open::{self, Opened};
use crate::queue::retention::remove_expired;
use crate::queue::unused::delete_unused;
use crate::queue::worker::work;
use crate::state::{Inner, Service};
use crate::storage::Storage;
#[cfg(feature = "test-controls")]
use crate::test_controls::TestControls;
pub use own_process::runs_as_root;
use places::{Place, Places, ShareUsedUp};
use recto_interface::Secret;
use signals::Signals;
use std::cell::Cell;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::dispatcher::{self, DefaultGuard, Dispatch};
use url::Url;

/// The maximum time that a cancelled operation may take to stop. The time begins after the time limit `Config::drain`.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The maximum time that a response may still be written. The time begins after the time limit `Config::drain`.
const RESPONSE_GRACE: Duration = Duration::from_millis(100);

/// The time between two calls of the executor's maintenance, which ends idle workers.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

/// A running service.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The base URL for clients, without a slash at its end. This is the public URL, if it is set. Otherwise, the URL
    /// is for clients on this machine.
    pub base_url: String,
    /// The address that the service listens on.
    pub address: SocketAddr,
    /// The API key that clients must send.
    pub api_key: Secret,
    /// Whether the service generated the API key, so that the key must be shown to the user.
    pub key_is_generated: bool,
    /// An address that opens the web page in a browser. The page then has the API key. The address works once, within
    /// ten minutes.
    pub page_url: Secret,
}

/// Runs the service until `shutdown` resolves. `ready` is called once, when the service accepts connections.
///
/// # Errors
/// [`ServiceError`] if the service cannot be started. After the service has started, no request can stop it.
pub async fn serve(
    config: Config,
    ready: impl FnOnce(&Serving),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServiceError> {
    let bound = BoundService::bind(config).await?;
    ready(&bound.serving);
    bound.run(shutdown).await;
    Ok(())
}

/// Runs the service on its own runtime until Ctrl-C, or until SIGTERM on Unix. A second signal ends the service at
/// once. `recto serve` calls this function.
///
/// The process is expected to only run the service: its soft limit of open files is raised to the hard limit, and it
/// writes no core dumps.
///
/// # Errors
/// The errors of [`serve`].
pub fn serve_until_signal(config: Config, ready: impl FnOnce(&Serving)) -> Result<(), ServiceError> {
    own_process::prepare();
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let bound = BoundService::bind(config).await?;
        ready(&bound.serving);
        let (stop, stopped) = watch::channel(false);
        let mut running = std::pin::pin!(bound.run(async move {
            let mut stopped = stopped;
            // An error means that the sender was dropped, so the service has stopped.
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
    runtime.shutdown_timeout(STOP_GRACE);
    served
}

/// The asynchronous runtime of a service: two threads for connections, and as many threads as needed for blocking work.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    runtime_with(None)
}

thread_local! {
    /// Keeps the subscriber of a thread of a runtime until the thread ends.
    static SUBSCRIBER: Cell<Option<DefaultGuard>> = const { Cell::new(None) };
}

/// Like [`runtime`], but the log events of all threads are sent to `log`.
pub(crate) fn runtime_with(log: Option<Dispatch>) -> io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(log) = log {
        builder.on_thread_start(move || SUBSCRIBER.set(Some(dispatcher::set_default(&log))));
        builder.on_thread_stop(|| drop(SUBSCRIBER.take()));
    }
    builder
        .worker_threads(2)
        .thread_name("recto-service")
        // A document may be nested as deeply as the engine allows, so the stack must be large enough for this depth.
        .thread_stack_size(STACK)
        .enable_all()
        .build()
}

fn fetcher(config: &Config) -> Fetcher {
    let rules = Rules::new(config.allow_private_urls, config.fetch_ports.as_deref());
    Fetcher::new(rules, config.limits.fetches, config.limits.stall_time)
}

/// A service that listens, but does not accept connections yet.
pub(crate) struct BoundService {
    pub(crate) serving: Serving,
    listener: TcpListener,
    service: Service,
    stop: watch::Sender<bool>,
    /// The identifiers of files that the program no longer needs.
    unused: Option<UnboundedReceiver<String>>,
}

impl BoundService {
    pub(crate) async fn bind(config: Config) -> Result<Self, ServiceError> {
        let public_url = config.public_url.as_deref().map(public_url).transpose()?;
        let listener = listen(&config.host, config.port).await?;
        let address = listener.local_addr()?;
        let Opened { registry, storage, link_key, api_key, key_is_generated, guard } =
            open::open(&config).await?;
        let base_url = match &public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", client_address(address)),
        };
        let (token, one_time_token) = OneTimeToken::new(api_key.clone())?;
        let page_url = Secret::new(format!("{base_url}/#once={}", token.expose()));
        let path = public_url.as_ref().map_or("/", Url::path);
        let openapi = serde_json::to_vec(&openapi::document(path)).map_err(io::Error::from)?;
        let (stop, stopping) = watch::channel(false);
        #[cfg(feature = "test-controls")]
        let test_controls = config.test_controls.then(Arc::<TestControls>::default);
        let executor = executor(
            &config,
            &*storage,
            #[cfg(feature = "test-controls")]
            test_controls.clone(),
        )?;
        let service = Service::new(Inner {
            key: Key::new(&api_key),
            hosts: Hosts::of(address.ip(), public_url.as_ref()),
            signer: Signer::new(link_key, config.link_lifetime),
            registry,
            storage,
            fetcher: fetcher(&config),
            running: Running::default(),
            put_back: PutBack::default(),
            metrics: Metrics::new(),
            one_time_token,
            openapi: openapi.into(),
            executor,
            #[cfg(feature = "test-controls")]
            test_controls,
            public_url,
            stopping,
            config,
            _guard: guard,
        });
        let serving = Serving { base_url, address, api_key, key_is_generated, page_url };
        Ok(Self { serving, listener, service, stop, unused: None })
    }

    /// The same service, which also deletes the files whose identifiers arrive on `unused`.
    pub(crate) fn deleting(self, unused: UnboundedReceiver<String>) -> Self {
        Self { unused: Some(unused), ..self }
    }

    /// Runs the service until `shutdown` resolves. Then the service accepts no more connections and responds to held
    /// requests. Running operations may continue for the time `Config::drain`. After that, everything that still runs
    /// is stopped.
    pub(crate) async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, service, stop, unused, .. } = self;
        let limits = &service.config.limits;
        let app = router(service.clone());
        let mut background = JoinSet::new();
        for _ in 0..service.config.workers() {
            background.spawn(work(service.clone()));
        }
        background.spawn(remove_expired(service.clone()));
        background.spawn(maintain(service.clone()));
        if let Some(unused) = unused {
            background.spawn(delete_unused(service.clone(), unused));
        }
        let most = own_process::connections(&service.config);
        let places = Places::new(most, limits.connections_per_peer.unwrap_or(most.saturating_mul(3) / 4));
        let mut connections = JoinSet::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                accepted = accept(&listener, &places) => accepted,
                () = &mut shutdown => break,
            };
            let (stream, place) = match accepted {
                (stream, Ok(place)) => (stream, place),
                (stream, Err(ShareUsedUp)) => {
                    connection::refuse(stream);
                    continue;
                }
            };
            let (app, stopping) = (app.clone(), service.stopping.clone());
            let timeouts = connection::Timeouts {
                first_header: limits.first_header_time.min(limits.header_time),
                header: limits.header_time,
                stall: limits.stall_time,
            };
            connections.spawn(connection::serve(stream, app, timeouts, place, stopping));
            // Removes ended connections from the set, so that the set does not grow.
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
        // A connection with a held request ends when the response is written.
        let _ = timeout(RESPONSE_GRACE, async { while connections.join_next().await.is_some() {} }).await;
        connections.shutdown().await;
        if timeout(STOP_GRACE, async { while background.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("an operation did not stop after it was cancelled");
        }
        background.shutdown().await;
        let executor = Arc::clone(&service.executor);
        let _ = timeout(STOP_GRACE, tokio::task::spawn_blocking(move || executor.close())).await;
    }
}

/// The executor: worker processes, or this process if a test has replaced the engine.
fn executor(
    config: &Config,
    storage: &dyn Storage,
    #[cfg(feature = "test-controls")] test_controls: Option<Arc<TestControls>>,
) -> Result<Arc<dyn Executor>, ServiceError> {
    let limits = config.engine_limits.clone();
    let here = InProcess::new(config.engine.clone(), &limits, config.in_process_bytes, config.workers());
    if !config.engine.is_the_engine {
        return Ok(Arc::new(here));
    }
    let parent = match storage.private_folder() {
        Some(folder) => Parent::Private(folder.to_owned()),
        None => Parent::Shared(std::env::temp_dir()),
    };
    let workers = InWorkers::new(config.isolation.clone(), limits, parent, here, config.workers() > 0);
    #[cfg(feature = "test-controls")]
    let workers = workers.with_faults(test_controls.map(|controls| controls as _));
    workers.check()?;
    Ok(Arc::new(workers))
}

/// Calls the maintenance of the executor regularly, until the service stops.
async fn maintain(service: Service) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(MAINTENANCE_INTERVAL) => service.executor.maintain(),
            () = service.stop_requested() => return,
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

/// Accepts the next connection, and takes a place for it. If all places are taken, and no connection is idle, waits;
/// new connections then wait in the queue of the operating system.
async fn accept(listener: &TcpListener, places: &Arc<Places>) -> (TcpStream, Result<Place, ShareUsedUp>) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => return (stream, places.take(client.ip()).await),
            Err(error) => {
                // Either the client has disconnected, or the process has no free file descriptor. Both are temporary.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// The address that clients on this machine use: loopback if the service listens on all addresses, otherwise `address`.
fn client_address(address: SocketAddr) -> SocketAddr {
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
        .map_err(|error| ServiceError::Setting(format!("the public URL {text:?} is invalid: {error}")))?;
    let plain = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if matches!(url.scheme(), "http" | "https") && url.has_host() && plain {
        return Ok(url);
    }
    Err(ServiceError::Setting(
        "the public URL must be an http or https URL without user, password, query or fragment".to_owned(),
    ))
}
