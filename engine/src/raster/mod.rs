//! Reads raster images (JPEG, PNG, TIFF) for use in a PDF, and writes them.
//!
//! A [`Picture`] keeps the samples in the coding of the file wherever PDF has the same coding (JPEG, PNG's deflated rows,
//! CCITT fax), so that images lose nothing and do not grow. Other images are decoded to packed rows.

pub(crate) mod ccitt;
pub(crate) mod encode;
mod exif;
mod format;
mod icc;
mod jpeg;
mod jpeg_writer;
mod picture;
mod png;
pub(crate) mod tiff;

pub(crate) use format::{Format, describe};
pub(crate) use jpeg::is_plain_rgb_jpeg;
pub(crate) use picture::{Color, Data, Density, Picture, Transparency};
pub(crate) use png::deflate_rows;

use crate::{EngineError, Job};

/// Reads the images of a file in order: the one of a JPEG or PNG file, each page of a TIFF file.
///
/// # Errors
/// What is wrong with the file, a limit that it exceeds, or the error of `each`.
pub(crate) fn pictures<'a>(
    bytes: &'a [u8],
    job: &Job,
    each: &mut dyn FnMut(Picture<'a>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    match Format::of(bytes) {
        Some(Format::Jpeg) => each(jpeg::read(bytes, job)?),
        Some(Format::Png) => each(png::read(bytes, job)?),
        Some(Format::Tiff) => tiff::read_pages(bytes, job, each),
        None => {
            Err(EngineError::WrongFormat { expected: "a JPEG, PNG or TIFF image", found: describe(bytes) })
        }
    }
}
