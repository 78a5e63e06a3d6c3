//! Who is answered: the right key, compared in constant time, and a host that is ours.

use crate::problem::{Code, Refusal};
use crate::state::Service;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};
use recto_interface::Secret;
use recto_interface::endpoint::API_KEY_HEADER;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use subtle::ConstantTimeEq;
use url::Url;

/// The key of the service, as its digest: what is compared has one length and is no secret to memory.
pub(crate) struct Key([u8; 32]);

impl Key {
    pub(crate) fn new(key: &Secret) -> Self {
        Self(Sha256::digest(key.expose().as_bytes()).into())
    }

    /// Whether `offered` is the key; the time taken tells nothing of where it differs.
    fn is(&self, offered: &[u8]) -> bool {
        let offered: [u8; 32] = Sha256::digest(offered).into();
        self.0.ct_eq(&offered).into()
    }
}

/// Lets a request with the service's key through.
pub(crate) async fn with_key(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let mut offered = request.headers().get_all(API_KEY_HEADER).iter();
    let detail = match (offered.next(), offered.next()) {
        (Some(key), None) if service.key.is(key.as_bytes()) => return Ok(next.run(request).await),
        (Some(_), None) => {
            "the header X-Api-Key does not hold this service's key; check the key that the client was given"
        }
        (None, _) => "send the service's key in the header X-Api-Key",
        (Some(_), Some(_)) => "send the header X-Api-Key once",
    };
    Err(Refusal::new(Code::Unauthorized, detail)
        .header(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"X-Api-Key\"")))
}

/// Lets a request through that has the key as [`with_key`] asks for it, or as a bearer token: what watches services
/// often has no other way.
pub(crate) async fn with_key_or_bearer(
    state: State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let mut offered = request.headers().get_all(AUTHORIZATION).iter();
    if let (Some(value), None) = (offered.next(), offered.next())
        && let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        && scheme.eq_ignore_ascii_case("bearer")
        && state.key.is(token.trim().as_bytes())
    {
        return Ok(next.run(request).await);
    }
    with_key(state, request, next).await
}

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
pub(crate) fn authority(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
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

/// Lets a request through that is meant for this service.
pub(crate) async fn of_our_host(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let Some(authority) = authority(request.uri(), request.headers()) else {
        return Err(Refusal::new(Code::InvalidParameter, "send one valid Host header"));
    };
    if service.hosts.allow(authority.host()) {
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
