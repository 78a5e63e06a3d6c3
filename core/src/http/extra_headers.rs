//! Headers that the user adds to the requests to the service, such as `traceparent` or the headers of a gateway.

use crate::error::Error;
use crate::redact::Scrubber;
use http::{HeaderMap, HeaderName, HeaderValue};
use recto_interface::Secret;
use recto_interface::endpoint::API_KEY_HEADER;

/// The most headers that a client or a call may add.
const MOST: usize = 64;
/// The headers that the client sets itself, or that belong to the connection.
const RESERVED: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "if-range",
    "keep-alive",
    "prefer",
    "proxy-authorization",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// A header whose name contains one of these words has a secret value.
const SECRET: &[&str] = &["auth", "cookie", "key", "password", "secret", "token"];

/// Reads the headers that the user gave. Of several headers with the same name, the last one counts.
pub(crate) fn read(given: &[(String, String)]) -> Result<HeaderMap, Error> {
    if given.len() > MOST {
        return Err(Error::config(format!("{} headers are too many: give at most {MOST}", given.len())));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let (name, value) = (header_name(name)?, header_value(name, value)?);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn header_name(name: &str) -> Result<HeaderName, Error> {
    let invalid = || {
        Error::config(format!("invalid header name {name:?}"))
            .advise("Use letters, digits and hyphens, such as traceparent or X-Request-Source")
    };
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
    match header.as_str() {
        API_KEY_HEADER => Err(Error::config("the header X-Api-Key cannot be set as an extra header")
            .advise("Give the key to the client (api_key or RECTO_API_KEY)")),
        "user-agent" => Err(Error::config("the header User-Agent cannot be set as an extra header")
            .advise("Set the user agent of the client (user_agent)")),
        reserved if RESERVED.contains(&reserved) => {
            Err(Error::config(format!("the header {name} cannot be set: the client sets it itself")))
        }
        _ => Ok(header),
    }
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, Error> {
    let mut header = HeaderValue::from_str(value).map_err(|_| {
        Error::config(format!(
            "the value of the header {name} contains a character that is not allowed in a header"
        ))
        .advise("Check it for a line break or a letter outside ASCII")
    })?;
    header.set_sensitive(is_secret(name));
    Ok(header)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| name.contains(word))
}

/// Adds the values of secret headers to `scrubber`.
pub(crate) fn add_secrets(headers: &HeaderMap, scrubber: &mut Scrubber) {
    for value in headers.values().filter(|value| value.is_sensitive()) {
        // A value may contain letters outside ASCII, which `to_str` refuses.
        if let Ok(text) = std::str::from_utf8(value.as_bytes()) {
            scrubber.add(&Secret::from(text));
            // A service may quote the credentials without the name of the scheme.
            if let Some((_, credentials)) = text.split_once(' ') {
                scrubber.add(&Secret::from(credentials));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, value: &str) -> Result<HeaderMap, Error> {
        read(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn the_key_and_headers_of_the_protocol_are_refused() {
        for name in ["X-Api-Key", "x-api-key", "Host", "content-length", "Range", "User-Agent", "a b", ""] {
            assert_eq!(one(name, "1").unwrap_err().kind(), crate::ErrorKind::Config, "{name}");
        }
        assert!(one("traceparent", "00-1\r\nx-api-key: 2").is_err());
        assert!(one("traceparent", "00-1").is_ok());
    }

    #[test]
    fn a_secret_value_is_removed_from_texts_and_not_shown() {
        let headers = one("Authorization", "Bearer sesame-open").unwrap();
        assert!(!format!("{headers:?}").contains("sesame"));
        let mut scrubber = Scrubber::default();
        add_secrets(&headers, &mut scrubber);
        assert!(!scrubber.scrub("the token sesame-open is unknown").contains("sesame"));
        let mut beyond_ascii = Scrubber::default();
        add_secrets(&one("X-Gateway-Token", "sésame-open-1").unwrap(), &mut beyond_ascii);
        assert!(!beyond_ascii.scrub("sésame-open-1 has expired").contains("open"));
        let mut plain = Scrubber::default();
        add_secrets(&one("traceparent", "00-1").unwrap(), &mut plain);
        assert_eq!(plain.scrub("00-1"), "00-1");
    }

    #[test]
    fn the_last_header_of_a_name_counts() {
        let pairs = ["1", "2"].map(|value| ("X-A".to_owned(), value.to_owned()));
        assert_eq!(read(&pairs).unwrap().get("x-a").unwrap(), "2");
    }
}
