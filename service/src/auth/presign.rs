//! Presigned addresses: each address allows one client to upload or download one file without the API key, until the
//! address expires.
//!
//! The signature is HMAC-SHA256 over the purpose (method and path), the time of expiry and the size limit. The signing
//! key is random, and is kept as long as the files of the service.

use crate::ids::random;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

/// What a presigned address allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A `PUT` of the bytes of a file.
    Upload,
    /// A `GET` or `HEAD` of the bytes of a file.
    Download,
}

impl Purpose {
    /// The beginning of the path of an address for this purpose. The identifier of the file follows.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Upload => "/transfer/upload/",
            Self::Download => "/transfer/download/",
        }
    }

    /// The HTTP method in the signature. An address that is signed for `GET` also allows `HEAD`.
    const fn method(self) -> &'static str {
        match self {
            Self::Upload => "PUT",
            Self::Download => "GET",
        }
    }
}

/// Why a presigned address is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadLink {
    /// The signature is missing, or does not match the purpose, the file, the expiry and the size.
    Invalid,
    /// The address has expired.
    Expired,
}

/// Creates and checks presigned addresses.
pub(crate) struct Signer {
    key: Zeroizing<[u8; 32]>,
    lifetime: Duration,
}

impl Signer {
    /// Creates a signer whose addresses are valid for `lifetime`.
    pub(crate) fn new(key: Zeroizing<[u8; 32]>, lifetime: Duration) -> Self {
        Self { key, lifetime }
    }

    /// A new random signing key.
    pub(crate) fn fresh_key() -> io::Result<Zeroizing<[u8; 32]>> {
        random().map(Zeroizing::new)
    }

    /// The signed path and query of an address: for `purpose`, for the file `id`, and for at most `size` bytes.
    pub(crate) fn sign(&self, purpose: Purpose, id: &str, size: u64, now: SystemTime) -> String {
        let expires = seconds(now + self.lifetime);
        let signature = URL_SAFE_NO_PAD.encode(self.mac(purpose, id, expires, size).finalize().into_bytes());
        format!("{}{id}?expires={expires}&size={size}&signature={signature}", purpose.prefix())
    }

    /// Checks the query of a presigned address, and returns the size limit in the query.
    pub(crate) fn check(
        &self,
        purpose: Purpose,
        id: &str,
        query: &str,
        now: SystemTime,
    ) -> Result<u64, BadLink> {
        let value = |name: &str| {
            let mut values =
                query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key == name);
            let first = values.next().map(|(_, value)| value);
            if values.next().is_some() { None } else { first }
        };
        let number =
            |name: &str| value(name).and_then(|text| text.parse::<u64>().ok()).ok_or(BadLink::Invalid);
        let (expires, size) = (number("expires")?, number("size")?);
        let signature =
            value("signature").and_then(|text| URL_SAFE_NO_PAD.decode(text).ok()).ok_or(BadLink::Invalid)?;
        // `verify_slice` compares in constant time.
        self.mac(purpose, id, expires, size).verify_slice(&signature).map_err(|_| BadLink::Invalid)?;
        if seconds(now) >= expires { Err(BadLink::Expired) } else { Ok(size) }
    }

    fn mac(&self, purpose: Purpose, id: &str, expires: u64, size: u64) -> Hmac<Sha256> {
        #[allow(clippy::expect_used)] // HMAC accepts keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&*self.key).expect("a key of 32 bytes");
        // Each field has its own line. Identifiers are hexadecimal and contain no line break, so two different sets of
        // fields never give the same text.
        let signed = format!("{}\n{}{id}\n{expires}\n{size}", purpose.method(), purpose.prefix());
        mac.update(signed.as_bytes());
        mac
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = UNIX_EPOCH;

    fn signer() -> Signer {
        Signer::new(Signer::fresh_key().unwrap(), Duration::from_secs(60))
    }

    fn query(signer: &Signer) -> String {
        signer.sign(Purpose::Upload, "abc", 10, NOW).split_once('?').unwrap().1.to_owned()
    }

    #[test]
    fn an_address_is_valid_until_it_expires() {
        let signer = signer();
        let query = query(&signer);
        assert_eq!(signer.check(Purpose::Upload, "abc", &query, NOW + Duration::from_secs(59)), Ok(10));
        assert_eq!(
            signer.check(Purpose::Upload, "abc", &query, NOW + Duration::from_secs(60)),
            Err(BadLink::Expired)
        );
    }

    #[test]
    fn an_address_is_valid_for_one_purpose_and_one_file() {
        let signer = signer();
        let query = query(&signer);
        assert_eq!(signer.check(Purpose::Download, "abc", &query, NOW), Err(BadLink::Invalid));
        assert_eq!(signer.check(Purpose::Upload, "abd", &query, NOW), Err(BadLink::Invalid));
        assert_eq!(self::signer().check(Purpose::Upload, "abc", &query, NOW), Err(BadLink::Invalid));
    }

    #[test]
    fn no_byte_of_the_query_can_be_changed() {
        let signer = signer();
        let query = query(&signer);
        for place in 0..query.len() {
            for new in ["0", "1", "A", "&", "=", ""] {
                let changed = format!("{}{new}{}", &query[..place], &query[place + 1..]);
                if changed != query {
                    assert_ne!(signer.check(Purpose::Upload, "abc", &changed, NOW), Ok(10), "{changed}");
                }
            }
        }
        for extra in ["&size=11", "&expires=99", "&signature=AA"] {
            assert_eq!(
                signer.check(Purpose::Upload, "abc", &format!("{query}{extra}"), NOW),
                Err(BadLink::Invalid)
            );
        }
    }
}
