//! The grammar of dictionaries, read from `grammar.txt`.

use super::standard::Version;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An entry of a dictionary.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// Its key.
    pub(super) key: &'static str,
    /// The letters of the kinds that its value may be of.
    pub(super) kinds: &'static str,
    /// Whether the dictionary is wrong without it.
    pub(super) required: bool,
    /// Whether the value must be an object of its own.
    pub(super) indirect: bool,
    /// The version that brought it.
    pub(super) since: Option<Version>,
    /// The names allowed, each with the version that brought it; all if empty.
    pub(super) names: Vec<(&'static str, Option<Version>)>,
    /// What the dictionaries in the value are.
    pub(super) of: Option<Link>,
    /// How many elements an array must have.
    pub(super) elements: Option<usize>,
}

/// What the dictionaries in a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The value, or the elements of an array.
    Each(&'static str),
    /// The values of a dictionary.
    Values(&'static str),
}

/// A kind of dictionary.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// Its entries.
    pub(super) entries: Vec<Entry>,
    /// The entry whose value tells its subkinds apart.
    pub(super) by: Option<&'static str>,
}

/// All kinds by their names; subkinds as `Kind:Value`.
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
    let mut entry = Entry { key: words.next()?, kinds: words.next()?, ..Entry::default() };
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
            assert!(entry.kinds.chars().all(|kind| "binNsdtax".contains(kind)), "{line}");
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
