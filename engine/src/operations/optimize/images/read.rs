//! Reads an image: interprets its dictionary and its colour space, and decodes its filters.

use super::jpeg;
use super::picture::{Kind, Model, Picture};
use crate::document::{Budget, decode, resolved};
use crate::{EngineError, Limits};
use lopdf::{Dictionary, Document, Object, Stream};

/// Reads the samples of an image. `None` if the image should be left unchanged.
///
/// # Errors
/// [`EngineError::Limit`] when the budget is used up.
pub(super) fn read(
    document: &Document,
    stream: &Stream,
    budget: &Budget,
    limits: &Limits,
) -> Result<Option<Picture>, EngineError> {
    let Some(info) = ImageInfo::of(document, &stream.dict) else { return Ok(None) };
    let pixels = u64::try_from(info.width.saturating_mul(info.height)).unwrap_or(u64::MAX);
    if pixels > limits.pixels {
        return Ok(None);
    }
    let Some(decoded) = decode(document, stream, budget)? else { return Ok(None) };
    Ok(match decoded.codec {
        None => info.uncompressed_picture(decoded.data),
        Some((b"DCTDecode" | b"DCT", parameters)) => {
            budget.take(info.width.saturating_mul(info.height).saturating_mul(info.channels))?;
            info.decode_jpeg(&decoded.data, parameters)
        }
        Some((b"CCITTFaxDecode" | b"CCF", parameters)) => {
            info.decode_ccitt(document, &decoded.data, parameters)
        }
        Some(_) => None,
    })
}

/// The entries of an image's dictionary.
struct ImageInfo {
    width: usize,
    height: usize,
    bits: usize,
    channels: usize,
    model: Model,
    space: Object,
    stencil: bool,
    palette: Option<Palette>,
    has_decode: bool,
}

/// The colours of an indexed colour space.
struct Palette {
    base: Object,
    model: Model,
    channels: usize,
    table: Vec<u8>,
}

impl ImageInfo {
    fn of(document: &Document, dict: &Dictionary) -> Option<Self> {
        let size = |key: &[u8]| {
            let value = usize::try_from(resolved(document, dict.get(key).ok()?)?.as_i64().ok()?).ok()?;
            (1..=1 << 20).contains(&value).then_some(value)
        };
        let (width, height) = (size(b"Width")?, size(b"Height")?);
        // Alternate images and OPI proxies would no longer match an image that has changed.
        if dict.has(b"Alternates") || dict.has(b"OPI") {
            return None;
        }
        let has_decode = dict.has(b"Decode");
        let stencil = dict.get_deref(b"ImageMask", document).and_then(Object::as_bool).unwrap_or(false);
        if stencil {
            let space = Object::Name(b"DeviceGray".to_vec());
            return Some(Self {
                width,
                height,
                bits: 1,
                channels: 1,
                model: Model::Gray,
                space,
                stencil,
                palette: None,
                has_decode,
            });
        }
        let bits = size(b"BitsPerComponent").filter(|bits| matches!(bits, 1 | 2 | 4 | 8 | 16))?;
        let space = dict.get(b"ColorSpace").ok()?;
        let (model, channels, palette) = space_of(document, space, 0)?;
        Some(Self {
            width,
            height,
            bits,
            channels,
            model,
            space: space.clone(),
            stencil,
            palette,
            has_decode,
        })
    }

    fn picture(self, kind: Kind, data: Vec<u8>, was_lossy: bool, only_if_resampled: bool) -> Picture {
        Picture {
            width: self.width,
            height: self.height,
            channels: self.channels,
            kind,
            model: self.model,
            data,
            space: self.space,
            stencil: self.stencil,
            was_lossy,
            only_if_resampled,
        }
    }

    /// The picture of an image whose data is not in an image codec.
    fn uncompressed_picture(self, mut data: Vec<u8>) -> Option<Picture> {
        let row = self.width.checked_mul(self.channels)?.checked_mul(self.bits)?.div_ceil(8);
        let size = row.checked_mul(self.height)?;
        // If samples are missing, the image is left unchanged, because readers treat missing samples in different ways.
        if data.len() < size {
            return None;
        }
        data.truncate(size);
        if self.palette.is_some() {
            return self.palette_picture(&data, row);
        }
        match (self.bits, self.channels) {
            (8, _) => Some(self.picture(Kind::Bytes, data, false, false)),
            (1, 1) => Some(self.picture(Kind::Bits, data, false, false)),
            (16, _) => {
                let bytes = data.chunks_exact(2).filter_map(|pair| pair.first().copied()).collect();
                Some(self.picture(Kind::Bytes, bytes, false, true))
            }
            (bits, _) => {
                let per_row = self.width * self.channels;
                let scale = 255 / ((1_u16 << bits) - 1);
                let bytes = samples(&data, row, per_row, bits)
                    .map(|value| u8::try_from(u16::from(value) * scale).unwrap_or(255))
                    .collect();
                Some(self.picture(Kind::Bytes, bytes, false, true))
            }
        }
    }

    /// Replaces the palette indices of the samples by colours, because resampling can average colours but not indices.
    fn palette_picture(mut self, data: &[u8], row: usize) -> Option<Picture> {
        let palette = self.palette.take()?;
        if self.bits > 8 || self.has_decode {
            return None;
        }
        // An indexed image with one bit per pixel is resampled like a bilevel image.
        if self.bits == 1 {
            return Some(self.picture(Kind::Bits, data.to_vec(), false, false));
        }
        let mut bytes = Vec::with_capacity(self.width * self.height * palette.channels);
        let last = (palette.table.len() / palette.channels).checked_sub(1)?;
        for index in samples(data, row, self.width, self.bits) {
            let at = usize::from(index).min(last) * palette.channels;
            bytes.extend_from_slice(palette.table.get(at..at + palette.channels)?);
        }
        self.space = palette.base;
        self.model = palette.model;
        self.channels = palette.channels;
        Some(self.picture(Kind::Bytes, bytes, false, true))
    }

    fn decode_jpeg(self, data: &[u8], parameters: Option<&Dictionary>) -> Option<Picture> {
        // If the filter parameters have `ColorTransform`, this entry defines the colour transform instead of the JPEG
        // data. Such images are left unchanged.
        if self.palette.is_some() || parameters.is_some_and(|parameters| parameters.has(b"ColorTransform")) {
            return None;
        }
        let decoded = jpeg::decode(data)?;
        let fits =
            decoded.width == self.width && decoded.height == self.height && decoded.channels == self.channels;
        fits.then(|| self.picture(Kind::Bytes, decoded.data, true, false))
    }

    fn decode_ccitt(
        self,
        document: &Document,
        data: &[u8],
        parameters: Option<&Dictionary>,
    ) -> Option<Picture> {
        if self.bits != 1 || self.channels != 1 || self.palette.is_some() {
            return None;
        }
        let bits = super::encode::decode_ccitt(document, data, parameters, self.width, self.height)?;
        Some(self.picture(Kind::Bits, bits, false, false))
    }
}

/// The samples of rows, row by row. Each sample has at most 8 bits.
fn samples(data: &[u8], row: usize, per_row: usize, bits: usize) -> impl Iterator<Item = u8> + '_ {
    let mask = u8::try_from((1_u16 << bits) - 1).unwrap_or(u8::MAX);
    let per_byte = 8 / bits.clamp(1, 8);
    data.chunks_exact(row).flat_map(move |row| {
        (0..per_row).map(move |at| {
            let shift = 8 - bits - (at % per_byte) * bits;
            row.get(at / per_byte).map_or(0, |byte| byte >> shift & mask)
        })
    })
}

/// The model, the number of components and the palette of a colour space.
fn space_of(document: &Document, space: &Object, depth: usize) -> Option<(Model, usize, Option<Palette>)> {
    let space = resolved(document, space)?;
    if depth > 4 {
        return None;
    }
    let items = match space {
        Object::Name(name) => {
            return match name.as_slice() {
                b"DeviceGray" | b"CalGray" | b"G" => Some((Model::Gray, 1, None)),
                b"DeviceRGB" | b"CalRGB" | b"RGB" => Some((Model::Rgb, 3, None)),
                b"DeviceCMYK" | b"CMYK" => Some((Model::Cmyk, 4, None)),
                _ => None,
            };
        }
        Object::Array(items) => items,
        _ => return None,
    };
    let item = |at: usize| items.get(at).and_then(|item| resolved(document, item));
    match item(0)?.as_name().ok()? {
        b"DeviceGray" | b"CalGray" => Some((Model::Gray, 1, None)),
        b"DeviceRGB" | b"CalRGB" => Some((Model::Rgb, 3, None)),
        b"DeviceCMYK" => Some((Model::Cmyk, 4, None)),
        b"ICCBased" => {
            let dict = &item(1)?.as_stream().ok()?.dict;
            match resolved(document, dict.get(b"N").ok()?)?.as_i64().ok()? {
                1 => Some((Model::Gray, 1, None)),
                // A profile with a `Range` may be a Lab profile. Lab samples must not get the RGB transform of JPEG.
                3 if dict.has(b"Range") => Some((Model::Other, 3, None)),
                3 => Some((Model::Rgb, 3, None)),
                4 => Some((Model::Cmyk, 4, None)),
                _ => None,
            }
        }
        b"Lab" => Some((Model::Other, 3, None)),
        // A Separation colour space has one colorant, so the image is encoded like a gray image.
        b"Separation" => Some((Model::Gray, 1, None)),
        b"DeviceN" => {
            let colorants = item(1)?.as_array().ok()?.len();
            (1..=16).contains(&colorants).then_some((Model::Other, colorants, None))
        }
        b"Indexed" | b"I" => {
            let base = items.get(1)?;
            let (model, channels, nested) = space_of(document, base, depth + 1)?;
            if nested.is_some() || model == Model::Other {
                return None;
            }
            let table = match item(3)? {
                Object::String(bytes, _) => bytes.clone(),
                Object::Stream(stream) => {
                    let budget = Budget::bounded(1 << 16);
                    decode(document, stream, &budget).ok()??.data
                }
                _ => return None,
            };
            let palette = Palette { base: base.clone(), model, channels, table };
            Some((Model::Other, 1, Some(palette)))
        }
        _ => None,
    }
}
