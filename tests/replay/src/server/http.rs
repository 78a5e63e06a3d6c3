//! The parts of HTTP/1.1 that the origins need: reading requests, and reason phrases for responses.

use crate::scenario::Host;
use crate::script::Head;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

const MOST_HEAD: usize = 64 * 1024;
/// The size limit of a request body. The bodies in the suite are much smaller.
const MOST_BODY: usize = 256 * 1024 * 1024;

/// The bytes that were read from a connection but not used yet.
#[derive(Debug, Default)]
pub struct Buffer(Vec<u8>);

/// How the end of a request body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
}

/// Reads the head of the next request. Returns `None` if the client closed the connection before another request.
pub async fn read_head<R: AsyncRead + Unpin>(
    reader: &mut R,
    buffer: &mut Buffer,
    to: Host,
) -> io::Result<Option<Head>> {
    loop {
        if let Some((head, length)) = parse(&buffer.0, to)? {
            buffer.0.drain(..length);
            return Ok(Some(head));
        }
        if buffer.0.len() > MOST_HEAD {
            return Err(invalid("the head is too long"));
        }
        if reader.read_buf(&mut buffer.0).await? == 0 {
            return if buffer.0.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
    }
}

/// Reads the body of a request, at most `limit` bytes of it.
pub async fn read_body<R: AsyncRead + Unpin>(
    reader: &mut R,
    buffer: &mut Buffer,
    head: &Head,
    limit: Option<usize>,
) -> io::Result<Vec<u8>> {
    let limit = limit.unwrap_or(MOST_BODY);
    match framing(head)? {
        Framing::Length(length) if length > MOST_BODY => Err(invalid("the body is too long")),
        Framing::Length(length) => take(reader, buffer, length.min(limit)).await,
        Framing::Chunked => {
            let mut body = Vec::new();
            loop {
                let line = read_line(reader, buffer).await?;
                let size = line
                    .split(';')
                    .next()
                    .map(str::trim)
                    .and_then(|size| usize::from_str_radix(size, 16).ok());
                let size =
                    size.filter(|size| *size <= MOST_BODY).ok_or_else(|| invalid("malformed chunk"))?;
                if size == 0 {
                    while !read_line(reader, buffer).await?.is_empty() {}
                    return Ok(body);
                }
                body.extend(take(reader, buffer, size.min(limit.saturating_sub(body.len()))).await?);
                if body.len() >= limit {
                    return Ok(body);
                }
                read_line(reader, buffer).await?;
            }
        }
    }
}

fn parse(bytes: &[u8], to: Host) -> io::Result<Option<(Head, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes).map_err(|error| invalid(&error.to_string()))? {
        httparse::Status::Partial => Ok(None),
        httparse::Status::Complete(length) => {
            let headers = request.headers.iter();
            let headers = headers
                .map(|header| {
                    (header.name.to_lowercase(), String::from_utf8_lossy(header.value).into_owned())
                })
                .collect();
            let method = request.method.unwrap_or_default().to_owned();
            Ok(Some((
                Head { to, method, target: request.path.unwrap_or_default().to_owned(), headers },
                length,
            )))
        }
    }
}

fn framing(head: &Head) -> io::Result<Framing> {
    if head.values("transfer-encoding").any(|value| value.eq_ignore_ascii_case("chunked")) {
        return Ok(Framing::Chunked);
    }
    match head.values("content-length").next() {
        None => Ok(Framing::Length(0)),
        Some(length) => length.parse().map(Framing::Length).map_err(|_| invalid("malformed Content-Length")),
    }
}

async fn take<R: AsyncRead + Unpin>(
    reader: &mut R,
    buffer: &mut Buffer,
    length: usize,
) -> io::Result<Vec<u8>> {
    while buffer.0.len() < length {
        if reader.read_buf(&mut buffer.0).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(buffer.0.drain(..length).collect())
}

async fn read_line<R: AsyncRead + Unpin>(reader: &mut R, buffer: &mut Buffer) -> io::Result<String> {
    loop {
        if let Some(end) = buffer.0.windows(2).position(|pair| pair == b"\r\n") {
            let line = String::from_utf8_lossy(&buffer.0[..end]).into_owned();
            buffer.0.drain(..end + 2);
            return Ok(line);
        }
        if reader.read_buf(&mut buffer.0).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// The reason phrase of a status. It is only for people who read captured traffic.
pub fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        301..=308 => "Redirect",
        400..=499 => "Client Error",
        500..=599 => "Server Error",
        _ => "Status",
    }
}
