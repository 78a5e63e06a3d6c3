//! Makes texts from documents, services and libraries safe to show: escapes characters that control a terminal, or that
//! hide or reorder what is shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character must not reach a terminal, a log or a page as it is: control characters (C0, DEL, C1), line and
/// paragraph separators, and invisible characters that reorder or hide text (Unicode Standard Annex 9; zero width
/// characters; tags).
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with every unprintable character escaped: a line feed as `\n`, ESC as `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// JSON with the unprintable characters of its strings escaped. JSON itself requires only that C0 characters are
/// escaped. `json` must be valid JSON without line breaks.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unprintable) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unprintable(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// How many findings or notes a result has at most.
pub const MOST_FINDINGS: usize = 500;
/// How many bytes of a finding, a note or the explanation of a failure are kept.
pub const MOST_FINDING: usize = 2000;

/// Findings or notes that quote a document: each one printable and of limited length, and a limited number of them.
pub fn findings(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    texts.into_iter().take(MOST_FINDINGS).map(|text| finding(&text)).collect()
}

/// One finding that quotes a document: printable and of limited length.
pub fn finding(text: &str) -> String {
    // The text is shortened before it is escaped, because escaping makes it up to eight times as long.
    bounded(&printable(&bounded(text, MOST_FINDING)), MOST_FINDING).into_owned()
}

/// The beginning of a text of at most `limit` bytes, cut between two characters, with `…` if something was cut.
pub fn bounded(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_or_reorders_text_is_escaped() {
        for (text, shown) in [
            ("plain Ärger 日本 🙂", "plain Ärger 日本 🙂"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("gpj.\u{202e}fdp\u{2066}", "gpj.\\u{202e}fdp\\u{2066}"),
            ("a\u{200b}\u{feff}\u{2028}\u{61c}", "a\\u{200b}\\u{feff}\\u{2028}\\u{61c}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "a\u{9b}": ["\u{1b}[31m", "\u{202e}x", "\u{e0041}", "é"] });
        let shown = printable_json(&value.to_string()).into_owned();
        assert!(!shown.contains(is_unprintable), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn findings_are_bounded_and_printable() {
        let hostile = std::iter::repeat_n("\u{1b}".repeat(100_000), 10_000);
        let kept = findings(hostile);
        assert_eq!(kept.len(), MOST_FINDINGS);
        assert!(kept.iter().all(|one| one.len() <= MOST_FINDING + 3 && !one.contains(is_unprintable)));
        assert_eq!(findings(["a finding".to_owned()]), ["a finding"]);
    }

    #[test]
    fn a_bounded_text_ends_at_a_character_boundary() {
        assert_eq!(bounded("äöü", 3), "ä…");
        assert_eq!(bounded("abc", 3), "abc");
    }
}
