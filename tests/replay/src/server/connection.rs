//! A connection: finds each request in the script, and responds, or fails as the exchange requires.

use super::Stage;
use super::http::{Buffer, read_body, read_head, reason};
use crate::scenario::{Exchange, Fault, FaultKind, Host, Response};
use crate::script::Head;
use crate::variables::fill_dates;
use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant, SystemTime};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// A connection that gives access to its TCP socket. The socket is needed to reset the connection.
pub trait Link: AsyncRead + AsyncWrite + Unpin + Send {
    /// The TCP socket of the connection.
    fn tcp(&self) -> &TcpStream;
}

impl Link for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Link for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

/// Whether the connection can be used for another request.
enum AfterExchange {
    KeepAlive,
    Close,
}

/// Serves a connection until the client or the server ends it.
pub async fn serve<L: Link>(mut link: L, host: Host, stage: &Stage) -> io::Result<()> {
    let mut buffer = Buffer::default();
    while let Some(head) = read_head(&mut link, &mut buffer, host).await? {
        let taken = stage.script().take(&head, Instant::now());
        let then = match taken {
            Some((index, exchange)) => play(&mut link, &mut buffer, &head, index, &exchange, stage).await?,
            None => refuse(&mut link, &mut buffer, &head).await?,
        };
        if matches!(then, AfterExchange::Close) {
            break;
        }
    }
    Ok(())
}

async fn play<L: Link>(
    link: &mut L,
    buffer: &mut Buffer,
    head: &Head,
    index: usize,
    exchange: &Exchange,
    stage: &Stage,
) -> io::Result<AfterExchange> {
    let fault = exchange.fault.as_ref();
    let cut = fault.and_then(|fault| fault.after_request_bytes);
    // If the client cancels the call, it may disconnect in the middle of the body: the part that arrived is compared.
    let body = read_body(link, buffer, head, cut).await?;
    match exchange.request.wanted_body(&stage.folders) {
        Ok(wanted) => stage.script().check_body(index, &wanted, &body, cut.is_some()),
        Err(error) => stage.script().note(format!("exchange {index}: {error}")),
    }
    if let Some(fault) =
        fault.filter(|fault| fault.after_response_bytes.is_none() && fault.kind != FaultKind::Drip)
    {
        return break_link(link, fault.kind).await;
    }
    let Some(response) = &exchange.response else { return Ok(AfterExchange::Close) };
    tokio::time::sleep(Duration::from_millis(response.delay_ms.unwrap_or(0))).await;
    let bytes = response.body_bytes(&stage.folders).unwrap_or_else(|error| {
        stage.script().note(format!("exchange {index}: {error}"));
        Vec::new()
    });
    let has_body = head.method != "HEAD" && !matches!(response.status, 204 | 304);
    answer(link, response, if has_body { &bytes } else { &[] }, has_body, fault).await
}

/// Sends the response, up to the point where a fault breaks it off.
async fn answer<L: Link>(
    link: &mut L,
    response: &Response,
    body: &[u8],
    has_body: bool,
    fault: Option<&Fault>,
) -> io::Result<AfterExchange> {
    let bad_chunk = fault.is_some_and(|fault| fault.kind == FaultKind::BadChunk);
    let chunked = response.chunked || bad_chunk;
    link.write_all(response_head(response, body.len(), has_body, chunked).as_bytes()).await?;
    let Some(fault) = fault else {
        write_body(link, body, chunked).await?;
        if chunked {
            link.write_all(b"0\r\n\r\n").await?;
        }
        link.flush().await?;
        let closes = response
            .headers
            .iter()
            .any(|(name, value)| name.eq_ignore_ascii_case("connection") && value == "close");
        return Ok(if closes { AfterExchange::Close } else { AfterExchange::KeepAlive });
    };
    if fault.kind == FaultKind::Drip {
        for piece in body.chunks(fault.chunk_bytes.unwrap_or(1).max(1)) {
            write_body(link, piece, chunked).await?;
            link.flush().await?;
            tokio::time::sleep(Duration::from_millis(fault.every_ms.unwrap_or(10))).await;
        }
        if chunked {
            link.write_all(b"0\r\n\r\n").await?;
            link.flush().await?;
        }
        return Ok(AfterExchange::KeepAlive);
    }
    let part = body.get(..fault.after_response_bytes.unwrap_or(0)).unwrap_or(body);
    write_body(link, part, chunked).await?;
    if bad_chunk {
        link.write_all(b"zz\r\n").await?;
    }
    link.flush().await?;
    // Waits until the client has probably received the data, because a reset discards data that the client has not
    // read yet.
    tokio::time::sleep(Duration::from_millis(30)).await;
    break_link(link, fault.kind).await
}

async fn break_link<L: Link>(link: &mut L, kind: FaultKind) -> io::Result<AfterExchange> {
    match kind {
        FaultKind::Reset => socket2::SockRef::from(link.tcp()).set_linger(Some(Duration::ZERO))?,
        FaultKind::Stall => {
            // Nothing is read from the connection, so that the client cannot continue. The loop ends when the client
            // disconnects, or when the run is dropped.
            while !is_hung_up(link.tcp()).await? {}
        }
        FaultKind::Garbage => {
            link.write_all(b"\x15\x03\x01 this is not HTTP\r\n\r\n").await?;
            close(link).await;
        }
        FaultKind::Close | FaultKind::Truncate | FaultKind::BadChunk | FaultKind::Drip => close(link).await,
    }
    Ok(AfterExchange::Close)
}

/// Closes the connection properly: reads the remaining bytes first, because otherwise the system would reset the
/// connection.
async fn close<L: Link>(link: &mut L) {
    let _ = link.shutdown().await;
    let mut rest = [0; 16 * 1024];
    let drained = async { while matches!(link.read(&mut rest).await, Ok(read) if read > 0) {} };
    let _ = tokio::time::timeout(Duration::from_secs(5), drained).await;
}

async fn is_hung_up(tcp: &TcpStream) -> io::Result<bool> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    let mut byte = [0];
    // `peek` of tokio waits while there is no data, but this check must return at once.
    match tokio::time::timeout(Duration::from_millis(1), tcp.peek(&mut byte)).await {
        Ok(Ok(0)) => Ok(true),
        Ok(Ok(_)) | Err(_) => Ok(false),
        Ok(Err(error)) => Err(error),
    }
}

/// Responds to an unexpected request with 400. A client does not repeat a request after a 400.
async fn refuse<L: Link>(link: &mut L, buffer: &mut Buffer, head: &Head) -> io::Result<AfterExchange> {
    let _ = read_body(link, buffer, head, None).await;
    let text = "replay: this request is not the next exchange of the scenario";
    let head =
        format!("HTTP/1.1 400 Client Error\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len());
    link.write_all((head + text).as_bytes()).await?;
    close(link).await;
    Ok(AfterExchange::Close)
}

fn response_head(response: &Response, length: usize, has_body: bool, chunked: bool) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    let says = |name: &str| response.headers.keys().any(|other| other.eq_ignore_ascii_case(name));
    for (name, value) in &response.headers {
        let _ = write!(head, "{name}: {}\r\n", fill_dates(value, SystemTime::now()));
    }
    if (response.json.is_some() || response.json_of_bytes.is_some()) && !says("content-type") {
        head.push_str("content-type: application/json\r\n");
    }
    if chunked {
        head.push_str("transfer-encoding: chunked\r\n");
    } else if has_body && !says("content-length") {
        let _ = write!(head, "content-length: {length}\r\n");
    }
    head + "\r\n"
}

async fn write_body<L: Link>(link: &mut L, bytes: &[u8], chunked: bool) -> io::Result<()> {
    if !chunked {
        return link.write_all(bytes).await;
    }
    for piece in bytes.chunks(16 * 1024) {
        link.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        link.write_all(piece).await?;
        link.write_all(b"\r\n").await?;
    }
    Ok(())
}
