//! The typed options of each operation, in one file for each group of operations.
//!
//! A field that is `None` is left out of the request. Fields have the specification's names in Rust's case; JSON has
//! them in the specification's case. A field that is a text has values for which the specification gives only examples.

mod convert;
mod explain;
mod json;
mod lengths;
mod optimize;
mod password;
mod shared;
mod stamp;
mod validate;

pub use convert::{
    ColorSpace, DEFAULT_JPEG_QUALITY, DocToPdfOptions, ImageToPdfOptions, PageMargin, PageSize,
    PdfToJpegOptions, PdfToPngOptions, PdfToTiffFaxOptions, PdfToTiffOptions, PixelSize, PngColorSpace,
    PresentationToPdfOptions, SpreadsheetToPdfOptions, Strategy,
};
pub use optimize::{OptimizeOptions, Profile};
pub use password::{DecryptOptions, EncryptOptions};
pub use shared::Unit;
pub use stamp::{
    CodeMargin, FontFamily, Margin, SquareSize, StampBarcodeOptions, StampDataMatrixOptions, StampQrOptions,
    StampSize, StampTextOptions, StampWatermarkOptions, TextStyle, WATERMARK_ANGLE, WATERMARK_OPACITY,
};
pub use validate::{ArchivePdfAOptions, Conformance, PowerArchiveOptions, ValidateOptions};

pub use json::{InvalidOption, OperationOptions};
pub(crate) use json::{Sealed, read, write};
pub(crate) use lengths::read as read_lengths;
