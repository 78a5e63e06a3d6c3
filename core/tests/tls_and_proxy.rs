//! Tests of TLS with a certificate authority and a client certificate that the user sets, and of proxies, against
//! real servers.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use recto::{Call, Client, ClientBuilder, ErrorKind, SignedUrl, Sink, Source};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use support::{Reply, Server, read_request};

const LIST: &str = r#"{"files":[]}"#;

/// A certificate authority for tests, with certificates for a server and a client.
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

    /// Starts a TLS server that responds to every request with an empty list of files. Returns its address.
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

/// Starts an HTTP/2 server over TLS that acts as service and as storage. Returns its address.
fn http2(authority: &Authority) -> String {
    let mut config = (*authority.server).clone();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let base = format!("https://localhost:{}", listener.local_addr().unwrap().port());
            tell.send(base.clone()).unwrap();
            loop {
                let Ok(stream) = acceptor.accept(listener.accept().await.unwrap().0).await else { continue };
                let base = base.clone();
                let answer =
                    hyper::service::service_fn(move |request: http::Request<hyper::body::Incoming>| {
                        let base = base.clone();
                        async move {
                            let (head, body) = request.into_parts();
                            let body = http_body_util::BodyExt::collect(body).await?.to_bytes();
                            assert_eq!(head.version, http::Version::HTTP_2);
                            let answer = match (head.method.as_str(), head.uri.path()) {
                                ("PUT", _) => {
                                    assert_eq!(head.headers["content-length"], body.len().to_string());
                                    assert!(!head.headers.contains_key("x-api-key"));
                                    String::new()
                                }
                                ("POST", _) => format!(r#"{{"fileId":"f","uploadUrl":"{base}/u?a=(b)"}}"#),
                                ("GET", "/d") => "d".repeat(1_000_000),
                                _ => LIST.to_owned(),
                            };
                            Ok::<_, hyper::Error>(http::Response::new(answer))
                        }
                    });
                let executor = hyper_util::rt::TokioExecutor::new();
                let connection = hyper::server::conn::http2::Builder::new(executor);
                tokio::spawn(connection.serve_connection(hyper_util::rt::TokioIo::new(stream), answer));
            }
        });
    });
    told.recv().unwrap()
}

#[test]
fn everything_works_over_http_2_too() {
    let authority = Authority::new(false);
    let base = http2(&authority);
    let builder =
        Client::builder().base_url(&base).api_key("k").no_proxy().ca_bundle(authority.file("ca.pem"));
    let client = builder.build().unwrap();
    let document = vec![7; 1_000_000];
    assert_eq!(client.files().upload(Source::bytes(document, "a.pdf"), &Call::new()).unwrap().as_str(), "f");
    assert!(client.files().list(true, &Call::new()).unwrap().is_empty());
    let mut bytes = Vec::new();
    let from = SignedUrl::new(format!("{base}/d"));
    client.files().download(&from, Sink::memory(&mut bytes), &Call::new()).unwrap();
    assert!(bytes == "d".repeat(1_000_000).into_bytes());
}

/// Runs the ignored test `name` of this file in a separate process. `variables` are set in the environment of that
/// process.
fn in_environment(name: &str, variables: &[(&str, &str)]) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--test-threads=1"]);
    for variable in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        command.env_remove(variable);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn the_environment_sets_authorities_and_proxies() {
    let authority = Authority::new(false);
    let base = authority.serve();
    let ca = authority.file("ca.pem");
    let file = [
        ("RECTO_BASE_URL", base.as_str()),
        ("SSL_CERT_FILE", ca.to_str().unwrap()),
        ("ALL_PROXY", "http://127.0.0.1:1"),
    ];
    in_environment("environment_lists_files", &file);
    let proxy = Server::start(|_, _| Reply::json(200, LIST));
    let url = proxy.url();
    in_environment("environment_lists_files_of_another_machine", &[("HTTP_PROXY", url.as_str())]);
    assert_eq!(proxy.lines(), ["GET http://service.example/v1/files"]);
}

#[test]
#[ignore = "run by the_environment_sets_authorities_and_proxies"]
fn environment_lists_files() {
    // The proxy in the environment does not work. It is never used for requests to this machine, so the call
    // succeeds.
    assert_eq!(list(Client::builder().from_env().unwrap()).unwrap(), 0);
}

#[test]
#[ignore = "run by the_environment_sets_authorities_and_proxies"]
fn environment_lists_files_of_another_machine() {
    assert_eq!(list(Client::builder().base_url("http://service.example").allow_http(true)).unwrap(), 0);
}

fn list(builder: ClientBuilder) -> Result<usize, recto::Error> {
    Ok(builder.retries(0).build()?.files().list(false, &Call::new())?.len())
}

#[test]
fn an_own_authority_is_trusted_only_if_it_is_configured() {
    let authority = Authority::new(false);
    let client = Client::builder().base_url(authority.serve()).no_proxy();
    let error = list(client.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(list(client.ca_bundle(authority.file("ca.pem"))).unwrap(), 0);
}

#[test]
fn a_client_certificate_is_sent_to_a_server_that_requests_it() {
    let authority = Authority::new(true);
    let client = Client::builder().base_url(authority.serve()).no_proxy().ca_bundle(authority.file("ca.pem"));
    assert_eq!(list(client.clone()).unwrap_err().kind(), ErrorKind::Transport);
    assert_eq!(list(client.client_certificate(authority.file("client.pem"))).unwrap(), 0);
}

#[test]
fn invalid_credentials_are_reported_when_the_client_is_built() {
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
fn a_proxy_gets_the_complete_address_of_a_plain_request() {
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
fn an_error_names_the_proxy_that_does_not_work() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = listener.local_addr().unwrap().to_string();
    drop(listener);
    let failure = |base: &str, proxy: &str| {
        let builder =
            Client::builder().base_url(base).allow_http(true).proxy(format!("http://user:hush@{proxy}"));
        let error = list(builder).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Transport);
        let text = error.to_string();
        assert!(!text.contains("hush"), "{text}");
        text
    };
    for base in ["http://service.example", "https://service.example"] {
        let text = failure(base, &dead);
        assert!(text.contains(&format!("cannot connect to the proxy {dead}: ")), "{text}");
        let text = failure(base, "no-such-proxy.invalid:8080");
        assert!(text.contains("cannot connect to the proxy no-such-proxy.invalid:8080: "), "{text}");
    }
    let refusing = Server::start(|_, _| Reply::status(502));
    let text = failure("https://service.example", &format!("127.0.0.1:{}", refusing.port));
    let through = format!("cannot connect to service.example through the proxy 127.0.0.1:{}", refusing.port);
    assert!(text.contains(&through), "{text}");
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

/// A proxy that accepts one CONNECT request and then copies bytes in both directions. It records the bytes of the
/// client.
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
