//! Connections: directly or through a proxy, plain or TLS, within the connect time-out.

use crate::address::Address;
use crate::error::Error;
use http::{HeaderValue, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use std::error::Error as StdError;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

type BoxError = Box<dyn StdError + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Which proxy a destination is reached through.
#[derive(Clone)]
pub(crate) enum Proxies {
    /// None.
    Direct,
    /// The environment's and the system's (`HTTPS_PROXY`, `NO_PROXY`), but never to this machine itself.
    System(Arc<Matcher>),
    /// This one for everything.
    Given(Arc<Matcher>),
}

impl Proxies {
    pub(crate) fn system() -> Self {
        Self::System(Arc::new(Matcher::from_system()))
    }

    /// The proxy that the user named.
    pub(crate) fn given(url: &str) -> Result<Self, Error> {
        let shown = crate::redact::address(url);
        let refuse = |why: &str| Error::config(format!("the proxy {shown} cannot be used: {why}"));
        let uri: Uri = url.parse().map_err(|_| refuse("it is not a valid address"))?;
        match uri.scheme_str() {
            Some("http") => {}
            _ => {
                return Err(
                    refuse("only http:// proxies are supported").advise("Write it as http://host:port")
                );
            }
        }
        uri.authority().ok_or_else(|| refuse("it has no host"))?;
        Ok(Self::Given(Arc::new(Matcher::builder().all(url.to_owned()).build())))
    }

    /// The proxy for `to`, and what authorizes with it.
    fn of(&self, to: &Uri) -> Option<(Uri, Option<HeaderValue>)> {
        let matcher = match self {
            Self::Direct => return None,
            Self::System(_) if is_loopback(to) => return None,
            Self::System(matcher) | Self::Given(matcher) => matcher,
        };
        let found = matcher.intercept(to)?;
        Some((found.uri().clone(), found.basic_auth().cloned()))
    }

    /// The `Proxy-Authorization` that a plain http request has to carry itself; over TLS the tunnel carries it.
    pub(crate) fn authorization(&self, to: &Address) -> Option<HeaderValue> {
        if to.origin().is_https() { None } else { self.of(to.uri())?.1 }
    }
}

fn is_loopback(uri: &Uri) -> bool {
    Address::parse(&uri.to_string()).is_ok_and(|address| address.origin().is_loopback())
}

/// Makes connections for the pool.
#[derive(Clone)]
pub(crate) struct Connector {
    https: HttpsConnector<Tcp>,
    limit: Duration,
}

impl Connector {
    pub(crate) fn new(tls: ClientConfig, proxies: Proxies, limit: Duration) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_keepalive(Some(Duration::from_secs(60)));
        http.set_connect_timeout(Some(limit));
        Self { https: HttpsConnector::from((Tcp { http, proxies }, tls)), limit }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Stream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (connecting, limit) = (self.https.call(to), self.limit);
        Box::pin(async move {
            let late = |_| {
                BoxError::from(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("no connection within {limit:?}"),
                ))
            };
            tokio::time::timeout(limit, connecting).await.map_err(late)?
        })
    }
}

/// TCP to the destination, or to the proxy before it.
#[derive(Clone)]
struct Tcp {
    http: HttpConnector,
    proxies: Proxies,
}

impl Service<Uri> for Tcp {
    type Response = Stream;
    type Error = BoxError;
    type Future = Connecting<Stream>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.http.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some((proxy, authorization)) = self.proxies.of(&to) else {
            let connecting = self.http.call(to);
            return Box::pin(async move { Ok(Stream { io: connecting.await?, absolute_form: false }) });
        };
        if to.scheme_str() == Some("https") {
            let mut tunnel = Tunnel::new(proxy, self.http.clone());
            if let Some(authorization) = authorization {
                tunnel = tunnel.with_auth(authorization);
            }
            let connecting = tunnel.call(to);
            return Box::pin(async move { Ok(Stream { io: connecting.await?, absolute_form: false }) });
        }
        let connecting = self.http.call(proxy);
        Box::pin(async move { Ok(Stream { io: connecting.await?, absolute_form: true }) })
    }
}

/// A TCP connection that knows whether requests on it must name the whole address, as a proxy wants it.
pub(crate) struct Stream {
    io: TokioIo<TcpStream>,
    absolute_form: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.io.connected().proxy(self.absolute_form)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, to)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, from)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_systems_proxy_is_never_asked_for_this_machine() {
        let matcher = Arc::new(Matcher::builder().all("http://proxy.example:3128".to_owned()).build());
        let to = |text: &'static str| Uri::from_static(text);
        let system = Proxies::System(matcher.clone());
        assert!(system.of(&to("http://127.0.0.1:4000/v1/files")).is_none());
        assert!(system.of(&to("https://localhost/")).is_none());
        assert_eq!(system.of(&to("https://pdf.example/")).unwrap().0.host(), Some("proxy.example"));
        assert!(Proxies::Given(matcher).of(&to("http://127.0.0.1:4000/")).is_some());
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_refused_without_showing_its_password() {
        for url in ["socks5://u:hunter2@p:1", "https://u:hunter2@p", "u:hunter2@p", "http://"] {
            let error =
                Proxies::given(url).err().map(|error| error.to_string()).unwrap_or_else(|| panic!("{url}"));
            assert!(!error.contains("hunter2"), "{error}");
        }
        let proxies = Proxies::given("http://user:pass@p.example:8080").ok().unwrap();
        let address = Address::parse("http://h.example/").unwrap();
        assert_eq!(proxies.authorization(&address).unwrap(), "Basic dXNlcjpwYXNz");
        assert!(proxies.authorization(&Address::parse("https://h.example/").unwrap()).is_none());
    }
}
