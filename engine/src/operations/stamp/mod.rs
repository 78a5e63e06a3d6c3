//! The stamp operations: text, watermark, barcode, Data Matrix and QR code, on top of every page.
//!
//! Each operation builds a [`Mark`], a drawing with a size; [`apply`](apply::apply) adds it to the pages.

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
};

/// `stamp-text`: a text in a frame.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn text(options: &StampTextOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    stamp(input, job, |document| text::mark(options, document))
}

/// `stamp-watermark`.
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

/// `stamp-barcode`: a barcode of any type.
///
/// # Errors
/// The errors of [`run`](crate::run).
pub(super) fn barcode(
    options: &StampBarcodeOptions,
    input: Input<'_>,
    job: &Job,
) -> Result<Output, EngineError> {
    let symbology =
        symbology::find(&options.barcode_type).map_err(|reason| InvalidOption::new("type", reason))?;
    let size = RequestedSize::of_bars(options.stamp_size.as_ref())?;
    stamp(input, job, |_| code::mark(symbology, &options.value, size, options.margin))
}

/// `stamp-data-matrix`.
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

/// `stamp-qr`.
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
    // Object streams require PDF 1.5: an older document stays readable for older readers.
    let options =
        SaveOptions { object_streams: document.version.as_str() >= "1.5", ..SaveOptions::default() };
    let bytes = save(&document, &options)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > job.limits().output_bytes {
        return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
    }
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}
