//! Which proxy the requests of a client go through.

use crate::error::Error;
use reqwest::{Proxy, Url};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_proxy_is_refused_without_showing_its_password() {
        for url in ["socks5://u:hunter2@p:1", "u:hunter2@p", "http://"] {
            let error =
                Proxies::given(url).err().map(|error| error.to_string()).unwrap_or_else(|| panic!("{url}"));
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
