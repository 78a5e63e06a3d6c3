//! Transfers: documents up, results down.

pub(crate) mod download;
mod storage_error;
pub(crate) mod upload;
