//! Converts pages to images: code shared by `pdf-to-jpeg`, `pdf-to-png` and `pdf-to-tiff`. A document of one page
//! becomes an image or a ZIP archive, as the operation requires ([`SinglePage`]). A document of several pages becomes a
//! ZIP archive of images.

use crate::color::cmyk::CmykTable;
use crate::color::gray::gray_of;
use crate::notes::listed_pages;
use crate::render::{PageView, Scale, each_page, open};
use crate::zip::{Archive, page_name};
use crate::{EngineError, Input, Job, Output, OutputFile};

/// The kind of file that a document of one page becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SinglePage {
    Image,
    Archive,
}

/// Converts each page to an image file by calling `image`.
pub(super) fn run(
    input: Input<'_>,
    job: &Job,
    extension: &'static str,
    single: SinglePage,
    image: impl Fn(&PageView<'_>, &Job) -> Result<Vec<u8>, EngineError> + Send + Sync + 'static,
) -> Result<Output, EngineError> {
    let document = open(input.bytes, job)?;
    let count = document.pages().len();
    let worker_job = job.clone();
    let convert = move |view: &PageView<'_>| Ok((image(view, &worker_job)?, view.reduced()));
    let mut reduced = Vec::new();
    let mut archive = Archive::new();
    let mut single_image = None;
    let mut size = 0;
    each_page(&document, job, convert, |index, (image, is_reduced)| {
        if is_reduced {
            reduced.push(index + 1);
        }
        size += image.len() as u64;
        if size > job.limits().output_bytes {
            return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
        }
        if count == 1 && single == SinglePage::Image {
            single_image = Some(image);
            return Ok(());
        }
        archive.add(&page_name(input.name, index + 1, count, extension), &image)
    })?;
    let (bytes, extension) = match single_image {
        Some(image) => (image, extension),
        None => (archive.finish()?, "zip"),
    };
    Ok(Output::File(OutputFile { bytes, extension, notes: reduction_note(&reduced) }))
}

/// A note on the pages that were too large for the default resolution.
pub(super) fn reduction_note(pages: &[usize]) -> Vec<String> {
    if pages.is_empty() {
        return Vec::new();
    }
    let reason = "too large for the default resolution; rendered at a lower one";
    vec![format!("{}: {reason}", listed_pages(pages))]
}

/// The number of pixels per inch, horizontal and vertical, of a page at this scale.
pub(super) fn density(view: &PageView<'_>, scale: Scale) -> (f64, f64) {
    let per_point = 72.0 / view.unit();
    (scale.x * per_point, scale.y * per_point)
}

/// Converts every pixel. Checks regularly whether the job was cancelled.
///
/// # Errors
/// The errors of [`Job::proceed`].
pub(super) fn each_pixel<const BYTES: usize>(
    rgba: &[u8],
    job: &Job,
    mut convert: impl FnMut([u8; 4]) -> [u8; BYTES],
) -> Result<Vec<u8>, EngineError> {
    const PIXELS_PER_CHECK: usize = 1 << 20;
    let pixels = rgba.as_chunks::<4>().0;
    let mut samples = vec![0; pixels.len() * BYTES];
    let parts = samples.as_chunks_mut::<BYTES>().0.chunks_mut(PIXELS_PER_CHECK);
    for (samples, pixels) in parts.zip(pixels.chunks(PIXELS_PER_CHECK)) {
        job.proceed()?;
        for (sample, pixel) in samples.iter_mut().zip(pixels) {
            *sample = convert(*pixel);
        }
    }
    Ok(samples)
}

/// The RGB samples of RGBA pixels.
///
/// # Errors
/// The errors of [`each_pixel`].
pub(super) fn rgb_samples(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    each_pixel(rgba, job, |[r, g, b, _]| [r, g, b])
}

/// The gray samples of RGBA pixels.
///
/// # Errors
/// The errors of [`each_pixel`].
pub(super) fn gray_samples(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    each_pixel(rgba, job, |[r, g, b, _]| [gray_of([r, g, b])])
}

/// The CMYK samples of RGBA pixels.
///
/// # Errors
/// The errors of [`each_pixel`], and [`EngineError::Internal`] when the built-in profile cannot be used.
pub(super) fn cmyk_samples(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    let table = CmykTable::new()?;
    let mut last = ([255; 3], [0; 4]);
    each_pixel(rgba, job, |[r, g, b, _]| {
        if last.0 != [r, g, b] {
            last = ([r, g, b], table.cmyk_of([r, g, b]));
        }
        last.1
    })
}
