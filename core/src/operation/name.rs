//! The name of an operation: an operation of the table, or one that is newer than this version.

use recto_interface::{OperationKind, Yields, endpoint};
use std::fmt;

/// The longest name of an operation that this version does not know.
const LONGEST: usize = 200;

/// The name of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OperationName {
    /// An operation of the table.
    Known(OperationKind),
    /// An operation that this version does not know, by the end of its endpoint: `convert/pdf-to-webp`.
    Other(String),
}

impl OperationName {
    /// Reads a name: of an operation of the table, or the end of the endpoint of another operation. `None` if the text
    /// is neither.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Ok(kind) = text.parse() {
            return Some(Self::Known(kind));
        }
        let plain = |part: &str| {
            endpoint::is_segment(part)
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        (text.len() <= LONGEST && text.split('/').all(plain)).then(|| Self::Other(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Known(kind) => kind.name(),
            Self::Other(name) => name,
        }
    }

    pub(crate) fn kind(&self) -> Option<OperationKind> {
        match self {
            Self::Known(kind) => Some(*kind),
            Self::Other(_) => None,
        }
    }

    /// What the operation yields. An operation that this version does not know may yield a file or a report.
    pub(crate) fn yields(&self) -> Yields {
        self.kind().map_or(Yields::File, OperationKind::yields)
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_the_table_or_the_end_of_an_endpoint() {
        assert_eq!(OperationName::read("stamp_qr"), Some(OperationName::Known(OperationKind::StampQr)));
        for name in ["redact", "convert/pdf-to-webp", "v2.sign"] {
            assert_eq!(OperationName::read(name), Some(OperationName::Other(name.to_owned())), "{name}");
        }
        let long = "a".repeat(LONGEST + 1);
        for name in ["", "/", "a/", "../files", "a/../b", "a?b", "a b", "a#b", "http://x", "%2e", &long] {
            assert_eq!(OperationName::read(name), None, "{name}");
        }
    }
}
