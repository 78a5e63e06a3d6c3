//! Removes secrets from texts that people see: errors, logs and `Debug` output.

use recto_interface::Secret;
use recto_interface::printable::printable;
use std::borrow::Cow;

const REDACTED: &str = "[redacted]";
/// A query value with fewer bytes than this is taken for a flag or a number, not for a signature.
const GUESSABLE: usize = 12;

/// A query with fewer bytes than this is not removed where it stands without its address.
const LEAST_QUERY: usize = 6;
/// A secret with fewer characters than this may be a word, or may be guessed from the sentence around it.
const LEAST_TO_CUT: usize = 12;
/// The shortest beginning of a secret that is removed from the end of a text that was cut.
const LEAST_BEGINNING: usize = 4;

/// Removes known secrets, and the query of every address, from a text that comes from the service, the system or a
/// library. Our own words are never passed to it: see [`Message`](crate::message::Message).
///
/// A long secret is cut out of the text. If the text contains a short one, or one that consists of letters like a word,
/// the whole text is replaced: "the \[redacted\] is damaged" would reveal the password `document`.
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
        let whole = Some(query).filter(|query| query.len() >= LEAST_QUERY);
        let secrets = values.filter(|value| value.len() >= GUESSABLE).chain(whole);
        Self::new(&secrets.map(Secret::from).collect::<Vec<_>>())
    }

    /// Adds a secret that has to be removed.
    pub(crate) fn add(&mut self, secret: &Secret) {
        if secret.is_empty() {
            return;
        }
        let text = secret.expose();
        let json = serde_json::to_string(text).unwrap_or_default();
        let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
        // Messages quote texts in one line and without control characters: the secret is also searched in these forms.
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let spellings = [json, &line, &printable(text)].map(Secret::from);
        self.secrets
            .extend(spellings.into_iter().filter(|other| other.expose() != text && !other.is_empty()));
        self.secrets.push(secret.clone());
        // The longest secret is replaced first: a shorter secret may be part of it, and the rest of the longer one
        // would remain.
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    }

    /// Returns the text without its secrets.
    pub(crate) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // The text may contain `[redacted]` from an earlier call. A short secret inside this word is not a secret of
        // the text.
        let is_contained = |secret: &str| match REDACTED.contains(secret) {
            true => text.split(REDACTED).any(|part| part.contains(secret)),
            false => text.contains(secret),
        };
        if self.secrets.iter().any(|secret| !can_be_cut_out(secret) && is_contained(secret.expose())) {
            return Cow::Owned(REDACTED.to_owned());
        }
        self.cut_out(text)
    }

    /// Like [`scrub`](Self::scrub), for an identifier or a code. A short secret stays, because nobody can
    /// recognize it there.
    pub(crate) fn scrub_word<'t>(&self, word: &'t str) -> Cow<'t, str> {
        self.cut_out(word)
    }

    fn cut_out<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in self.secrets.iter().filter(|secret| can_be_cut_out(secret)) {
            if clean.contains(secret.expose()) {
                clean = Cow::Owned(clean.replace(secret.expose(), REDACTED));
            }
            if let Some(end) = beginning_at_the_cut(&clean, secret.expose()) {
                clean = Cow::Owned(format!("{}{REDACTED}…", clean.get(..end).unwrap_or_default()));
            }
        }
        match without_queries(&clean) {
            Some(shorter) => Cow::Owned(shorter),
            None => clean,
        }
    }
}

/// Whether the text around a secret does not reveal it, so that the secret alone can be cut out.
fn can_be_cut_out(secret: &Secret) -> bool {
    let text = secret.expose();
    text.chars().count() >= LEAST_TO_CUT && !text.chars().all(|c| c.is_alphabetic() || c.is_whitespace())
}

/// If a text was cut inside `secret`: the position in the text at which the rest of the secret starts.
fn beginning_at_the_cut(text: &str, secret: &str) -> Option<usize> {
    let kept = text.strip_suffix('…')?;
    let beginnings = (LEAST_BEGINNING..secret.len()).rev().filter_map(|end| secret.get(..end));
    beginnings
        .into_iter()
        .find(|beginning| kept.ends_with(beginning))
        .map(|beginning| kept.len() - beginning.len())
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
        let secrets = ["0123456789ab", "0123456789abc\"d", ""].map(Secret::from);
        let scrubber = Scrubber::new(&secrets);
        assert_eq!(
            scrubber.scrub("x 0123456789abc\"d y 0123456789abc\\\"d z 0123456789ab"),
            "x [redacted] y [redacted] z [redacted]"
        );
        assert!(matches!(scrubber.scrub("nothing"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_that_would_tell_a_short_secret_by_its_gaps_is_replaced_whole() {
        for secret in ["e", "1234", "document", "the document", "correcthorsebattery"] {
            let scrubber = Scrubber::new(&[Secret::from(secret)]);
            let text = format!("the {secret} is damaged");
            assert_eq!(scrubber.scrub(&text), "[redacted]");
            assert_eq!(scrubber.scrub(&scrubber.scrub(&text)), "[redacted]");
            assert_eq!(scrubber.scrub("qq 567"), "qq 567");
        }
    }

    #[test]
    fn an_identifier_does_not_tell_a_short_secret() {
        let scrubber = Scrubber::new(&["e", "0123456789abcdef"].map(Secret::from));
        assert_eq!(scrubber.scrub_word("request-e7"), "request-e7");
        assert_eq!(scrubber.scrub_word("r-0123456789abcdef"), "r-[redacted]");
    }

    #[test]
    fn the_beginning_of_a_secret_at_the_end_of_a_cut_text_is_removed() {
        let scrubber = Scrubber::new(&[Secret::from("0123456789abcdef")]);
        assert_eq!(scrubber.scrub("the key 0123456789ab…"), "the key [redacted]…");
        assert_eq!(scrubber.scrub("the key 012…"), "the key 012…");
        assert_eq!(scrubber.scrub("the key 0123456789ab"), "the key 0123456789ab");
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
