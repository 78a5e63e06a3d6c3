//! Transfers: uploads of documents, and downloads of results.

pub(crate) mod download;
pub(crate) mod import;
mod storage_error;
pub(crate) mod upload;
