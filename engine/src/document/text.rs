//! Text strings (ISO 32000-1, 7.9.2.2): UTF-16 or UTF-8 with a byte order mark, or else PDFDocEncoding.

use lopdf::Object;

/// The text of a text string. Characters that are not valid UTF-16 or UTF-8 become U+FFFD, as in viewers. lopdf would
/// refuse a string with such characters.
pub(crate) fn text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => {
            let units: Vec<u16> =
                rest.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
            String::from_utf16_lossy(&units)
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        encoded => lopdf::decode_text_string(&Object::string_literal(encoded)).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_every_encoding() {
        for (bytes, expected) in [
            (&b"caf\xe9 \x80 \xa0\x92 \x18"[..], "café • €™ ˘"),
            (b"\xfe\xff\x04\x14\x04\x36", "Дж"),
            (b"\xfe\xff\xd8\x00\x04\x36\x00", "\u{fffd}ж"),
            (b"\xef\xbb\xbf\xd0\x94", "Д"),
        ] {
            assert_eq!(text(bytes), expected);
        }
    }
}
