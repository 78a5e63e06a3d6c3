//! The bodies of requests.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// A request body.
pub(crate) enum Body {
    /// Bytes in memory. They are empty if the body was sent, or if there is none.
    Bytes(Bytes),
    /// The caller's thread reads the chunks from a document and passes them to the connection.
    Fed { chunks: mpsc::Receiver<Bytes>, left: Arc<AtomicU64> },
}

/// The sending end of a body: the caller's thread puts the chunks of a document into it.
pub(crate) struct Feed {
    pub(crate) chunks: mpsc::Sender<Bytes>,
    left: Arc<AtomicU64>,
}

impl Feed {
    /// How many bytes of the body the connection has not taken yet.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Acquire)
    }
}

/// How many chunks are buffered between the caller's thread and the connection.
const CHUNKS_AHEAD: usize = 2;

impl Body {
    /// A body of exactly `length` bytes, which come through the feed. If the feed is dropped before all bytes were
    /// sent, the request is aborted, so that the service cannot mistake a part of the document for the whole.
    pub(crate) fn fed(length: u64) -> (Feed, Self) {
        let (sender, chunks) = mpsc::channel(CHUNKS_AHEAD);
        let left = Arc::new(AtomicU64::new(length));
        (Feed { chunks: sender, left: left.clone() }, Self::Fed { chunks, left })
    }

    fn left(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Fed { left, .. } => left.load(Ordering::Acquire),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = EndedEarly;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, EndedEarly>>> {
        let body = self.get_mut();
        if body.left() == 0 {
            return Poll::Ready(None);
        }
        match body {
            Self::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Fed { chunks, left } => chunks.poll_recv(context).map(|chunk| match chunk {
                Some(chunk) => {
                    // Only the body changes the counter; the feed only reads it.
                    let now = left.load(Ordering::Acquire).saturating_sub(chunk.len() as u64);
                    left.store(now, Ordering::Release);
                    Some(Ok(Frame::data(chunk)))
                }
                None => Some(Err(EndedEarly)),
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left())
    }
}

/// The error for a document that ended before the announced length.
#[derive(Debug)]
pub(crate) struct EndedEarly;

impl fmt::Display for EndedEarly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document's bytes ended early")
    }
}

impl std::error::Error for EndedEarly {}
