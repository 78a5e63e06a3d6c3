//! `pdf-to-jpeg`: converts each page to a JPEG image with a white background.

use super::page_images::{self, SinglePage, cmyk_samples, density, gray_samples};
use crate::raster::encode::{self, Bitmap, Pixels};
use crate::render::PageView;
use crate::{EngineError, Input, Job, Output};
use recto_interface::options::{ColorSpace, DEFAULT_JPEG_QUALITY, PdfToJpegOptions};

/// Runs the operation.
pub(super) fn run(options: &PdfToJpegOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let options = options.clone();
    page_images::run(input, job, "jpg", SinglePage::Image, move |view, job| image(&options, view, job))
}

fn image(options: &PdfToJpegOptions, view: &PageView<'_>, job: &Job) -> Result<Vec<u8>, EngineError> {
    let scale = view.at_resolution(options.max_size_in_pixels, job.limits())?;
    let rgba = view.on_white(scale)?;
    job.proceed()?;
    let converted;
    let (pixels, bytes): (_, &[u8]) = match options.color_space.unwrap_or(ColorSpace::Rgb) {
        ColorSpace::Rgb => (Pixels::RgbAlpha, &rgba),
        ColorSpace::Gray => {
            converted = gray_samples(&rgba, job)?;
            (Pixels::Gray, &converted)
        }
        ColorSpace::Cmyk => {
            converted = cmyk_samples(&rgba, job)?;
            (Pixels::Cmyk, &converted)
        }
    };
    let bitmap =
        Bitmap { width: scale.width, height: scale.height, pixels, bytes, density: density(view, scale) };
    encode::jpeg(&bitmap, options.jpeg_quality.unwrap_or(DEFAULT_JPEG_QUALITY), job)
}
