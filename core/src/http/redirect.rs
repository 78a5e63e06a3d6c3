//! The redirect policy: decides whether a redirect is followed, and to which address. It does no I/O.
//!
//! It does not decide about the API key: a request gets the key only if its origin is the origin of the service.

use crate::http::address::Address;
use http::Method;

/// How many redirects one request follows at most.
pub(crate) const MOST_HOPS: u32 = 10;

/// Whether `status` is a redirect.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The address to which the request is sent next. The error describes why the redirect is not followed.
///
/// GET and HEAD requests follow every redirect. Requests with another method follow only redirects that keep the
/// method and the body (307, 308): any other redirect would turn the request into a GET. A redirect from https to
/// http is never followed.
pub(crate) fn follow(
    method: &Method,
    from: &Address,
    status: u16,
    location: Option<&str>,
    hops: u32,
) -> Result<Address, String> {
    let location = location
        .ok_or_else(|| format!("the service sent a redirect ({status}) without a Location header"))?;
    if hops >= MOST_HOPS {
        return Err(format!("more than {MOST_HOPS} redirects"));
    }
    if !matches!(*method, Method::GET | Method::HEAD) && !matches!(status, 307 | 308) {
        return Err(format!(
            "the service responded to {method} with a redirect ({status}) that would turn the request into a GET"
        ));
    }
    let to = from
        .join(location)
        .map_err(|why| format!("the service sent a redirect ({status}) to an invalid address: {why}"))?;
    if from.origin().is_https() && !to.origin().is_https() {
        return Err(format!("the service sent a redirect ({status}) from https to plain http"));
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
    fn a_get_follows_every_redirect_and_other_methods_only_those_that_keep_the_body() {
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
    fn a_redirect_to_plain_http_to_nowhere_or_in_a_loop_is_not_followed() {
        for (location, hops) in
            [(Some("http://api.example/"), 0), (None, 0), (Some("ftp://x/"), 0), (Some("/x"), 10)]
        {
            assert!(follow(&Method::GET, &from(), 302, location, hops).is_err());
        }
        let plain = Address::parse("http://127.0.0.1/").unwrap();
        assert!(follow(&Method::GET, &plain, 302, Some("https://other.example/"), 9).is_ok());
    }
}
