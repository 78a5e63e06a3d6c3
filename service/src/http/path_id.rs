//! Extracts the identifier in the path of a request.

use super::problem::{ApiError, Code};
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

/// The only identifier in the path of a request, percent-decoded.
pub(crate) struct PathId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(id)| Self(id)).map_err(|_| {
            ApiError::new(
                Code::InvalidParameter,
                "the identifier in the path is not valid percent-encoded UTF-8",
            )
        })
    }
}
