//! An HTTP client for addresses with characters that must be sent unchanged, but that reqwest's URL type would encode
//! (`'` in a query).
//!
//! The signature of a presigned address may cover every byte. This client uses hyper, which sends an address
//! unchanged; it supports neither proxies nor redirects.

use http::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use std::time::Duration;

/// The client. It keeps no idle connections: such addresses are rare, and each address is used once.
pub(crate) struct ExactClient(Client<HttpsConnector<HttpConnector>, reqwest::Body>);

impl ExactClient {
    pub(crate) fn new(mut tls: ClientConfig, connect_timeout: Duration) -> Self {
        // The connector sets the ALPN protocols itself, and requires that none are set before.
        tls.alpn_protocols.clear();
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(connect_timeout));
        connector.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Self(Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector))
    }

    /// Sends `request` to the address `uri`, byte for byte.
    pub(crate) async fn execute(
        &self,
        mut request: reqwest::Request,
        uri: &Uri,
    ) -> Result<Response<reqwest::Body>, Error> {
        let mut exact = Request::new(request.body_mut().take().unwrap_or_default());
        *exact.method_mut() = request.method().clone();
        *exact.uri_mut() = uri.clone();
        *exact.headers_mut() = std::mem::take(request.headers_mut());
        Ok(self.0.request(exact).await?.map(reqwest::Body::wrap))
    }
}
