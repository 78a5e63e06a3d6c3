//! The text of an error: our own words, with texts from the service, the system or a library between them. Secrets are
//! removed only from those texts. Our own words are public: if a secret were removed from them, everybody could see
//! which word is missing.

use crate::redact::Scrubber;
use recto_interface::printable::printable;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A message, and which parts of it come from the service, the system or a library.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Message {
    text: String,
    foreign: Vec<Range<usize>>,
}

impl Message {
    /// A message that begins with our own words. File names, addresses and identifiers that the caller passed count as
    /// our own.
    pub(crate) fn new(own: impl Into<String>) -> Self {
        Self { text: own.into(), foreign: Vec::new() }
    }

    /// Appends our own words.
    pub(crate) fn own(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Appends a text from the service, the system or a library. Control characters are escaped.
    pub(crate) fn foreign(mut self, text: impl fmt::Display) -> Self {
        let start = self.text.len();
        self.text.push_str(&printable(&text.to_string()));
        self.foreign.push(start..self.text.len());
        self
    }

    /// Appends another message.
    pub(crate) fn message(mut self, other: &Self) -> Self {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.foreign.extend(other.foreign.iter().map(|part| part.start + start..part.end + start));
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Removes secrets from the texts that come from the service, the system or a library.
    pub(crate) fn scrubbed(self, scrubber: &Scrubber) -> Self {
        let mut clean = Self::default();
        let mut end = 0;
        for part in self.foreign {
            clean.text.push_str(self.text.get(end..part.start).unwrap_or_default());
            end = part.end;
            let start = clean.text.len();
            clean.text.push_str(&scrubber.scrub(self.text.get(part).unwrap_or_default()));
            clean.foreign.push(start..clean.text.len());
        }
        clean.text.push_str(self.text.get(end..).unwrap_or_default());
        clean
    }
}

impl From<&str> for Message {
    fn from(own: &str) -> Self {
        Self::new(own)
    }
}

impl From<String> for Message {
    fn from(own: String) -> Self {
        Self::new(own)
    }
}

impl From<Cow<'_, str>> for Message {
    fn from(own: Cow<'_, str>) -> Self {
        Self::new(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_interface::Secret;

    fn scrubbed(message: Message, secret: &str) -> String {
        message.scrubbed(&Scrubber::new(&[Secret::from(secret)])).as_str().to_owned()
    }

    fn refused() -> Message {
        Message::new("the service refused the document: ")
            .foreign("the document is damaged")
            .own(". Send it again")
    }

    #[test]
    fn our_own_words_are_never_redacted() {
        for secret in ["e", "document", "the service refused the document"] {
            let text = scrubbed(refused(), secret);
            assert!(text.starts_with("the service refused the document: "), "{text}");
            assert!(text.ends_with(". Send it again"), "{text}");
        }
    }

    #[test]
    fn a_foreign_text_does_not_tell_a_secret_by_what_is_missing() {
        for secret in ["e", "damaged", "document"] {
            assert_eq!(
                scrubbed(refused(), secret),
                "the service refused the document: [redacted]. Send it again"
            );
        }
        let quoted = Message::new("x: ").foreign("bad key 0123456789abcdef at 7").own("!");
        assert_eq!(scrubbed(quoted, "0123456789abcdef"), "x: bad key [redacted] at 7!");
    }

    #[test]
    fn a_message_inside_another_is_redacted_in_the_same_parts() {
        let outer = Message::new("the document failed: ").message(&refused()).foreign("document");
        let text = scrubbed(outer, "document");
        assert_eq!(
            text,
            "the document failed: the service refused the document: [redacted]. Send it again[redacted]"
        );
    }

    #[test]
    fn control_characters_of_others_are_escaped() {
        assert_eq!(Message::new("x: ").foreign("\u{1b}[31m\n").as_str(), "x: \\u{1b}[31m\\n");
    }
}
