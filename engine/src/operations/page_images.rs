//! What the conversions of pages to images share: one page gives an image, several give an archive of them.

use crate::color::cmyk::CmykTable;
use crate::color::gray::gray_of;
use crate::notes::listed_pages;
use crate::render::{PageView, Scale, each_page, open};
use crate::zip::{Archive, page_name};
use crate::{EngineError, Input, Job, Output, OutputFile};

/// When one page's image is not put into an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SinglePage {
    Image,
    Archive,
}

/// Makes a file of each page.
pub(super) fn run(
    input: Input<'_>,
    job: &Job,
    extension: &'static str,
    single: SinglePage,
    image: impl Fn(&PageView<'_>, &Job) -> Result<Vec<u8>, EngineError> + Send + Sync + 'static,
) -> Result<Output, EngineError> {
    let document = open(input.bytes, job)?;
    let count = document.pages().len();
    let of_worker = job.clone();
    let make = move |view: &PageView<'_>| Ok((image(view, &of_worker)?, view.reduced()));
    let mut reduced = Vec::new();
    let mut archive = Archive::new();
    let mut only = None;
    let mut size = 0;
    each_page(&document, job, make, |index, (image, is_reduced)| {
        if is_reduced {
            reduced.push(index + 1);
        }
        size += image.len() as u64;
        if size > job.limits().output_bytes {
            return Err(EngineError::limit("output size", format!("{} bytes", job.limits().output_bytes)));
        }
        if count == 1 && single == SinglePage::Image {
            only = Some(image);
            return Ok(());
        }
        archive.add(&page_name(input.name, index + 1, count, extension), &image)
    })?;
    let (bytes, extension) = match only {
        Some(image) => (image, extension),
        None => (archive.finish()?, "zip"),
    };
    Ok(Output::File(OutputFile { bytes, extension, notes: reduction_note(&reduced) }))
}

/// What to say of pages that are too large for their resolution.
pub(super) fn reduction_note(pages: &[usize]) -> Vec<String> {
    if pages.is_empty() {
        return Vec::new();
    }
    let lead = "too large to be rendered at the common resolution, and rendered at a lower one";
    vec![format!("{}: {lead}", listed_pages(pages))]
}

/// The pixels per inch that a page is rendered with.
pub(super) fn density(view: &PageView<'_>, scale: Scale) -> (f64, f64) {
    let per_point = 72.0 / view.unit();
    (scale.x * per_point, scale.y * per_point)
}

/// Makes something of every pixel, asking now and then whether to go on.
///
/// # Errors
/// [`Job::proceed`]'s.
pub(super) fn each_pixel<const BYTES: usize>(
    rgba: &[u8],
    job: &Job,
    mut make: impl FnMut([u8; 4]) -> [u8; BYTES],
) -> Result<Vec<u8>, EngineError> {
    const PART: usize = 1 << 20;
    let pixels = rgba.as_chunks::<4>().0;
    let mut made = vec![0; pixels.len() * BYTES];
    for (made, pixels) in made.as_chunks_mut::<BYTES>().0.chunks_mut(PART).zip(pixels.chunks(PART)) {
        job.proceed()?;
        for (made, pixel) in made.iter_mut().zip(pixels) {
            *made = make(*pixel);
        }
    }
    Ok(made)
}

/// Red, green and blue.
///
/// # Errors
/// As [`each_pixel`].
pub(super) fn without_alpha(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    each_pixel(rgba, job, |[r, g, b, _]| [r, g, b])
}

/// Shades of gray.
///
/// # Errors
/// As [`each_pixel`].
pub(super) fn grays(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    each_pixel(rgba, job, |[r, g, b, _]| [gray_of([r, g, b])])
}

/// Inks.
///
/// # Errors
/// As [`each_pixel`]; [`EngineError::Internal`] when the built-in profile cannot be used.
pub(super) fn inks(rgba: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    let press = CmykTable::new()?;
    let mut last = ([255; 3], [0; 4]);
    each_pixel(rgba, job, |[r, g, b, _]| {
        if last.0 != [r, g, b] {
            last = ([r, g, b], press.cmyk_of([r, g, b]));
        }
        last.1
    })
}
