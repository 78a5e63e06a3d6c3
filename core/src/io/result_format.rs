//! The formats of results, recognised by their first bytes: a login page, an error document or an empty body is not
//! written as a result.

use crate::error::Error;
use crate::message::Message;
use crate::redact;
use recto_interface::OperationKind;

/// How many bytes at the beginning of a result are held back until its format is checked.
pub(super) const HEAD: usize = 1024;
/// How many bytes of an unexpected result a message quotes.
const MOST_WORDS: usize = 120;

/// A file format that a result can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Pdf,
    Zip,
    Png,
    Jpeg,
    Tiff,
}

impl Format {
    /// All formats.
    pub(super) const ALL: &[Self] = &[Self::Pdf, Self::Zip, Self::Png, Self::Jpeg, Self::Tiff];

    /// The format of files with the extension of `name`.
    fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "pdf" => Self::Pdf,
            "zip" => Self::Zip,
            "png" => Self::Png,
            "jpg" | "jpeg" => Self::Jpeg,
            "tif" | "tiff" => Self::Tiff,
            _ => return None,
        })
    }

    /// The formats that the result of an operation can have: several pages as images come in a zip file.
    pub(super) fn of_operation(kind: OperationKind) -> &'static [Self] {
        match kind {
            OperationKind::PdfToPng => &[Self::Png, Self::Zip],
            OperationKind::PdfToJpeg => &[Self::Jpeg, Self::Zip],
            OperationKind::PdfToTiff | OperationKind::PdfToTiffFax => &[Self::Tiff, Self::Zip],
            _ => &[Self::Pdf],
        }
    }

    /// The extension of files of this format.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Zip => "zip",
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Tiff => "tif",
        }
    }

    /// Whether a file that begins with `head` has this format.
    pub(super) fn matches(self, head: &[u8]) -> bool {
        match self {
            // ISO 32000-1, 7.5.2 requires `%PDF-` at the beginning; PDF readers accept it within the first 1024 bytes.
            Self::Pdf => head.windows(5).any(|window| window == b"%PDF-"),
            // A local file, or the end of an archive without files (APPNOTE.TXT, 4.3.7 and 4.3.16).
            Self::Zip => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
            Self::Png => head.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Jpeg => head.starts_with(b"\xff\xd8\xff"),
            // TIFF 6.0, section 2, and BigTIFF, which has 43 instead of 42.
            Self::Tiff => [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|mark| head.starts_with(*mark)),
        }
    }

    /// The name of the format with its article, such as `a zip file`, for a message.
    fn described(self) -> &'static str {
        match self {
            Self::Pdf => "a PDF",
            Self::Zip => "a zip file",
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Tiff => "a TIFF image",
        }
    }
}

/// The formats that a result may have. Empty if they are not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expected(Vec<Format>);

impl Expected {
    /// The formats of a file with this name.
    pub(crate) fn of_name(name: Option<&str>) -> Self {
        Self(name.and_then(Format::of_name).into_iter().collect())
    }

    /// The formats of the result of an operation. If the name that the service gave it has the extension of one of
    /// these formats, only that format.
    pub(crate) fn of_operation(kind: OperationKind, name: Option<&str>) -> Self {
        let possible = Format::of_operation(kind);
        match name.and_then(Format::of_name).filter(|named| possible.contains(named)) {
            Some(named) => Self(vec![named]),
            None => Self(possible.to_vec()),
        }
    }
}

/// Checks the first bytes of a result before they are written.
#[derive(Debug)]
pub(crate) struct HeadCheck {
    expected: Expected,
    /// The header `Content-Type` of the response, for a message.
    content_type: Option<String>,
    /// The first bytes, until they are checked.
    held: Vec<u8>,
    checked: bool,
}

impl HeadCheck {
    pub(crate) fn new(expected: Expected) -> Self {
        Self { expected, content_type: None, held: Vec::new(), checked: false }
    }

    pub(crate) fn set_content_type(&mut self, content_type: Option<&str>) {
        self.content_type = content_type.map(|text| one_line(text, 80));
    }

    /// The number of bytes that are held back until the check.
    pub(crate) fn held(&self) -> u64 {
        self.held.len() as u64
    }

    /// Whether all bytes can be written as they arrive.
    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// Takes the next bytes. Returns the bytes to write, once enough bytes are known to check them.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        self.held.extend_from_slice(bytes);
        let Expected(formats) = &self.expected;
        let enough = if formats.is_empty() { 1 } else { HEAD };
        if self.held.len() >= enough { self.check() } else { Ok(Vec::new()) }
    }

    /// Checks the bytes that are held back, and returns them.
    pub(crate) fn check(&mut self) -> Result<Vec<u8>, Error> {
        let held = std::mem::take(&mut self.held);
        let head = held.get(..held.len().min(HEAD)).unwrap_or_default();
        if head.is_empty() {
            return Err(Error::protocol("the result is empty")
                .advise("Nothing was written. Try again, or report it to the operator of the service"));
        }
        let Expected(formats) = &self.expected;
        if !formats.is_empty() && !formats.iter().any(|format| format.matches(head)) {
            return Err(self.unexpected(head));
        }
        self.checked = true;
        Ok(held)
    }

    /// Forgets all bytes, to start again.
    pub(crate) fn restart(&mut self) {
        self.held.clear();
        self.checked = false;
    }

    fn unexpected(&self, head: &[u8]) -> Error {
        let Expected(formats) = &self.expected;
        let wanted: Vec<_> = formats.iter().map(|format| format.described()).collect();
        let message = format!("the result is not {}, but {}", wanted.join(" or "), description(head));
        let mut message = Message::new(message);
        if let Some(content_type) = &self.content_type {
            message = message.own(" (").foreign(content_type).own(")");
        }
        let words = words(head);
        if !words.is_empty() {
            message = message.own(": ").foreign(format_args!("{words:?}"));
        }
        Error::protocol(message)
            .advise(
                "Nothing was written. Check that no login page or proxy is in front of the storage, or report it to the \
                 operator of the service",
            )
            .quoting(redact::excerpt(head))
    }
}

/// Describes a body that is not a result.
fn description(head: &[u8]) -> &'static str {
    let text = text(head);
    let begins = |mark: &str| text.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
    if begins("<!doctype html") || begins("<html") {
        "an HTML page"
    } else if begins("<") {
        "an XML document"
    } else if begins("{") || begins("[") {
        "JSON"
    } else if text.is_empty() || text.contains(char::REPLACEMENT_CHARACTER) || text.contains('\0') {
        "data of another type"
    } else {
        "text"
    }
}

/// The first words of a text, without markup: the title of an HTML page, if it has one. Empty for other data.
fn words(head: &[u8]) -> String {
    if description(head) == "data of another type" {
        return String::new();
    }
    let text = text(head);
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let (from, to) = (at + lower.get(at..)?.find('>')? + 1, at + lower.get(at..)?.find("</title")?);
        text.get(from..to).filter(|title| !title.trim().is_empty())
    });
    one_line(&title.map_or_else(|| without_markup(&text), str::to_owned), MOST_WORDS)
}

fn text(head: &[u8]) -> String {
    // The last character may be cut off.
    let end = head.len().saturating_sub(3);
    let head = match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() >= end => {
            head.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => head,
    };
    String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim().to_owned()
}

/// Replaces tags and declarations by spaces.
fn without_markup(text: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                words.push(' ');
            }
            c if !inside => words.push(c),
            _ => {}
        }
    }
    words
}

/// A text as one line of at most `limit` bytes, without characters that change what a terminal shows.
fn one_line(text: &str, limit: usize) -> String {
    let visible = |c: char| {
        let invisible = c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if invisible { ' ' } else { c }
    };
    let clean: String = text.chars().map(visible).collect();
    redact::head(&clean.split_whitespace().collect::<Vec<_>>().join(" "), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(expected: &Expected, body: &[u8]) -> Result<Vec<u8>, String> {
        let mut check = HeadCheck::new(expected.clone());
        check.set_content_type(Some("text/html; charset=utf-8"));
        let mut written = check.push(body).map_err(|error| error.to_string())?;
        if !check.is_checked() {
            written.extend(check.check().map_err(|error| error.to_string())?);
        }
        Ok(written)
    }

    #[test]
    fn each_format_is_recognised_by_its_first_bytes() {
        for (name, bodies) in [
            ("a.pdf", &[&b"%PDF-1.7"[..], b"\xef\xbb\xbf junk\n%PDF-2.0"][..]),
            ("a.ZIP", &[b"PK\x03\x04\x14", b"PK\x05\x06\0\0"]),
            ("a.png", &[b"\x89PNG\r\n\x1a\n\0"]),
            ("a.jpeg", &[b"\xff\xd8\xff\xe0", b"\xff\xd8\xff\xdb"]),
            ("a.tif", &[b"II*\0\x08", b"MM\0*\0", b"II+\0\x08", b"MM\0+\0"]),
        ] {
            let expected = Expected::of_name(Some(name));
            for body in bodies {
                assert_eq!(checked(&expected, body).as_deref(), Ok(*body), "{name}");
            }
            for other in [
                &b"<html>Sign in</html>"[..],
                b"PK",
                b"\x89PNG",
                b"%PD",
                b"GIF89a",
                b"\xff\xd8",
                b"II*",
                b"\0",
            ] {
                assert!(checked(&expected, other).is_err(), "{name} {other:?}");
            }
        }
    }

    #[test]
    fn an_operation_yields_its_formats_only() {
        let pages = Expected::of_operation(OperationKind::PdfToPng, None);
        assert!(checked(&pages, b"PK\x03\x04").is_ok() && checked(&pages, b"\x89PNG\r\n\x1a\n").is_ok());
        assert!(checked(&pages, b"%PDF-1.7").is_err() && checked(&pages, b"\xff\xd8\xff").is_err());
        let named = Expected::of_operation(OperationKind::PdfToPng, Some("pages.zip"));
        assert!(checked(&named, b"PK\x03\x04").is_ok() && checked(&named, b"\x89PNG\r\n\x1a\n").is_err());
        // The operation decides, not a name with another extension.
        let odd = Expected::of_operation(OperationKind::Optimize, Some("small.html"));
        assert!(checked(&odd, b"%PDF-1.7").is_ok() && checked(&odd, b"<html>").is_err());
    }

    #[test]
    fn an_empty_result_is_refused_whatever_is_expected() {
        for expected in [Expected::default(), Expected::of_name(Some("a.pdf"))] {
            assert!(checked(&expected, b"").unwrap_err().contains("empty"));
        }
        assert_eq!(checked(&Expected::default(), b"anything").as_deref(), Ok(&b"anything"[..]));
    }

    #[test]
    fn the_error_names_what_came_instead() {
        let pdf = Expected::of_name(Some("a.pdf"));
        let message = |body: &[u8]| checked(&pdf, body).unwrap_err();
        let page =
            message(b"<!DOCTYPE html><html><head><title>Sign in\x1b[31m to\n Contoso</title></head><body>x");
        assert!(
            page.contains(
                "not a PDF, but an HTML page (text/html; charset=utf-8): \"Sign in [31m to Contoso\""
            ),
            "{page}"
        );
        let xml = message(b"\xef\xbb\xbf<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>");
        assert!(
            xml.contains("an XML document") && xml.contains("\"AccessDenied Request has expired\""),
            "{xml}"
        );
        assert!(message(b"{\"message\": \"gone\"}").contains("JSON"));
        assert!(message(b"\x89PNG\r\n\x1a\n\0\0\0\xff").contains("data of another type"));
        let long = message(format!("<html>{}", "é\u{202e}".repeat(5000)).as_bytes());
        assert!(long.len() < 2000 && !long.contains('\u{202e}') && !long.contains('\x1b'), "{long}");
    }
}
