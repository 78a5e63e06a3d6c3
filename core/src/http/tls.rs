//! TLS: rustls with ring, the trust store of the system, and the certificates that the user adds.

use crate::error::Error;
use crate::message::Message;
use rustls::ClientConfig;
use rustls::DigitallySignedStruct;
use rustls::SignatureScheme;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls_platform_verifier::Verifier;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The CA certificates and the client certificate of the user. They are read from files when the client is built.
#[derive(Default)]
pub(crate) struct Credentials {
    roots: Vec<CertificateDer<'static>>,
    identity: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
}

impl Credentials {
    /// Reads a bundle of CA certificates, and a client certificate with its key. Both files are in PEM format.
    pub(crate) fn read(ca_bundle: Option<&Path>, client_certificate: Option<&Path>) -> Result<Self, Error> {
        let mut credentials = Self::default();
        if let Some(path) = ca_bundle {
            credentials.roots = certificates(path, &read(path, "the CA bundle")?)?;
        }
        // On macOS and Windows the trust store of the system ignores the variable `SSL_CERT_FILE`.
        if cfg!(any(target_vendor = "apple", windows))
            && let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty())
        {
            let path = Path::new(&path);
            credentials.roots.extend(certificates(path, &read(path, "SSL_CERT_FILE")?)?);
        }
        if let Some(path) = client_certificate {
            let pem = read(path, "the client certificate")?;
            let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|_| {
                Error::config(format!(
                    "the client certificate {} contains no readable private key",
                    path.display()
                ))
                .advise("Put the certificate and its unencrypted key into one PEM file")
            })?;
            credentials.identity = Some((certificates(path, &pem)?, key));
        }
        Ok(credentials)
    }

    /// Creates the TLS configuration for every connection.
    pub(crate) fn configure(&self) -> Result<ClientConfig, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let trust =
            SystemTrust { roots: self.roots.clone(), provider: provider.clone(), verifier: OnceLock::new() };
        let unusable = |error: rustls::Error| {
            Error::config(Message::new("cannot set up TLS: ").foreign(&error)).caused_by(error)
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trust));
        let mut config = match &self.identity {
            Some((chain, key)) => {
                builder.with_client_auth_cert(chain.clone(), key.clone_key()).map_err(unusable)?
            }
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

fn read(path: &Path, what: &str) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        let message = Message::new(format!("cannot read {what} {}: ", path.display())).foreign(&error);
        Error::config(message).caused_by(error)
    })
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(|error| {
        Error::config(Message::new(format!("{} is not a valid PEM file: ", path.display())).foreign(error))
    })?;
    if found.is_empty() {
        return Err(Error::config(format!("{} contains no certificate", path.display()))
            .advise("Give a file in PEM format"));
    }
    Ok(found)
}

/// The certificate verifier of the system, created at the first TLS handshake: reading the trust store takes
/// milliseconds. A client that uses plain http with the local service does not need the trust store.
#[derive(Debug)]
struct SystemTrust {
    roots: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    verifier: OnceLock<Result<Verifier, rustls::Error>>,
}

impl SystemTrust {
    fn verifier(&self) -> Result<&Verifier, rustls::Error> {
        let make = || Verifier::new_with_extra_roots(self.roots.clone(), self.provider.clone());
        self.verifier.get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

impl ServerCertVerifier for SystemTrust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.verifier()?.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier()?.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier()?.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
