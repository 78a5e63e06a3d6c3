//! Random identifiers and keys, from the random number generator of the operating system.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use recto_interface::Secret;
use std::io;

/// `N` random bytes.
///
/// # Errors
/// The operating system has no random numbers.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| io::Error::other(format!("the system has no random numbers: {error}")))?;
    Ok(bytes)
}

/// A new identifier: 128 random bits in 32 lower-case hexadecimal digits.
pub(crate) fn identifier() -> io::Result<String> {
    Ok(hex(&random::<16>()?))
}

/// A new API key of 256 bits.
pub(crate) fn api_key() -> io::Result<Secret> {
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(random::<32>()?)))
}

/// `bytes` in lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}
