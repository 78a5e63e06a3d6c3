//! Writes pixels as JPEG and PNG files.

use super::jpeg_writer::{self, Header, Source};
use crate::color::cmyk::CMYK_PROFILE;
use crate::{EngineError, Job};
use png::{BitDepth, ColorType, Compression};
use std::io::Write;

/// The channels of a pixel. Each channel has one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pixels {
    Gray,
    GrayAlpha,
    Rgb,
    RgbAlpha,
    Cmyk,
}

/// Pixels to be written, with their number per inch (density).
pub(crate) struct Bitmap<'a> {
    pub width: u16,
    pub height: u16,
    pub pixels: Pixels,
    pub bytes: &'a [u8],
    pub density: (f64, f64),
}

fn failed(what: &str, error: impl std::fmt::Display) -> EngineError {
    EngineError::Internal(format!("writing {what} failed: {error}"))
}

/// Writes gray, RGB or CMYK pixels as a JPEG file. RGB pixels have four bytes, of which the fourth is ignored.
///
/// # Errors
/// The errors of [`Job::proceed`].
pub(crate) fn jpeg(bitmap: &Bitmap<'_>, quality: u8, job: &Job) -> Result<Vec<u8>, EngineError> {
    let density = |value: f64| value.round().clamp(1.0, f64::from(u16::MAX)) as u16;
    let header = Header {
        width: bitmap.width,
        height: bitmap.height,
        density: (density(bitmap.density.0), density(bitmap.density.1)),
        // The lowest quality that the JPEG encoder accepts is 1.
        quality: quality.clamp(1, 100),
        profile: if bitmap.pixels == Pixels::Cmyk { CMYK_PROFILE } else { &[] },
    };
    let source = match bitmap.pixels {
        Pixels::Gray => Source::Gray(bitmap.bytes),
        Pixels::RgbAlpha => Source::Rgbx(bitmap.bytes),
        Pixels::Cmyk => Source::Cmyk(bitmap.bytes),
        Pixels::Rgb | Pixels::GrayAlpha => {
            return Err(failed("a JPEG image", "pixels of this kind are not supported"));
        }
    };
    jpeg_writer::write(&header, source, || job.proceed())
}

/// The number of bytes that are encoded between two checks of the job.
const PART: usize = 1 << 20;

/// Writes gray or RGB pixels, with or without alpha, as a PNG file.
///
/// # Errors
/// The errors of [`Job::proceed`].
pub(crate) fn png(bitmap: &Bitmap<'_>, job: &Job) -> Result<Vec<u8>, EngineError> {
    const INCHES_PER_METRE: f64 = 39.370_078_740_157_48;
    let mut info = png::Info::with_size(bitmap.width.into(), bitmap.height.into());
    info.color_type = match bitmap.pixels {
        Pixels::Gray => ColorType::Grayscale,
        Pixels::GrayAlpha => ColorType::GrayscaleAlpha,
        Pixels::Rgb => ColorType::Rgb,
        Pixels::RgbAlpha | Pixels::Cmyk => ColorType::Rgba,
    };
    info.bit_depth = BitDepth::Eight;
    let density = |value: f64| (value * INCHES_PER_METRE).round() as u32;
    info.pixel_dims = Some(png::PixelDimensions {
        xppu: density(bitmap.density.0),
        yppu: density(bitmap.density.1),
        unit: png::Unit::Meter,
    });
    let mut file = Vec::new();
    let mut encoder =
        png::Encoder::with_info(&mut file, info).map_err(|error| failed("a PNG image", error))?;
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(png::SrgbRenderingIntent::RelativeColorimetric);
    let mut writer = encoder.write_header().map_err(|error| failed("a PNG image", error))?;
    let mut stream = writer.stream_writer().map_err(|error| failed("a PNG image", error))?;
    for part in bitmap.bytes.chunks(PART) {
        job.proceed()?;
        stream.write_all(part).map_err(|error| failed("a PNG image", error))?;
    }
    stream.finish().map_err(|error| failed("a PNG image", error))?;
    writer.finish().map_err(|error| failed("a PNG image", error))?;
    Ok(file)
}
