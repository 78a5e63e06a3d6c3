//! An HTTP client for requests without a proxy. It sends an address byte for byte: the signature of a presigned address
//! may cover every byte.
//!
//! It is hyper's client. reqwest, which is used for proxies, parses the address of each request several times and has
//! several layers (redirects, retries) that this crate does not use: a small request through it takes 1.4 times as many
//! instructions.

use crate::http::body::Body;
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

/// How long an idle connection is kept. Shorter than the minute after which services and proxies usually close idle
/// connections.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a connection must be silent before the system checks that the other end is still there.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(60);

/// Sends requests without a proxy. Does not follow redirects or limit the time of requests.
pub(crate) struct DirectClient(Client<TimedConnector, Body>);

impl DirectClient {
    /// With `fresh`, each request uses a new connection.
    pub(crate) fn new(mut tls: ClientConfig, connect_timeout: Duration, fresh: bool) -> Self {
        // The connector sets the ALPN protocols itself, and requires that none are set before.
        tls.alpn_protocols.clear();
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(connect_timeout));
        connector.set_nodelay(true);
        connector.set_keepalive(Some(KEEPALIVE));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(connector);
        let mut client = Client::builder(TokioExecutor::new());
        client.timer(TokioTimer::new()).pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_TIMEOUT);
        if fresh {
            client.pool_max_idle_per_host(0);
        }
        Self(client.build(TimedConnector { connector, timeout: connect_timeout }))
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Error> {
        self.0.request(request).await
    }
}

/// Limits the time in which a connection is established, with TLS.
#[derive(Clone)]
struct TimedConnector {
    connector: HttpsConnector<HttpConnector>,
    timeout: Duration,
}

type Connection = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
type ConnectError = <HttpsConnector<HttpConnector> as Service<Uri>>::Error;

impl Service<Uri> for TimedConnector {
    type Response = Connection;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Connection, ConnectError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (connecting, limit) = (self.connector.call(to), self.timeout);
        Box::pin(async move {
            let connected = tokio::time::timeout(limit, connecting).await;
            connected.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "timed out").into()))
        })
    }
}
