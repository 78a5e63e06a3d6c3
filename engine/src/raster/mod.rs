//! Reads raster images (JPEG, PNG, TIFF) for use in a PDF, and writes them.
//!
//! If PDF supports the coding of the file (JPEG, the deflated rows of PNG, CCITT fax), a [`Picture`] keeps the coded
//! data unchanged: the image loses no quality and does not become larger. Other images are decoded to packed rows.

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

/// Reads the images of a file in order: the only image of a JPEG or PNG file, or each page of a TIFF file.
///
/// # Errors
/// The file is damaged or not supported, the file exceeds a limit, or `each` returned an error.
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
