//! Presigned addresses: upload (`PUT`) and download (`GET`, `HEAD`, with `Range`). The signature replaces the API key.

use crate::auth::presign::{BadLink, Purpose};
use crate::http::content_disposition::attachment;
use crate::http::file_name;
use crate::http::path_id::PathId;
use crate::http::problem::{ApiError, Code};
use crate::http::range::{Extent, extent};
use crate::registry::{FileEntry, Placed};
use crate::state::Service;
use crate::storage::{Pace, ReceiveError, receive};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use futures_util::TryStreamExt as _;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use std::time::SystemTime;

/// The only media type that an upload may have.
const OCTET_STREAM: &str = "application/octet-stream";

/// `PUT {uploadUrl}`: receives the bytes of a file. Until an operation has used the file, another `PUT` replaces the
/// bytes, so that a client that received no response can send the bytes again. The old bytes are kept until all new
/// bytes have arrived.
pub(crate) async fn upload(
    State(service): State<Service>,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let limit =
        check(&service, Purpose::Upload, &id, query.as_deref())?.min(service.config.limits.file_bytes);
    check_upload_headers(&headers, limit)?;
    if service.registry.file(&id).await?.is_none() {
        return Err(ticket_gone());
    }
    let limits = &service.config.limits;
    let pace = Pace { stall: limits.stall_time, rate: limits.upload_rate, total: limits.upload_time };
    let stored = receive(&*service.storage, body.into_data_stream(), limit, &pace).await;
    let content = stored.map_err(|fault| match fault {
        ReceiveError::TooLarge => ApiError::file_too_large(limit),
        ReceiveError::TooSlow => ApiError::new(
            Code::BodyTimeout,
            format!(
                "fewer than {} bytes per second arrived for {} s, which is the least rate of this service; send the file \
                 again over a faster connection",
                pace.rate.max(1),
                pace.stall.as_secs()
            ),
        )
        .with("limit", pace.rate),
        ReceiveError::TooLong => ApiError::new(
            Code::BodyTimeout,
            format!(
                "the file did not arrive within {} s, the limit of this service; send it over a faster connection, or \
                 send a smaller one",
                pace.total.as_secs()
            ),
        )
        .with("limit", pace.total.as_secs()),
        ReceiveError::Source(error) => ApiError::new(
            Code::BodyIncomplete,
            format!("the connection failed before the whole file arrived: {error}; send the file again"),
        ),
        ReceiveError::Storage(error) => error.into(),
    })?;
    service.metrics.received(content.size);
    let placed = service.registry.place(&id, content.clone()).await;
    let unused = match &placed {
        Ok(Placed::Done { replaced }) => replaced.as_ref(),
        Ok(Placed::InUse | Placed::Unknown) | Err(_) => Some(&content),
    };
    if let Some(unused) = unused {
        service.storage.delete(unused).await?;
    }
    match placed? {
        Placed::Done { .. } => Ok(StatusCode::OK),
        Placed::Unknown => Err(ticket_gone()),
        Placed::InUse => Err(ApiError::new(
            Code::FileInUse,
            "an operation has used this file, so it cannot be replaced; get a new upload ticket for the new bytes",
        )),
    }
}

/// `GET` and `HEAD {outputFile.url}`: sends the bytes of a file.
pub(crate) async fn download(
    State(service): State<Service>,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    check(&service, Purpose::Download, &id, query.as_deref())?;
    let gone = || {
        ApiError::new(Code::FileNotFound, "the file was deleted or has expired; start the operation again")
    };
    let file = service.registry.file(&id).await?.ok_or_else(gone)?;
    let content = file.content.clone().ok_or_else(gone)?;
    let tag = format!("\"{}\"", content.key);
    if text(&headers, &IF_NONE_MATCH)
        .is_some_and(|tags| tags == "*" || tags.split(',').any(|other| other.trim() == tag))
    {
        return respond(StatusCode::NOT_MODIFIED, [(ETAG, tag)], Body::empty());
    }
    // `If-Range` has the entity tag of the part that the client already has. If that tag is not the tag of this file,
    // the client gets the whole file.
    let same_entity = text(&headers, &IF_RANGE).is_none_or(|other| other == tag);
    let range = text(&headers, &RANGE).filter(|_| same_entity);
    let (status, part) = match extent(range, content.size) {
        Extent::Whole => (StatusCode::OK, 0..content.size),
        Extent::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        Extent::Unsatisfiable => {
            let error =
                ApiError::new(Code::RangeNotSatisfiable, format!("the file has {} bytes", content.size));
            return Err(match HeaderValue::from_str(&format!("bytes */{}", content.size)) {
                Ok(size) => error.header(CONTENT_RANGE, size),
                Err(_) => error,
            });
        }
    };
    let mut fields = entity_headers(&file, tag);
    fields.push((CONTENT_LENGTH, (part.end - part.start).to_string()));
    if status == StatusCode::PARTIAL_CONTENT {
        fields.push((CONTENT_RANGE, format!("bytes {}-{}/{}", part.start, part.end - 1, content.size)));
    }
    let body = if method == Method::HEAD {
        Body::empty()
    } else {
        let of = service.clone();
        let chunks = service.storage.read(&content, part);
        Body::from_stream(chunks.inspect_ok(move |chunk| of.metrics.sent(chunk.len() as u64)))
    };
    respond(status, fields, body)
}

fn check(service: &Service, purpose: Purpose, id: &str, query: Option<&str>) -> Result<u64, ApiError> {
    let again = match purpose {
        Purpose::Upload => "get a new upload ticket",
        Purpose::Download => "request the operation's result again for a new address",
    };
    service.signer.check(purpose, id, query.unwrap_or_default(), SystemTime::now()).map_err(|bad| match bad {
        BadLink::Invalid => ApiError::new(
            Code::InvalidLink,
            format!("use the address exactly as it was received, or {again}"),
        ),
        BadLink::Expired => ApiError::new(Code::ExpiredLink, format!("this address has expired; {again}")),
    })
}

fn check_upload_headers(headers: &HeaderMap, limit: u64) -> Result<(), ApiError> {
    let media_type =
        text(headers, &CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case(OCTET_STREAM) {
        return Err(ApiError::new(
            Code::UnsupportedMediaType,
            format!("send the file's bytes as Content-Type: {OCTET_STREAM}"),
        ));
    }
    if headers.contains_key(CONTENT_RANGE) {
        // RFC 9110, section 14.5: if a service stores a partial `PUT` as a whole file, the file is damaged. So a
        // partial `PUT` is rejected.
        return Err(ApiError::new(
            Code::InvalidParameter,
            "partial uploads are not supported; send the whole file, without Content-Range",
        ));
    }
    let announced = text(headers, &CONTENT_LENGTH).and_then(|value| value.parse::<u64>().ok());
    if announced.is_some_and(|announced| announced > limit) {
        Err(ApiError::file_too_large(limit))
    } else {
        Ok(())
    }
}

fn ticket_gone() -> ApiError {
    ApiError::new(Code::FileNotFound, "the upload ticket was deleted or has expired; get a new one")
}

fn entity_headers(file: &FileEntry, tag: String) -> Vec<(HeaderName, String)> {
    vec![
        (ETAG, tag),
        (ACCEPT_RANGES, "bytes".to_owned()),
        (CONTENT_TYPE, media_type(file_name::extension(&file.name)).to_owned()),
        (CONTENT_DISPOSITION, attachment(&file.name)),
        // Results are private. Browsers must save a result, and must not display the result.
        (CACHE_CONTROL, "private, no-store".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ]
}

fn media_type(extension: &str) -> &'static str {
    match extension.to_ascii_lowercase().as_str() {
        "pdf" => "application/pdf",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "tif" | "tiff" => "image/tiff",
        "zip" => "application/zip",
        _ => OCTET_STREAM,
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn respond(
    status: StatusCode,
    fields: impl IntoIterator<Item = (HeaderName, String)>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in fields {
        let value = HeaderValue::try_from(value).map_err(|error| ApiError::internal(&error))?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}
