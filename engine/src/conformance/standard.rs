//! The standards that a document can be checked against, and their names in requests and reports.

use std::fmt;

/// A version of PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    V10,
    V11,
    V12,
    V13,
    V14,
    V15,
    V16,
    V17,
    V20,
}

impl Version {
    pub(crate) const ALL: [Self; 9] =
        [Self::V10, Self::V11, Self::V12, Self::V13, Self::V14, Self::V15, Self::V16, Self::V17, Self::V20];

    /// The version in the form of the file's header: `1.4`.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::V10 => "1.0",
            Self::V11 => "1.1",
            Self::V12 => "1.2",
            Self::V13 => "1.3",
            Self::V14 => "1.4",
            Self::V15 => "1.5",
            Self::V16 => "1.6",
            Self::V17 => "1.7",
            Self::V20 => "2.0",
        }
    }

    /// Parses a version such as `1.4`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.text() == text.trim())
    }
}

/// A conformance level of PDF/A: accessible (A), basic (B), or with Unicode text (U).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    A,
    B,
    U,
}

impl Level {
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::A => 'a',
            Self::B => 'b',
            Self::U => 'u',
        }
    }
}

/// A standard that a document can conform to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standard {
    /// A version of PDF itself.
    Plain(Version),
    /// A part and level of PDF/A.
    Archive {
        /// The part: 1, 2 or 3.
        part: u8,
        /// The conformance level. The level `U` exists only in parts 2 and 3.
        level: Level,
    },
}

/// The names of all standards, in the form that reports use.
pub(crate) const NAMES: &[&str] = &[
    "pdf10", "pdf11", "pdf12", "pdf13", "pdf14", "pdf15", "pdf16", "pdf17", "pdf20", "pdf_a1_a", "pdf_a1_b",
    "pdf_a2_a", "pdf_a2_b", "pdf_a2_u", "pdf_a3_a", "pdf_a3_b", "pdf_a3_u",
];

impl Standard {
    /// The standard with this name. Case and separators do not matter: `PDF/A-2b` means `pdf_a2_b`. A version alone,
    /// such as `1.7`, is not a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let plain: String =
            name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        let found = NAMES.iter().position(|name| name.replace('_', "") == plain)?;
        Self::all().nth(found)
    }

    /// The standards in the order of [`NAMES`].
    fn all() -> impl Iterator<Item = Self> {
        let archive =
            |part, levels: &'static [Level]| levels.iter().map(move |&level| Self::Archive { part, level });
        Version::ALL
            .into_iter()
            .map(Self::Plain)
            .chain(archive(1, &[Level::A, Level::B]))
            .chain(archive(2, &[Level::A, Level::B, Level::U]))
            .chain(archive(3, &[Level::A, Level::B, Level::U]))
    }
}

/// The name in requests and reports: `pdf14`, `pdf_a2_b`.
impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(version) => write!(f, "pdf{}", version.text().replace('.', "")),
            Self::Archive { part, level } => write!(f, "pdf_a{part}_{}", level.letter()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standard_is_known_by_its_name() {
        for name in NAMES {
            assert_eq!(Standard::parse(name).unwrap().to_string(), *name);
        }
        assert_eq!(Standard::all().count(), NAMES.len());
    }

    #[test]
    fn names_are_read_as_people_write_them() {
        for (name, standard) in
            [("PDF/A-2b", "pdf_a2_b"), ("pdfA3U", "pdf_a3_u"), ("PDF-1.3", "pdf13"), ("PDF 2.0", "pdf20")]
        {
            assert_eq!(Standard::parse(name).unwrap().to_string(), standard);
        }
        for name in ["", "1.7", "pdf", "pdf18", "pdf_a1_u", "pdf_a4", "PDF/A-2", "pdf_ua1"] {
            assert_eq!(Standard::parse(name), None, "{name}");
        }
    }
}
