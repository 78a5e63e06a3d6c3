//! A loopback HTTP server for tests. A handler returns the responses, and the server records the requests.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod batch_service;

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request that the server has received.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }
}

/// What the server does after it has received a request.
pub enum Reply {
    /// Sends a response: status, headers, body. The server adds `Content-Length`.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Sends a head that announces the whole body, but closes the connection after this number of bytes of the body.
    Cut(u16, Vec<(&'static str, String)>, Vec<u8>, usize),
    /// Closes the connection and sends no response.
    Close,
    /// Keeps the connection open and sends nothing, for longer than any test waits.
    Stall,
    /// Sends the head, and then one byte of the body after each interval.
    Drip(Vec<u8>, Duration),
}

impl Reply {
    pub fn json(status: u16, json: impl Into<String>) -> Self {
        Self::Answer(status, vec![("content-type", "application/json".to_owned())], json.into().into_bytes())
    }

    pub fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), Vec::new())
    }

    pub fn redirect(status: u16, location: impl Into<String>) -> Self {
        Self::Answer(status, vec![("location", location.into())], Vec::new())
    }
}

type Handler = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// The server. It runs until the process of the test ends.
#[derive(Clone)]
pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server. `handler` gets a request and the number of requests that came before.
    pub fn start(handler: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { port: listener.local_addr().unwrap().port(), seen: Arc::default() };
        let (seen, handler): (_, Arc<Handler>) = (server.seen.clone(), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, handler) = (seen.clone(), handler.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &seen, &*handler));
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request that the server has received so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// Method and target of every request that the server has received so far.
    pub fn lines(&self) -> Vec<String> {
        self.seen().iter().map(Request::line).collect()
    }
}

/// Reads one request. Returns `None` if the client has disconnected.
pub fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: Vec::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<Request>>, handler: &Handler) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(request) = read_request(&mut reader) {
        let before = {
            let mut seen = seen.lock().unwrap();
            seen.push(request.clone());
            seen.len() - 1
        };
        let whole = match handler(&request, before) {
            Reply::Answer(status, headers, body) => {
                let length = body.len();
                answer(&mut stream, status, &headers, &body, length)
            }
            Reply::Cut(status, headers, body, sent) => {
                answer(&mut stream, status, &headers, &body, sent);
                false
            }
            Reply::Close => false,
            Reply::Stall => {
                std::thread::sleep(Duration::from_secs(600));
                false
            }
            Reply::Drip(body, pause) => {
                answer(&mut stream, 200, &[], &body, 0);
                body.iter().all(|byte| {
                    std::thread::sleep(pause);
                    stream.write_all(&[*byte]).is_ok()
                })
            }
        };
        if !whole {
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
    }
}

fn answer(
    stream: &mut impl Write,
    status: u16,
    headers: &[(&str, String)],
    body: &[u8],
    sent: usize,
) -> bool {
    let mut head = format!("HTTP/1.1 {status} x\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if status != 204 && !headers.iter().any(|(name, _)| *name == "content-length") {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[..sent])).is_ok()
}

/// The names of the files in a directory, sorted.
pub fn entries(directory: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
