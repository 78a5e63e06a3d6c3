//! The operations, each in its own module, and [`run`], which calls the requested operation.

mod archive;
mod decrypt;
mod encrypt;
mod image_to_pdf;
pub(crate) mod office;
pub(crate) mod optimize;
mod page_images;
mod pdf_to_jpeg;
mod pdf_to_png;
mod pdf_to_tiff;
mod pdf_to_tiff_fax;
mod power_archive;
mod reopen;
mod stamp;
mod validate;

use crate::{EngineError, Input, Job, Output};
use recto_interface::{InvalidOption, Options};

/// Checks options without a document. [`run`] would refuse such invalid options for every document.
///
/// # Errors
/// [`InvalidOption`] contains the option and the allowed values.
pub fn check_options(options: &Options) -> Result<(), InvalidOption> {
    options.check()?;
    match options {
        Options::ImageToPdf(options) => image_to_pdf::check(options),
        Options::Encrypt(options) => encrypt::password(options).map(drop),
        Options::StampText(options) => stamp::check_text(&options.text, options.text_style.as_ref()),
        Options::StampWatermark(options) => stamp::check_text(&options.text, options.text_style.as_ref()),
        Options::StampBarcode(options) => stamp::check_barcode(options),
        Options::StampDataMatrix(options) => stamp::check_data_matrix(options),
        Options::StampQr(options) => stamp::check_qr(options),
        Options::Validate(options) => validate::standard(options).map(drop),
        Options::PowerArchive(options) => power_archive::part(options.conformance.as_deref()).map(drop),
        Options::Optimize(_)
        | Options::PdfToJpeg(_)
        | Options::PdfToPng(_)
        | Options::PdfToTiff(_)
        | Options::PdfToTiffFax(_)
        | Options::DocToPdf(_)
        | Options::PresentationToPdf(_)
        | Options::SpreadsheetToPdf(_)
        | Options::Decrypt(_)
        | Options::ArchivePdfA(_) => Ok(()),
    }
}

/// Runs an operation on a document.
///
/// # Errors
/// [`EngineError`] if the document or an option cannot be used, a limit was exceeded, or the job was cancelled. No
/// temporary files remain after an error.
pub fn run(options: &Options, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    check_options(options)?;
    job.proceed()?;
    if u64::try_from(input.bytes.len()).unwrap_or(u64::MAX) > job.limits().input_bytes {
        return Err(EngineError::limit("input size", format!("{} bytes", job.limits().input_bytes)));
    }
    let job = &job.for_one_run();
    let output = dispatch(options, input, job)?;
    let output = reopen::checked(output, options, input, job)?;
    let guessed = job.input_record().map(|input| input.notes).unwrap_or_default();
    Ok(output.with_first_notes(guessed).printable())
}

fn dispatch(options: &Options, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    match options {
        Options::Optimize(options) => optimize::run(options, input, job),
        Options::ImageToPdf(options) => image_to_pdf::run(options, input, job),
        Options::PdfToJpeg(options) => pdf_to_jpeg::run(options, input, job),
        Options::PdfToPng(options) => pdf_to_png::run(options, input, job),
        Options::PdfToTiff(_) => pdf_to_tiff::run(input, job),
        Options::PdfToTiffFax(_) => pdf_to_tiff_fax::run(input, job),
        Options::DocToPdf(_) => office::run(office::Family::Writer, input, job),
        Options::PresentationToPdf(_) => office::run(office::Family::Impress, input, job),
        Options::SpreadsheetToPdf(_) => office::run(office::Family::Calc, input, job),
        Options::Encrypt(options) => encrypt::run(options, input, job),
        Options::Decrypt(options) => decrypt::run(options, input, job),
        Options::StampText(options) => stamp::text(options, input, job),
        Options::StampWatermark(options) => stamp::watermark(options, input, job),
        Options::StampBarcode(options) => stamp::barcode(options, input, job),
        Options::StampDataMatrix(options) => stamp::data_matrix(options, input, job),
        Options::StampQr(options) => stamp::qr(options, input, job),
        Options::Validate(options) => validate::run(options, input, job),
        Options::ArchivePdfA(options) => archive::run(options, input, job),
        Options::PowerArchive(options) => power_archive::run(options, input, job),
    }
}
