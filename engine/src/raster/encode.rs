//! Writing pixels as JPEG and PNG files.

use super::cmyk::CMYK_PROFILE;
use crate::EngineError;
use jpeg_encoder::{ColorType as JpegColor, Encoder, PixelDensity, PixelDensityUnit};
use png::{BitDepth, ColorType, Compression};

/// What the bytes of a pixel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pixels {
    Gray,
    GrayAlpha,
    Rgb,
    RgbAlpha,
    Cmyk,
}

/// Pixels to be written, with their density in pixels per inch.
pub(crate) struct Bitmap<'a> {
    pub width: u16,
    pub height: u16,
    pub pixels: Pixels,
    pub bytes: &'a [u8],
    pub density: (f64, f64),
}

fn failed(what: &str, error: impl std::fmt::Display) -> EngineError {
    EngineError::Internal(format!("writing {what}: {error}"))
}

/// A JPEG file of gray, RGB or CMYK pixels; CMYK with Adobe's marker and the profile that says what the inks are.
pub(crate) fn jpeg(bitmap: &Bitmap<'_>, quality: u8) -> Result<Vec<u8>, EngineError> {
    let color = match bitmap.pixels {
        Pixels::Gray | Pixels::GrayAlpha => JpegColor::Luma,
        Pixels::Rgb | Pixels::RgbAlpha => JpegColor::Rgb,
        Pixels::Cmyk => JpegColor::CmykAsYcck,
    };
    let mut file = Vec::new();
    // The coder's lowest quality is 1.
    let mut encoder = Encoder::new(&mut file, quality.clamp(1, 100));
    let density = |value: f64| value.round().clamp(1.0, f64::from(u16::MAX)) as u16;
    encoder.set_density(PixelDensity {
        density: (density(bitmap.density.0), density(bitmap.density.1)),
        unit: PixelDensityUnit::Inches,
    });
    encoder.set_optimized_huffman_tables(true);
    if bitmap.pixels == Pixels::Cmyk {
        encoder.add_icc_profile(CMYK_PROFILE).map_err(|error| failed("a JPEG image", error))?;
    }
    encoder
        .encode(bitmap.bytes, bitmap.width, bitmap.height, color)
        .map_err(|error| failed("a JPEG image", error))?;
    Ok(file)
}

/// A PNG file of gray or RGB pixels, with alpha or without.
pub(crate) fn png(bitmap: &Bitmap<'_>) -> Result<Vec<u8>, EngineError> {
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
    writer.write_image_data(bitmap.bytes).map_err(|error| failed("a PNG image", error))?;
    writer.finish().map_err(|error| failed("a PNG image", error))?;
    Ok(file)
}
