//! Recognizes an http or https address where a path is expected. Such a document is imported by the service.

use crate::error::Error;
use crate::redact;
use percent_encoding::percent_decode_str;
use recto_interface::Secret;
use std::path::Path;
use url::Url;

/// An http or https address of a document. Its query may be a signature: `Debug` and [`shown`](Self::shown) leave out
/// user name, password and query.
#[derive(Clone)]
pub(crate) struct WebAddress(Secret);

impl WebAddress {
    pub(crate) fn new(url: &str) -> Self {
        Self(Secret::from(url))
    }

    /// Recognizes an address by its scheme. One slash after the scheme is enough, because path types replace two
    /// slashes by one, and such an address may also contain a secret.
    pub(crate) fn recognized(path: &Path) -> Option<Self> {
        let text = path.to_string_lossy();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        let starts_with =
            |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        (starts_with("http:/") || starts_with("https:/")).then(|| Self::new(text))
    }

    /// The complete address, with the query.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose()
    }

    /// The address for messages.
    pub(crate) fn shown(&self) -> String {
        let text = self.expose();
        match text.split_once(":/") {
            // The missing second slash is added, because the user name is only recognized after two slashes.
            Some((scheme, rest)) if !rest.starts_with('/') => redact::address(&format!("{scheme}://{rest}")),
            _ => redact::address(text),
        }
    }

    /// The query, which no message may contain.
    pub(crate) fn query(&self) -> &str {
        self.expose().split_once('?').map_or("", |(_, query)| query)
    }

    /// Refuses an address that a path object changed. The service decides whether any other address is valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.expose().split_once(":/").is_some_and(|(_, rest)| !rest.starts_with('/')) {
            let message = format!("invalid address {}: it has only one slash after the scheme", self.shown());
            return Err(Error::invalid(message)
                .advise("Pass the address as text: a path object replaces two slashes by one"));
        }
        Ok(())
    }

    /// The last component of the address's path, which names the results of the document; `None` if the address has
    /// no usable one.
    pub(crate) fn file_name(&self) -> Option<String> {
        let url = Url::parse(self.expose()).ok()?;
        let last = url.path_segments()?.rfind(|segment| !segment.is_empty())?;
        Some(percent_decode_str(last).decode_utf8_lossy().into_owned())
    }
}

impl std::fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognized(text: &str) -> Option<WebAddress> {
        WebAddress::recognized(Path::new(text))
    }

    #[test]
    fn an_address_in_place_of_a_path_is_recognized() {
        for text in
            ["http://h/a", "https://h/a?sig=s", "HTTPS://h", " https://h/a", "\n\thttp://h", "https:/h/a?s"]
        {
            assert!(recognized(text).is_some(), "{text:?}");
        }
        for text in
            ["", "a.pdf", "http", "https:", "./https://h/a", "/https://h", "httpsx://h", "ftp://h/a", "C:/a"]
        {
            assert!(recognized(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (text, shown) in [
            ("https://h/a?sig=secret", "https://h/a?[redacted]"),
            ("https:/u:secret@h/a?sig=secret#secret", "https://h/a?[redacted]"),
            (" https://u:secret@h/a", "https://h/a"),
        ] {
            let address = recognized(text).unwrap();
            assert_eq!(address.shown(), shown);
            assert!(!format!("{address:?}").contains("secret"));
        }
    }

    #[test]
    fn an_address_that_a_path_object_changed_is_refused() {
        let error = recognized("https:/h/a?sig=secret").unwrap().check().unwrap_err().to_string();
        assert!(error.contains("as text") && !error.contains("secret"), "{error}");
        assert!(recognized("https://h/a?sig=%zz").unwrap().check().is_ok());
    }

    #[test]
    fn the_name_is_the_last_component_of_the_path() {
        for (text, name) in [
            ("https://h/x/annual%20report.pdf?sig=s", Some("annual report.pdf")),
            ("https://h/x/", Some("x")),
            ("https://h/", None),
            ("https://h", None),
        ] {
            assert_eq!(recognized(text).unwrap().file_name().as_deref(), name);
        }
    }
}
