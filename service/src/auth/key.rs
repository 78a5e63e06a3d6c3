//! The API key: compares keys in constant time, and provides the middleware that requires the API key.

use crate::http::problem::{ApiError, Code};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue};
use recto_interface::Secret;
use recto_interface::endpoint::API_KEY_HEADER;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 digest of the API key. All digests have the same length, and the API key itself is not kept in memory.
#[derive(Clone)]
pub(crate) struct Key([u8; 32]);

impl Key {
    pub(crate) fn new(key: &Secret) -> Self {
        Self(Sha256::digest(key.expose().as_bytes()).into())
    }

    /// Whether `headers` contain the API key, once, in the header `X-Api-Key`.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut offered = headers.get_all(API_KEY_HEADER).iter();
        matches!((offered.next(), offered.next()), (Some(key), None) if self.matches(key.as_bytes()))
    }

    /// Whether `offered` is the API key. The comparison takes constant time.
    fn matches(&self, offered: &[u8]) -> bool {
        let offered: [u8; 32] = Sha256::digest(offered).into();
        self.0.ct_eq(&offered).into()
    }
}

/// Middleware: requires the API key in the header `X-Api-Key`.
pub(crate) async fn require_key(
    State(expected): State<Key>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let mut offered = request.headers().get_all(API_KEY_HEADER).iter();
    let detail = match (offered.next(), offered.next()) {
        (Some(key), None) if expected.matches(key.as_bytes()) => return Ok(next.run(request).await),
        (Some(_), None) => {
            "the header X-Api-Key does not contain this service's key; check the API key of the client"
        }
        (None, _) => "the API key is missing; send it in the header X-Api-Key",
        (Some(_), Some(_)) => "the header X-Api-Key was sent more than once; send it once",
    };
    Err(ApiError::new(Code::Unauthorized, detail)
        .header(WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"X-Api-Key\"")))
}

/// Middleware: requires the API key in the header `X-Api-Key` or as a bearer token. Monitoring programs often cannot
/// send the header `X-Api-Key`.
pub(crate) async fn require_key_or_bearer(
    State(expected): State<Key>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let mut offered = request.headers().get_all(AUTHORIZATION).iter();
    if let (Some(value), None) = (offered.next(), offered.next())
        && let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        && scheme.eq_ignore_ascii_case("bearer")
        && expected.matches(token.trim().as_bytes())
    {
        return Ok(next.run(request).await);
    }
    require_key(State(expected), request, next).await
}
