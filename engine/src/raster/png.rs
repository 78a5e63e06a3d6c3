//! Reads PNG files. The deflated rows of a PNG file are copied into a PDF unchanged, unless the image has alpha or is
//! interlaced.

use super::exif;
use super::icc::usable_profile;
use super::picture::{Color, Data, Density, Picture, Transparency, check_size, row_bytes};
use crate::{EngineError, Job};
use png::{BitDepth, ColorType, Decoder, Info, Limits, Reader, SourceChromaticities, Transformations};
use std::io::{Cursor, Write};

type PngReader<'a> = Reader<Cursor<&'a [u8]>>;

/// The maximum total size in bytes of the profiles and texts of one file after they are inflated.
const MAX_METADATA_BYTES: usize = 64 << 20;

/// The gamma of sRGB as a PNG file states it, and the chromaticities of sRGB: the x and y of white, red, green and
/// blue.
const SRGB_GAMMA: f32 = 0.45455;
const SRGB_PRIMARIES: [f32; 8] = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06];

/// Reads a PNG file.
pub(crate) fn read<'a>(bytes: &'a [u8], job: &Job) -> Result<Picture<'a>, EngineError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    let header = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = check_size(header.width.into(), header.height.into(), job)?;
    // The decoder's memory limit must also leave room for a few rows. The number of pixels was checked above.
    decoder.set_limits(Limits { bytes: MAX_METADATA_BYTES + 3 * row_bytes(width, 4, 16) });
    let mut reader = decoder.read_info().map_err(damaged)?;
    let info = reader.info().clone();
    let color = color(&info)?;
    let profile = info.icc_profile.as_ref().and_then(|profile| usable_profile(profile.to_vec(), &color));
    let exif = info.exif_metadata.as_deref().map(exif::read).unwrap_or_default();
    let (data, transparency) = samples(bytes, &mut reader, &info, job)?;
    Ok(Picture {
        width,
        height,
        data,
        color,
        profile,
        bits: info.bit_depth as u8,
        inverted: false,
        transparency,
        density: density(&info).or(exif.density),
        orientation: exif.orientation,
    })
}

fn damaged(error: png::DecodingError) -> EngineError {
    match error {
        png::DecodingError::LimitsExceeded => {
            EngineError::limit("PNG metadata", format!("{MAX_METADATA_BYTES} bytes"))
        }
        error => EngineError::Damaged(format!("the PNG image cannot be decoded: {error}")),
    }
}

fn density(info: &Info<'_>) -> Option<Density> {
    const PER_METRE_PER_CM: f64 = 0.01;
    let pixels = info.pixel_dims.filter(|pixels| matches!(pixels.unit, png::Unit::Meter))?;
    Density::per_cm(f64::from(pixels.xppu) * PER_METRE_PER_CM, f64::from(pixels.yppu) * PER_METRE_PER_CM)
}

/// The colour space of the samples other than alpha.
fn color(info: &Info<'_>) -> Result<Color, EngineError> {
    if info.color_type == ColorType::Indexed {
        let palette = info.palette.as_deref().unwrap_or_default();
        if palette.is_empty() {
            return Err(EngineError::Damaged("the PNG image has no palette".to_owned()));
        }
        return Ok(Color::Indexed(palette.chunks_exact(3).flatten().copied().collect()));
    }
    let gray = matches!(info.color_type, ColorType::Grayscale | ColorType::GrayscaleAlpha);
    let device = if gray { Color::Gray } else { Color::Rgb };
    // An ICC profile or the chunk `sRGB` takes precedence over the chunks `gAMA` and `cHRM`.
    if info.icc_profile.is_some() || info.srgb.is_some() {
        return Ok(device);
    }
    Ok(calibrated(info, gray).unwrap_or(device))
}

/// The colour space that the chunks `gAMA` and `cHRM` describe. `None` if they describe sRGB: the picture then has
/// device colours, which are treated as sRGB.
fn calibrated(info: &Info<'_>, gray: bool) -> Option<Color> {
    let file_gamma = info.gama_chunk.map_or(SRGB_GAMMA, |gamma| gamma.into_value());
    let gamma = 1.0 / file_gamma;
    let like_srgb = (file_gamma - SRGB_GAMMA).abs() < 0.01;
    if !(0.05..=20.0).contains(&gamma) {
        return None;
    }
    if gray {
        return (!like_srgb).then_some(Color::CalGray { gamma });
    }
    let primaries = info.chrm_chunk.map_or(SRGB_PRIMARIES, primaries_of);
    let srgb_primaries = primaries.iter().zip(SRGB_PRIMARIES).all(|(a, b)| (a - b).abs() < 0.005);
    if like_srgb && srgb_primaries {
        return None;
    }
    let (white, matrix) = primaries_to_xyz(primaries)?;
    Some(Color::CalRgb { gamma, white, matrix })
}

fn primaries_of(chunk: SourceChromaticities) -> [f32; 8] {
    let [(wx, wy), (rx, ry), (gx, gy), (bx, by)] =
        [chunk.white, chunk.red, chunk.green, chunk.blue].map(|(x, y)| (x.into_value(), y.into_value()));
    [wx, wy, rx, ry, gx, gy, bx, by]
}

/// The XYZ values of the white point, and the XYZ values of red, green and blue as the columns of a matrix. `None` if
/// the primaries are linearly dependent.
fn primaries_to_xyz([wx, wy, rx, ry, gx, gy, bx, by]: [f32; 8]) -> Option<([f32; 3], [f32; 9])> {
    let xyz = |x: f32, y: f32| [x / y, 1.0, (1.0 - x - y) / y];
    let (white, red, green, blue) = (xyz(wx, wy), xyz(rx, ry), xyz(gx, gy), xyz(bx, by));
    let determinant = |a: [f32; 3], b: [f32; 3], c: [f32; 3]| {
        let ([a0, a1, a2], [b0, b1, b2], [c0, c1, c2]) = (a, b, c);
        a0 * (b1 * c2 - b2 * c1) - b0 * (a1 * c2 - a2 * c1) + c0 * (a1 * b2 - a2 * b1)
    };
    let whole = determinant(red, green, blue);
    // Cramer's rule gives the share of each primary in white.
    let shares =
        [determinant(white, green, blue), determinant(red, white, blue), determinant(red, green, white)]
            .map(|d| d / whole);
    let [r, g, b] = shares;
    let scale = |share: f32, [x, y, z]: [f32; 3]| [share * x, share * y, share * z];
    let ([rx, ry, rz], [gx, gy, gz], [bx, by, bz]) = (scale(r, red), scale(g, green), scale(b, blue));
    let matrix = [rx, ry, rz, gx, gy, gz, bx, by, bz];
    let sane = |value: &f32| value.is_finite() && value.abs() < 10.0;
    (matrix.iter().all(sane) && white.iter().all(|value| sane(value) && *value > 0.0))
        .then_some((white, matrix))
}

/// Reads the samples of the image, and the transparency of its pixels.
fn samples<'a>(
    bytes: &[u8],
    reader: &mut PngReader<'_>,
    info: &Info<'_>,
    job: &Job,
) -> Result<(Data<'a>, Transparency), EngineError> {
    let channels = info.color_type.samples();
    let has_alpha = matches!(info.color_type, ColorType::GrayscaleAlpha | ColorType::Rgba);
    let palette_alpha = info.trns.as_deref().filter(|_| info.color_type == ColorType::Indexed);
    if has_alpha || info.interlaced || palette_alpha.is_some() {
        let rows = all_rows(reader, job)?;
        if has_alpha {
            let (colour, alpha) = split_alpha(&rows, channels, info.bit_depth as usize / 8);
            return Ok((Data::Rows(colour), alpha_or_opaque(alpha, info.bit_depth as u8)));
        }
        let transparency = match palette_alpha {
            Some(alpha) => palette_transparency(&rows, info, alpha),
            None => color_key(info),
        };
        let data = if info.interlaced { Data::Rows(rows) } else { Data::PngRows(image_data(bytes)) };
        return Ok((data, transparency));
    }
    // The rows are decoded only to check that they are complete: viewers cannot read incomplete rows.
    while reader.next_row().map_err(damaged)?.is_some() {
        job.proceed()?;
    }
    Ok((Data::PngRows(image_data(bytes)), color_key(info)))
}

fn all_rows(reader: &mut PngReader<'_>, job: &Job) -> Result<Vec<u8>, EngineError> {
    job.proceed()?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| EngineError::limit("image size", "the addressable memory"))?;
    let mut rows = vec![0; size];
    reader.next_frame(&mut rows).map_err(damaged)?;
    Ok(rows)
}

/// The contents of all `IDAT` chunks, joined. The decoder has already checked the chunks.
fn image_data(bytes: &[u8]) -> Vec<u8> {
    chunks(bytes).filter(|(name, _)| name == b"IDAT").flat_map(|(_, data)| data).copied().collect()
}

/// The chunks of a PNG file, up to the first chunk that is incomplete.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let (name, tail) = tail.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let data = tail.get(..length)?;
        rest = tail.get(length + 4..).unwrap_or_default();
        Some((*name, data))
    })
}

/// Separates the samples, of `size` bytes each, into the samples of the colour channels and the alpha samples. Alpha is
/// the last channel of a pixel.
fn split_alpha(rows: &[u8], channels: usize, size: usize) -> (Vec<u8>, Vec<u8>) {
    let pixel = (channels * size).max(1);
    let mut colour = Vec::with_capacity(rows.len() / pixel * (pixel - size));
    let mut alpha = Vec::with_capacity(rows.len() / pixel * size);
    for pixel in rows.chunks_exact(pixel) {
        let (of_colour, of_alpha) = pixel.split_at(pixel.len() - size);
        colour.extend_from_slice(of_colour);
        alpha.extend_from_slice(of_alpha);
    }
    (colour, alpha)
}

fn alpha_or_opaque(rows: Vec<u8>, bits: u8) -> Transparency {
    if rows.iter().all(|byte| *byte == 0xff) {
        Transparency::Opaque
    } else {
        Transparency::Alpha { bits, rows }
    }
}

/// The alpha of each pixel. `table` contains the alpha of each colour of the palette.
fn palette_transparency(rows: &[u8], info: &Info<'_>, table: &[u8]) -> Transparency {
    let bits = info.bit_depth as u8;
    let stride = row_bytes(info.width, 1, bits).max(1);
    let of_index = |index: u8| table.get(usize::from(index)).copied().unwrap_or(0xff);
    let alpha = rows
        .chunks_exact(stride)
        .flat_map(|row| unpack(row, bits).take(info.width as usize).map(of_index))
        .collect();
    alpha_or_opaque(alpha, 8)
}

/// The samples of a packed row. Each sample has at most 8 bits.
fn unpack(row: &[u8], bits: u8) -> impl Iterator<Item = u8> {
    let per_byte = 8 / bits.clamp(1, 8);
    let mask = 0xff_u8 >> (8 - bits.clamp(1, 8));
    row.iter().flat_map(move |byte| (1..=per_byte).map(move |place| byte >> (8 - place * bits) & mask))
}

/// The colour that `tRNS` makes transparent. The decoder stores each sample of fewer than 16 bits in one byte.
fn color_key(info: &Info<'_>) -> Transparency {
    let Some(samples) = info.trns.as_deref() else { return Transparency::Opaque };
    let size = if info.bit_depth == BitDepth::Sixteen { 2 } else { 1 };
    let number = |bytes: &[u8]| bytes.iter().fold(0, |value, byte| value << 8 | u16::from(*byte));
    let key: Vec<u16> = samples.chunks_exact(size).map(number).collect();
    if key.len() == info.color_type.samples() { Transparency::Key(key) } else { Transparency::Opaque }
}

/// Deflates packed rows, each with a suitable PNG filter. PDF reads the result as Flate with a PNG predictor.
pub(crate) fn deflate_rows(
    rows: &[u8],
    width: u32,
    channels: u8,
    bits: u8,
    job: &Job,
) -> Result<Vec<u8>, EngineError> {
    let color_type = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let stride = row_bytes(width, usize::from(channels), bits).max(1);
    let height = u32::try_from(rows.len() / stride).unwrap_or(u32::MAX);
    let failed = |error: png::EncodingError| {
        EngineError::Internal(format!("deflating {width} x {height} pixels failed: {error}"))
    };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color_type);
    encoder.set_depth(BitDepth::from_u8(bits).unwrap_or(BitDepth::Eight));
    encoder.set_compression(png::Compression::Balanced);
    // Filters compare bytes. If a sample has fewer than 8 bits, a byte contains several samples, and a comparison of
    // such bytes means little.
    encoder.set_filter(if bits < 8 { png::Filter::NoFilter } else { png::Filter::Adaptive });
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut stream = writer.stream_writer().map_err(failed)?;
    for part in rows.chunks(stride.saturating_mul((1 << 20) / stride + 1)) {
        job.proceed()?;
        stream.write_all(part).map_err(|error| EngineError::Internal(error.to_string()))?;
    }
    stream.finish().map_err(failed)?;
    drop(writer);
    Ok(image_data(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primaries_of_srgb_give_its_known_matrix() {
        let (white, matrix) = primaries_to_xyz(SRGB_PRIMARIES).unwrap();
        let close = |a: f32, b: f32| (a - b).abs() < 0.001;
        assert!(close(white[0], 0.9505) && close(white[2], 1.0891));
        assert!(close(matrix[0], 0.4124) && close(matrix[4], 0.7152) && close(matrix[8], 0.9505));
    }

    #[test]
    fn linearly_dependent_primaries_are_ignored() {
        assert!(primaries_to_xyz([0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]).is_none());
    }

    #[test]
    fn packed_samples_are_read_from_the_high_bit() {
        assert_eq!(unpack(&[0b1011_0000], 1).collect::<Vec<_>>(), [1, 0, 1, 1, 0, 0, 0, 0]);
        assert_eq!(unpack(&[0b1101_0010], 2).collect::<Vec<_>>(), [3, 1, 0, 2]);
        assert_eq!(unpack(&[0xa5], 4).collect::<Vec<_>>(), [0xa, 0x5]);
        assert_eq!(unpack(&[0xa5], 8).collect::<Vec<_>>(), [0xa5]);
    }
}
