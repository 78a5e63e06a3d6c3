//! Serves one HTTP/1.1 connection until the client closes it, the client is too slow, or the service stops.

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

/// The maximum number of bytes, and the maximum time, for which the service still reads from a client after the
/// response. Then the service closes the connection.
const LINGER_BYTES: usize = 4 << 20;
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The time limits for a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// The maximum time until the headers of a request have arrived, counted from the start of the connection or from
    /// the end of the previous response.
    pub(super) header: Duration,
    /// The maximum time until the client reads the next byte of a response.
    pub(super) stall: Duration,
}

/// Serves one connection until it ends.
pub(super) async fn serve(
    stream: TcpStream,
    app: Router,
    timeouts: Timeouts,
    mut stopping: watch::Receiver<bool>,
) {
    // Each response is written at once. With Nagle's algorithm, the system would delay small responses.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "could not set TCP_NODELAY");
    }
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.header)
        // The maximum memory for the headers, or for unread bytes of the body, of a connection.
        .max_buf_size(64 << 10)
        .serve_connection(
            TokioIo::new(WriteTimeoutStream::new(stream, timeouts.stall)),
            TowerToHyperService::new(app),
        );
    let mut stop_seen = false;
    let served = loop {
        tokio::select! {
            served = poll_fn(|context| connection.poll_without_shutdown(context)) => break served,
            _ = stopping.wait_for(|stopping| *stopping), if !stop_seen => {
                stop_seen = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    match served {
        Ok(()) => linger(connection.into_parts().io.into_inner().into_inner()).await,
        Err(error) => tracing::debug!(%error, "a connection ended early"),
    }
}

/// Closes the connection in a way that lets the client read the response. If the service closed the connection while
/// bytes still arrive, the connection would be reset, and the client could lose the response that explains the error.
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
    // If a client still sends after this time, the connection is closed.
    let _ = timeout(LINGER_TIME, discard).await;
}
