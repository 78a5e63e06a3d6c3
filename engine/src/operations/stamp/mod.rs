//! The stamp operations: they draw a text, a watermark, a barcode, a Data Matrix or a QR code on top of every page.
//!
//! Each operation builds a [`Mark`], which is the drawing of the stamp with its size. [`apply`](apply::apply) adds this
//! drawing to the pages.

mod apply;
mod balance;
mod code;
mod color;
mod layout;
mod mark;
mod notices;
mod page_box;
mod resources;
mod symbol;
mod symbology;
mod text;
mod watermark;

use crate::document::{Budget, SaveOptions, load, save};
use crate::{EngineError, Input, Job, Output, OutputFile};
use code::RequestedSize;
use lopdf::Document;
use mark::Mark;
use recto_interface::InvalidOption;
use recto_interface::options::{
    StampBarcodeOptions, StampDataMatrixOptions, StampQrOptions, StampTextOptions, StampWatermarkOptions,
    TextStyle,
};
use symbology::Symbology;

/// Checks the text of a stamp or a watermark, and its colour. Whether the typeface has every character is known only
/// when the text is laid out.
///
/// # Errors
/// [`InvalidOption`] with the reason why the text cannot be stamped.
pub(super) fn check_text(text: &str, style: Option<&TextStyle>) -> Result<(), InvalidOption> {
    text::check_text(text)?;
    let color = style.and_then(|style| style.text_color.as_deref());
    color.map_or(Ok(()), |color| text::parse_color(color).map(drop))
}

/// Checks the type of a barcode, that it can encode the value, and the unit of the size.
///
/// # Errors
/// [`InvalidOption`] with the allowed types or units, or with the reason why the value cannot be encoded.
pub(super) fn check_barcode(options: &StampBarcodeOptions) -> Result<(), InvalidOption> {
    code::value(barcode_type(options)?, &options.value)?;
    RequestedSize::of_bars(options.stamp_size.as_ref()).map(drop)
}

/// Checks the value of a Data Matrix and the unit of its size.
///
/// # Errors
/// [`InvalidOption`] for an empty value or an unknown unit.
pub(super) fn check_data_matrix(options: &StampDataMatrixOptions) -> Result<(), InvalidOption> {
    code::value(&symbology::DATA_MATRIX, &options.value)?;
    RequestedSize::of_square(options.stamp_size.as_ref()).map(drop)
}

/// Checks the value of a QR code and the unit of its size.
///
/// # Errors
/// As [`check_data_matrix`].
pub(super) fn check_qr(options: &StampQrOptions) -> Result<(), InvalidOption> {
    code::value(&symbology::QR, &options.value)?;
    RequestedSize::of_square(options.stamp_size.as_ref()).map(drop)
}

fn barcode_type(options: &StampBarcodeOptions) -> Result<&'static Symbology, InvalidOption> {
    symbology::find(&options.barcode_type).map_err(|reason| InvalidOption::new("type", reason))
}

/// `stamp-text`: draws a text in a frame.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn text(options: &StampTextOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    stamp(input, job, |document| text::mark(options, document))
}

/// `stamp-watermark`: draws a transparent text across the page.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn watermark(
    options: &StampWatermarkOptions,
    input: Input<'_>,
    job: &Job,
) -> Result<Output, EngineError> {
    stamp(input, job, |document| watermark::mark(options, document))
}

/// `stamp-barcode`: draws a barcode of any supported type.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn barcode(
    options: &StampBarcodeOptions,
    input: Input<'_>,
    job: &Job,
) -> Result<Output, EngineError> {
    let symbology = barcode_type(options)?;
    let size = RequestedSize::of_bars(options.stamp_size.as_ref())?;
    stamp(input, job, |_| code::mark(symbology, &options.value, size, options.margin))
}

/// `stamp-data-matrix`: draws a Data Matrix.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn data_matrix(
    options: &StampDataMatrixOptions,
    input: Input<'_>,
    job: &Job,
) -> Result<Output, EngineError> {
    let size = RequestedSize::of_square(options.stamp_size.as_ref())?;
    stamp(input, job, |_| code::mark(&symbology::DATA_MATRIX, &options.value, size, options.margin))
}

/// `stamp-qr`: draws a QR code.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn qr(options: &StampQrOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let size = RequestedSize::of_square(options.stamp_size.as_ref())?;
    stamp(input, job, |_| code::mark(&symbology::QR, &options.value, size, options.margin))
}

fn stamp(
    input: Input<'_>,
    job: &Job,
    mark: impl FnOnce(&mut Document) -> Result<Mark, EngineError>,
) -> Result<Output, EngineError> {
    let mut document = load(input.bytes, job)?;
    let mark = mark(&mut document)?;
    let budget = Budget::of(job);
    let mut notes = notices::notices(&document, mark.transparent);
    notes.extend(apply::apply(&mut document, &mark, &budget, job)?);
    if mark.transparent && document.version.as_str() < "1.4" {
        document.version = "1.4".to_owned();
    }
    // Object streams require PDF 1.5. They are not used in a document of an older version, so that older readers can
    // still read it.
    let options =
        SaveOptions { object_streams: document.version.as_str() >= "1.5", ..SaveOptions::default() };
    let bytes = save(&document, &options)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > job.limits().output_bytes {
        return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
    }
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}
