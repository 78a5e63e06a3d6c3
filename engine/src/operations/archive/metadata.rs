//! The document's metadata: an XMP packet with the PDF/A identification and what the document information says.

use crate::document::{resolved, text};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use std::fmt::Write as _;

/// Writes it.
pub(super) fn write(document: &mut Document, part: u8) {
    let info = document
        .trailer
        .get(b"Info")
        .ok()
        .and_then(|info| resolved(document, info)?.as_dict().ok())
        .cloned()
        .unwrap_or_default();
    let info = settled(document, &info);
    let packet = packet(&info, part);
    let metadata = document.add_object(Stream::new(
        dictionary! { "Type" => "Metadata", "Subtype" => "XML" },
        packet.into_bytes(),
    ));
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Metadata", metadata);
    }
    if info.is_empty() {
        document.trailer.remove(b"Info");
    } else {
        let info = document.add_object(info);
        document.trailer.set("Info", info);
    }
}

/// The document information with the standard entries that are texts.
fn settled(document: &Document, info: &Dictionary) -> Dictionary {
    const KEYS: [&str; 8] =
        ["Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate"];
    let mut out = Dictionary::new();
    for key in KEYS {
        let Some(Object::String(text, format)) =
            info.get(key.as_bytes()).ok().and_then(|value| resolved(document, value))
        else {
            continue;
        };
        if !key.ends_with("Date") || date(&text_of(text)).is_some() {
            out.set(key, Object::String(text.clone(), *format));
        }
    }
    out
}

fn packet(info: &Dictionary, part: u8) -> String {
    let text = |key: &str| {
        info.get(key.as_bytes())
            .and_then(Object::as_str)
            .ok()
            .map(|text| escaped(&text_of(text)))
            .filter(|text| !text.is_empty())
    };
    let day = |key: &str| {
        info.get(key.as_bytes()).and_then(Object::as_str).ok().and_then(|text| date(&text_of(text)))
    };
    let mut out = String::from(
        "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
         <x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n\
         <rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" \
         xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\">\n",
    );
    // Writing to a string does not fail.
    let _ = writeln!(out, "<pdfaid:part>{part}</pdfaid:part>\n<pdfaid:conformance>B</pdfaid:conformance>");
    if let Some(title) = text("Title") {
        let _ = writeln!(
            out,
            "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">{title}</rdf:li></rdf:Alt></dc:title>"
        );
    }
    if let Some(author) = text("Author") {
        let _ = writeln!(out, "<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>");
    }
    if let Some(subject) = text("Subject") {
        let _ = writeln!(
            out,
            "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">{subject}</rdf:li></rdf:Alt></dc:description>"
        );
    }
    for (key, name) in
        [("Keywords", "pdf:Keywords"), ("Producer", "pdf:Producer"), ("Creator", "xmp:CreatorTool")]
    {
        if let Some(text) = text(key) {
            let _ = writeln!(out, "<{name}>{text}</{name}>");
        }
    }
    for (key, name) in [("CreationDate", "xmp:CreateDate"), ("ModDate", "xmp:ModifyDate")] {
        if let Some(day) = day(key) {
            let _ = writeln!(out, "<{name}>{day}</{name}>");
        }
    }
    out.push_str("</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>");
    out
}

/// A text string as Unicode, without what XML cannot hold.
fn text_of(bytes: &[u8]) -> String {
    text(bytes)
        .chars()
        .filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}'))
        .collect::<String>()
        .trim()
        .to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A date of PDF as one of XMP: `D:20240131120000+01'00'` is `2024-01-31T12:00:00+01:00`.
fn date(text: &str) -> Option<String> {
    let rest = text.trim().strip_prefix("D:").unwrap_or(text.trim());
    let digits: String = rest.chars().take_while(char::is_ascii_digit).take(14).collect();
    let field = |from: usize, low: u32, high: u32, default: u32| match digits.get(from..from + 2) {
        Some(two) => two.parse::<u32>().ok().filter(|value| (low..=high).contains(value)),
        None => Some(default),
    };
    let year: u32 = digits.get(..4)?.parse().ok().filter(|year| *year > 0)?;
    let (month, day) = (field(4, 1, 12, 1)?, field(6, 1, 31, 1)?);
    let (hour, minute, second) = (field(8, 0, 23, 0)?, field(10, 0, 59, 0)?, field(12, 0, 59, 0)?);
    let zone = rest.get(digits.len()..).unwrap_or_default();
    let offset: String = zone.chars().skip(1).filter(char::is_ascii_digit).take(4).collect();
    let zone = match (zone.chars().next(), offset.get(..2), offset.get(2..4)) {
        (Some(sign @ ('+' | '-')), Some(hours), minutes) => {
            let minutes = minutes.unwrap_or("00");
            if hours > "23" || minutes > "59" {
                return None;
            }
            format!("{sign}{hours}:{minutes}")
        }
        _ => "Z".to_owned(),
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_xmp_or_none() {
        for (pdf, xmp) in [
            ("D:20240131120000+01'00'", Some("2024-01-31T12:00:00+01:00")),
            ("D:20240131120000-0530", Some("2024-01-31T12:00:00-05:30")),
            ("D:2024", Some("2024-01-01T00:00:00Z")),
            ("20240131", Some("2024-01-31T00:00:00Z")),
            ("D:20241331", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(date(pdf).as_deref(), xmp, "{pdf}");
        }
    }

    #[test]
    fn texts_cannot_break_the_packet() {
        let mut info = Dictionary::new();
        info.set("Title", Object::string_literal("a <b> & \u{1}c"));
        let packet = packet(&info, 3);
        assert!(packet.contains("a &lt;b&gt; &amp; c"), "{packet}");
        assert!(packet.contains("<pdfaid:part>3</pdfaid:part>"));
    }
}
