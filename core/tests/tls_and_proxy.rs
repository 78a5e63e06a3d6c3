//! TLS with the user's own authority and certificate, and proxies, against real servers.
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod support;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use recto::{Call, Client, ClientBuilder, ErrorKind};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use support::{Reply, Server, read_request};

const LIST: &str = r#"{"files":[]}"#;

/// An authority of the test's own, its server's certificate, and a client's.
struct Authority {
    directory: tempfile::TempDir,
    server: Arc<ServerConfig>,
}

impl Authority {
    fn new(asks_for_certificate: bool) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let signed = |name: &str| {
            let key = KeyPair::generate().unwrap();
            (CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap(), key)
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if asks_for_certificate {
            let mut roots = RootCertStore::empty();
            roots.add(issuer.der().clone()).unwrap();
            let verifier =
                WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let (certificate, key) = signed("localhost");
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let server = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();

        let directory = tempfile::tempdir().unwrap();
        let (certificate, key) = signed("client");
        std::fs::write(directory.path().join("ca.pem"), issuer.pem()).unwrap();
        std::fs::write(directory.path().join("client.pem"), certificate.pem() + &key.serialize_pem())
            .unwrap();
        Self { directory, server: Arc::new(server) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A TLS server that answers every request with an empty list of files.
    fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = self.server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(config.clone()).unwrap();
                let mut reader = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
                while read_request(&mut reader).is_some() {
                    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{LIST}", LIST.len());
                    reader.get_mut().write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        format!("https://localhost:{port}")
    }
}

fn list(builder: ClientBuilder) -> Result<usize, recto::Error> {
    Ok(builder.retries(0).build()?.files().list(false, &Call::new())?.len())
}

#[test]
fn an_authority_of_ones_own_is_trusted_once_it_is_named() {
    let authority = Authority::new(false);
    let client = Client::builder().base_url(authority.serve()).no_proxy();
    let error = list(client.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(list(client.ca_bundle(authority.file("ca.pem"))).unwrap(), 0);
}

#[test]
fn a_client_certificate_is_shown_to_a_server_that_asks() {
    let authority = Authority::new(true);
    let client = Client::builder().base_url(authority.serve()).no_proxy().ca_bundle(authority.file("ca.pem"));
    assert_eq!(list(client.clone()).unwrap_err().kind(), ErrorKind::Transport);
    assert_eq!(list(client.client_certificate(authority.file("client.pem"))).unwrap(), 0);
}

#[test]
fn credentials_that_cannot_be_used_are_said_when_the_client_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    let client = || Client::builder().base_url("https://h.example");
    for builder in
        [client().ca_bundle(&empty), client().ca_bundle("/no/such"), client().client_certificate(&empty)]
    {
        assert_eq!(builder.build().unwrap_err().kind(), ErrorKind::Config);
    }
}

#[test]
fn a_proxy_is_asked_for_the_whole_address_of_a_plain_request() {
    let proxy = Server::start(|_, _| Reply::json(200, LIST));
    let via = proxy.url().replace("http://", "http://user:pass@");
    let builder =
        Client::builder().base_url("http://service.example/pdf").allow_http(true).api_key("k").proxy(via);
    assert_eq!(list(builder).unwrap(), 0);
    let asked = &proxy.seen()[0];
    assert_eq!(asked.line(), "GET http://service.example/pdf/v1/files");
    assert_eq!(asked.header("proxy-authorization"), Some("Basic dXNlcjpwYXNz"));
    assert_eq!(asked.header("host"), Some("service.example"));
}

#[test]
fn a_proxy_tunnels_tls_and_sees_nothing_of_the_request() {
    let authority = Authority::new(false);
    let base = authority.serve();
    let port = base.rsplit(':').next().unwrap().to_owned();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let proxy = tunnel(&port, seen.clone());
    let builder = Client::builder().base_url(base).api_key("secret-key").ca_bundle(authority.file("ca.pem"));
    assert_eq!(list(builder.proxy(format!("http://user:pass@{proxy}"))).unwrap(), 0);
    let seen = seen.lock().unwrap();
    let text = String::from_utf8_lossy(&seen);
    assert!(text.starts_with(&format!("CONNECT localhost:{port} HTTP/1.1\r\n")), "{text}");
    assert!(text.to_lowercase().contains("proxy-authorization: basic dxnlcjpwyxnz"));
    assert!(!text.contains("secret-key") && !text.contains("/v1/files"));
}

/// A proxy that answers one CONNECT and then copies bytes, remembering those of the client.
fn tunnel(port: &str, seen: Arc<Mutex<Vec<u8>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let target = format!("127.0.0.1:{port}");
    std::thread::spawn(move || {
        let mut client = listener.accept().unwrap().0;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            client.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        seen.lock().unwrap().extend_from_slice(&head);
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let mut server = TcpStream::connect(target).unwrap();
        let (mut back_from, mut back_to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut back_from, &mut back_to));
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = client.read(&mut buffer) {
            seen.lock().unwrap().extend_from_slice(&buffer[..read]);
            server.write_all(&buffer[..read]).unwrap();
        }
    });
    address
}
