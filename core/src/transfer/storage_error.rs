//! Error responses of the storage. The storage checks presigned addresses and does not know the API key.

use crate::error::ErrorKind;
use crate::http::address::Address;
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::retry::{self, AttemptError};
use crate::http::send::HttpResponse;
use crate::redact::Scrubber;

/// Reads the body of a response whose status is not a success, as an error. `address` is the requested address.
pub(super) async fn storage_error(
    context: &RequestContext<'_>,
    response: &mut HttpResponse,
    address: &Address,
) -> AttemptError {
    let body = response.read(context, problem::MOST_READ).await.map(|(body, _)| body).unwrap_or_default();
    let error = problem::of_response(response.status, &response.headers, &body);
    let error = error.scrubbed(&Scrubber::of_query(address.url().query().unwrap_or_default()));
    let error = match error.kind() {
        // A presigned address contains its own permission: the API key is not the cause of the error.
        ErrorKind::Auth | ErrorKind::PermissionDenied | ErrorKind::NotFound => {
            let message = format!("the storage refused the address for the transfer ({})", response.status);
            error
                .with_kind(ErrorKind::of_status(response.status), message)
                .advise("Try again: such addresses expire")
        }
        _ => error,
    };
    let delivery = retry::delivery_of_status(response.status, error.retry_after().is_some());
    AttemptError::new(error, delivery)
}
