//! Reads the PDF/A identification in XMP metadata (ISO 19005-2, 6.6.4).

use roxmltree::{Document, ParsingOptions};

/// The namespace of the PDF/A identification schema.
const IDENTIFICATION: &str = "http://www.aiim.org/pdfa/ns/id/";
/// The maximum number of XML nodes that are read. Usually metadata have some hundreds of nodes.
const MAX_NODES: u32 = 200_000;
/// The maximum numbers of namespace declarations and of attributes in the metadata. roxmltree compares all namespace
/// declarations of an element with each other, and all attributes too. Very many would take too long.
const MAX_NAMESPACES: usize = 500;
const MAX_ATTRIBUTES: usize = 10_000;

/// The PDF/A identification that metadata contain.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identification {
    /// The part of PDF/A: `1`, `2` and so on.
    pub(crate) part: String,
    /// The conformance level: `A`, `B` or `U`. `None` if the metadata give no level; some parts of PDF/A have no
    /// levels.
    pub(crate) conformance: Option<String>,
}

/// The PDF/A identification in an XMP packet; `None` if the packet has none.
///
/// Metadata that are not well-formed XML are searched as text. The document still declares the standard that is found,
/// and the validation then reports that the metadata are not well-formed.
pub(crate) fn identification(packet: &[u8]) -> Option<Identification> {
    let text = text_of(packet);
    // XMP packets are padded with white space, and sometimes with zeros.
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\0' | '\u{feff}'));
    let document = parsed(text);
    let property = |name| match &document {
        Some(document) => of_document(document, name),
        None => of_text(text, name).map(str::to_owned),
    };
    Some(Identification { part: property("part")?, conformance: property("conformance") })
}

/// The packet as text: UTF-16 in either byte order, or else UTF-8 (XMP, part 1, 7.2).
fn text_of(packet: &[u8]) -> String {
    let utf16 = |packet: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = packet.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match packet {
        [0xfe, 0xff, ..] | [0, b'<', ..] => utf16(packet, u16::from_be_bytes),
        [0xff, 0xfe, ..] | [b'<', 0, ..] => utf16(packet, u16::from_le_bytes),
        _ => String::from_utf8_lossy(packet).into_owned(),
    }
}

/// The XML document in a packet. `None` if the packet is not well-formed, or if parsing it would take too long.
fn parsed(text: &str) -> Option<Document<'_>> {
    if text.matches("xmlns").take(MAX_NAMESPACES + 1).count() > MAX_NAMESPACES
        || text.matches('=').take(MAX_ATTRIBUTES + 1).count() > MAX_ATTRIBUTES
    {
        return None;
    }
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).ok()
}

/// A property of the identification schema. Metadata contain the property as an element or as an attribute.
fn of_document(document: &Document<'_>, name: &str) -> Option<String> {
    let nodes = || document.descendants().filter(roxmltree::Node::is_element);
    let element = nodes().find(|node| node.has_tag_name((IDENTIFICATION, name)));
    let value = element.and_then(|node| node.text());
    let value = value.or_else(|| nodes().find_map(|node| node.attribute((IDENTIFICATION, name))));
    Some(value?.trim().to_owned())
}

/// A property of the identification schema, found in text that is not well-formed XML. The property must have the
/// prefix `pdfaid`, which PDF/A demands.
fn of_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.split_once(&format!("pdfaid:{name}"))?.1.trim_start();
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

    const HEAD: &str = "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\
        <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">";
    const TAIL: &str = "</rdf:RDF><?xpacket end=\"w\"?>";

    fn packet(description: &str) -> String {
        format!("{HEAD}{description}{TAIL}")
    }

    fn found(part: &str, conformance: &str) -> Option<Identification> {
        Some(Identification { part: part.to_owned(), conformance: Some(conformance.to_owned()) })
    }

    #[test]
    fn the_identification_is_read_as_elements_and_as_attributes_whatever_its_prefix() {
        let elements = packet(
            "<rdf:Description xmlns:p=\"http://www.aiim.org/pdfa/ns/id/\">\
             <p:part>2</p:part><p:conformance> B </p:conformance></rdf:Description>",
        );
        let attributes = packet(
            "<rdf:Description xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/' pdfaid:part='3' pdfaid:conformance = \"U\"/>",
        );
        assert_eq!(identification(elements.as_bytes()), found("2", "B"));
        assert_eq!(identification(attributes.as_bytes()), found("3", "U"));
        assert_eq!(identification(packet("<rdf:Description/>").as_bytes()), None);
        // An XML comment does not declare a standard.
        assert_eq!(identification(packet("<!-- <pdfaid:part>2</pdfaid:part> -->").as_bytes()), None);
    }

    #[test]
    fn packets_in_utf_16_and_with_padding_are_read() {
        let xml = packet(
            "<rdf:Description xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/' pdfaid:part='1' pdfaid:conformance='A'/>",
        );
        let little: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = xml.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let padded = format!("\u{feff}{xml}\n   \0\0").into_bytes();
        for bytes in [little, big, padded] {
            assert_eq!(identification(&bytes), found("1", "A"));
        }
    }

    #[test]
    fn metadata_that_are_not_well_formed_still_declare_a_standard() {
        let broken = "<a & <pdfaid:part>2</pdfaid:part><pdfaid:conformance>U</pdfaid:conformance>";
        assert_eq!(identification(broken.as_bytes()), found("2", "U"));
        let unknown_prefix = packet("<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>");
        assert_eq!(identification(unknown_prefix.as_bytes()), found("1", "B"));
        for nothing in ["", "pdfaid:part", "<pdfaid:part", "\u{feff}"] {
            assert_eq!(identification(nothing.as_bytes()), None);
        }
    }

    #[test]
    fn hostile_metadata_take_little_time() {
        let nested = format!("{}{}", "<a>".repeat(300_000), "</a>".repeat(300_000));
        let namespaces: String = (0..50_000).map(|at| format!("<a xmlns:n{at}='n{at}'>")).collect();
        let attributes: String = (0..100_000).map(|at| format!(" a{at}=''")).collect();
        let entities = "<!DOCTYPE a [<!ENTITY b '&c;&c;'>]><a>&b;</a>".to_owned();
        let began = std::time::Instant::now();
        for xml in [nested, namespaces, format!("<a{attributes}/>"), entities] {
            assert_eq!(identification(xml.as_bytes()), None);
        }
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }
}
