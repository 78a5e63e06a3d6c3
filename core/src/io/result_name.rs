//! The names of results in a folder: the stem comes from the source, the extension from the operation.

use super::result_format::Format;
use super::safe_file_name::safe_stem;
use recto_interface::OperationKind;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// What the result of an operation is named after in a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResultName {
    /// The stem of the source's name. `None` if the source has no name; then the stem of the service's name for the
    /// result is used.
    pub(crate) stem: Option<OsString>,
    /// Whether the caller knows the name. If not, the result replaces no file.
    pub(crate) is_callers: bool,
    /// The file on this machine that the document is read from. The result does not replace it.
    pub(crate) source: Option<PathBuf>,
    /// The operation; `None` if it is not known.
    pub(crate) kind: Option<OperationKind>,
    /// Identifies the document and the operation if the document is not a file on this machine.
    pub(crate) operation_id: String,
}

impl ResultName {
    /// Identifies the document and the kind of operation: a later result of the same document replaces an earlier one.
    pub(crate) fn owner(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match &self.source {
            Some(source) => (source.canonicalize().as_ref().unwrap_or(source), self.kind).hash(&mut hasher),
            None => self.operation_id.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// The stem of the file. `of_service` is the service's name of the result.
    pub(crate) fn stem(&self, of_service: Option<&str>) -> OsString {
        self.stem.clone().unwrap_or_else(|| safe_stem(of_service.unwrap_or_default()))
    }

    /// The extensions that the result can have. The first bytes of the result decide which one it gets. An unknown
    /// operation may return any format.
    pub(crate) fn extensions(&self) -> impl Iterator<Item = &'static str> {
        let other = self.kind.is_none().then_some(OTHER);
        self.formats().iter().map(|format| format.extension()).chain(other)
    }

    /// The extension of a result that begins with `head`.
    pub(crate) fn extension(&self, head: &[u8]) -> &'static str {
        match (self.formats(), self.kind) {
            ([only], _) => only.extension(),
            (several, kind) => {
                let found =
                    several.iter().find(|format| format.matches(head)).map(|format| format.extension());
                // The format of the result of a known operation is checked before this point.
                found.or_else(|| kind.and(several.first()).map(|format| format.extension())).unwrap_or(OTHER)
            }
        }
    }

    fn formats(&self) -> &'static [Format] {
        self.kind.map_or(Format::ALL, Format::of_operation)
    }
}

/// The extension of a result whose format is not known.
const OTHER: &str = "bin";

/// `directory/stem.extension`. The stem may contain dots.
pub(crate) fn path_of(directory: &Path, stem: &OsStr, extension: &str) -> PathBuf {
    let mut name = OsString::from(stem);
    name.push(".");
    name.push(extension);
    directory.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(kind: Option<OperationKind>) -> ResultName {
        ResultName { kind, ..ResultName::default() }
    }

    #[test]
    fn the_extension_comes_from_the_operation_and_the_content() {
        let (png, zip, pdf) =
            (b"\x89PNG\r\n\x1a\n".as_slice(), b"PK\x03\x04".as_slice(), b"%PDF-1.7".as_slice());
        assert_eq!(name(Some(OperationKind::Optimize)).extension(zip), "pdf");
        assert_eq!(name(Some(OperationKind::PdfToPng)).extension(png), "png");
        assert_eq!(name(Some(OperationKind::PdfToPng)).extension(zip), "zip");
        assert_eq!(name(Some(OperationKind::PdfToTiffFax)).extension(b"II*\0"), "tif");
        assert_eq!(name(None).extension(pdf), "pdf");
        assert_eq!(name(None).extension(b"MZ\x90"), "bin");
    }

    #[test]
    fn every_operation_has_extensions_of_documents_and_images_only() {
        for kind in OperationKind::ALL {
            let known = |one| ["pdf", "zip", "png", "jpg", "tif"].contains(&one);
            assert!(name(Some(*kind)).extensions().all(known), "{kind}");
        }
    }

    #[test]
    fn a_name_of_the_service_gives_only_a_stem() {
        let unknown = name(Some(OperationKind::Optimize));
        for (of_service, stem) in [
            (Some("setup.exe"), "setup"),
            (Some("../Makefile"), "Makefile"),
            (None, "result"),
            (Some(".bashrc"), "bashrc"),
        ] {
            assert_eq!(unknown.stem(of_service), stem);
        }
        let known = ResultName { stem: Some("report.v2".into()), ..unknown };
        assert_eq!(
            path_of(Path::new("out"), &known.stem(Some("setup.exe")), "pdf"),
            Path::new("out/report.v2.pdf")
        );
    }
}
