//! Writes ZIP archives of results, and chooses the names of the files in the archives.

use crate::EngineError;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A ZIP archive that is written file by file. Files are stored without compression, because images are compressed
/// already.
pub(crate) struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    pub fn new() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }

    /// Adds a file.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError> {
        // No modification time is written, so that the same input gives the same archive.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(u32::try_from(bytes.len()).is_err());
        self.0.start_file(name, options).map_err(failed)?;
        self.0.write_all(bytes).map_err(|error| failed(error.into()))
    }

    pub fn finish(self) -> Result<Vec<u8>, EngineError> {
        Ok(self.0.finish().map_err(failed)?.into_inner())
    }
}

fn failed(error: zip::result::ZipError) -> EngineError {
    EngineError::Internal(format!("writing a ZIP archive failed: {error}"))
}

/// The file name of a page in the archive: for page 1 of `report.pdf`, `report-001.png`. If the input's name is not
/// safe on every system, `page` replaces `report`. The page number `number` is padded with zeros to three digits, or to
/// the number of digits of `count` if that is more.
pub(crate) fn page_name(input_name: &str, number: usize, count: usize, extension: &str) -> String {
    let digits = count.to_string().len().max(3);
    format!("{}-{number:0digits$}.{extension}", safe_stem(input_name))
}

/// The input's name without its extension, if the name is valid on every file system and cannot lead to another folder.
/// Otherwise `page`.
fn safe_stem(name: &str) -> &str {
    const LONGEST: usize = 100;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let safe =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '(' | ')' | '+' | ',' | '\'');
    let good = !stem.is_empty()
        && stem.len() <= LONGEST
        && stem.chars().all(safe)
        && stem.trim() == stem
        && !stem.starts_with('.')
        && !stem.starts_with('-');
    if good { stem } else { "page" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_after_the_input() {
        assert_eq!(page_name("report.pdf", 1, 9, "jpg"), "report-001.jpg");
        assert_eq!(page_name("Übersicht 2024.v2.pdf", 12, 12_000, "png"), "Übersicht 2024.v2-00012.png");
    }

    #[test]
    fn unsafe_names_are_not_used() {
        let long = "x".repeat(200);
        for name in [
            "../../etc/passwd.pdf",
            "a/b.pdf",
            "a\\b.pdf",
            "",
            ".pdf",
            "..pdf",
            "-rf.pdf",
            "a\0b.pdf",
            "c:x.pdf",
            &long,
        ] {
            assert_eq!(page_name(name, 1, 1, "png"), "page-001.png", "{name:?}");
        }
    }
}
