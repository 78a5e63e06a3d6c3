//! One connection: HTTP/1.1 until the client is done, too slow, or the service stops.

use super::write_timeout::WriteTimeoutStream;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::poll_fn;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// How much a client may still send once it has its answer, and how long, before the connection is closed on it.
const LINGER_BYTES: usize = 4 << 20;
const LINGER_TIME: Duration = Duration::from_secs(1);

/// How slow a client may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// For the headers of a request, from the moment the one before was answered.
    pub(super) header: Duration,
    /// For the next byte of an answer to be taken.
    pub(super) stall: Duration,
}

/// Serves one connection to its end.
pub(super) async fn serve(
    stream: TcpStream,
    app: Router,
    timeouts: Timeouts,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are written whole: waiting for more to send only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.header)
        // The most that a connection's headers or waiting body bytes hold in memory.
        .max_buf_size(64 << 10)
        .serve_connection(
            TokioIo::new(WriteTimeoutStream::new(stream, timeouts.stall)),
            TowerToHyperService::new(app),
        );
    let mut told = false;
    let served = loop {
        tokio::select! {
            served = poll_fn(|context| connection.poll_without_shutdown(context)) => break served,
            _ = stopping.wait_for(|stopping| *stopping), if !told => {
                told = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    match served {
        Ok(()) => linger(connection.into_parts().io.into_inner().into_inner()).await,
        Err(error) => tracing::debug!(%error, "a connection ended early"),
    }
}

/// Closes so that the client reads its answer: closing on bytes that are still arriving would reset the connection,
/// and the client would lose the answer that told it why.
async fn linger(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let discard = async {
        let mut scratch = [0; 16 << 10];
        let mut left = LINGER_BYTES;
        while left > 0 {
            match stream.read(&mut scratch).await {
                Ok(0) | Err(_) => return,
                Ok(read) => left = left.saturating_sub(read),
            }
        }
    };
    // Whoever goes on sending is cut off.
    let _ = timeout(LINGER_TIME, discard).await;
}
