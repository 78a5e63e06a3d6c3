//! Addresses: the base URL, origins, and presigned addresses. A presigned address is sent unchanged, byte for byte.

use crate::error::Error;
use crate::redact;
use http::Uri;
use http::uri::PathAndQuery;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::fmt;
use std::net::IpAddr;
use url::{Position, Url};

/// An absolute `http` or `https` address. The path and query are sent as they were received, except that characters
/// which are not allowed in an address (a space, `<`, characters beyond ASCII) are percent-encoded, as browsers do.
/// `Debug` and `Display` leave out the query.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    uri: Uri,
    origin: Origin,
    /// Whether reqwest would send other bytes than this address has: its type of addresses encodes `'` in a query.
    is_rewritten_by_reqwest: bool,
}

/// Scheme, host and port of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    https: bool,
    host: String,
    port: u16,
}

impl Address {
    /// Reads an address that a service sent. The error describes what is wrong with the address.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = encoded(text)?.parse().map_err(|_| "it is not a valid address")?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("it is not an http or https address"),
        };
        let authority = uri.authority().ok_or("it has no host")?;
        if authority.as_str().contains('@') {
            return Err("it contains a user name");
        }
        let host = authority.host();
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str().len() > host.len() => {
                return Err("its port is not a number up to 65535");
            }
            None if https => 443,
            None => 80,
        };
        if host.is_empty() {
            return Err("it has no host");
        }
        let origin = Origin { https, host: host.to_ascii_lowercase(), port };
        let url = Url::parse(&uri.to_string()).map_err(|_| "it is not a valid address")?;
        Self::checked(uri, origin, &url)
    }

    /// The same origin with another path and query.
    fn with_path(&self, path: &str) -> Result<Self, &'static str> {
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(path.parse().map_err(|_| "it is not a valid address")?);
        let uri = Uri::from_parts(parts).map_err(|_| "it is not a valid address")?;
        if uri.path_and_query().map(PathAndQuery::as_str) != Some(path) {
            return Err("its path has a fragment");
        }
        let origin = self.origin.clone();
        if is_plain(path) {
            return Ok(Self { uri, origin, is_rewritten_by_reqwest: false });
        }
        let url = Url::parse(&uri.to_string()).map_err(|_| "it is not a valid address")?;
        Self::checked(uri, origin, &url)
    }

    /// `url` is the same address as the URL standard reads it.
    fn checked(uri: Uri, origin: Origin, url: &Url) -> Result<Self, &'static str> {
        // A signature may cover every byte of the address: an address that the URL standard would change is refused.
        let (exact, read) = (uri.path_and_query().map(PathAndQuery::as_str), &url[Position::BeforePath..]);
        if exact.unwrap_or_default().replace('\'', "%27") != read.replace('\'', "%27") {
            return Err("its path has segments such as `..`");
        }
        let is_rewritten_by_reqwest = exact != Some(read);
        Ok(Self { uri, origin, is_rewritten_by_reqwest })
    }

    /// Whether reqwest would send other bytes than this address has.
    pub(crate) fn is_rewritten_by_reqwest(&self) -> bool {
        self.is_rewritten_by_reqwest
    }

    /// The address to which a redirect leads, if this address was requested and `location` is the value of
    /// `Location`.
    pub(crate) fn join(&self, location: &str) -> Result<Self, &'static str> {
        let starts_scheme =
            |scheme: &str| location.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme));
        if starts_scheme("http://") || starts_scheme("https://") {
            return Self::parse(location);
        }
        let scheme = self.uri.scheme_str().unwrap_or_default();
        if location.starts_with("//") {
            return Self::parse(&format!("{scheme}:{location}"));
        }
        if location.starts_with('/') {
            let authority = self.uri.authority().map_or("", |authority| authority.as_str());
            return Self::parse(&format!("{scheme}://{authority}{location}"));
        }
        let base = Url::parse(&self.uri.to_string())
            .map_err(|_| "it is relative, and cannot be joined with the address of the request")?;
        let joined = base.join(location).map_err(|_| "it is not a valid address")?;
        Self::parse(joined.as_str())
    }

    /// The address with exactly the bytes that have to be sent.
    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The address without its secrets, for messages.
    pub(crate) fn shown(&self) -> String {
        redact::address(&self.uri.to_string())
    }
}

/// Whether the URL standard cannot change a path with its query: nothing has to be encoded, and no segment is `.` or `..`.
/// Almost all paths of the service are such paths, and parsing an address takes longer than everything else before a
/// request is sent.
fn is_plain(path: &str) -> bool {
    let may_be_in_it = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~?=&".contains(&byte);
    path.starts_with('/') && path.bytes().all(may_be_in_it) && !path.contains("/.")
}

/// The characters that the URL standard encodes in a path and in a query. `'` is left out: RFC 3986 (2.2) allows it.
const IN_PATH: &AsciiSet = &IN_QUERY.add(b'`').add(b'{').add(b'}').add(b'^');
const IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');

/// Percent-encodes the characters in `text` that are not allowed in an address. Characters that are already encoded
/// stay as they are.
fn encoded(text: &str) -> Result<String, &'static str> {
    if text.contains(|c: char| c.is_control() || c == '\\') {
        return Err("it contains control characters or backslashes");
    }
    let Some((scheme, rest)) = text.split_once("://") else { return Err("it is not an absolute address") };
    let (authority, target) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (target, _fragment) = target.split_once('#').unwrap_or((target, ""));
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let path = if path.is_empty() { "/" } else { path };
    let mut encoded = format!("{scheme}://{authority}{}", utf8_percent_encode(path, IN_PATH));
    if let Some(query) = query {
        encoded.push('?');
        encoded.extend(utf8_percent_encode(query, IN_QUERY));
    }
    Ok(encoded)
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Origin {
    pub(crate) fn is_https(&self) -> bool {
        self.https
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether the host is this machine, by name or by address: other machines then cannot read the traffic.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Writes the host, and the port unless it is the default port of the scheme.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if self.https { 443 } else { 80 };
        match self.port {
            port if port == default => f.write_str(&self.host),
            port => write!(f, "{}:{port}", self.host),
        }
    }
}

/// The base URL: it contains the only origin that may receive the API key, and endpoint paths are appended to it.
#[derive(Clone)]
pub(crate) struct Base {
    /// The base URL without a trailing slash, user name, password, query or fragment.
    text: String,
    /// The base URL as an [`Address`]. Endpoint paths are appended to `prefix`, which is the path of the base URL.
    address: Address,
    prefix: String,
    /// User name and password from the base URL, percent-decoded. A proxy in front of the service may require them.
    userinfo: Option<(String, String)>,
}

impl Base {
    /// Reads the base URL that the user set.
    pub(crate) fn parse(text: &str, allow_http: bool) -> Result<Self, Error> {
        let shown = redact::address(text.trim());
        let invalid = |what: &str| Error::config(format!("invalid base URL {shown}: {what}"));
        let mut url = Url::parse(text.trim()).map_err(|error| {
            invalid(&error.to_string()).advise("Write it with its scheme, as in https://pdf.example.com")
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.cannot_be_a_base() {
            return Err(invalid("it is not an http or https address"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("it has a query or a fragment")
                .advise("Endpoint paths are appended to it: remove everything after the path"));
        }
        let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let userinfo = (!url.username().is_empty() || url.password().is_some())
            .then(|| (decode(url.username()), decode(url.password().unwrap_or_default())));
        if userinfo.is_some() {
            let cleared = url.set_username("").and_then(|()| url.set_password(None));
            cleared.map_err(|()| invalid("its user name cannot be read"))?;
        }
        let text = url.as_str().trim_end_matches('/').to_owned();
        let address = Address::parse(&text).map_err(&invalid)?;
        let origin = address.origin();
        if !origin.https && !origin.is_loopback() && !allow_http {
            return Err(invalid("plain http would send the API key and the documents unencrypted")
                .advise("Use https, or allow plain http explicitly (allow_http)"));
        }
        let prefix = address.uri.path().trim_end_matches('/').to_owned();
        Ok(Self { text, address, prefix, userinfo })
    }

    /// The address of an endpoint: `path` appended to the base URL.
    pub(crate) fn endpoint(&self, path: &str) -> Result<Address, Error> {
        self.address
            .with_path(&format!("{}{path}", self.prefix))
            .map_err(|why| Error::invalid(format!("invalid address of the request: {why}")))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn origin(&self) -> &Origin {
        self.address.origin()
    }

    pub(crate) fn userinfo(&self) -> Option<(&str, &str)> {
        self.userinfo.as_ref().map(|(user, password)| (user.as_str(), password.as_str()))
    }
}

/// A presigned address of a file: whoever has the address can read the file until the address expires. The address is
/// sent unchanged, byte for byte. `Debug` and `Display` leave out the query, which is a secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SignedUrl(String);

impl SignedUrl {
    /// Creates a presigned address from text, without checks.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// The whole address, including the secret in the query.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SignedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", redact::address(&self.0))
    }
}

impl fmt::Display for SignedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redact::address(&self.0))
    }
}

impl From<String> for SignedUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl From<&str> for SignedUrl {
    fn from(url: &str) -> Self {
        Self(url.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presigned_address_keeps_every_byte() {
        for target in ["/u/1?sig=a%2Bb+c/d==&x=(q)*!", "/a/b.c/%2fe%2E_/%zz?%", "/p;v=1?a={b}|c^", "/?"] {
            let address = Address::parse(&format!("https://Store.example:8443{target}")).unwrap();
            assert_eq!(address.uri().path_and_query().unwrap().as_str(), target);
            assert_eq!(
                address.origin(),
                &Origin { https: true, host: "store.example".to_owned(), port: 8443 }
            );
        }
    }

    #[test]
    fn what_no_address_may_hold_is_encoded_and_the_rest_is_left_alone() {
        for (target, sent) in [
            ("/a b/\u{e4}.pdf?name=a b", "/a%20b/%C3%A4.pdf?name=a%20b"),
            ("/a%20b?x=\"<>\"&s=a%2Bb+c", "/a%20b?x=%22%3C%3E%22&s=a%2Bb+c"),
            ("/{a}`^?{b}`^|", "/%7Ba%7D%60%5E?{b}`^|"),
            ("/x?sig='q'&n=(a)!*;,$@:/?", "/x?sig='q'&n=(a)!*;,$@:/?"),
            ("/it's", "/it's"),
            ("?a=1#part", "/?a=1"),
        ] {
            let address = Address::parse(&format!("https://h.example{target}"))
                .unwrap_or_else(|why| panic!("{target}: {why}"));
            assert_eq!(address.uri().path_and_query().unwrap().as_str(), sent);
            assert_eq!(address.is_rewritten_by_reqwest(), target.contains("?sig='"), "{target}");
        }
    }

    #[test]
    fn a_path_without_special_characters_is_what_the_url_standard_reads() {
        let base = Address::parse("https://h.example/pdf").unwrap();
        for path in
            ["/", "/v1/files/a.b-c_d~e", "/v1/files?onlyResultFiles=true&a=b", "//x", "/a/b..c/", "/a?b=/c"]
        {
            assert!(is_plain(path), "{path}");
            let url = Url::parse(&format!("https://h.example{path}")).unwrap();
            assert_eq!(&url[Position::BeforePath..], path);
            assert_eq!(base.with_path(path).unwrap().uri().path_and_query().unwrap().as_str(), path);
        }
        for path in ["", "a", "/a/../b", "/a/.", "/.x", "/a%2e", "/a b", "/a#b", "/a'b", "/\u{e4}", "/a?x='"]
        {
            assert!(!is_plain(path), "{path}");
        }
        assert!(
            base.with_path("/a#b").is_err()
                && base.with_path("/a/../b").is_err()
                && base.with_path("/%2e%2E/b").is_err()
        );
        assert!(base.with_path("/a?x='").unwrap().is_rewritten_by_reqwest());
    }

    #[test]
    fn an_invalid_address_or_one_with_a_user_name_is_refused() {
        for text in [
            "",
            "/u",
            "ftp://h/x",
            "https://",
            "https://u:p@h/x",
            "https://h:99999/x",
            "https://h:/x",
            "http:///x",
            "https://h/a/../b",
            "https://h/a/%2e%2E/b",
            "https://h/a\\b",
            "https://h/a\tb",
            "https://h/a\nb",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_location_is_resolved_against_the_address_that_sent_it() {
        let at = Address::parse("https://h.example/a/b?q=1").unwrap();
        for (location, expected) in [
            ("https://o.example/x?s=(1)", "https://o.example/x?s=(1)"),
            ("/x?s=(1)", "https://h.example/x?s=(1)"),
            ("//o.example/y", "https://o.example/y"),
            ("c?z", "https://h.example/a/c?z"),
            ("../d", "https://h.example/d"),
        ] {
            assert_eq!(at.join(location).unwrap().uri().to_string(), expected);
        }
        assert!(at.join("javascript:alert(1)").is_err());
        assert!(at.join("ftp://h/x").is_err());
    }

    #[test]
    fn endpoint_paths_are_appended_to_a_base_with_a_path() {
        for base in ["https://h.example/pdf", "https://h.example/pdf/", "https://h.example:443/pdf//"] {
            let address = Base::parse(base, false).unwrap().endpoint("/v1/files").unwrap();
            assert_eq!(address.uri().to_string(), "https://h.example/pdf/v1/files");
        }
    }

    #[test]
    fn an_invalid_or_unencrypted_base_url_is_refused_with_a_reason() {
        for (base, says) in [
            ("pdf.example.com", "scheme"),
            ("https://h/?a=1", "query or a fragment"),
            ("https://h/#a", "query or a fragment"),
            ("http://h.example/", "unencrypted"),
            ("mailto:a@b", "not an http"),
        ] {
            let error = Base::parse(base, false).err().unwrap().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(Base::parse("http://h.example/", true).is_ok());
        for loopback in ["http://127.0.0.1:1", "http://localhost", "http://[::1]:9/x", "http://127.9.9.9"] {
            assert!(Base::parse(loopback, false).is_ok(), "{loopback}");
        }
    }

    #[test]
    fn the_user_of_a_base_url_is_stored_separately_and_never_shown() {
        let base = Base::parse("https://me:p%40ss@h.example/x", false).unwrap();
        assert_eq!(base.userinfo(), Some(("me", "p@ss")));
        assert_eq!(base.as_str(), "https://h.example/x");
        let error = Base::parse("https://me:secret@h.example/?x", false).err().unwrap();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
