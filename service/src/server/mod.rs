//! The connections: listening, HTTP/1.1 with its limits, and an orderly end.

mod connection;
mod signals;
mod write_timeout;

use crate::auth::hosts::Hosts;
use crate::auth::key::Key;
use crate::auth::one_time_token::OneTimeToken;
use crate::auth::presign::Signer;
use crate::config::{Config, Store};
use crate::endpoints::{openapi, router};
use crate::error::ServiceError;
use crate::execution::{Executor, InProcess, STACK};
use crate::fetch::Fetcher;
use crate::isolation::InWorkers;
use crate::metrics::Metrics;
use crate::open::{self, Opened};
use crate::queue::retention::sweep;
use crate::queue::running::Running;
use crate::queue::worker::work;
use crate::state::{Inner, Service};
#[cfg(feature = "test-controls")]
use crate::test_controls::TestControls;
use recto_interface::Secret;
use signals::Signals;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

/// How long, after `drain`, a job that was asked to stop may take to see it.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long, after `drain`, an answer that is being written may take.
const RESPONSE_GRACE: Duration = Duration::from_millis(100);

/// How often the executor looks after itself.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(5);

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
    let bound = BoundService::bind(config).await?;
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
        let bound = BoundService::bind(config).await?;
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
    runtime.shutdown_timeout(STOP_GRACE);
    served
}

/// The runtime of a service: few threads for the wire, as many as needed for work that blocks.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("recto-service")
        // Documents nest: the engine's limit of depth must fit on the stack.
        .thread_stack_size(STACK)
        .enable_all()
        .build()
}

/// A service that listens, and does not answer yet.
pub(crate) struct BoundService {
    pub(crate) serving: Serving,
    listener: TcpListener,
    service: Service,
    stop: watch::Sender<bool>,
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
        let service = Service::new(Inner {
            key: Key::new(&api_key),
            hosts: Hosts::of(address.ip(), public_url.as_ref()),
            signer: Signer::new(link_key, config.link_lifetime),
            registry,
            storage,
            fetcher: Fetcher::new(config.allow_private_urls, config.limits.fetches, config.limits.stall_time),
            running: Running::default(),
            metrics: Metrics::new(),
            one_time_token,
            openapi: openapi.into(),
            executor: executor(
                &config,
                #[cfg(feature = "test-controls")]
                test_controls.clone(),
            )?,
            #[cfg(feature = "test-controls")]
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
        background.spawn(maintain(service.clone()));
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
            let timeouts = connection::Timeouts { header: limits.header_time, stall: limits.stall_time };
            connections.spawn(async move {
                connection::serve(stream, app, timeouts, stopping).await;
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
        let _ = timeout(RESPONSE_GRACE, async { while connections.join_next().await.is_some() {} }).await;
        connections.shutdown().await;
        if timeout(STOP_GRACE, async { while background.join_next().await.is_some() {} }).await.is_err() {
            tracing::warn!("an operation did not stop when it was asked to");
        }
        background.shutdown().await;
        let executor = Arc::clone(&service.executor);
        let _ = timeout(STOP_GRACE, tokio::task::spawn_blocking(move || executor.close())).await;
    }
}

/// What executes operations: workers, but for an engine of a test's own, which they do not have.
fn executor(
    config: &Config,
    #[cfg(feature = "test-controls")] test_controls: Option<Arc<TestControls>>,
) -> Result<Arc<dyn Executor>, ServiceError> {
    let limits = config.engine_limits.clone();
    let here = InProcess::new(config.engine.clone(), limits.clone(), config.workers());
    if !config.engine.is_the_engine {
        return Ok(Arc::new(here));
    }
    let parent = match &config.store {
        Store::Temporary { parent: Some(parent) } => parent.clone(),
        _ => std::env::temp_dir(),
    };
    let workers = InWorkers::new(config.isolation.clone(), limits, parent, here, config.workers() > 0);
    #[cfg(feature = "test-controls")]
    let workers = workers.with_faults(test_controls.map(|controls| controls as _));
    workers.check().map_err(ServiceError::Isolation)?;
    Ok(Arc::new(workers))
}

/// Has the executor look after itself now and then.
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
