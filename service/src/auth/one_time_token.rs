//! The one-time token in the link that opens the web page. The web page exchanges the token for the API key.

use crate::ids::{hex, random};
use recto_interface::Secret;
use sha2::{Digest, Sha256};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// How long an unused link is valid.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// A one-time token that is exchanged for the API key.
pub(crate) struct OneTimeToken(Mutex<Option<Unused>>);

struct Unused {
    token: [u8; 32],
    key: Secret,
    until: Instant,
}

impl OneTimeToken {
    /// Creates a random token. Returns the token, and the value that later exchanges the token for `key`.
    pub(crate) fn new(key: Secret) -> io::Result<(Secret, Self)> {
        let token = hex(&random::<16>()?);
        let waiting = Unused { token: Sha256::digest(&token).into(), key, until: Instant::now() + LIFETIME };
        Ok((Secret::new(token), Self(Mutex::new(Some(waiting)))))
    }

    /// Returns the API key if `token` is right, unused and not expired; otherwise `None`.
    pub(crate) fn redeem(&self, token: &str) -> Option<Secret> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.as_ref().is_some_and(|waiting| waiting.until < Instant::now()) {
            *waiting = None;
        }
        let offered: [u8; 32] = Sha256::digest(token).into();
        waiting.take_if(|waiting| waiting.token.ct_eq(&offered).into()).map(|waiting| waiting.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_gives_the_key_once() {
        let (token, one_time) = OneTimeToken::new(Secret::new("key")).unwrap();
        assert!(one_time.redeem("").is_none() && one_time.redeem("0123").is_none());
        assert_eq!(one_time.redeem(token.expose()), Some(Secret::new("key")));
        assert_eq!(one_time.redeem(token.expose()), None);
    }
}
