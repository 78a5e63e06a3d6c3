//! The conformance that a document declares: the PDF/A identification in its metadata, or else its version of PDF.

use super::standard::{Level, Standard, Version};
use crate::document::{Budget, decode, identification};
use lopdf::{Document, Object};

/// The maximum size in bytes of metadata that are read. Usually metadata have a few kilobytes.
const MOST_METADATA: u64 = 16 << 20;

/// The standard that the document declares: a part and level of PDF/A, or else a version of PDF. `None` if the document
/// declares neither.
pub(super) fn of(document: Option<&Document>, bytes: &[u8]) -> Option<Standard> {
    document.and_then(pdf_a).or_else(|| version(document, bytes).map(Standard::Plain))
}

/// The version of PDF that the document declares: the later of the version in the header and the version in the catalog
/// (ISO 32000-1, 7.5.2).
pub(super) fn version(document: Option<&Document>, bytes: &[u8]) -> Option<Version> {
    let window = bytes.get(..1024).unwrap_or(bytes);
    let at = window.windows(5).position(|word| word == b"%PDF-")?;
    let header = window.get(at + 5..at + 8).and_then(|text| std::str::from_utf8(text).ok());
    let named = document
        .and_then(|document| document.catalog().ok()?.get(b"Version").ok()?.as_name().ok())
        .and_then(|name| std::str::from_utf8(name).ok());
    header.and_then(Version::parse).max(named.and_then(Version::parse))
}

/// The part and level of PDF/A that the document declares; `None` if it declares none that the engine can check.
pub(crate) fn pdf_a(document: &Document) -> Option<Standard> {
    let metadata =
        document.catalog().ok()?.get_deref(b"Metadata", document).and_then(Object::as_stream).ok()?;
    let data = decode(document, metadata, &Budget::bounded(MOST_METADATA)).ok()??.data;
    let identification = identification(&data)?;
    let part: u8 = identification.part.parse().ok()?;
    let level = match identification.conformance?.as_str() {
        "A" => Level::A,
        "B" => Level::B,
        "U" if part > 1 => Level::U,
        _ => return None,
    };
    (1..=3).contains(&part).then_some(Standard::Archive { part, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_later_of_header_and_catalog() {
        assert_eq!(version(None, b"%PDF-1.4\n"), Some(Version::V14));
        assert_eq!(version(None, b"junk %PDF-2.0\n"), Some(Version::V20));
        assert_eq!(version(None, b"%PDF-7.7\n"), None);
        let mut document = Document::with_version("1.3");
        let root = document.add_object(lopdf::dictionary! { "Type" => "Catalog", "Version" => "1.6" });
        document.trailer.set("Root", root);
        assert_eq!(version(Some(&document), b"%PDF-1.3\n"), Some(Version::V16));
    }
}
