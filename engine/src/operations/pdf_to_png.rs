//! `pdf-to-png`: converts each page to a PNG image with a white or transparent background.

use super::page_images::{self, SinglePage, density, each_pixel, gray_samples, rgb_samples};
use crate::color::gray::gray_of;
use crate::raster::encode::{self, Bitmap, Pixels};
use crate::render::PageView;
use crate::{EngineError, Input, Job, Output};
use recto_interface::options::{PdfToPngOptions, PngColorSpace};

/// Runs the operation.
pub(super) fn run(options: &PdfToPngOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let options = options.clone();
    page_images::run(input, job, "png", SinglePage::Image, move |view, job| image(&options, view, job))
}

fn image(options: &PdfToPngOptions, view: &PageView<'_>, job: &Job) -> Result<Vec<u8>, EngineError> {
    let scale = view.at_resolution(options.max_size_in_pixels, job.limits())?;
    let transparent = options.transparent_background.unwrap_or(false);
    let rgba = if transparent { view.on_transparent(scale)? } else { view.on_white(scale)? };
    job.proceed()?;
    let converted;
    let (pixels, bytes): (_, &[u8]) = match (options.color_space.unwrap_or(PngColorSpace::Rgb), transparent) {
        (PngColorSpace::Rgb, false) => {
            converted = rgb_samples(&rgba, job)?;
            (Pixels::Rgb, &converted)
        }
        (PngColorSpace::Gray, false) => {
            converted = gray_samples(&rgba, job)?;
            (Pixels::Gray, &converted)
        }
        (PngColorSpace::Gray, true) => {
            converted = each_pixel(&rgba, job, |[r, g, b, a]| [gray_of([r, g, b]), a])?;
            (Pixels::GrayAlpha, &converted)
        }
        (PngColorSpace::Rgb, true) => (Pixels::RgbAlpha, &rgba),
    };
    let bitmap =
        Bitmap { width: scale.width, height: scale.height, pixels, bytes, density: density(view, scale) };
    encode::png(&bitmap, job)
}
