//! `pdf-to-jpeg`: each page as a JPEG image on white.

use super::page_images::{self, SinglePage, density, without_alpha};
use crate::raster::cmyk::inks_of;
use crate::raster::encode::{self, Bitmap, Pixels};
use crate::raster::gray::gray_of;
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
    let rgba = view.on_white(scale);
    job.proceed()?;
    let (pixels, bytes) = match options.color_space.unwrap_or(ColorSpace::Rgb) {
        ColorSpace::Rgb => (Pixels::Rgb, without_alpha(&rgba)),
        ColorSpace::Gray => {
            (Pixels::Gray, rgba.as_chunks::<4>().0.iter().map(|[r, g, b, _]| gray_of([*r, *g, *b])).collect())
        }
        ColorSpace::Cmyk => (Pixels::Cmyk, inks_of(&rgba)?),
    };
    drop(rgba);
    job.proceed()?;
    let bitmap = Bitmap {
        width: scale.width,
        height: scale.height,
        pixels,
        bytes: &bytes,
        density: density(view, scale),
    };
    encode::jpeg(&bitmap, options.jpeg_quality.unwrap_or(DEFAULT_JPEG_QUALITY))
}
