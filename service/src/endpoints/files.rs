//! The endpoints of files: upload tickets, fetching by address, list, get, delete.

use crate::auth::hosts::requested_authority;
use crate::http::file_name;
use crate::http::json::Json;
use crate::http::path_id::PathId;
use crate::http::problem::{ApiError, Code};
use crate::http::timestamp::iso8601;
use crate::ids::identifier;
use crate::registry::{Added, FileEntry, Origin};
use crate::state::Service;
use axum::extract::{RawQuery, State};
use http::{HeaderMap, Uri};
use recto_interface::endpoint::ONLY_RESULT_FILES;
use recto_interface::{FileList, FileRecord, FromUrlRequest, FromUrlResponse, UploadRequest, UploadTicket};
use serde_json::Map;
use std::time::SystemTime;

/// `POST /v1/files/upload/fromLocal`.
pub(crate) async fn ticket(
    State(service): State<Service>,
    uri: Uri,
    headers: HeaderMap,
    Json(request): Json<UploadRequest>,
) -> Result<Json<UploadTicket>, ApiError> {
    let name = file_name::base_name(&request.file_name).ok_or_else(|| {
        ApiError::new(
            Code::InvalidRequest,
            "fileName is empty; send the name of the local file, such as report.pdf",
        )
        .with("field", "fileName")
    })?;
    let file_id = identifier()?;
    let file = FileEntry {
        id: file_id.clone(),
        created: SystemTime::now(),
        origin: Origin::Local,
        name,
        content: None,
    };
    add(&service, file).await?;
    service.executor.prewarm();
    let host = requested_authority(&uri, &headers)?;
    let upload_url = service.upload_link(&file_id, &host).await?;
    Ok(Json(UploadTicket { file_id, upload_url, extra: Map::new() }))
}

/// `POST /v1/files/upload/fromUrl`, and its beta path. Responds when the file has been fetched.
pub(crate) async fn from_url(
    State(service): State<Service>,
    Json(request): Json<FromUrlRequest>,
) -> Result<Json<FromUrlResponse>, ApiError> {
    let fetched = service.fetcher.fetch(&request.file_url, &*service.storage, &service.config.limits).await?;
    let id = identifier()?;
    let content = fetched.content.clone();
    service.metrics.received(content.size);
    let file = FileEntry {
        id: id.clone(),
        created: SystemTime::now(),
        origin: Origin::Url,
        name: fetched.name,
        content: Some(fetched.content),
    };
    if let Err(error) = add(&service, file).await {
        service.storage.delete(&content).await?;
        return Err(error);
    }
    Ok(Json(FromUrlResponse { file_id: id, extra: Map::new() }))
}

/// `GET /v1/files`.
pub(crate) async fn list(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
) -> Result<Json<FileList>, ApiError> {
    let only_results = only_result_files(query.as_deref().unwrap_or_default())?;
    if !only_results {
        service.check_tickets().await?;
    }
    Ok(Json(records(&service, only_results).await?))
}

/// `GET /v1/files/{fileId}`.
pub(crate) async fn one(
    State(service): State<Service>,
    PathId(id): PathId,
) -> Result<Json<FileRecord>, ApiError> {
    let file = service.current_file(&id).await?.ok_or_else(|| ApiError::no_such_file(&id))?;
    if file.content.is_none() {
        return Err(ApiError::new(
            Code::FileNotFound,
            format!("the file {id} has not been uploaded yet; PUT its bytes to its uploadUrl"),
        ));
    }
    Ok(Json(record(file)))
}

/// `DELETE /v1/files/{fileId}`: deletes its bytes at once. Responds with the remaining files.
pub(crate) async fn delete(
    State(service): State<Service>,
    PathId(id): PathId,
) -> Result<Json<FileList>, ApiError> {
    let removed = service.registry.remove_file(&id).await?.ok_or_else(|| ApiError::no_such_file(&id))?;
    service.discard(removed).await;
    Ok(Json(records(&service, false).await?))
}

async fn add(service: &Service, file: FileEntry) -> Result<(), ApiError> {
    match service.registry.add_file(file).await? {
        Added::Yes => return Ok(()),
        Added::NoRoom => return Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into()),
        Added::TooMany => {}
    }
    let limit = service.config.limits.files;
    let detail = format!(
        "the service has {limit} files, which is its limit; delete files that are no longer needed, then try again"
    );
    Err(ApiError::new(Code::TooManyFiles, detail).with("limit", limit).retry_after(60))
}

async fn records(service: &Service, only_results: bool) -> Result<FileList, ApiError> {
    let files = service.registry.files().await?;
    let listed = files.into_iter().filter(|file| !only_results || file.origin == Origin::Result);
    Ok(FileList { files: listed.map(record).collect(), extra: Map::new() })
}

fn record(file: FileEntry) -> FileRecord {
    FileRecord {
        id: file.id,
        created_at: Some(iso8601(file.created)),
        origin: Some(file.origin.as_str().to_owned()),
        extension: Some(file_name::extension(&file.name).to_owned()),
        name: Some(file.name),
        extra: Map::new(),
    }
}

fn only_result_files(query: &str) -> Result<bool, ApiError> {
    let values = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == ONLY_RESULT_FILES);
    match values.map(|(_, value)| value.to_ascii_lowercase()).last().as_deref() {
        None | Some("false" | "0") => Ok(false),
        Some("true" | "1") => Ok(true),
        Some(other) => {
            let detail = format!(
                "{ONLY_RESULT_FILES} is {:?}; send true or false, or 1 or 0",
                other.chars().take(64).collect::<String>()
            );
            Err(ApiError::new(Code::InvalidParameter, detail).with("field", ONLY_RESULT_FILES))
        }
    }
}
