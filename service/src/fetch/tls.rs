//! TLS for outgoing connections: rustls with ring, and the system's trusted certificates.

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::sync::Arc;

/// The TLS settings of an HTTP client. Reading the system's certificates takes some milliseconds.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
    Ok(ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth())
}
