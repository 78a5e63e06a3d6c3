//! The document's metadata: an XMP packet with the PDF/A identification and with the values of the document information
//! dictionary.

use crate::document::{resolved, text};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use xmp_writer::{DateTime, Timezone, XmpWriter};

/// Writes the metadata and the document information.
pub(super) fn write(document: &mut Document, part: u8) {
    let info = document
        .trailer
        .get(b"Info")
        .ok()
        .and_then(|info| resolved(document, info)?.as_dict().ok())
        .cloned()
        .unwrap_or_default();
    let info = standard_entries(document, &info);
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

/// The document information, reduced to the standard entries that are text strings. Invalid dates are left out.
fn standard_entries(document: &Document, info: &Dictionary) -> Dictionary {
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
    let string = |key: &str| info.get(key.as_bytes()).and_then(Object::as_str).ok().map(text_of);
    let text = |key| string(key).filter(|text| !text.is_empty());
    let day = |key| string(key).and_then(|text| date(&text));
    let mut xmp = XmpWriter::new();
    xmp.pdfa_part(part.into()).pdfa_conformance("B");
    if let Some(title) = text("Title") {
        xmp.title([(None, title.as_str())]);
    }
    if let Some(author) = text("Author") {
        xmp.creator([author.as_str()]);
    }
    if let Some(subject) = text("Subject") {
        xmp.description([(None, subject.as_str())]);
    }
    if let Some(keywords) = text("Keywords") {
        xmp.pdf_keywords(&keywords);
    }
    if let Some(producer) = text("Producer") {
        xmp.producer(&producer);
    }
    if let Some(creator) = text("Creator") {
        xmp.creator_tool(&creator);
    }
    if let Some(day) = day("CreationDate") {
        xmp.create_date(day);
    }
    if let Some(day) = day("ModDate") {
        xmp.modify_date(day);
    }
    xmp.finish(None)
}

/// A text string as Unicode, without the characters that XML does not allow.
fn text_of(bytes: &[u8]) -> String {
    text(bytes)
        .chars()
        .filter(|c| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}'))
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Parses a date string (ISO 32000-1, 7.9.4), for example `D:20240131120000+01'00'`. `None` if the string is not a
/// date.
fn date(text: &str) -> Option<DateTime> {
    let rest = text.trim().strip_prefix("D:").unwrap_or(text.trim());
    let digits: String = rest.chars().take_while(char::is_ascii_digit).take(14).collect();
    let field = |from: usize, low: u8, high: u8, default: u8| match digits.get(from..from + 2) {
        Some(two) => two.parse::<u8>().ok().filter(|value| (low..=high).contains(value)),
        None => Some(default),
    };
    let year: u16 = digits.get(..4)?.parse().ok().filter(|year| *year > 0)?;
    let (month, day) = (field(4, 1, 12, 1)?, field(6, 1, 31, 1)?);
    let (hour, minute, second) = (field(8, 0, 23, 0)?, field(10, 0, 59, 0)?, field(12, 0, 59, 0)?);
    let zone = zone(rest.get(digits.len()..).unwrap_or_default())?;
    Some(DateTime::new(year, month, day, hour, minute, second, zone))
}

/// The time zone at the end of a date string. UTC if the string has no time zone.
fn zone(text: &str) -> Option<Timezone> {
    let digits: String = text.chars().skip(1).filter(char::is_ascii_digit).take(4).collect();
    let (Some(sign @ ('+' | '-')), Some(hour)) = (text.chars().next(), digits.get(..2)) else {
        return Some(Timezone::Utc);
    };
    let hour: i8 = hour.parse().ok().filter(|hour| *hour <= 23)?;
    let minute: i8 = digits.get(2..4).unwrap_or("00").parse().ok().filter(|minute| *minute <= 59)?;
    Some(Timezone::Local { hour: if sign == '-' { -hour } else { hour }, minute })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_writer::XmpType as _;

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
            let mut written = String::new();
            if let Some(date) = date(pdf) {
                date.write(&mut written);
            }
            assert_eq!(Some(written.as_str()).filter(|date| !date.is_empty()), xmp, "{pdf}");
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
