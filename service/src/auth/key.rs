//! The API key: compared in constant time, required by middleware.

use crate::http::problem::{Code, Refusal};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use recto_interface::Secret;
use recto_interface::endpoint::API_KEY_HEADER;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The key of the service, as its digest: what is compared has one length and is no secret to memory.
#[derive(Clone)]
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
    State(expected): State<Key>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let mut offered = request.headers().get_all(API_KEY_HEADER).iter();
    let detail = match (offered.next(), offered.next()) {
        (Some(key), None) if expected.is(key.as_bytes()) => return Ok(next.run(request).await),
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
    State(expected): State<Key>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let mut offered = request.headers().get_all(AUTHORIZATION).iter();
    if let (Some(value), None) = (offered.next(), offered.next())
        && let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        && scheme.eq_ignore_ascii_case("bearer")
        && expected.is(token.trim().as_bytes())
    {
        return Ok(next.run(request).await);
    }
    with_key(State(expected), request, next).await
}
