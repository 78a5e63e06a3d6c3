//! Uploads: requests an upload address from the service, then sends the document to this address.

use super::storage_error::{has_expired_signature, storage_error};
use crate::error::{Error, Phase};
use crate::http::address::Address;
use crate::http::context::RequestContext;
use crate::http::problem;
use crate::http::request::ApiRequest;
use crate::http::retry::{AttemptError, Repeat};
use crate::http::send::{HttpRequest, Payload};
use crate::io::source::{Document, FileId};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use recto_interface::{UploadRequest, UploadTicket, endpoint};

/// Uploads a document to the service.
pub(crate) async fn upload(context: &RequestContext<'_>, document: &mut Document) -> Result<FileId, Error> {
    context.running.begin(Phase::Upload, Some(document.length()))?;
    let (mut id, mut address) = ticket(context, &document.name).await?;
    let mut renewed = false;
    loop {
        let put = context
            .attempts(Repeat::Idempotent, async |_| put_once(context, address.clone(), document).await)
            .await;
        match put {
            Ok(_) => {
                context.running.end()?;
                return Ok(id);
            }
            // With 403, a storage refuses an upload address that has expired.
            Err(error) if !renewed && (error.status() == Some(403) || has_expired_signature(&error)) => {
                tracing::info!("the upload address was refused; requesting a new one, once");
                renewed = true;
                (id, address) = ticket(context, &document.name).await?;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn ticket(context: &RequestContext<'_>, name: &str) -> Result<(FileId, Address), Error> {
    let request = ApiRequest::new(Method::POST, endpoint::UPLOAD_FROM_LOCAL)
        .with_json(&UploadRequest { file_name: name.to_owned() })?;
    let response = request.send(context, &[]).await?;
    let ticket: UploadTicket = response.json()?;
    if !endpoint::is_segment(&ticket.file_id) {
        return Err(response.unexpected("the response has no file id"));
    }
    let address = context.presigned(&ticket.upload_url);
    let address = address
        .map_err(|why| response.unexpected(format!("the response has an invalid uploadUrl: {why}")))?;
    Ok((FileId::new(ticket.file_id), address))
}

async fn put_once(
    context: &RequestContext<'_>,
    to: Address,
    document: &mut Document,
) -> Result<(), AttemptError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let payload = Payload::Document(document);
    let mut request =
        HttpRequest { method: Method::PUT, to, headers, payload, with_key: false, fresh_connection: false };
    let mut response = request.send(context).await?;
    if (200..300).contains(&response.status) {
        // When the body, which should be empty, has been read, the connection can be used again. Errors here do not
        // matter, because the document is already stored.
        let _ = response.read(context, problem::MOST_READ).await;
        return Ok(());
    }
    let refused = storage_error(context, &mut response, &request.to).await;
    Err(refused.map(|error| request.locate(error, context.phase)))
}
