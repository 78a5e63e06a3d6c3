//! The options of each operation, typed: a file for each family.
//!
//! A field that is `None` is left out of the request. Names are the specification's, in Rust's case; the
//! wire has them in the specification's own.

mod convert;
mod json;
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
