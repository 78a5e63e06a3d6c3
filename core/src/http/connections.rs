//! The connection pools of reqwest: one for direct connections, one for connections through a proxy.

use crate::error::Error;
use crate::http::address::{Address, Origin};
use crate::http::exact_client::ExactClient;
use crate::message::Message;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Proxy, Url};
use rustls::ClientConfig;
use std::error::Error as StdError;
use std::sync::OnceLock;
use std::time::Duration;

/// Which proxy a request goes through.
#[derive(Clone)]
pub(crate) enum Proxies {
    /// Every request is sent without a proxy.
    Direct,
    /// The proxies that the environment and the system set (`HTTPS_PROXY`, `NO_PROXY`), but none for requests to this
    /// machine itself.
    System,
    /// This proxy for every request, and its `host:port` for messages.
    Given(Box<Proxy>, String),
}

impl Proxies {
    /// Reads the address of the proxy that the user set.
    pub(crate) fn given(url: &str) -> Result<Self, Error> {
        let shown = crate::redact::address(url);
        let invalid = |why: &str| Error::config(format!("invalid proxy address {shown}: {why}"));
        let parsed = Url::parse(url).map_err(|_| invalid("it is not a valid address"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(
                invalid("only http and https proxies are supported").advise("Write it as http://host:port")
            );
        }
        if parsed.host_str().is_none_or(str::is_empty) {
            return Err(invalid("it has no host"));
        }
        let host = parsed.host_str().unwrap_or_default();
        let port = parsed.port_or_known_default().unwrap_or_default();
        let shown = format!("{host}:{port}");
        let proxy = Proxy::all(parsed).map_err(|_| invalid("it is not a valid address"))?;
        Ok(Self::Given(Box::new(proxy), shown))
    }
}

/// The connection pools of one client.
pub(crate) struct ConnectionPools {
    direct: Client,
    proxied: Option<Client>,
    /// The proxy settings, and copies of both clients that keep no idle connections, for requests that need a new
    /// connection.
    proxies: Proxies,
    fresh: OnceLock<(Client, Option<Client>)>,
    /// Whether requests to this machine itself also go through the proxy.
    also_for_loopback: bool,
    /// Decides for which addresses the system's proxies are used; `None` if other proxies are used.
    system: Option<Matcher>,
    /// The client for addresses that reqwest would not send byte for byte, and the settings from which it is created.
    /// Such addresses are rare.
    exact: OnceLock<ExactClient>,
    tls: ClientConfig,
    connect_timeout: Duration,
}

impl ConnectionPools {
    pub(crate) fn new(
        tls: ClientConfig,
        proxies: &Proxies,
        connect_timeout: Duration,
    ) -> Result<Self, Error> {
        let unusable = |error: reqwest::Error| {
            Error::config(Message::new("cannot set up connections: ").foreign(&error))
                .caused_by(error.without_url())
        };
        let (direct, proxied) =
            direct_and_proxied(proxies, || pool(tls.clone(), connect_timeout)).map_err(unusable)?;
        Ok(Self {
            direct,
            proxied,
            proxies: proxies.clone(),
            fresh: OnceLock::new(),
            also_for_loopback: matches!(proxies, Proxies::Given(..)),
            system: matches!(proxies, Proxies::System).then(Matcher::from_system),
            exact: OnceLock::new(),
            tls,
            connect_timeout,
        })
    }

    /// Sends `request` to the address `to`, byte for byte. With `fresh`, a new connection is used.
    pub(crate) async fn send(
        &self,
        to: &Address,
        request: reqwest::Request,
        fresh: bool,
    ) -> Result<http::Response<reqwest::Body>, ConnectionError> {
        if to.is_rewritten_by_reqwest() && !self.needs_proxy(to) {
            let exact = self.exact.get_or_init(|| ExactClient::new(self.tls.clone(), self.connect_timeout));
            // Boxed, because otherwise the future of every request would be as large as the future of this rare case.
            return Box::pin(exact.execute(request, to.uri())).await.map_err(ConnectionError::Exact);
        }
        let pool = if fresh { self.fresh_pool(to.origin()) } else { self.pool(to.origin()) };
        let response = pool.execute(request).await;
        response.map(Into::into).map_err(|error| ConnectionError::Pool(error.without_url()))
    }

    /// The proxy through which a request to `to` goes, for a message: `host:port`, without user name and password.
    pub(crate) fn proxy_of(&self, to: &Address) -> Option<String> {
        if !self.needs_proxy(to) {
            return None;
        }
        match (&self.proxies, &self.system) {
            (Proxies::Given(_, shown), _) => Some(shown.clone()),
            (_, Some(system)) => {
                let proxy = system.intercept(to.uri())?;
                let authority = proxy.uri().authority()?;
                let host = authority.host();
                Some(authority.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
            }
            _ => None,
        }
    }

    /// Whether the address `to` can be sent byte for byte. Through a proxy, requests are always sent by reqwest,
    /// which encodes `'` in a query.
    pub(crate) fn can_send(&self, to: &Address) -> bool {
        !to.is_rewritten_by_reqwest() || !self.needs_proxy(to)
    }

    fn needs_proxy(&self, to: &Address) -> bool {
        match &self.system {
            Some(system) => !to.origin().is_loopback() && system.intercept(to.uri()).is_some(),
            None => self.proxied.is_some(),
        }
    }

    /// The connection pool for requests to `origin`.
    fn pool(&self, origin: &Origin) -> &Client {
        self.choose(origin, &self.direct, self.proxied.as_ref())
    }

    /// The client that opens a new connection for each request to `origin`.
    fn fresh_pool(&self, origin: &Origin) -> &Client {
        let build = || pool(self.tls.clone(), self.connect_timeout).pool_max_idle_per_host(0);
        match self.fresh.get() {
            Some((direct, proxied)) => self.choose(origin, direct, proxied.as_ref()),
            None => match direct_and_proxied(&self.proxies, build) {
                Ok(built) => {
                    let (direct, proxied) = self.fresh.get_or_init(|| built);
                    self.choose(origin, direct, proxied.as_ref())
                }
                // This is not expected: the other pools were created with the same settings. One of them is used instead.
                Err(_) => self.pool(origin),
            },
        }
    }

    fn choose<'c>(&self, origin: &Origin, direct: &'c Client, proxied: Option<&'c Client>) -> &'c Client {
        match proxied {
            Some(proxied) if self.also_for_loopback || !origin.is_loopback() => proxied,
            _ => direct,
        }
    }
}

/// Creates a client for direct connections, and one for connections through a proxy if there may be a proxy.
fn direct_and_proxied(
    proxies: &Proxies,
    pool: impl Fn() -> ClientBuilder,
) -> reqwest::Result<(Client, Option<Client>)> {
    let proxied = match proxies {
        Proxies::Direct => None,
        Proxies::System => Some(pool()),
        Proxies::Given(proxy, _) => Some(pool().no_proxy().proxy((**proxy).clone())),
    };
    Ok((pool().no_proxy().build()?, proxied.map(ClientBuilder::build).transpose()?))
}

/// A connection pool that does not follow redirects, repeat requests or limit their time: this crate does that
/// itself.
fn pool(tls: ClientConfig, connect_timeout: Duration) -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(connect_timeout)
        // Shorter than the minute after which services and proxies usually close idle connections.
        .pool_idle_timeout(Duration::from_secs(30))
        .tcp_keepalive(Duration::from_secs(60))
        .redirect(Policy::none())
        // If retries were possible, the library would keep a copy of each request.
        .retry(reqwest::retry::never().max_retries_per_request(0))
        .referer(false)
}

/// The error of a request to which no response came.
#[derive(Debug)]
pub(crate) enum ConnectionError {
    Pool(reqwest::Error),
    Exact(hyper_util::client::legacy::Error),
}

impl ConnectionError {
    /// Whether the connection to the server could not be established.
    pub(crate) fn is_connect(&self) -> bool {
        match self {
            Self::Pool(error) => error.is_connect(),
            Self::Exact(error) => error.is_connect(),
        }
    }

    pub(crate) fn as_error(&self) -> &(dyn StdError + 'static) {
        match self {
            Self::Pool(error) => error,
            Self::Exact(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::address::Address;
    use crate::http::tls::Credentials;

    fn connections(proxies: &Proxies) -> ConnectionPools {
        let tls = Credentials::default().configure().unwrap();
        ConnectionPools::new(tls, proxies, Duration::from_secs(1)).unwrap()
    }

    #[test]
    fn requests_to_this_machine_never_use_the_systems_proxy() {
        let origin = |text: &str| Address::parse(text).unwrap().origin().clone();
        let proxied = |connections: &ConnectionPools, text: &str| {
            std::ptr::eq(connections.pool(&origin(text)), connections.proxied.as_ref().unwrap())
        };
        let system = connections(&Proxies::System);
        assert!(!proxied(&system, "http://127.0.0.1:4000/v1/files"));
        assert!(!proxied(&system, "https://localhost/"));
        assert!(proxied(&system, "https://pdf.example/"));
        let given = connections(&Proxies::given("http://user:pass@p.example:8080").ok().unwrap());
        assert!(proxied(&given, "http://127.0.0.1:4000/"));
        assert!(connections(&Proxies::Direct).proxied.is_none());
    }

    #[test]
    fn an_address_with_an_apostrophe_is_refused_only_where_a_proxy_is_used() {
        let signed = Address::parse("https://store.example/x?sig='a'").unwrap();
        assert!(connections(&Proxies::Direct).can_send(&signed));
        let given = connections(&Proxies::given("http://p.example:8080").ok().unwrap());
        assert!(!given.can_send(&signed));
        assert!(given.can_send(&Address::parse("https://store.example/x?sig=a").unwrap()));
        let mut system = connections(&Proxies::System);
        system.system = Some(Matcher::builder().build());
        assert!(system.can_send(&signed), "the environment names no proxy");
        system.system = Some(Matcher::builder().all("http://p.example:8080").no("intern.example").build());
        assert!(!system.can_send(&signed));
        assert!(system.can_send(&Address::parse("https://intern.example/x?sig='a'").unwrap()));
        assert!(system.can_send(&Address::parse("http://127.0.0.1/x?sig='a'").unwrap()));
    }

    #[test]
    fn an_invalid_proxy_is_refused_without_showing_its_password() {
        for url in ["socks5://u:hunter2@p:1", "u:hunter2@p", "http://"] {
            let error =
                Proxies::given(url).err().map(|error| error.to_string()).unwrap_or_else(|| panic!("{url}"));
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
