//! A small HTTP client over plain sockets, which sends exactly the bytes that a test gives it, and a service with a
//! replaced engine.
#![allow(dead_code)] // each test file uses its own part
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // a test may panic

use recto_engine::{EngineError, Input, Job, Output};
use recto_interface::{Options, ValidationReport};
use recto_service::{Engine, LocalService, LocalServiceBuilder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub const JSON: (&str, &str) = ("Content-Type", "application/json");
pub const OCTETS: (&str, &str) = ("Content-Type", "application/octet-stream");

/// An HTTP response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code in the problem details of the response. Fails if the problem details do not follow RFC 9457.
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{problem}");
        assert_eq!(problem["traceId"].as_str(), self.header("x-request-id"), "{problem}");
        for field in ["title", "detail"] {
            assert!(problem[field].as_str().is_some_and(|text| text.len() > 5), "{problem}");
        }
        problem["code"].as_str().expect("a code").to_owned()
    }
}

/// Sends the bytes `request` to the host of `url`, and reads the response until the connection is closed.
pub fn raw(url: &str, request: &[u8]) -> Response {
    let mut stream = connect(url);
    // An error is ignored: the service may respond and close the connection before it has read the whole request.
    let _ = stream.write_all(request);
    read_response(&mut stream, false)
}

pub fn connect(url: &str) -> TcpStream {
    let (host, _) = split(url);
    let stream = TcpStream::connect(host).unwrap_or_else(|error| panic!("{host}: {error}"));
    stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
    stream
}

/// Splits an absolute address into its host and its target.
pub fn split(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("{url}"));
    rest.split_once('/').map_or((rest, "/"), |(host, _)| (host, &rest[host.len()..]))
}

/// The bytes of a request with the headers `headers`, and also with `Host`, `Content-Length` and `Connection: close`.
pub fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let (host, target) = split(url);
    let mut head = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {host}\r\n"));
    }
    if !body.is_empty() || method == "PUT" || method == "POST" {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

pub fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let mut stream = connect(url);
    let _ = stream.write_all(&request(method, url, headers, body));
    read_response(&mut stream, method == "HEAD")
}

pub fn read_response(stream: &mut TcpStream, head_only: bool) -> Response {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        panic!("{error} after {:?}", String::from_utf8_lossy(&bytes));
    }
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no response: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut response = Response { status, head, body: bytes[end + 4..].to_vec() };
    if response.header("transfer-encoding").is_some() {
        response.body = unchunked(&response.body);
    } else if let Some(length) = response.header("content-length").filter(|_| !head_only) {
        assert_eq!(length.parse::<usize>().unwrap(), response.body.len(), "{}", response.head);
    }
    response
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n").expect("a chunk");
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[line + 2..line + 2 + size]);
        rest = &rest[line + size + 4..];
    }
}

/// A client of one service, which sends the API key of this service.
pub struct Api<'s>(pub &'s LocalService);

impl Api<'_> {
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.base_url())
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let mut all = vec![("X-Api-Key", self.0.api_key().expose())];
        all.extend_from_slice(headers);
        send(method, &self.url(path), &all, body)
    }

    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, &[JSON], body.to_string().as_bytes())
    }

    pub fn ticket(&self, name: &str) -> (String, String) {
        let response = self.post("/v1/files/upload/fromLocal", &json!({ "fileName": name }));
        assert_eq!(response.status, 200, "{response:?}");
        let ticket = response.json();
        (ticket["fileId"].as_str().unwrap().to_owned(), ticket["uploadUrl"].as_str().unwrap().to_owned())
    }

    pub fn upload(&self, name: &str, bytes: &[u8]) -> String {
        let (id, url) = self.ticket(name);
        let response = send("PUT", &url, &[OCTETS], bytes);
        assert_eq!((response.status, response.body.len()), (200, 0), "{response:?}");
        id
    }

    pub fn start(&self, path: &str, body: &Value) -> String {
        let response = self.post(path, body);
        assert_eq!(response.status, 200, "{response:?}");
        response.json()["operationId"].as_str().unwrap().to_owned()
    }

    pub fn result(&self, operation: &str, wait: u32) -> Response {
        self.send(
            "GET",
            &format!("/v1/operations/{operation}/result"),
            &[("Prefer", &format!("wait={wait}"))],
            b"",
        )
    }
}

/// A service with a replaced engine. The engine does what the first word of the document requests: `panic`, `fail`,
/// `sleep` (until cancelled), `nap` (300 ms), `report` or `notes`. For any other document, the result is the reversed
/// bytes of the document.
///
/// In the test program `on_sqlite`, the service uses a data directory. In the other test programs, it keeps its state
/// in memory.
pub fn builder() -> LocalServiceBuilder {
    let builder = LocalService::builder().workers(2).engine(Engine::new(run_document));
    if on_sqlite() { in_directory(builder, &data_directory()) } else { builder }
}

fn on_sqlite() -> bool {
    module_path!().starts_with("on_sqlite::")
}

/// A new data directory for a test. The directory is removed when the tests run again.
fn data_directory() -> std::path::PathBuf {
    static CLEAN: std::sync::Once = std::sync::Once::new();
    let parent = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("on_sqlite");
    let own = parent.join(std::process::id().to_string());
    std::fs::create_dir_all(&own).unwrap();
    // Each test file has its own copy of this module. One copy must not remove the directories that another copy is
    // using.
    CLEAN.call_once(|| {
        for other in std::fs::read_dir(&parent).unwrap().flatten().filter(|entry| entry.path() != own) {
            let _ = std::fs::remove_dir_all(other.path());
        }
    });
    tempfile::tempdir_in(own).unwrap().keep()
}

/// Lets the service of `builder` keep its files below `parent`.
pub fn in_directory(builder: LocalServiceBuilder, parent: &std::path::Path) -> LocalServiceBuilder {
    #[cfg(feature = "durable")]
    if on_sqlite() {
        return builder.store(recto_service::Store::Directory(parent.join("data")));
    }
    builder.data_dir(parent)
}

pub fn service() -> LocalService {
    builder().start().expect("a service")
}

fn run_document(options: &Options, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    options.check()?;
    match input.bytes.split(|byte| *byte == b' ').next().unwrap_or_default() {
        b"panic" => panic!("as the document requests"),
        b"fail" => Err(EngineError::PasswordRequired),
        b"sleep" => loop {
            job.proceed()?;
            std::thread::sleep(Duration::from_millis(2));
        },
        b"nap" => {
            std::thread::sleep(Duration::from_millis(300));
            Ok(Output::file(b"napped".to_vec(), "pdf"))
        }
        b"report" => Ok(Output::Report(ValidationReport {
            errors: vec!["no fonts".to_owned()],
            is_conforming: Some(false),
            conformance: Some("pdf15".to_owned()),
            ..ValidationReport::default()
        })),
        b"notes" => Ok(Output::File(recto_engine::OutputFile {
            bytes: b"noted".to_vec(),
            extension: "zip",
            notes: vec!["one thing was dropped".to_owned()],
        })),
        _ => Ok(Output::file(input.bytes.iter().rev().copied().collect(), "pdf")),
    }
}

/// The files that the only service below `parent` has stored.
pub fn kept_files(parent: &std::path::Path) -> Vec<std::path::PathBuf> {
    let own = std::fs::read_dir(parent).unwrap().next().expect("a directory").unwrap().path();
    let directory = if on_sqlite() { own.join("files") } else { own };
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.file_name().is_some_and(|name| name != "lock")).collect()
}
