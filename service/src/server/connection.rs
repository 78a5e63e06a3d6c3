//! Serves one HTTP/1.1 connection until the client closes it, the client is too slow, another connection needs its
//! place, or the service stops.

use super::places::{BusyPlace, Place};
use super::write_timeout::WriteTimeoutStream;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service as HyperService;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Write as _;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// The maximum number of bytes, and the maximum time, for which the service still reads from a client after the
/// response. Then the service closes the connection.
const LINGER_BYTES: usize = 4 << 20;
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The maximum time that a connection may take to close when another connection needs its place.
const CLOSE_GRACE: Duration = Duration::from_millis(250);

/// The response to a client whose address has used up its share of the connections.
const SHARE_USED_UP: &str = concat!(
    r#"{"title":"Too many connections","status":503,"code":"too_many_connections","detail":"too many connections are "#,
    r#"open from this address; use fewer connections, or try again later"}"#
);

/// The time limits for a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// The maximum time until the headers of the first request have arrived.
    pub(super) first_header: Duration,
    /// The maximum time until the headers of a later request have arrived, counted from the end of the previous
    /// response.
    pub(super) header: Duration,
    /// The maximum time until the client reads the next byte of a response.
    pub(super) stall: Duration,
}

/// Serves one connection until it ends.
pub(super) async fn serve(
    stream: TcpStream,
    app: Router,
    timeouts: Timeouts,
    place: Place,
    mut stopping: watch::Receiver<bool>,
) {
    // Each response is written at once. With Nagle's algorithm, the system would delay small responses.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "could not set TCP_NODELAY");
    }
    let (place, requests) = (Arc::new(place), Arc::<Requests>::default());
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.header)
        // The maximum memory for the headers, or for unread bytes of the body, of a connection.
        .max_buf_size(64 << 10)
        .serve_connection(
            TokioIo::new(WriteTimeoutStream::new(stream, timeouts.stall)),
            Watched {
                app: TowerToHyperService::new(app),
                place: Arc::clone(&place),
                requests: Arc::clone(&requests),
            },
        );
    let mut stop_seen = false;
    let mut first_request = pin!(sleep(timeouts.first_header));
    let mut waits_for_first = true;
    // The number of requests when another connection needed the place.
    let mut needed = None;
    let mut close_grace = pin!(sleep(Duration::ZERO));
    let served = loop {
        tokio::select! {
            // The connection comes first: on a busy machine, a request and the end of its time limit can be noticed at
            // the same moment, and the request has arrived.
            biased;
            served = poll_fn(|context| connection.poll_without_shutdown(context)) => break served,
            _ = stopping.wait_for(|stopping| *stopping), if !stop_seen => {
                stop_seen = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = &mut first_request, if waits_for_first => {
                waits_for_first = false;
                if requests.count() == 0 {
                    tracing::debug!("a connection without a request was closed");
                    return;
                }
            }
            () = place.needed_by_another(), if needed.is_none() => {
                if requests.count() == 0 {
                    return;
                }
                needed = Some(requests.count());
                close_grace.as_mut().reset(tokio::time::Instant::now() + CLOSE_GRACE);
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = &mut close_grace, if needed == Some(requests.count()) => return,
        }
    };
    match served {
        Ok(()) if needed == Some(requests.count()) => {}
        Ok(()) => linger(connection.into_parts().io.into_inner().into_inner(), &place).await,
        Err(error) => tracing::debug!(%error, "a connection ended early"),
    }
}

/// Responds to a client whose address has used up its share of the connections, and closes the connection.
pub(super) fn refuse(stream: TcpStream) {
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: {}\r\n\
         Retry-After: 1\r\nConnection: close\r\n\r\n{SHARE_USED_UP}",
        SHARE_USED_UP.len()
    );
    // The response fits into the buffer of a new socket, so this does not block. The client may not get the response:
    // then it only sees that the connection was closed.
    let _ = stream.into_std().and_then(|mut stream| stream.write_all(response.as_bytes()));
}

/// Closes the connection in a way that lets the client read the response. If the service closed the connection while
/// bytes still arrive, the connection would be reset, and the client could lose the response that explains the error.
async fn linger(mut stream: TcpStream, place: &Place) {
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
    // If a client still sends after this time, or another connection needs the place, the connection is closed.
    tokio::select! {
        _ = timeout(LINGER_TIME, discard) => {}
        () = place.needed_by_another() => {}
    }
}

/// The requests of one connection.
#[derive(Default)]
struct Requests {
    begun: AtomicU64,
}

impl Requests {
    /// How many requests have begun.
    fn count(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }
}

/// The service of one connection: marks the place of the connection as busy while a request is handled.
struct Watched {
    app: TowerToHyperService<Router>,
    place: Arc<Place>,
    requests: Arc<Requests>,
}

impl HyperService<Request<Incoming>> for Watched {
    type Response = Response<WatchedBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.requests.begun.fetch_add(1, Ordering::Relaxed);
        let busy = self.place.begin_request();
        let response = self.app.call(request);
        Box::pin(async move { Ok(response.await?.map(|body| WatchedBody { body, _busy: busy })) })
    }
}

/// The body of a response. Its connection is busy until the body is dropped.
struct WatchedBody {
    body: Body,
    _busy: BusyPlace,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::*;
    use std::time::Instant;
    use tokio::net::TcpListener;

    /// On a busy machine, the service notices a request and the end of its time limit at the same moment.
    #[tokio::test]
    async fn a_request_that_has_arrived_is_served_even_if_it_is_noticed_late() {
        const LIMIT: Duration = Duration::from_millis(2);
        const LONG: Duration = Duration::from_secs(60);
        let app = Router::new().route("/", axum::routing::get(|| async {}));
        for _ in 0..20 {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (stream, peer) = listener.accept().await.unwrap();
            let place = Places::new(1, 1).take(peer.ip()).await.ok().unwrap();
            let timeouts = Timeouts { first_header: LIMIT, header: LONG, stall: LONG };
            let (_stop, stopping) = watch::channel(false);
            let serving = tokio::spawn(serve(stream, app.clone(), timeouts, place, stopping));
            tokio::task::yield_now().await;
            client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
            // Nothing else runs on this thread until the limit has passed.
            let began = Instant::now();
            while began.elapsed() < 3 * LIMIT {
                std::hint::spin_loop();
            }
            client.set_nonblocking(true).unwrap();
            let (mut client, mut response) = (TcpStream::from_std(client).unwrap(), String::new());
            client.read_to_string(&mut response).await.unwrap();
            assert!(response.starts_with("HTTP/1.1 200"), "{response:?}");
            drop(client);
            serving.await.unwrap();
        }
    }
}
