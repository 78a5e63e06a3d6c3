//! Sends plain requests to a running service: without retries, redirects or additional headers.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use std::sync::Arc;

const MOST_BODY: usize = 256 << 20;

/// Any error that a request can cause.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A running service, with its address and key.
#[derive(Clone, Debug)]
pub struct Upstream {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The address of the service, without a slash at the end.
    pub base_url: String,
    /// The API key of the service.
    pub api_key: String,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct UpstreamResponse {
    /// The status.
    pub status: u16,
    /// The headers, with the names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Upstream {
    /// Creates the client for the service at `base_url`.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(base_url: &str, api_key: &str) -> Result<Self, Failure> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = rustls_platform_verifier::Verifier::new(Arc::clone(&provider))?;
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, base_url: base_url.trim_end_matches('/').to_owned(), api_key: api_key.to_owned() })
    }

    /// Sends one request.
    ///
    /// # Errors
    /// If the request cannot be sent, or the response cannot be read.
    pub async fn send(
        &self,
        method: &str,
        url: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Result<UpstreamResponse, Failure> {
        let mut request =
            Request::builder().method(Method::from_bytes(method.as_bytes())?).uri(url.parse::<Uri>()?);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = self.client.request(request.body(Full::new(Bytes::from(body)))?).await?;
        let status = response.status().as_u16();
        let headers = response.headers().iter();
        let headers = headers
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = Limited::new(response.into_body(), MOST_BODY).collect().await?.to_bytes().to_vec();
        Ok(UpstreamResponse { status, headers, body })
    }
}
