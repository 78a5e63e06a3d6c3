//! The connections of one client: which of its pools sends a request, and whether through a proxy.

use crate::error::Error;
use crate::http::address::Address;
use crate::http::body::Body;
use crate::http::pools::{self, ConnectionError, PoolSettings, Pools, ResponseBody, Route};
use crate::http::proxies::Proxies;
use crate::message::Message;
use crate::runtime;
use http::{HeaderMap, Method, Response};
use hyper_util::client::proxy::matcher::Matcher;
use rustls::ClientConfig;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Handle, Id};

/// The connections of one client.
pub(crate) struct Connections {
    settings: PoolSettings,
    /// The pools of each runtime: a connection works only while its own runtime is driven.
    pools: Mutex<Vec<(Id, Arc<Pools>)>>,
    /// Decides for which addresses the system's proxies are used; `None` if other proxies are used.
    system: Option<Matcher>,
}

impl Connections {
    pub(crate) fn new(
        tls: ClientConfig,
        proxies: &Proxies,
        connect_timeout: Duration,
    ) -> Result<Self, Error> {
        let settings = PoolSettings { tls, proxies: proxies.clone(), connect_timeout };
        if matches!(proxies, Proxies::Given(..)) {
            // Settings that cannot work are reported now.
            pools::proxied(&settings, false).map_err(|error| {
                Error::config(Message::new("cannot set up connections: ").foreign(&error))
                    .caused_by(error.without_url())
            })?;
        }
        let system = matches!(proxies, Proxies::System).then(Matcher::from_system);
        Ok(Self { settings, pools: Mutex::default(), system })
    }

    /// Sends a request to the address `to`, byte for byte. With `fresh`, a new connection is used.
    pub(crate) async fn send(
        &self,
        to: &Address,
        request: (Method, HeaderMap, Body),
        fresh: bool,
    ) -> Result<Response<ResponseBody>, ConnectionError> {
        let route = Route { through_proxy: self.needs_proxy(to), fresh };
        self.of_this_runtime().send(&self.settings, to, request, route).await
    }

    /// The pools of the runtime in which this function is called.
    fn of_this_runtime(&self) -> Arc<Pools> {
        let runtime = Handle::current().id();
        let mut all = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pools)) = all.iter().find(|(of, _)| *of == runtime) {
            return Arc::clone(pools);
        }
        all.retain(|(of, _)| runtime::is_open(*of));
        let pools = Arc::<Pools>::default();
        all.push((runtime, Arc::clone(&pools)));
        pools
    }

    /// The proxy through which a request to `to` goes, for a message: `host:port`, without user name and password.
    pub(crate) fn proxy_of(&self, to: &Address) -> Option<String> {
        if !self.needs_proxy(to) {
            return None;
        }
        match (&self.settings.proxies, &self.system) {
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
            None => matches!(self.settings.proxies, Proxies::Given(..)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::address::Address;
    use crate::http::tls::Credentials;

    fn connections(proxies: &Proxies) -> Connections {
        let tls = Credentials::default().configure().unwrap();
        Connections::new(tls, proxies, Duration::from_secs(1)).unwrap()
    }

    #[test]
    fn requests_to_this_machine_never_use_the_systems_proxy() {
        let needs_proxy =
            |connections: &Connections, url: &str| connections.needs_proxy(&Address::parse(url).unwrap());
        let mut system = connections(&Proxies::System);
        system.system = Some(Matcher::builder().all("http://p.example:8080").build());
        assert!(!needs_proxy(&system, "http://127.0.0.1:4000/v1/files"));
        assert!(!needs_proxy(&system, "https://localhost/"));
        assert!(needs_proxy(&system, "https://pdf.example/"));
        let given = connections(&Proxies::given("http://user:pass@p.example:8080").ok().unwrap());
        assert!(needs_proxy(&given, "http://127.0.0.1:4000/"));
        assert!(!needs_proxy(&connections(&Proxies::Direct), "https://pdf.example/"));
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
}
