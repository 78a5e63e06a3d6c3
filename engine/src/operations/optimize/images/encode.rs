//! Encodes a picture with the codec that gives the fewest bytes, out of the codecs that suit the picture.

use super::super::settings::ImageSettings;
use super::content::{is_flat, is_gray, palette};
use super::jpeg;
use super::picture::{Kind, Model, Picture};
use crate::EngineError;
use crate::document::{Rows, apply_png, deflate, resolved};
use fax::encoder::Encoder;
use fax::{Color, VecWriter};
use hayro_ccitt::{DecodeSettings, DecoderContext, EncodingMode};
use lopdf::{Dictionary, Document, Object, StringFormat};

/// An encoded picture.
pub(super) struct Encoded {
    pub(super) data: Vec<u8>,
    pub(super) filter: Option<&'static str>,
    pub(super) parameters: Option<Dictionary>,
    pub(super) bits: usize,
    /// The new colour space. `None` if the encoding did not change the colour space.
    pub(super) space: Option<Object>,
    pub(super) lossy: bool,
}

/// Flat graphics are encoded as JPEG only if the JPEG data is smaller by this factor. The quality is then raised by
/// [`FLAT_QUALITY`].
const FLAT_FACTOR: usize = 4;
const FLAT_QUALITY: u8 = 12;

/// The smallest encoding of a picture. `lossy` allows JPEG. `plain_decode` means that the image has no `Decode` array;
/// only then may the encoding change the meaning of samples. A mask must stay gray (ISO 32000-1, table 145).
///
/// # Errors
/// [`EngineError::Internal`] when an encoder fails.
pub(super) fn smallest(
    picture: &Picture,
    lossy: Option<&ImageSettings>,
    plain_decode: bool,
    mask: bool,
) -> Result<Option<Encoded>, EngineError> {
    if picture.kind == Kind::Bits {
        let flate = flate(&picture.data, picture.width, 1, 1, None)?;
        return Ok([Some(encode_group4(picture)), Some(flate)]
            .into_iter()
            .flatten()
            .min_by_key(encoded_size));
    }
    if picture.was_lossy {
        let Some(images) = lossy else { return Ok(None) };
        return jpeg_of(picture, images.quality, plain_decode);
    }
    let flat = is_flat(&picture.data, picture.width, picture.channels);
    if !flat
        && let Some(images) = lossy
        && let Some(jpeg_image) = jpeg_of(picture, images.quality, plain_decode)?
    {
        return Ok(Some(jpeg_image));
    }
    let mut best = flate(&picture.data, picture.width, picture.channels, 8, None)?;
    let colors = if plain_decode && !mask { indexed(picture)? } else { None };
    for candidate in [reduced_gray(picture)?, colors].into_iter().flatten() {
        if encoded_size(&candidate) < encoded_size(&best) {
            best = candidate;
        }
    }
    if let Some(images) = lossy
        && let Some(jpeg_image) =
            jpeg_of(picture, images.quality.saturating_add(FLAT_QUALITY).min(95), plain_decode)?
        && encoded_size(&jpeg_image) * FLAT_FACTOR < encoded_size(&best)
    {
        best = jpeg_image;
    }
    Ok(Some(best))
}

fn encoded_size(encoded: &Encoded) -> usize {
    let table = match &encoded.space {
        Some(Object::Array(items)) => items.iter().map(|item| item.as_str().map_or(0, <[u8]>::len)).sum(),
        _ => 0,
    };
    encoded.data.len() + table
}

fn jpeg_of(picture: &Picture, quality: u8, plain_decode: bool) -> Result<Option<Encoded>, EngineError> {
    let (Ok(width), Ok(height)) = (u16::try_from(picture.width), u16::try_from(picture.height)) else {
        return Ok(None);
    };
    // For images of fewer than 64 pixels, the header of a JPEG file is larger than the samples.
    if picture.model == Model::Other || picture.width * picture.height < 64 {
        return Ok(None);
    }
    let is_device_rgb = matches!(&picture.space, Object::Name(name) if name == b"DeviceRGB");
    let gray = picture.model == Model::Rgb && is_device_rgb && plain_decode && is_gray(&picture.data);
    let (data, space) = if gray {
        let data = jpeg::encode(
            &picture.data.iter().copied().step_by(3).collect::<Vec<u8>>(),
            width,
            height,
            1,
            quality,
        )?;
        (data, Some(Object::Name(b"DeviceGray".to_vec())))
    } else {
        (jpeg::encode(&picture.data, width, height, picture.channels, quality)?, None)
    };
    Ok(Some(Encoded { data, filter: Some("DCTDecode"), parameters: None, bits: 8, space, lossy: true }))
}

/// Deflates samples, either as they are or after a predictor.
fn flate(
    data: &[u8],
    width: usize,
    channels: usize,
    bits: usize,
    space: Option<Object>,
) -> Result<Encoded, EngineError> {
    let plain = deflate(data)?;
    let rows = Rows { columns: width, colors: channels, bits };
    let predicted = match bits {
        8 => apply_png(data, rows).map(|coded| deflate(&coded)).transpose()?,
        _ => None,
    };
    let predicted = predicted.filter(|predicted| predicted.len() + 60 < plain.len());
    let int = |value: usize| Object::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    let parameters = predicted.is_some().then(|| {
        let mut parameters = Dictionary::new();
        parameters.set("Predictor", 15);
        parameters.set("Columns", int(width));
        parameters.set("Colors", int(channels));
        parameters
    });
    Ok(Encoded {
        data: predicted.unwrap_or(plain),
        filter: Some("FlateDecode"),
        parameters,
        bits,
        space,
        lossy: false,
    })
}

/// Encodes a picture of few colours with an indexed colour space. `None` if this is not possible.
fn indexed(picture: &Picture) -> Result<Option<Encoded>, EngineError> {
    // In other colour spaces, the bytes of a palette are not the bytes of the samples.
    if picture.model == Model::Other || picture.channels > 4 {
        return Ok(None);
    }
    let Some(colors) = palette(&picture.data, picture.channels, 256) else { return Ok(None) };
    let bits = match colors.len() {
        0..=2 => 1,
        3..=4 => 2,
        5..=16 => 4,
        _ => 8,
    };
    if bits == 8 && picture.channels == 1 {
        return Ok(None);
    }
    let packed = packed(picture, bits, |pixel| {
        let mut color = [0; 4];
        for (slot, value) in color.iter_mut().zip(pixel) {
            *slot = *value;
        }
        colors.binary_search(&color).ok().and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
    });
    let table: Vec<u8> =
        colors.iter().flat_map(|color| color.iter().take(picture.channels).copied()).collect();
    let last = i64::try_from(colors.len()).unwrap_or(1) - 1;
    let space = Object::Array(vec![
        Object::Name(b"Indexed".to_vec()),
        picture.space.clone(),
        last.into(),
        Object::String(table, StringFormat::Hexadecimal),
    ]);
    encoded_bits(picture, packed, bits, Some(space)).map(Some)
}

/// Encodes a gray picture with fewer bits per sample. `None` if the samples need all bits.
fn reduced_gray(picture: &Picture) -> Result<Option<Encoded>, EngineError> {
    if picture.model != Model::Gray || picture.channels != 1 {
        return Ok(None);
    }
    let levels = [(1, 255), (2, 85), (4, 17)];
    let fits = |step: u8| picture.data.iter().all(|sample| sample.is_multiple_of(step));
    let Some((bits, step)) = levels.into_iter().find(|(_, step)| fits(*step)) else { return Ok(None) };
    let packed = packed(picture, bits, |pixel| pixel.first().map_or(0, |sample| sample / step));
    encoded_bits(picture, packed, bits, None).map(Some)
}

/// The rows of a picture, packed with `bits` bits per pixel.
fn packed(picture: &Picture, bits: usize, index: impl Fn(&[u8]) -> u8) -> Vec<u8> {
    let mut packed = Vec::with_capacity(picture.width * picture.height * bits / 8 + picture.height);
    for row in picture.data.chunks_exact(picture.row_bytes()) {
        let mut filled = 0;
        let mut byte = 0_u8;
        for pixel in row.chunks_exact(picture.channels) {
            filled += bits;
            byte |= index(pixel) << (8 - filled);
            if filled == 8 {
                packed.push(byte);
                (filled, byte) = (0, 0);
            }
        }
        if filled > 0 {
            packed.push(byte);
        }
    }
    packed
}

/// Encodes packed samples with the codec that gives fewer bytes.
fn encoded_bits(
    picture: &Picture,
    data: Vec<u8>,
    bits: usize,
    space: Option<Object>,
) -> Result<Encoded, EngineError> {
    let plain = flate(&data, picture.width, 1, bits, space.clone())?;
    if bits > 1 {
        return Ok(plain);
    }
    let bilevel = Picture { kind: Kind::Bits, data, channels: 1, ..picture.clone() };
    let group4 = Encoded { space, ..encode_group4(&bilevel) };
    Ok(if encoded_size(&group4) < encoded_size(&plain) { group4 } else { plain })
}

/// Encodes a bilevel picture as CCITT Group 4. Bits that are 0 are black, which is the default of the PDF filter.
fn encode_group4(picture: &Picture) -> Encoded {
    let mut encoder = Encoder::new(VecWriter::new());
    let width = picture.width;
    for row in picture.data.chunks_exact(picture.row_bytes()) {
        let pels = (0..width).map(|at| {
            let set = row.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
            if set { Color::White } else { Color::Black }
        });
        // Writing to a vector cannot fail.
        let Ok(()) = encoder.encode_line(pels, u32::try_from(width).unwrap_or(0));
    }
    let Ok(writer) = encoder.finish();
    let int = |value: usize| Object::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    let mut parameters = Dictionary::new();
    parameters.set("K", -1);
    parameters.set("Columns", int(width));
    parameters.set("Rows", int(picture.height));
    Encoded {
        data: writer.finish(),
        filter: Some("CCITTFaxDecode"),
        parameters: Some(parameters),
        bits: 1,
        space: None,
        lossy: false,
    }
}

/// Collects the rows of a CCITT image. Bits that are 1 are white.
struct RowCollector {
    bits: Vec<u8>,
    row: usize,
    width: usize,
    rows: usize,
}

impl hayro_ccitt::Decoder for RowCollector {
    fn push_row(&mut self, changes: &[u32]) {
        let start = self.bits.len();
        self.bits.resize(start + self.row, 0xff);
        self.rows += 1;
        let Some(row) = self.bits.get_mut(start..) else { return };
        for run in changes.chunks(2) {
            let from = run.first().map_or(0, |at| usize::try_from(*at).unwrap_or(usize::MAX));
            let to = run
                .get(1)
                .map_or(self.width, |at| usize::try_from(*at).unwrap_or(usize::MAX))
                .min(self.width);
            for at in from..to {
                if let Some(byte) = row.get_mut(at / 8) {
                    *byte &= !(0x80 >> (at % 8));
                }
            }
        }
    }
}

/// Decodes a CCITT image to bits, as the PDF filter defines them. `None` if the data is damaged.
pub(super) fn decode_ccitt(
    document: &Document,
    data: &[u8],
    parameters: Option<&Dictionary>,
    width: usize,
    height: usize,
) -> Option<Vec<u8>> {
    let get = |key: &[u8]| {
        parameters.and_then(|dict| dict.get(key).ok()).and_then(|value| resolved(document, value))
    };
    let flag = |key: &[u8], default: bool| get(key).and_then(|value| value.as_bool().ok()).unwrap_or(default);
    let int = |key: &[u8], default: i64| get(key).and_then(|value| value.as_i64().ok()).unwrap_or(default);
    if usize::try_from(int(b"Columns", 1728)).ok()? != width {
        return None;
    }
    let settings = DecodeSettings {
        columns: u32::try_from(width).ok()?,
        rows: u32::try_from(height).ok()?,
        end_of_block: flag(b"EndOfBlock", true),
        end_of_line: flag(b"EndOfLine", false),
        rows_are_byte_aligned: flag(b"EncodedByteAlign", false),
        encoding: match int(b"K", 0) {
            ..0 => EncodingMode::Group4,
            0 => EncodingMode::Group3_1D,
            1.. => EncodingMode::Group3_2D,
        },
        strict: true,
    };
    let mut collector = RowCollector { bits: Vec::new(), row: width.div_ceil(8), width, rows: 0 };
    hayro_ccitt::decode(data, &mut collector, &mut DecoderContext::new(settings)).ok()?;
    if collector.rows != height {
        return None;
    }
    if flag(b"BlackIs1", false) {
        collector.bits.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Some(collector.bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bilevel(width: usize, height: usize) -> Picture {
        let row = width.div_ceil(8);
        let data = (0..row * height).map(|at| u8::try_from(at * 37 % 256).unwrap()).collect();
        Picture {
            width,
            height,
            channels: 1,
            kind: Kind::Bits,
            model: Model::Gray,
            data,
            space: Object::Name(b"DeviceGray".to_vec()),
            stencil: false,
            was_lossy: false,
            only_if_resampled: false,
        }
    }

    #[test]
    fn bits_survive_group_4() {
        for (width, height) in [(1, 1), (8, 3), (31, 17), (200, 40), (5000, 2)] {
            let picture = bilevel(width, height);
            let group4 = encode_group4(&picture);
            let back =
                decode_ccitt(&Document::new(), &group4.data, group4.parameters.as_ref(), width, height)
                    .unwrap();
            for (a, b) in back.chunks(picture.row_bytes()).zip(picture.data.chunks(picture.row_bytes())) {
                for at in 0..width {
                    assert_eq!(
                        a[at / 8] >> (7 - at % 8) & 1,
                        b[at / 8] >> (7 - at % 8) & 1,
                        "{width}x{height}"
                    );
                }
            }
        }
    }
}
