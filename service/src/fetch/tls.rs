//! How the service speaks TLS to others: rustls on ring, trusting what the system trusts.

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::sync::Arc;

/// The settings of a client; reading the system's certificates takes some milliseconds.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
    Ok(ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth())
}
