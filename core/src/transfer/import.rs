//! Brings a document into the service: uploads it, or has the service download it from an address.

use crate::error::Error;
use crate::http::context::RequestContext;
use crate::http::request::{ApiRequest, PathMemory, TwoPaths};
use crate::io::source::{Document, FileId, Source, SourceKind};
use crate::io::web_address::WebAddress;
use crate::redact::Scrubber;
use crate::transfer::upload;
use http::Method;
use recto_interface::{FromUrlRequest, FromUrlResponse, endpoint};

/// Uploads the document of a source, or has the service download it.
pub(crate) async fn place(context: &RequestContext<'_>, source: Source) -> Result<FileId, Error> {
    match source.0 {
        SourceKind::Url(address) => import(context, &address).await,
        _ => {
            let mut document = context.before_deadline(Document::open(source)).await?;
            upload::upload(context, &mut document).await
        }
    }
}

/// Has the service download the document at `address`. No error contains the query of the address.
pub(crate) async fn import(context: &RequestContext<'_>, address: &WebAddress) -> Result<FileId, Error> {
    address.check()?;
    let imported = send(context, address).await;
    imported.map_err(|error| error.scrubbed(&Scrubber::of_query(address.query())))
}

async fn send(context: &RequestContext<'_>, address: &WebAddress) -> Result<FileId, Error> {
    let paths = TwoPaths {
        first: endpoint::UPLOAD_FROM_URL,
        beta: endpoint::UPLOAD_FROM_URL_BETA,
        memory: PathMemory::FromUrl,
    };
    let request = FromUrlRequest { file_url: address.expose().to_owned() };
    let build = |path: &str| ApiRequest::new(Method::POST, path).with_json(&request);
    let response = paths.send(context, build).await?;
    let uploaded: FromUrlResponse = response.json()?;
    if !endpoint::is_segment(&uploaded.file_id) {
        return Err(response.unexpected("the response has no file id"));
    }
    Ok(FileId::new(uploaded.file_id))
}
