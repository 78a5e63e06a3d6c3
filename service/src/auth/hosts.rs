//! The hosts that the service answers for: protection against DNS rebinding.

use crate::http::problem::{Code, Refusal};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Uri};
use std::net::IpAddr;
use url::Url;

/// For which hosts the service answers. On loopback only for this machine's own names: a web page that points a name
/// of its own at 127.0.0.1 (DNS rebinding) is not answered.
#[derive(Clone, Debug)]
pub(crate) enum Hosts {
    /// Loopback names and addresses, and the host of the public address.
    Loopback { public: Option<String> },
    /// Any: the service listens to other machines, which know it by names that it does not know.
    Any,
}

impl Hosts {
    /// The hosts of a service that listens on `address` and is known as `public_url`.
    pub(crate) fn of(address: IpAddr, public_url: Option<&Url>) -> Self {
        if address.is_loopback() {
            Self::Loopback { public: public_url.and_then(Url::host_str).map(str::to_owned) }
        } else {
            Self::Any
        }
    }

    fn allow(&self, host: &str) -> bool {
        let Self::Loopback { public } = self else { return true };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let loopback = bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let localhost =
            host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost");
        loopback || localhost || public.as_deref().is_some_and(|public| public.eq_ignore_ascii_case(host))
    }
}

/// The host and port that a request was sent to, from its target or its one `Host` header.
fn authority(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(HOST).iter();
    let from_header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host.to_str().ok()?.parse::<Authority>().ok()?),
        (None, _) => None,
        (Some(_), Some(_)) => return None,
    };
    // RFC 9112, 3.2.2: an absolute target overrides the header.
    let authority = uri.authority().cloned().or(from_header)?;
    (!authority.host().is_empty() && !authority.as_str().contains('@')).then_some(authority)
}

/// The host that a client reached the service by, for the addresses it is given.
pub(crate) fn requested_authority(uri: &Uri, headers: &HeaderMap) -> Result<Authority, Refusal> {
    authority(uri, headers).ok_or_else(|| Refusal::new(Code::InvalidParameter, "send one valid Host header"))
}

/// Lets a request through that is meant for this service.
pub(crate) async fn of_our_host(
    State(hosts): State<Hosts>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let authority = requested_authority(request.uri(), request.headers())?;
    if hosts.allow(authority.host()) {
        return Ok(next.run(request).await);
    }
    let detail = format!(
        "this service answers on loopback names only, not for {:?}; use the address it was started with, or give it its public URL",
        authority.host()
    );
    Err(Refusal::new(Code::UnknownHost, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(public: Option<&str>) -> Hosts {
        Hosts::of("127.0.0.1".parse().unwrap(), public.map(|url| Url::parse(url).unwrap()).as_ref())
    }

    #[test]
    fn on_loopback_only_this_machines_names_are_answered() {
        for host in ["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "LOCALHOST", "pdf.localhost"] {
            assert!(hosts(None).allow(host), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "192.168.1.2",
            "0.0.0.0",
            "[::]",
            "xlocalhost",
            "",
        ] {
            assert!(!hosts(None).allow(host), "{host}");
        }
        assert!(hosts(Some("https://Pdf.example.org/x")).allow("pdf.example.org"));
    }

    #[test]
    fn a_target_or_one_host_header_names_the_authority() {
        let name = |uri: &str, hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, host.parse().unwrap());
            }
            authority(&uri.parse().unwrap(), &headers).map(|authority| authority.to_string())
        };
        assert_eq!(name("/x", &["localhost:1"]).as_deref(), Some("localhost:1"));
        assert_eq!(name("http://evil:2/x", &["localhost:1"]).as_deref(), Some("evil:2"));
        assert_eq!(name("/x", &[]), None);
        assert_eq!(name("/x", &["localhost", "evil"]), None);
        assert_eq!(name("/x", &["user@localhost"]), None);
        assert_eq!(name("/x", &["a b"]), None);
    }
}
