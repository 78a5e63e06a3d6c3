//! Where a redirect leads, and whether it is followed. Pure.
//!
//! The key is not this room's matter: every hop decides by its origin whether it may carry it.

use crate::http::address::Address;
use http::Method;

/// How many redirects of one request are followed.
pub(crate) const MOST_HOPS: u32 = 10;

/// Whether `status` asks to go elsewhere.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The address to go on with, or why the redirect is not followed.
///
/// GET and HEAD follow every redirect. A request with a body follows only those that ask for the same request
/// again (307, 308): the others would turn it into a GET. https never falls to http.
pub(crate) fn follow(
    method: &Method,
    from: &Address,
    status: u16,
    location: Option<&str>,
    hops: u32,
) -> Result<Address, String> {
    let location =
        location.ok_or_else(|| format!("the service answered {status} without saying where to go"))?;
    if hops >= MOST_HOPS {
        return Err(format!("the service sent the request on more than {MOST_HOPS} times"));
    }
    if !matches!(*method, Method::GET | Method::HEAD) && !matches!(status, 307 | 308) {
        return Err(format!(
            "the service answered {method} with a redirect ({status}) that would turn it into a GET"
        ));
    }
    let to = from
        .join(location)
        .map_err(|why| format!("the service's redirect ({status}) cannot be followed: {why}"))?;
    if from.origin().is_https() && !to.origin().is_https() {
        return Err(format!("the service's redirect ({status}) would leave https for plain http"));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from() -> Address {
        Address::parse("https://api.example/v1/files").unwrap()
    }

    #[test]
    fn a_get_follows_every_redirect_and_a_body_only_those_that_keep_it() {
        for status in [301, 302, 303, 307, 308] {
            assert!(follow(&Method::GET, &from(), status, Some("/x"), 0).is_ok());
            for method in [Method::POST, Method::PUT, Method::DELETE] {
                assert_eq!(
                    follow(&method, &from(), status, Some("/x"), 0).is_ok(),
                    status >= 307,
                    "{method} {status}"
                );
            }
        }
    }

    #[test]
    fn a_redirect_to_plain_http_nowhere_or_without_end_is_not_followed() {
        for (location, hops) in
            [(Some("http://api.example/"), 0), (None, 0), (Some("ftp://x/"), 0), (Some("/x"), 10)]
        {
            assert!(follow(&Method::GET, &from(), 302, location, hops).is_err());
        }
        let plain = Address::parse("http://127.0.0.1/").unwrap();
        assert!(follow(&Method::GET, &plain, 302, Some("https://other.example/"), 9).is_ok());
    }
}
