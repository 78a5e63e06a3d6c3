//! Tests that logs contain no secrets, at any log level and from any library.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Client, EncryptOptions, ErrorKind, Secret, Source};
use std::io;
use std::sync::{Arc, Mutex};
use support::{Reply, Server};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Memory {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[test]
fn no_log_line_and_no_error_contains_key_password_or_signed_query() {
    let memory = Memory::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(memory.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let storage = Server::start(|request, before| match (request.method.as_str(), before) {
        ("PUT", 0) => Reply::status(403),
        ("PUT", 1) => Reply::redirect(307, "/moved?sig=THE-SIGNATURE"),
        ("PUT", _) => Reply::status(200),
        _ => Reply::status(500),
    });
    let at = storage.url();
    let api = Server::start(move |request, _| match request.target.as_str() {
        "/v1/files/upload/fromLocal" => {
            Reply::json(200, format!(r#"{{"fileId":"f","uploadUrl":"{at}/u?sig=THE-SIGNATURE"}}"#))
        }
        "/v1/operations/encrypt" => Reply::json(200, r#"{"operationId":"o","operationType":"encryptPdf"}"#),
        _ => Reply::json(
            200,
            format!(r#"{{"outputFile":{{"name":"o.pdf","url":"{at}/d?sig=THE-SIGNATURE"}}}}"#),
        ),
    });
    let client =
        Client::builder().base_url(api.url()).api_key("THE-KEY").no_proxy().retries(1).build().unwrap();
    let options = EncryptOptions { password: Some(Secret::from("THE-PASSWORD")) };
    let source = Source::bytes(&b"%PDF-"[..], "a.pdf");
    let operation = client.start(source, options, &Call::new()).unwrap();
    let result = operation.wait(&Call::new()).unwrap();
    let error = operation.read(&Call::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Server);

    let logged = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("received the response") && logged.contains("retrying"), "{logged}");
    let shown = format!(
        "{error} {error:?} {:?} {client:?} {operation:?} {result:?} {}",
        error.body(),
        operation.token()
    );
    for secret in ["THE-KEY", "THE-PASSWORD", "THE-SIGNATURE"] {
        for line in logged.lines().chain(shown.lines()) {
            assert!(!line.contains(secret), "{line}");
        }
    }
}
