//! Encrypts the options of waiting operations in the database, because the options may include a password. Also derives
//! the signing key of presigned addresses, so that these addresses stay valid after a restart, and in every process of
//! the service.
//!
//! The encryption key and the signing key are derived from the secret key of the service. Anyone with the secret key
//! and the database can read the options of operations that have not ended. The options of ended operations are
//! deleted.

use crate::execution::wipe::wipe;
use crate::ids::{hex, random};
use hmac::{Hmac, KeyInit, Mac};
use recto_interface::{OperationKind, Options};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde_json::Value;
use sha2::Sha256;
use std::io;
use zeroize::Zeroizing;

/// The minimum length of the service's secret key, in bytes.
pub(crate) const MIN_KEY_BYTES: usize = 32;

/// Why options could not be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OpenError {
    /// The options were encrypted with another key, or were changed.
    #[error("the options of the operation were encrypted with another secret key of the service")]
    Key,
    /// The options were written by another version of the service.
    #[error("the options of the operation were written by another version of the service")]
    Version,
}

/// Encrypts and decrypts the options of operations.
pub(crate) struct Vault {
    sealing: LessSafeKey,
    links: Zeroizing<[u8; 32]>,
}

impl Vault {
    /// A vault that uses the secret key of the service. The key must have at least [`MIN_KEY_BYTES`] random bytes.
    pub(crate) fn new(key: &[u8]) -> io::Result<Self> {
        if key.len() < MIN_KEY_BYTES {
            return Err(io::Error::other(format!(
                "the secret key of the service is shorter than {MIN_KEY_BYTES} bytes; use a longer one"
            )));
        }
        let sealing = UnboundKey::new(&CHACHA20_POLY1305, &*derived(key, "recto: options, version 1"))
            .map_err(|_| io::Error::other("the secret key of the service cannot be used"))?;
        Ok(Self { sealing: LessSafeKey::new(sealing), links: derived(key, "recto: addresses, version 1") })
    }

    /// The signing key of presigned addresses.
    pub(crate) fn links(&self) -> Zeroizing<[u8; 32]> {
        self.links.clone()
    }

    /// Encrypts the options of an operation. The result can be decrypted for this operation only.
    pub(crate) fn seal(&self, operation: &str, options: &Options) -> io::Result<Vec<u8>> {
        let mut json = options.to_json().unwrap_or(Value::Null);
        let mut plain = Zeroizing::new(serde_json::to_vec(&json)?);
        wipe(&mut json);
        // A random nonce of 96 bits. One key encrypts so few operations that the same nonce is unlikely to occur twice.
        let nonce: [u8; NONCE_LEN] = random()?;
        let tag = self
            .sealing
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                aad(operation, options.kind()),
                &mut plain,
            )
            .map_err(|_| io::Error::other("the options could not be encrypted"))?;
        Ok([&nonce, plain.as_slice(), tag.as_ref()].concat())
    }

    /// Decrypts the options of an operation.
    pub(crate) fn open(&self, operation: &str, kind: &str, sealed: &[u8]) -> Result<Options, OpenError> {
        let kind: OperationKind = kind.parse().map_err(|_| OpenError::Version)?;
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or(OpenError::Key)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| OpenError::Key)?;
        let mut bytes = Zeroizing::new(rest.to_owned());
        let plain = self
            .sealing
            .open_in_place(nonce, aad(operation, kind), &mut bytes)
            .map_err(|_| OpenError::Key)?;
        let mut json: Value = serde_json::from_slice(plain).map_err(|_| OpenError::Version)?;
        let options = Options::from_json(kind, &json);
        wipe(&mut json);
        options.map_err(|_| OpenError::Version)
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

fn aad(operation: &str, kind: OperationKind) -> Aad<String> {
    Aad::from(format!("{operation}\n{}", kind.name()))
}

/// Derives a key for one purpose. HMAC-SHA256 of a label is a pseudorandom function if its key is fully random.
fn derived(key: &[u8], purpose: &str) -> Zeroizing<[u8; 32]> {
    #[allow(clippy::expect_used)] // HMAC accepts keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(purpose.as_bytes());
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// A new secret key for a service, in hexadecimal digits.
pub(crate) fn fresh_key() -> io::Result<Zeroizing<String>> {
    Ok(Zeroizing::new(hex(&*Zeroizing::new(random::<32>()?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(byte: u8) -> Vault {
        Vault::new(&[byte; 32]).unwrap()
    }

    fn password() -> Options {
        let json = serde_json::json!({"password": "hush hush"});
        Options::from_json(OperationKind::Encrypt, &json).unwrap()
    }

    #[test]
    fn options_are_encrypted_and_can_be_decrypted_for_their_operation() {
        let sealed = vault(1).seal("a", &password()).unwrap();
        assert!(!sealed.windows(4).any(|bytes| bytes == b"hush"));
        let opened = vault(1).open("a", "encrypt", &sealed).unwrap();
        assert_eq!(opened.to_json(), password().to_json());
        assert_ne!(sealed, vault(1).seal("a", &password()).unwrap(), "a nonce was used twice");
        let without = Options::from_json(OperationKind::Optimize, &serde_json::json!({})).unwrap();
        let sealed = vault(1).seal("b", &without).unwrap();
        assert_eq!(vault(1).open("b", "optimize", &sealed).unwrap().to_json(), without.to_json());
    }

    #[test]
    fn decryption_fails_with_another_key_operation_or_kind_and_after_any_change() {
        let mut sealed = vault(1).seal("a", &password()).unwrap();
        assert_eq!(vault(2).open("a", "encrypt", &sealed).unwrap_err(), OpenError::Key);
        assert_eq!(vault(1).open("b", "encrypt", &sealed).unwrap_err(), OpenError::Key);
        assert_eq!(vault(1).open("a", "decrypt", &sealed).unwrap_err(), OpenError::Key);
        assert_eq!(vault(1).open("a", "teleport", &sealed).unwrap_err(), OpenError::Version);
        for place in 0..sealed.len() {
            sealed[place] ^= 1;
            assert_eq!(vault(1).open("a", "encrypt", &sealed).unwrap_err(), OpenError::Key);
            sealed[place] ^= 1;
        }
        for length in 0..NONCE_LEN + 16 {
            assert_eq!(vault(1).open("a", "encrypt", &sealed[..length]).unwrap_err(), OpenError::Key);
        }
    }

    #[test]
    fn a_short_key_is_refused() {
        assert!(Vault::new(&[1; 31]).is_err());
    }
}
