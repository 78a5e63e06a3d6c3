//! The body of a request, as the HTTP library takes it.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// Nothing, a text that is held, or chunks that the caller's thread reads from a document.
pub(crate) enum Body {
    Held(Option<Bytes>),
    Chunks { chunks: mpsc::Receiver<Bytes>, left: u64 },
}

/// Where the caller's thread puts the chunks of a document.
pub(crate) type ChunkSender = mpsc::Sender<Bytes>;

/// How many chunks lie between the caller's thread and the connection.
const CHUNKS_AHEAD: usize = 2;

impl Body {
    pub(crate) fn empty() -> Self {
        Self::Held(None)
    }

    pub(crate) fn held(bytes: Bytes) -> Self {
        Self::Held(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }

    /// A body of exactly `length` bytes, to be sent through the sender. A sender that is dropped before breaks
    /// the request off, so that the service cannot take a part for the whole.
    pub(crate) fn chunks(length: u64) -> (ChunkSender, Self) {
        let (sender, chunks) = mpsc::channel(CHUNKS_AHEAD);
        (sender, Self::Chunks { chunks, left: length })
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        match self.get_mut() {
            Self::Held(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Chunks { left: 0, .. } => Poll::Ready(None),
            Self::Chunks { chunks, left } => chunks.poll_recv(context).map(|chunk| match chunk {
                Some(chunk) => {
                    *left = left.saturating_sub(chunk.len() as u64);
                    Some(Ok(Frame::data(chunk)))
                }
                None => Some(Err(BrokenOff)),
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Held(None) | Self::Chunks { left: 0, .. })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Held(bytes) => bytes.as_ref().map_or(0, |bytes| bytes.len() as u64),
            Self::Chunks { left, .. } => *left,
        })
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
