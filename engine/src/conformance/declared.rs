//! The conformance that a document declares: the PDF/A identification in its metadata, or else its version of PDF.

use super::standard::{Level, Standard, Version};
use crate::document::{Budget, decode};
use lopdf::{Document, Object};

/// The maximum size of the metadata that is read, in bytes; usually it has a few kilobytes.
const MOST_METADATA: u64 = 16 << 20;

/// The standard that the document declares.
pub(super) fn of(document: Option<&Document>, bytes: &[u8]) -> Option<Standard> {
    document.and_then(pdf_a).or_else(|| version(document, bytes).map(Standard::Plain))
}

/// The version in the header or in the catalog: the later of the two (ISO 32000-1, 7.5.2).
pub(super) fn version(document: Option<&Document>, bytes: &[u8]) -> Option<Version> {
    let window = bytes.get(..1024).unwrap_or(bytes);
    let at = window.windows(5).position(|word| word == b"%PDF-")?;
    let header = window.get(at + 5..at + 8).and_then(|text| std::str::from_utf8(text).ok());
    let named = document
        .and_then(|document| document.catalog().ok()?.get(b"Version").ok()?.as_name().ok())
        .and_then(|name| std::str::from_utf8(name).ok());
    header.and_then(Version::parse).max(named.and_then(Version::parse))
}

/// The part and level of PDF/A that the document declares.
pub(crate) fn pdf_a(document: &Document) -> Option<Standard> {
    let metadata =
        document.catalog().ok()?.get_deref(b"Metadata", document).and_then(Object::as_stream).ok()?;
    let data = decode(document, metadata, &Budget::bounded(MOST_METADATA)).ok()??.data;
    let text = String::from_utf8_lossy(&data);
    let part: u8 = property(&text, "part")?.parse().ok()?;
    let level = match property(&text, "conformance")? {
        "A" => Level::A,
        "B" => Level::B,
        "U" if part > 1 => Level::U,
        _ => return None,
    };
    (1..=3).contains(&part).then_some(Standard::Archive { part, level })
}

/// The value of a property of the PDF/A identification schema, written as an element or as an attribute.
fn property<'a>(xmp: &'a str, name: &str) -> Option<&'a str> {
    let rest = xmp.split_once(&format!("pdfaid:{name}"))?.1;
    let rest = rest.trim_start();
    let value = match rest.strip_prefix('=') {
        Some(quoted) => {
            let quoted = quoted.trim_start();
            let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            quoted.get(1..)?.split(quote).next()?
        }
        None => rest.strip_prefix('>')?.split('<').next()?,
    };
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identification_is_read_as_elements_and_as_attributes() {
        let elements = "<pdfaid:part>2</pdfaid:part><pdfaid:conformance> B </pdfaid:conformance>";
        let attributes = "<rdf:Description pdfaid:part='3' pdfaid:conformance = \"U\"/>";
        for (text, part, level) in [(elements, "2", "B"), (attributes, "3", "U")] {
            assert_eq!(property(text, "part"), Some(part));
            assert_eq!(property(text, "conformance"), Some(level));
        }
        assert_eq!(property("pdfaid:part", "part"), None);
        assert_eq!(property("<pdfaid:part", "part"), None);
    }

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
