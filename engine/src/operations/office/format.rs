//! Detects the format of an Office document from its content, and gives the name of the LibreOffice filter for this
//! format.

use crate::{EngineError, Job};
use std::io::{Cursor, Read};
use zip::{CompressionMethod, ZipArchive};

/// The LibreOffice program that a document belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operations) enum Family {
    Writer,
    Impress,
    Calc,
}

impl Family {
    /// The kinds of documents that the operation of this family accepts, for messages.
    const fn expected(self) -> &'static str {
        match self {
            Self::Writer => "a word-processing document (doc, docx, odt, rtf, wpd or txt)",
            Self::Impress => "a presentation (ppt, pptx or odp)",
            Self::Calc => "a spreadsheet (xls, xlsx, ods or csv)",
        }
    }

    /// The name of the operation for this family.
    const fn operation(self) -> &'static str {
        match self {
            Self::Writer => "doc-to-pdf",
            Self::Impress => "presentation-to-pdf",
            Self::Calc => "spreadsheet-to-pdf",
        }
    }

    /// The Debian package that contains the program.
    pub const fn package(self) -> &'static str {
        match self {
            Self::Writer => "libreoffice-writer",
            Self::Impress => "libreoffice-impress",
            Self::Calc => "libreoffice-calc",
        }
    }
}

/// A supported format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Doc,
    Docx,
    Odt,
    Rtf,
    Wpd,
    Txt,
    Ppt,
    Pptx,
    Odp,
    Xls,
    Xlsx,
    Ods,
    Csv,
}

impl Format {
    /// The format of a document. The document must belong to `family`.
    ///
    /// # Errors
    /// [`EngineError::WrongFormat`] if the document has a format of another family or an unknown format,
    /// [`EngineError::Unsupported`] for a password-protected document, [`EngineError::Limit`] for an archive that
    /// decompresses to too many bytes.
    pub fn of(family: Family, bytes: &[u8], job: &Job) -> Result<Self, EngineError> {
        let wrong = |found: String| EngineError::WrongFormat { expected: family.expected(), found };
        let format = match bytes {
            [] => return Err(wrong("it is empty".to_owned())),
            [b'P', b'K', 3, 4, ..] => format_of_zip(bytes, job)?,
            [0xd0, 0xcf, 0x11, 0xe0, ..] => format_of_compound_file(bytes)?,
            [b'{', b'\\', b'r', b't', b'f', ..] => Some(Self::Rtf),
            [0xff, b'W', b'P', b'C', ..] => Some(Self::Wpd),
            _ if is_text(bytes) => match family {
                Family::Writer => Some(Self::Txt),
                Family::Calc => Some(Self::Csv),
                Family::Impress => None,
            },
            _ => None,
        };
        let Some(format) = format else { return Err(wrong(crate::raster::describe(bytes))) };
        if format.family() != family {
            let found = format!(
                "it is {} {} document; use {}",
                format.article(),
                format.extension(),
                format.family().operation()
            );
            return Err(wrong(found));
        }
        Ok(format)
    }

    const fn family(self) -> Family {
        match self {
            Self::Doc | Self::Docx | Self::Odt | Self::Rtf | Self::Wpd | Self::Txt => Family::Writer,
            Self::Ppt | Self::Pptx | Self::Odp => Family::Impress,
            Self::Xls | Self::Xlsx | Self::Ods | Self::Csv => Family::Calc,
        }
    }

    const fn article(self) -> &'static str {
        match self {
            Self::Odt | Self::Odp | Self::Ods | Self::Rtf | Self::Xls | Self::Xlsx => "an",
            _ => "a",
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Doc => "doc",
            Self::Docx => "docx",
            Self::Odt => "odt",
            Self::Rtf => "rtf",
            Self::Wpd => "wpd",
            Self::Txt => "txt",
            Self::Ppt => "ppt",
            Self::Pptx => "pptx",
            Self::Odp => "odp",
            Self::Xls => "xls",
            Self::Xlsx => "xlsx",
            Self::Ods => "ods",
            Self::Csv => "csv",
        }
    }

    /// The name of the input filter, with the options of the filter. For plain text formats the options depend on the
    /// content.
    pub fn filter(self, bytes: &[u8]) -> String {
        let name = match self {
            Self::Doc => "MS Word 97",
            Self::Docx => "MS Word 2007 XML",
            Self::Odt => "writer8",
            Self::Rtf => "Rich Text Format",
            Self::Wpd => "WordPerfect",
            Self::Txt => return format!("Text (encoded):{},LF,,,", charset(bytes).0),
            Self::Ppt => "MS PowerPoint 97",
            Self::Pptx => "Impress MS PowerPoint 2007 XML",
            Self::Odp => "impress8",
            Self::Xls if contains(bytes, &utf16("Workbook")) => "MS Excel 97",
            Self::Xls => "MS Excel 95",
            Self::Xlsx => "Calc MS Excel 2007 XML",
            Self::Ods => "calc8",
            Self::Csv => {
                const QUOTE: u8 = b'"';
                return format!(
                    "Text - txt - csv (StarCalc):{},{QUOTE},{},1",
                    separator(bytes),
                    charset(bytes).1
                );
            }
        };
        name.to_owned()
    }
}

/// The format of a document that is a ZIP archive, from the files in the archive.
fn format_of_zip(bytes: &[u8], job: &Job) -> Result<Option<Format>, EngineError> {
    let damaged = |_| EngineError::Damaged("its ZIP archive cannot be read".to_owned());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut size = 0_u64;
    for index in 0..archive.len() {
        size = size.saturating_add(archive.by_index_raw(index).map_err(damaged)?.size());
    }
    if size > job.limits().decoded_bytes {
        return Err(EngineError::limit("inflated size", format!("{} bytes", job.limits().decoded_bytes)));
    }
    if let Some(kind) = text_of(&mut archive, "mimetype") {
        if text_of(&mut archive, "META-INF/manifest.xml")
            .is_some_and(|manifest| manifest.contains("encryption-data"))
        {
            return Err(password_protected());
        }
        let kind = kind.trim().trim_start_matches("application/vnd.oasis.opendocument.").to_owned();
        return Ok(match kind.as_str() {
            "text" | "text-template" => Some(Format::Odt),
            "presentation" | "presentation-template" => Some(Format::Odp),
            "spreadsheet" | "spreadsheet-template" => Some(Format::Ods),
            _ => None,
        });
    }
    let has = |folder: &str| archive.file_names_raw().any(|name| name.starts_with(folder.as_bytes()));
    let folders = [("word/", Format::Docx), ("ppt/", Format::Pptx), ("xl/", Format::Xlsx)];
    Ok(folders.into_iter().find(|(folder, _)| has(folder)).map(|(_, format)| format))
}

/// The beginning of the file `name` in an archive, as text.
fn text_of(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Option<String> {
    const MAX_BYTES: u64 = 1 << 20;
    let index = archive.index_for_name(name)?;
    let file = archive.by_index_raw(index).ok()?;
    let mut bytes = Vec::new();
    if file.compression() == CompressionMethod::DEFLATE {
        flate2::read::DeflateDecoder::new(file).take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    } else {
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The format of a document that is a compound file (OLE), from the names of its streams. The file contains these names
/// in UTF-16.
fn format_of_compound_file(bytes: &[u8]) -> Result<Option<Format>, EngineError> {
    let has = |name: &str| contains(bytes, &utf16(name));
    if has("EncryptedPackage") {
        return Err(password_protected());
    }
    Ok(if has("WordDocument") {
        Some(Format::Doc)
    } else if has("PowerPoint Document") {
        Some(Format::Ppt)
    } else if has("Workbook") || has("Book") {
        Some(Format::Xls)
    } else {
        None
    })
}

fn password_protected() -> EngineError {
    EngineError::Unsupported(
        "the document is protected by a password; save a copy without a password first".to_owned(),
    )
}

fn utf16(name: &str) -> Vec<u8> {
    name.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether the bytes can be text: they contain no control characters except the control characters that occur in text.
fn is_text(bytes: &[u8]) -> bool {
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let page = ["<html", "<!doctype", "<?xml", "%pdf-", "%!ps"];
    let start = String::from_utf8_lossy(bytes.get(..16).unwrap_or(bytes)).to_lowercase();
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a | 0x1b);
    !page.iter().any(|mark| start.starts_with(mark)) && (utf16 || !bytes.iter().any(control))
}

/// The character set of a text: the name that the text filter expects, and the number that the CSV filter expects.
fn charset(bytes: &[u8]) -> (&'static str, u16) {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("UNICODE", 65535),
        _ if std::str::from_utf8(bytes).is_ok() => ("UTF8", 76),
        _ => ("MS_1252", 1),
    }
}

/// The character code of the column separator: the usual separator that occurs most often in the first 64 KiB.
fn separator(bytes: &[u8]) -> u8 {
    let start = bytes.get(..1 << 16).unwrap_or(bytes);
    let count = |separator: u8| start.iter().filter(|byte| **byte == separator).count();
    [b'|', b'\t', b';', b','].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(family: Family, bytes: &[u8]) -> Result<Format, EngineError> {
        Format::of(family, bytes, &Job::default())
    }

    #[test]
    fn plain_text_has_the_format_that_the_operation_expects() {
        assert_eq!(of(Family::Writer, b"Hello").unwrap(), Format::Txt);
        assert_eq!(of(Family::Calc, b"a,b\n1,2").unwrap(), Format::Csv);
        assert!(of(Family::Impress, b"Hello").is_err());
        assert!(of(Family::Writer, b"a\0b").is_err());
        assert!(of(Family::Writer, b"%PDF-1.7\n").unwrap_err().to_string().contains("PDF"));
        assert!(of(Family::Writer, b"").unwrap_err().to_string().contains("empty"));
    }

    #[test]
    fn a_document_of_another_family_is_refused_with_the_name_of_its_operation() {
        let error = of(Family::Calc, b"{\\rtf1 x}").unwrap_err().to_string();
        assert!(error.contains("doc-to-pdf"), "{error}");
    }

    #[test]
    fn old_formats_are_detected_by_the_names_of_their_streams() {
        let compound = |name: &str| [&[0xd0, 0xcf, 0x11, 0xe0][..], &utf16(name)].concat();
        assert_eq!(of(Family::Writer, &compound("WordDocument")).unwrap(), Format::Doc);
        assert_eq!(of(Family::Impress, &compound("PowerPoint Document")).unwrap(), Format::Ppt);
        assert_eq!(Format::Xls.filter(&compound("Workbook")), "MS Excel 97");
        assert_eq!(Format::Xls.filter(&compound("Book")), "MS Excel 95");
        let error = of(Family::Writer, &compound("EncryptedPackage")).unwrap_err();
        assert!(error.to_string().contains("password"), "{error}");
    }

    #[test]
    fn the_separator_of_a_table_is_its_most_frequent_one() {
        assert_eq!(Format::Csv.filter(b"a;b;c\n1,5;2;3"), "Text - txt - csv (StarCalc):59,34,76,1");
        assert_eq!(Format::Csv.filter(b"a,\xe9"), "Text - txt - csv (StarCalc):44,34,1,1");
        assert_eq!(Format::Txt.filter("ü".as_bytes()), "Text (encoded):UTF8,LF,,,");
    }
}
