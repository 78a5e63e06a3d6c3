//! A document as the body of a request, as the HTTP library takes it.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// Chunks that the caller's thread reads from a document.
pub(crate) struct Body {
    chunks: mpsc::Receiver<Bytes>,
    left: Arc<AtomicU64>,
}

/// Where the caller's thread puts the chunks of a document.
pub(crate) struct Feed {
    pub(crate) chunks: mpsc::Sender<Bytes>,
    left: Arc<AtomicU64>,
}

impl Feed {
    /// How many bytes the connection has not taken yet.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Acquire)
    }
}

/// How many chunks lie between the caller's thread and the connection.
const CHUNKS_AHEAD: usize = 2;

impl Body {
    /// A body of exactly `length` bytes, to be sent through the feed. A feed that is dropped before breaks the
    /// request off, so that the service cannot take a part for the whole.
    pub(crate) fn fed(length: u64) -> (Feed, Self) {
        let (sender, chunks) = mpsc::channel(CHUNKS_AHEAD);
        let left = Arc::new(AtomicU64::new(length));
        (Feed { chunks: sender, left: left.clone() }, Self { chunks, left })
    }

    fn left(&self) -> u64 {
        self.left.load(Ordering::Acquire)
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let body = self.get_mut();
        if body.left() == 0 {
            return Poll::Ready(None);
        }
        body.chunks.poll_recv(context).map(|chunk| match chunk {
            Some(chunk) => {
                // Only this side writes it.
                body.left.store(body.left().saturating_sub(chunk.len() as u64), Ordering::Release);
                Some(Ok(Frame::data(chunk)))
            }
            None => Some(Err(BrokenOff)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left())
    }
}

/// The document's chunks ended before its length.
#[derive(Debug)]
pub(crate) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document's bytes ended early")
    }
}

impl std::error::Error for BrokenOff {}
