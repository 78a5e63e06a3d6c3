//! Error responses of the storage. The storage checks presigned addresses and does not know the API key.

use crate::error::{Error, ErrorKind};
use crate::http::address::Address;
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::retry::{self, AttemptError};
use crate::http::send::HttpResponse;
use crate::message::Message;
use crate::redact::Scrubber;

/// Reads the body of a response whose status is not a success, as an error. `address` is the requested address.
pub(super) async fn storage_error(
    context: &RequestContext<'_>,
    response: &mut HttpResponse,
    address: &Address,
) -> AttemptError {
    let body = response.read(context, problem::MOST_READ).await.map(|(body, _)| body).unwrap_or_default();
    let error = problem::of_response(response.status, &response.headers, &body);
    let error = error.scrubbed(&Scrubber::of_query(address.uri().query().unwrap_or_default()));
    if let Some((kind, what)) = incomplete_upload(&error) {
        // The document is not the cause: the storage has received only a part of it.
        let message = Message::new(format!("{what} ({}): ", response.status))
            .foreign(error.detail().unwrap_or("no reason given"));
        return AttemptError::maybe_processed(error.with_kind(kind, message).advise("Try again"));
    }
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

/// The kind and message of an error for an upload of which the storage has received only a part. `None` for other
/// errors.
fn incomplete_upload(error: &Error) -> Option<(ErrorKind, &'static str)> {
    if error.status() != Some(400) {
        return None;
    }
    match error.code()? {
        // The service of this project, and S3.
        "body_incomplete" | "IncompleteBody" => Some((
            ErrorKind::Transport,
            "the upload was interrupted: the storage received only a part of the document",
        )),
        // S3: "Your socket connection to the server was not read from or written to within the timeout period."
        "RequestTimeout" => {
            Some((ErrorKind::RequestTimeout, "the storage timed out waiting for the document"))
        }
        _ => None,
    }
}

/// Whether the storage refused a presigned address, with a status other than 403, because its signature has expired.
/// S3 and Google Cloud Storage respond like this if the credentials that signed the address have expired.
pub(super) fn has_expired_signature(error: &Error) -> bool {
    error.status() == Some(400) && matches!(error.code(), Some("ExpiredToken" | "TokenRefreshRequired"))
}
