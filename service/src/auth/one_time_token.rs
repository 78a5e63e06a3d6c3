//! The one-time token in the link that opens the web page: exchanged for the API key.

use crate::ids::{hex, random};
use recto_interface::Secret;
use sha2::{Digest, Sha256};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// How long the link that opens the page is good, unless it was used.
const LINK_TIME: Duration = Duration::from_secs(10 * 60);

/// The word of a link that gives the key once.
pub(crate) struct OneTimeToken(Mutex<Option<Unused>>);

struct Unused {
    word: [u8; 32],
    key: Secret,
    until: Instant,
}

impl OneTimeToken {
    /// The word for the link, and what changes it for `key`.
    pub(crate) fn new(key: Secret) -> io::Result<(Secret, Self)> {
        let word = hex(&random::<16>()?);
        let waiting = Unused { word: Sha256::digest(&word).into(), key, until: Instant::now() + LINK_TIME };
        Ok((Secret::new(word), Self(Mutex::new(Some(waiting)))))
    }

    /// The key, for the right word in time, once.
    pub(crate) fn redeem(&self, word: &str) -> Option<Secret> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.as_ref().is_some_and(|waiting| waiting.until < Instant::now()) {
            *waiting = None;
        }
        let offered: [u8; 32] = Sha256::digest(word).into();
        waiting.take_if(|waiting| waiting.word.ct_eq(&offered).into()).map(|waiting| waiting.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_gives_the_key_once() {
        let (word, once) = OneTimeToken::new(Secret::new("key")).unwrap();
        assert!(once.redeem("").is_none() && once.redeem("0123").is_none());
        assert_eq!(once.redeem(word.expose()), Some(Secret::new("key")));
        assert_eq!(once.redeem(word.expose()), None);
    }
}
