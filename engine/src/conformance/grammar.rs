//! The grammar of PDF dictionaries (their entries and types), read from `grammar.txt`.

use super::standard::Version;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An entry of a dictionary.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: &'static str,
    /// The types that the value may have, as letters. The start of `grammar.txt` explains the letters.
    pub(super) types: &'static str,
    /// Whether the dictionary must have the entry.
    pub(super) required: bool,
    /// Whether the value must be an indirect object.
    pub(super) indirect: bool,
    /// The version of PDF that introduced the entry; `None` if the grammar does not state one.
    pub(super) since: Option<Version>,
    /// The names that the value may be, each with the version of PDF that introduced the name. If the list is empty,
    /// all names are allowed.
    pub(super) names: Vec<(&'static str, Option<Version>)>,
    /// The kind of the dictionaries in the value; `None` if the dictionaries in the value are not checked.
    pub(super) of: Option<Link>,
    /// The required number of elements of an array.
    pub(super) elements: Option<usize>,
}

/// The kind of the dictionaries in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The value is a dictionary of this kind, or an array of dictionaries of this kind.
    Each(&'static str),
    /// The value is a dictionary whose values are dictionaries of this kind.
    Values(&'static str),
}

/// A kind of dictionary.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// The entries that the dictionary may have.
    pub(super) entries: Vec<Entry>,
    /// The key whose value selects the subkind of the dictionary, such as `Subtype`.
    pub(super) by: Option<&'static str>,
}

/// All kinds of dictionaries by name. A subkind has the name `Kind:Value`, such as `PageNode:Page`.
pub(super) fn kinds() -> &'static HashMap<&'static str, Kind> {
    static KINDS: OnceLock<HashMap<&'static str, Kind>> = OnceLock::new();
    KINDS.get_or_init(|| read(include_str!("grammar.txt")))
}

fn read(text: &'static str) -> HashMap<&'static str, Kind> {
    let mut kinds: HashMap<&'static str, Kind> = HashMap::new();
    let mut current = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(title) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let (name, by) = title.split_once(" by ").map_or((title, None), |(name, by)| (name, Some(by)));
            kinds.insert(name, Kind { by, ..Kind::default() });
            current = name;
        } else if let Some(kind) = kinds.get_mut(current) {
            kind.entries.extend(entry(line));
        }
    }
    kinds
}

fn entry(line: &'static str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let mut entry = Entry { key: words.next()?, types: words.next()?, ..Entry::default() };
    for word in words {
        if let Some(kind) = word.strip_prefix(">>") {
            entry.of = Some(Link::Values(kind));
        } else if let Some(kind) = word.strip_prefix('>') {
            entry.of = Some(Link::Each(kind));
        } else if let Some(names) = word.strip_prefix('=') {
            entry.names = names
                .split(',')
                .map(|name| match name.split_once('@') {
                    Some((name, since)) => (name, Version::parse(since)),
                    None => (name, None),
                })
                .collect();
        } else if let Some(count) = word.strip_prefix('#') {
            entry.elements = count.parse().ok();
        } else {
            match word {
                "!" => entry.required = true,
                "&" => entry.indirect = true,
                version => entry.since = Version::parse(version),
            }
        }
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_grammar_is_understood() {
        for line in include_str!("grammar.txt").lines() {
            if line.is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            let entry = entry(line).unwrap_or_else(|| panic!("{line}"));
            assert!(entry.types.chars().all(|letter| "binNsdtax".contains(letter)), "{line}");
            for word in line.split_whitespace().skip(2) {
                let known = matches!(word, "!" | "&")
                    || word.starts_with(['>', '=', '#'])
                    || Version::parse(word).is_some();
                assert!(known, "{word} in {line}");
            }
        }
    }

    #[test]
    fn every_link_leads_to_a_kind() {
        for kind in kinds().values() {
            for entry in &kind.entries {
                if let Some(Link::Each(name) | Link::Values(name)) = entry.of {
                    assert!(kinds().contains_key(name), "{name}");
                }
            }
        }
        let page = &kinds()["PageNode:Page"];
        let tabs = page.entries.iter().find(|entry| entry.key == "Tabs").unwrap();
        assert_eq!(tabs.since, Some(Version::V15));
        assert_eq!(tabs.names.last(), Some(&("W", Some(Version::V20))));
    }
}
