//! The host names for which the service accepts requests: protection against DNS rebinding.

use crate::http::problem::{ApiError, Code};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Uri};
use std::net::IpAddr;
use url::Url;

/// The host names for which the service accepts requests. A service that listens on loopback accepts only the names of
/// this machine, so that a web page whose own host name resolves to 127.0.0.1 (DNS rebinding) cannot use the service.
#[derive(Clone, Debug)]
pub(crate) enum Hosts {
    /// Loopback names, loopback addresses, and the host of the public URL.
    Loopback { public: Option<String> },
    /// Any host: other machines may use names for this machine that the service does not know.
    Any,
}

impl Hosts {
    /// The accepted host names of a service that listens on `address` and has the public URL `public_url`.
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

/// The host and port that a request was sent to, from the request target or from the `Host` header. `None` if both are
/// missing, or if the `Host` header is repeated or invalid.
fn authority(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(HOST).iter();
    let from_header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host.to_str().ok()?.parse::<Authority>().ok()?),
        (None, _) => None,
        (Some(_), Some(_)) => return None,
    };
    // RFC 9112, section 3.2.2: an absolute target overrides the header.
    let authority = uri.authority().cloned().or(from_header)?;
    (!authority.host().is_empty() && !authority.as_str().contains('@')).then_some(authority)
}

/// The host and port that a request was sent to. The addresses in the response use this host and port.
pub(crate) fn requested_authority(uri: &Uri, headers: &HeaderMap) -> Result<Authority, ApiError> {
    authority(uri, headers).ok_or_else(|| {
        ApiError::new(
            Code::InvalidParameter,
            "the Host header is missing, repeated or invalid; send one valid Host header",
        )
    })
}

/// Middleware: rejects a request for a host that the service does not accept.
pub(crate) async fn require_known_host(
    State(hosts): State<Hosts>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let authority = requested_authority(request.uri(), request.headers())?;
    if hosts.allow(authority.host()) {
        return Ok(next.run(request).await);
    }
    let detail = format!(
        "this service accepts requests for loopback host names only, not for {:?}; use the address that it printed, or start it with its public URL",
        authority.host()
    );
    Err(ApiError::new(Code::UnknownHost, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(public: Option<&str>) -> Hosts {
        Hosts::of("127.0.0.1".parse().unwrap(), public.map(|url| Url::parse(url).unwrap()).as_ref())
    }

    #[test]
    fn on_loopback_only_names_of_this_machine_are_allowed() {
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
    fn the_authority_is_in_the_target_or_in_one_host_header() {
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
