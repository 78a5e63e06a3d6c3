//! Certificates for the suite: a certificate authority, and certificates for the origins and for a client.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::fmt;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// The certificates of the origins, and the certificates that a client needs.
#[derive(Clone)]
pub struct Certificates {
    /// The certificate of the authority, in PEM.
    pub authority: String,
    /// The certificate and the key of the client, in PEM.
    pub client: String,
    open: TlsAcceptor,
    asking: TlsAcceptor,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates").finish_non_exhaustive()
    }
}

impl Certificates {
    /// Creates new certificates.
    ///
    /// # Errors
    /// If the random source or the TLS library fails.
    pub fn make() -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let mut parameters = CertificateParams::new(Vec::new())?;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?;
        let sign = |purpose, name: &str| -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
            let key = KeyPair::generate()?;
            let mut parameters = CertificateParams::new(vec![name.to_owned(), "localhost".to_owned()])?;
            parameters.extended_key_usages = vec![purpose];
            Ok((parameters.signed_by(&key, &authority)?, key))
        };
        let (server, server_key) = sign(ExtendedKeyUsagePurpose::ServerAuth, "127.0.0.1")?;
        let (client, client_key) = sign(ExtendedKeyUsagePurpose::ClientAuth, "client.test")?;
        let chain = || vec![CertificateDer::from(server.der().to_vec())];
        let key = || PrivateKeyDer::from_pem_slice(server_key.serialize_pem().as_bytes());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(authority.der().to_vec()))?;
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build()?;
        let builder = || {
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()
        };
        let open = builder()?.with_no_client_auth().with_single_cert(chain(), key()?)?;
        let asking = builder()?.with_client_cert_verifier(verifier).with_single_cert(chain(), key()?)?;
        Ok(Self {
            authority: authority.pem(),
            client: client.pem() + &client_key.serialize_pem(),
            open: TlsAcceptor::from(Arc::new(open)),
            asking: TlsAcceptor::from(Arc::new(asking)),
        })
    }

    /// An acceptor of TLS connections. If `asking` is `true`, it requires the client certificate.
    pub fn acceptor(&self, asking: bool) -> TlsAcceptor {
        if asking { self.asking.clone() } else { self.open.clone() }
    }
}
