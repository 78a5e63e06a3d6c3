//! A service that only transfers bytes: it reads and discards uploads, and sends the same buffer repeatedly as a
//! download. The service uses only threads and plain sockets, so that the figures show the cost of the client and not
//! the cost of the service.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

const CHUNK: usize = 1 << 20;

/// Starts the service on a free loopback port and returns its address. The service runs until the process ends.
/// `download` is the size of every result in bytes.
///
/// # Errors
/// If no port is available.
pub fn start(download: u64) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                // If a client closes its connection early, only this connection ends.
                let _ = serve(stream, address, download);
            });
        }
    });
    Ok(address)
}

fn serve(stream: TcpStream, address: SocketAddr, download: u64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(CHUNK, stream.try_clone()?);
    let mut writer = stream;
    let mut pattern = vec![b'x'; CHUNK];
    pattern[..9].copy_from_slice(b"%PDF-1.7\n");
    loop {
        let Some(request) = Request::read(&mut reader)? else { return Ok(()) };
        if request.expects_continue {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        io::copy(&mut reader.by_ref().take(request.length), &mut io::sink())?;
        match (request.method.as_str(), request.path.as_str()) {
            ("PUT", _) => writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")?,
            ("GET", "/download") => send(&mut writer, &pattern, download)?,
            ("GET", path) if path.ends_with("/result") => answer(&mut writer, &finished(address))?,
            ("GET", _) => answer(&mut writer, &record())?,
            ("POST", path) if path.ends_with("fromLocal") => {
                answer(
                    &mut writer,
                    &json!({"fileId": "f1", "uploadUrl": format!("http://{address}/upload")}),
                )?;
            }
            _ => answer(
                &mut writer,
                &json!({"operationId": "o1", "operationType": "optimize", "operationStatus": "inProgress"}),
            )?,
        }
    }
}

fn record() -> Value {
    json!({"id": "f1", "createdAt": "2024-05-06T07:08:09.123Z", "origin": "fromLocal", "name": "a.pdf", "extension": "pdf"})
}

fn finished(address: SocketAddr) -> Value {
    let url = format!("http://{address}/download");
    json!({"operationType": "optimize", "operationStatus": "finished", "outputFile": {"fileId": "f2", "name": "a.pdf", "url": url}})
}

fn answer(writer: &mut TcpStream, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    writer.write_all((head + &body).as_bytes())
}

fn send(writer: &mut TcpStream, pattern: &[u8], mut left: u64) -> io::Result<()> {
    write!(writer, "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: {left}\r\n\r\n")?;
    while left > 0 {
        let part = pattern.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        writer.write_all(&pattern[..part])?;
        left -= part as u64;
    }
    Ok(())
}

struct Request {
    method: String,
    path: String,
    length: u64,
    expects_continue: bool,
}

impl Request {
    /// Reads the head of a request. Returns `None` if the client has closed the connection.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut request = Self { method, path, length: 0, expects_continue: false };
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim_end().split_once(':') else { return Ok(Some(request)) };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => request.length = value.trim().parse().map_err(io::Error::other)?,
                "expect" => request.expects_continue = true,
                _ => {}
            }
        }
    }
}
