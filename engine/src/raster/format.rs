//! Detects the format of a file by the first bytes of the file, because file names and extensions can be wrong.

/// An image format that the engine reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Jpeg,
    Png,
    Tiff,
}

impl Format {
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Self::Tiff),
            _ => None,
        }
    }
}

/// Formats of files that users may pass instead of an image: their first bytes, and their names for error messages.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF document"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL image"),
    (b"\xff\x0a", "a JPEG XL image"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 image"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 image"),
    (b"\0\0\x01\0", "an icon"),
    (b"8BPS", "a Photoshop document"),
    (b"%!PS", "a PostScript document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (such as .doc or .xls)"),
    (b"<svg", "an SVG drawing"),
    (b"<?xml", "an XML document"),
    (b"<!DOCTYPE", "a web page (HTML)"),
    (b"<html", "a web page (HTML)"),
    (b"{\\rtf", "an RTF document"),
    (b"\x1f\x8b", "a gzip archive"),
];

/// The format that the first bytes of a file suggest, for an error message.
pub(crate) fn describe(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "the file is empty".to_owned();
    }
    if let Some((_, what)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return format!("it is {what}");
    }
    match (bytes.get(..4), bytes.get(4..12)) {
        (Some(b"RIFF"), Some([_, _, _, _, b'W', b'E', b'B', b'P'])) => "it is a WebP image".to_owned(),
        (_, Some([b'f', b't', b'y', b'p', brand @ ..])) => match brand {
            b"avif" | b"avis" => "it is an AVIF image".to_owned(),
            b"heic" | b"heix" | b"mif1" | b"msf1" => "it is a HEIF image".to_owned(),
            _ => "it is a video or another file in the MPEG-4 container format".to_owned(),
        },
        _ => {
            let first: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("it begins with the bytes {}", first.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_detected_by_the_first_bytes() {
        assert_eq!(Format::of(b"\xff\xd8\xff\xe0"), Some(Format::Jpeg));
        assert_eq!(Format::of(b"\x89PNG\r\n\x1a\n\0"), Some(Format::Png));
        assert_eq!(Format::of(b"MM\0\x2b"), Some(Format::Tiff));
        assert_eq!(Format::of(b"II*\0"), Some(Format::Tiff));
        assert_eq!(Format::of(b"GIF89a"), None);
    }

    #[test]
    fn unsupported_formats_are_named() {
        assert_eq!(describe(b""), "the file is empty");
        assert_eq!(describe(b"GIF89a"), "it is a GIF image");
        assert_eq!(describe(b"RIFF\0\0\0\0WEBPVP8 "), "it is a WebP image");
        assert_eq!(describe(b"\0\0\0\x18ftypheic"), "it is a HEIF image");
        assert_eq!(describe(b"\x01\x02"), "it begins with the bytes 01 02");
    }
}
