//! The table of the 19 operations, the only place where an operation is declared.
//!
//! To add an operation, add a row here, an options type in [`crate::options`] and a module in the engine.

use crate::field::{Field, Object};
use crate::options;
use crate::options::{InvalidOption, OperationOptions};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

const PDF: &[&str] = &["pdf"];
const IMAGES: &[&str] = &["jpg", "jpeg", "png", "tif", "tiff"];
const DOCUMENTS: &[&str] = &["doc", "docx", "odt", "rtf", "wpd", "txt"];
const PRESENTATIONS: &[&str] = &["ppt", "pptx", "odp"];
const SPREADSHEETS: &[&str] = &["xls", "xlsx", "ods", "csv"];

/// What the result of an operation contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Yields {
    /// `outputFile`: a file to download.
    File,
    /// `validation`: a validation report.
    Report,
}

/// Generates [`OperationKind`] and [`Options`] from the rows of the table.
macro_rules! operations {
    ($($(#[doc = $about:literal])+ $kind:ident {
        name: $name:literal, path: $path:literal, beta: $beta:expr, wire: $wire:literal,
        accepts: $accepts:expr, options: $options:ident, yields: $yields:ident $(,)?
    })+) => {
        /// An operation of the service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OperationKind { $($(#[doc = $about])+ $kind),+ }

        impl OperationKind {
            /// All operations, in the specification's order.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The name on the command line and in C: `stamp-qr`. Rust and Python write `stamp_qr`.
            pub const fn name(self) -> &'static str { match self { $(Self::$kind => $name),+ } }

            /// The path of the request that starts the operation.
            pub const fn path(self) -> &'static str { match self { $(Self::$kind => $path),+ } }

            /// A second documented path to the same operation, for services that do not have [`path`](Self::path).
            pub const fn beta_path(self) -> Option<&'static str> { match self { $(Self::$kind => $beta),+ } }

            /// The `operationType` in JSON: `stampQR`.
            pub const fn wire_name(self) -> &'static str { match self { $(Self::$kind => $wire),+ } }

            /// The extensions of the files that the operation accepts, in lower case, without the dot.
            pub const fn accepts(self) -> &'static [&'static str] { match self { $(Self::$kind => $accepts),+ } }

            /// What the result contains.
            pub const fn yields(self) -> Yields { match self { $(Self::$kind => Yields::$yields),+ } }

            /// The options, each with its type, its default, its meaning, and whether it is required.
            pub const fn fields(self) -> &'static [Field] {
                match self { $(Self::$kind => <options::$options as OperationOptions>::FIELDS),+ }
            }

            /// The options that are objects, each with its type.
            pub const fn objects(self) -> &'static [Object] {
                match self { $(Self::$kind => <options::$options as OperationOptions>::OBJECTS),+ }
            }

            /// What the operation does, in one line.
            pub const fn about(self) -> &'static str { match self { $(Self::$kind => concat!($($about),+).trim_ascii()),+ } }
        }

        /// The options of an operation, which can be any of the table.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Options { $($(#[doc = $about])+ $kind(options::$options)),+ }

        impl Options {
            /// The operation that these options are for.
            pub const fn kind(&self) -> OperationKind { match self { $(Self::$kind(_) => OperationKind::$kind),+ } }

            /// Reads the `options` object of JSON; `null` and an empty object both mean no options.
            ///
            /// # Errors
            /// [`InvalidOption`] for an unknown option, for a value that has the wrong type or is not allowed, and for
            /// a missing option that is required.
            pub fn from_json(kind: OperationKind, json: &Value) -> Result<Self, InvalidOption> {
                match kind { $(OperationKind::$kind => options::read(json).map(Self::$kind)),+ }
            }

            /// [`from_json`](Self::from_json), with lengths as people write them: `"1.5cm"` in place of a number and a
            /// unit, for a whole option or for a part of it. The service itself takes numbers and units only.
            ///
            /// # Errors
            /// The errors of [`from_json`](Self::from_json), and [`InvalidOption`] for lengths with different units.
            pub fn from_user_json(kind: OperationKind, json: &Value) -> Result<Self, InvalidOption> {
                Self::from_json(kind, &options::read_lengths(kind.fields(), kind.objects(), json)?)
            }

            /// Checks the options without the service.
            ///
            /// # Errors
            /// [`InvalidOption`] contains the option, its value and the allowed values.
            pub fn check(&self) -> Result<(), InvalidOption> {
                match self { $(Self::$kind(options) => options.check()),+ }
            }

            /// The `options` object of the request. `None` if no option is set: the request then has no such object.
            pub fn to_json(&self) -> Option<Value> {
                match self { $(Self::$kind(options) => options::write(options)),+ }
            }
        }

        $(impl From<options::$options> for Options {
            fn from(options: options::$options) -> Self { Self::$kind(options) }
        })+
        $(impl options::Sealed for options::$options {})+
    };
}

operations! {
    /// Compresses a PDF according to a profile.
    Optimize {
        name: "optimize", path: "/v1/operations/optimize", beta: None, wire: "optimize",
        accepts: PDF, options: OptimizeOptions, yields: File,
    }
    /// Converts a JPEG, PNG or TIFF image to PDF.
    ImageToPdf {
        name: "image-to-pdf", path: "/v1/operations/convert/image-to-pdf", beta: None, wire: "convertImage",
        accepts: IMAGES, options: ImageToPdfOptions, yields: File,
    }
    /// Converts a PDF to PDF/A for long-term archiving.
    ArchivePdfA {
        name: "archive-pdfa", path: "/v1/operations/archive/pdfa", beta: None, wire: "archivePdfA",
        accepts: PDF, options: ArchivePdfAOptions, yields: File,
    }
    /// Renders each page as a JPEG image; several images are returned as one zip archive.
    PdfToJpeg {
        name: "pdf-to-jpeg", path: "/v1/operations/convert/pdf-to-jpeg", beta: None, wire: "convertPdfToJpeg",
        accepts: PDF, options: PdfToJpegOptions, yields: File,
    }
    /// Renders each page as a PNG image; several images are returned as one zip archive.
    PdfToPng {
        name: "pdf-to-png", path: "/v1/operations/convert/pdf-to-png", beta: None, wire: "convertPdfToPng",
        accepts: PDF, options: PdfToPngOptions, yields: File,
    }
    /// Renders each page as a TIFF image in the colours of the page; several images are returned as one zip archive.
    PdfToTiff {
        name: "pdf-to-tiff", path: "/v1/operations/convert/pdf-to-tiff", beta: None, wire: "convertPdfToTiff",
        accepts: PDF, options: PdfToTiffOptions, yields: File,
    }
    /// Renders all pages into one TIFF-F file for fax.
    PdfToTiffFax {
        name: "pdf-to-tiff-fax", path: "/v1/operations/convert/pdf-to-tiff-fax", beta: None, wire: "convertPdfToTiffFax",
        accepts: PDF, options: PdfToTiffFaxOptions, yields: File,
    }
    /// Converts a word-processing document to PDF.
    DocToPdf {
        name: "doc-to-pdf", path: "/v1/operations/convert/doc-to-pdf", beta: None, wire: "docToPdf",
        accepts: DOCUMENTS, options: DocToPdfOptions, yields: File,
    }
    /// Converts a presentation to PDF.
    PresentationToPdf {
        name: "presentation-to-pdf", path: "/v1/operations/convert/presentation-to-pdf", beta: None, wire: "presentationToPdf",
        accepts: PRESENTATIONS, options: PresentationToPdfOptions, yields: File,
    }
    /// Converts a spreadsheet to PDF.
    SpreadsheetToPdf {
        name: "spreadsheet-to-pdf", path: "/v1/operations/convert/spreadsheet-to-pdf", beta: None, wire: "spreadsheetToPdf",
        accepts: SPREADSHEETS, options: SpreadsheetToPdfOptions, yields: File,
    }
    /// Protects a PDF with a password.
    Encrypt {
        name: "encrypt", path: "/v1/operations/encrypt", beta: None, wire: "encryptPdf",
        accepts: PDF, options: EncryptOptions, yields: File,
    }
    /// Removes the password of a PDF.
    Decrypt {
        name: "decrypt", path: "/v1/operations/decrypt", beta: None, wire: "decryptPdf",
        accepts: PDF, options: DecryptOptions, yields: File,
    }
    /// Stamps a text on every page.
    StampText {
        name: "stamp-text", path: "/v1/operations/stamp/text", beta: None, wire: "stampText",
        accepts: PDF, options: StampTextOptions, yields: File,
    }
    /// Stamps a text across every page at 45 degrees, half transparent.
    StampWatermark {
        name: "stamp-watermark", path: "/v1/operations/stamp/watermark", beta: None, wire: "stampWatermark",
        accepts: PDF, options: StampWatermarkOptions, yields: File,
    }
    /// Stamps a barcode on every page.
    StampBarcode {
        name: "stamp-barcode", path: "/v1/operations/stamp/barcode", beta: None, wire: "stampBarcode",
        accepts: PDF, options: StampBarcodeOptions, yields: File,
    }
    /// Stamps a Data Matrix symbol on every page.
    StampDataMatrix {
        name: "stamp-data-matrix", path: "/v1/operations/stamp/data-matrix", beta: None, wire: "stampDataMatrix",
        accepts: PDF, options: StampDataMatrixOptions, yields: File,
    }
    /// Stamps a QR code on every page.
    StampQr {
        name: "stamp-qr", path: "/v1/operations/stamp/qr", beta: None, wire: "stampQR",
        accepts: PDF, options: StampQrOptions, yields: File,
    }
    /// Checks a PDF against a version of the standard or a PDF/A level.
    Validate {
        name: "validate", path: "/v1/operations/validate", beta: None, wire: "validate",
        accepts: PDF, options: ValidateOptions, yields: Report,
    }
    /// Compresses a PDF and converts it to PDF/A in one operation.
    PowerArchive {
        name: "power-archive", path: "/v1/workflows/powerarchive",
        beta: Some("/v1-beta/operations/workflows/powerarchive"), wire: "powerArchive",
        accepts: PDF, options: PowerArchiveOptions, yields: File,
    }
}

impl OperationKind {
    /// The operation with this `operationType`.
    pub fn from_wire(wire_name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.wire_name() == wire_name)
    }

    /// Whether the operation accepts the extension of this file name, in upper or lower case.
    pub fn accepts_name(self, file_name: &str) -> bool {
        let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.accepts().iter().any(|accepted| accepted.eq_ignore_ascii_case(extension))
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not one of the 19 operations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown operation {0:?}; the operations are {list}", list = names())]
pub struct UnknownOperation(pub String);

impl FromStr for OperationKind {
    type Err = UnknownOperation;

    /// Reads the name of an operation; `stamp_qr` means `stamp-qr`.
    fn from_str(name: &str) -> Result<Self, UnknownOperation> {
        let wanted = name.replace('_', "-");
        let found = Self::ALL.iter().copied().find(|kind| kind.name() == wanted);
        found.ok_or_else(|| UnknownOperation(name.to_owned()))
    }
}

fn names() -> String {
    OperationKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}
