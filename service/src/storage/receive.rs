//! Stores a body that arrives in chunks. The size of the body and the time between two chunks are limited.

use super::{Content, Storage};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use std::io;
use std::time::Duration;
use tokio::time::timeout;

/// Why a body could not be stored.
pub(crate) enum ReceiveError<E> {
    /// The body is larger than the limit.
    TooLarge,
    /// No byte arrived within the time limit.
    Stalled,
    /// Receiving the next bytes of the body failed.
    Source(E),
    /// The storage failed.
    Storage(io::Error),
}

/// Stores the bytes of `chunks`, at most `limit` bytes. Only one chunk at a time is kept in memory.
pub(crate) async fn receive<E>(
    storage: &dyn Storage,
    mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
    limit: u64,
    stall: Duration,
) -> Result<Content, ReceiveError<E>> {
    let mut writer = storage.create().await.map_err(ReceiveError::Storage)?;
    let mut size = 0_u64;
    while let Some(chunk) = timeout(stall, chunks.next()).await.map_err(|_| ReceiveError::Stalled)? {
        let chunk = chunk.map_err(ReceiveError::Source)?;
        size += chunk.len() as u64;
        if size > limit {
            return Err(ReceiveError::TooLarge);
        }
        writer.write(chunk).await.map_err(ReceiveError::Storage)?;
    }
    writer.finish().await.map_err(ReceiveError::Storage)
}
