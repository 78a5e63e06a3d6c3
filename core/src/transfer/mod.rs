//! Transfers: uploads of documents, and downloads of results.

pub(crate) mod download;
mod storage_error;
pub(crate) mod upload;
