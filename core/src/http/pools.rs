//! The connection pools of one client on one runtime: for direct connections, and for connections through a proxy.

use crate::http::address::Address;
use crate::http::body::Body;
use crate::http::direct_client::{DirectClient, IDLE_TIMEOUT, KEEPALIVE};
use crate::http::proxies::Proxies;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use once_cell::sync::OnceCell;
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// What the pools are created from.
pub(crate) struct PoolSettings {
    pub(crate) tls: ClientConfig,
    pub(crate) proxies: Proxies,
    pub(crate) connect_timeout: Duration,
}

/// How a request is sent.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) through_proxy: bool,
    /// Whether the request is sent over a new connection.
    pub(crate) fresh: bool,
}

/// The connections of one client on one runtime. Those that are not needed yet are `None`.
#[derive(Default)]
pub(crate) struct Pools {
    direct: OnceCell<DirectClient>,
    proxied: OnceCell<reqwest::Client>,
    /// These keep no idle connections.
    fresh_direct: OnceCell<DirectClient>,
    fresh_proxied: OnceCell<reqwest::Client>,
}

impl Pools {
    pub(crate) async fn send(
        &self,
        settings: &PoolSettings,
        to: &Address,
        (method, headers, body): (Method, HeaderMap, Body),
        route: Route,
    ) -> Result<Response<ResponseBody>, ConnectionError> {
        if route.through_proxy {
            // Boxed, because otherwise the future of every request would be as large as the future of this case.
            return Box::pin(self.send_through_proxy(settings, to, (method, headers, body), route)).await;
        }
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = to.uri().clone();
        *request.headers_mut() = headers;
        let client = self.direct(settings, route.fresh);
        let response = client.send(request).await.map_err(ConnectionError::Direct)?;
        Ok(response.map(ResponseBody::Direct))
    }

    async fn send_through_proxy(
        &self,
        settings: &PoolSettings,
        to: &Address,
        (method, headers, body): (Method, HeaderMap, Body),
        route: Route,
    ) -> Result<Response<ResponseBody>, ConnectionError> {
        let client = self.proxied(settings, route.fresh).map_err(ConnectionError::Proxied)?;
        let request = client.request(method, to.uri().to_string()).headers(headers);
        let response = request.body(reqwest::Body::wrap(body)).send().await;
        let response = response.map_err(|error| ConnectionError::Proxied(error.without_url()))?;
        Ok(Response::from(response).map(ResponseBody::Proxied))
    }

    fn direct(&self, settings: &PoolSettings, fresh: bool) -> &DirectClient {
        let place = if fresh { &self.fresh_direct } else { &self.direct };
        place.get_or_init(|| DirectClient::new(settings.tls.clone(), settings.connect_timeout, fresh))
    }

    fn proxied(&self, settings: &PoolSettings, fresh: bool) -> reqwest::Result<&reqwest::Client> {
        let place = if fresh { &self.fresh_proxied } else { &self.proxied };
        place.get_or_try_init(|| proxied(settings, fresh))
    }
}

/// Creates a client that sends requests through the proxy. It does not follow redirects, repeat requests or limit their
/// time: this crate does that itself.
pub(crate) fn proxied(settings: &PoolSettings, fresh: bool) -> reqwest::Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(settings.tls.clone())
        .connect_timeout(settings.connect_timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .tcp_keepalive(KEEPALIVE)
        .redirect(Policy::none())
        // If retries were possible, the library would keep a copy of each request.
        .retry(reqwest::retry::never().max_retries_per_request(0))
        .referer(false);
    if let Proxies::Given(proxy, _) = &settings.proxies {
        builder = builder.no_proxy().proxy((**proxy).clone());
    }
    if fresh {
        builder = builder.pool_max_idle_per_host(0);
    }
    builder.build()
}

/// The body of a response.
pub(crate) enum ResponseBody {
    Direct(Incoming),
    Proxied(reqwest::Body),
}

impl ResponseBody {
    /// Returns the next piece; `None` at the end of the body. A piece may be empty.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        let frame = match self {
            Self::Direct(body) => body.frame().await.map(|frame| frame.map_err(BodyError::Direct)),
            Self::Proxied(body) => {
                body.frame().await.map(|frame| frame.map_err(|error| BodyError::Proxied(error.without_url())))
            }
        };
        // Anything that is not data is a trailer.
        frame.map(|frame| frame.map(|frame| frame.into_data().unwrap_or_default()))
    }

    /// Whether it is already known that nothing follows.
    pub(crate) fn has_ended(&self) -> bool {
        match self {
            Self::Direct(body) => http_body::Body::is_end_stream(body),
            Self::Proxied(body) => http_body::Body::is_end_stream(body),
        }
    }
}

/// The error of a response whose body broke off.
#[derive(Debug)]
pub(crate) enum BodyError {
    Direct(hyper::Error),
    Proxied(reqwest::Error),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct(error) => error.fmt(f),
            Self::Proxied(error) => error.fmt(f),
        }
    }
}

impl StdError for BodyError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Direct(error) => error.source(),
            Self::Proxied(error) => error.source(),
        }
    }
}

/// The error of a request to which no response came.
#[derive(Debug)]
pub(crate) enum ConnectionError {
    Direct(hyper_util::client::legacy::Error),
    Proxied(reqwest::Error),
}

impl ConnectionError {
    /// Whether the connection to the server could not be established.
    pub(crate) fn is_connect(&self) -> bool {
        match self {
            Self::Direct(error) => error.is_connect(),
            Self::Proxied(error) => error.is_connect(),
        }
    }

    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Direct(error) => error,
            Self::Proxied(error) => error,
        }
    }
}
