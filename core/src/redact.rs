//! Removes secrets from texts that people see: errors, logs and `Debug` output.

use recto_interface::Secret;
use std::borrow::Cow;

const REDACTED: &str = "[redacted]";
/// A query value with fewer bytes than this is taken for a flag or a number, not for a signature.
const GUESSABLE: usize = 12;

/// Removes known secrets, and the query of every address, from a text that comes from the service or from a library.
#[derive(Clone, Default)]
pub(crate) struct Scrubber {
    secrets: Vec<Secret>,
}

impl Scrubber {
    /// Removes `secrets`, in plain form and as JSON strings escape them.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut scrubber = Self::default();
        secrets.into_iter().for_each(|secret| scrubber.add(secret));
        scrubber
    }

    /// Removes the query of a presigned address, and every value in the query that is long enough to be a signature:
    /// an error response of the storage may quote the signature alone.
    pub(crate) fn of_query(query: &str) -> Self {
        let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
        let secrets = values.filter(|value| value.len() >= GUESSABLE).chain([query]);
        Self::new(&secrets.map(Secret::from).collect::<Vec<_>>())
    }

    /// Adds a secret that has to be removed.
    pub(crate) fn add(&mut self, secret: &Secret) {
        if secret.is_empty() {
            return;
        }
        let spelled = serde_json::to_string(secret.expose()).unwrap_or_default();
        if let Some(inner) =
            spelled.get(1..spelled.len().saturating_sub(1)).filter(|inner| *inner != secret.expose())
        {
            self.secrets.push(Secret::new(inner));
        }
        self.secrets.push(secret.clone());
        // The longest secret is replaced first: a shorter secret may be part of it, and the rest of the longer one
        // would remain.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    }

    /// Returns the text without its secrets.
    pub(crate) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in &self.secrets {
            if clean.contains(secret.expose()) {
                clean = Cow::Owned(clean.replace(secret.expose(), REDACTED));
            }
        }
        match without_queries(&clean) {
            Some(shorter) => Cow::Owned(shorter),
            None => clean,
        }
    }
}

/// `address` without user name, password, query and fragment, for messages.
pub(crate) fn address(address: &str) -> String {
    let (head, cut) = match address.find(['?', '#']) {
        Some(end) => (address.get(..end).unwrap_or_default(), true),
        None => (address, false),
    };
    let (scheme, rest) = match head.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), head),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut shown = format!("{scheme}{host}{path}");
    if cut {
        shown.push_str("?[redacted]");
    }
    shown
}

/// Removes the query of every address in `text`. Returns `None` if there is nothing to remove. An address is
/// recognized by `://`, or by `:\/\/`, which some JSON writers produce.
fn without_queries(text: &str) -> Option<String> {
    let mut clean = String::with_capacity(text.len());
    let mut changed = false;
    for token in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`')) {
        let scheme = [token.find("://"), token.find(":\\/\\/")].into_iter().flatten().min();
        let query =
            scheme.and_then(|at| token.get(at..)?.find(['?', '#', '@']).map(|query| (at, at + query)));
        let Some((at, _)) = query else {
            clean.push_str(token);
            continue;
        };
        let end =
            token.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`')).len();
        let (found, tail) = token.split_at(end.max(at));
        let (before, rest) = found.split_at(at);
        let slashes = if rest.starts_with("://") { "://" } else { ":\\/\\/" };
        let shown = address(&format!("x://{}", rest.get(slashes.len()..).unwrap_or_default()));
        clean.push_str(before);
        clean.push_str(slashes);
        clean.push_str(shown.get("x://".len()..).unwrap_or_default());
        clean.push_str(tail);
        changed = true;
    }
    changed.then_some(clean)
}

/// The first bytes of `text`, at most `limit` of them, cut between two characters. If the text was cut, `…` is
/// appended.
pub(crate) fn head(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// How many bytes of a response body an error quotes.
pub(crate) const MOST_QUOTED: usize = 2048;

/// The beginning of a response body, to be quoted in an error; `None` if the body is empty.
pub(crate) fn excerpt(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body.get(..body.len().min(MOST_QUOTED + 4)).unwrap_or_default());
    let text = text.trim();
    (!text.is_empty()).then(|| head(text, MOST_QUOTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_user_query_and_fragment() {
        for (address_given, shown) in [
            ("https://u:p@h.example:1/a?sig=s#f", "https://h.example:1/a?[redacted]"),
            ("https://h.example/a", "https://h.example/a"),
            ("https://h.example?sig=s", "https://h.example?[redacted]"),
            ("u:p@h", "h"),
            ("https://h/a@b", "https://h/a@b"),
        ] {
            assert_eq!(address(address_given), shown);
        }
    }

    #[test]
    fn secrets_are_removed_also_where_json_escapes_them() {
        let scrubber = Scrubber::new(&[Secret::from("ab"), Secret::from("abc\"d"), Secret::from("")]);
        assert_eq!(scrubber.scrub("x abc\"d y abc\\\"d z ab"), "x [redacted] y [redacted] z [redacted]");
        assert!(matches!(scrubber.scrub("nothing"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_query_of_every_address_in_a_text_is_removed() {
        let scrubber = Scrubber::default();
        for (text, clean) in [
            (
                "see https://h/a?sig=1 and http://u:p@i/b#c.",
                "see https://h/a?[redacted] and http://i/b?[redacted]",
            ),
            (r#"{"url":"https:\/\/h\/a?sig=1","n":2}"#, r#"{"url":"https:\/\/h\/a?[redacted]","n":2}"#),
            ("<https://h/a?sig=1>", "<https://h/a?[redacted]>"),
            ("what? no://", "what? no://"),
        ] {
            assert_eq!(scrubber.scrub(text), clean);
        }
    }

    #[test]
    fn a_head_ends_at_a_character_boundary() {
        assert_eq!(head("äöü", 3), "ä…");
        assert_eq!(head("abc", 3), "abc");
    }

    #[test]
    fn a_signature_that_a_storage_quotes_is_removed() {
        let scrubber = Scrubber::of_query("part=1&sig=0123456789abcdef%2B");
        assert_eq!(
            scrubber.scrub("<Given>0123456789abcdef%2B</Given> part 1"),
            "<Given>[redacted]</Given> part 1"
        );
        assert_eq!(scrubber.scrub("/u?part=1&sig=0123456789abcdef%2B"), "/u?[redacted]");
    }
}
