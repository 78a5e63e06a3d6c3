//! Converts the samples of a TIFF page, of any depth and format, to the packed rows of PDF.

use super::directory::Order;
use super::fields::{Alpha, Compression, Page, Photometric, SampleKind, unsupported};
use super::segments::decompress;
use crate::raster::picture::row_bytes;
use crate::{EngineError, Job};

impl SampleKind {
    /// Converts a sample to 16 bits. Unsigned numbers are scaled to the full range. Signed numbers are made unsigned by
    /// adding half the range, and then scaled. Floats are clamped to the range from 0 to 1, which is scaled to the full
    /// range.
    fn to_16_bits(self, raw: u64, bits: u8) -> u16 {
        match self {
            Self::Unsigned => widen(raw, bits),
            Self::Signed => widen(raw ^ 1 << (bits - 1), bits),
            Self::Float => {
                let value = match bits {
                    16 => half_to_f64(raw as u16),
                    32 => f64::from(f32::from_bits(raw as u32)),
                    _ => f64::from_bits(raw),
                };
                // The cast converts NaN to 0.
                (value.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
            }
        }
    }
}

/// The value of an IEEE 754 half-precision number.
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    sign * magnitude
}

/// Scales an unsigned number of `bits` bits to 16 bits. The largest number of `bits` bits becomes the largest number of
/// 16 bits.
fn widen(raw: u64, bits: u8) -> u16 {
    if bits >= 16 {
        return (raw >> (bits - 16)) as u16;
    }
    let most = (1_u64 << bits) - 1;
    ((raw * u64::from(u16::MAX) + most / 2) / most) as u16
}

/// The rows of a page as a picture contains them.
pub(super) struct Layout {
    pub rows: Vec<u8>,
    pub alpha: Option<Vec<u8>>,
    pub bits: u8,
}

impl Page<'_> {
    fn check_depth(&self) -> Result<(), EngineError> {
        let ycbcr = self.photometric == Photometric::YCbCr;
        if self.kind == SampleKind::Float && !matches!(self.bits, 16 | 32 | 64) {
            return Err(unsupported(format!("floats of {} bits", self.bits)));
        }
        if ycbcr && (self.bits != 8 || self.samples != 3) {
            return Err(unsupported(format!("YCbCr of {} samples of {} bits", self.samples, self.bits)));
        }
        if ycbcr && self.planar && self.subsampling != (1, 1) {
            return Err(unsupported("subsampled YCbCr in planes"));
        }
        Ok(())
    }
}

/// Decompresses all segments and assembles the picture from them.
pub(super) fn assemble(page: &Page<'_>, job: &Job) -> Result<Layout, EngineError> {
    page.check_depth()?;
    let mut canvas = Canvas::new(page);
    let per_plane = page.across() as usize * page.down() as usize;
    for (index, segment) in page.segments.iter().enumerate() {
        job.proceed()?;
        let (plane, place) = (index / per_plane, index % per_plane);
        let left = (place % page.across() as usize) as u32 * page.segment_width;
        let top = (place / page.across() as usize) as u32 * page.segment_height;
        let stored =
            if page.tiled { page.segment_height } else { page.segment_height.min(page.height - top) };
        let raw = decompress(page, segment, page.segment_width, stored, index, job)?;
        let rows =
            if page.is_subsampled() { expand_chroma(page, &raw, stored) } else { convert_rows(page, raw) };
        canvas.place(page, &rows, (left, top), plane);
    }
    canvas.finish(page);
    Ok(Layout { rows: canvas.rows, alpha: canvas.alpha, bits: canvas.bits })
}

/// Converts the rows of a segment to the picture's number of bits per sample: undoes the predictor, and makes numbers
/// big-endian.
fn convert_rows(page: &Page<'_>, mut raw: Vec<u8>) -> Vec<u8> {
    let samples = page.segment_samples();
    let stride = row_bytes(page.segment_width, samples, page.bits).max(1);
    let bits = page.bits_out();
    let plain = page.kind == SampleKind::Unsigned && page.bits == bits && (page.predictor == 1 || bits >= 8);
    if !plain || page.predictor == 3 {
        return raw.chunks_exact(stride).flat_map(|row| convert_row(page, row, bits)).collect();
    }
    for row in raw.chunks_exact_mut(stride) {
        match bits {
            8 if page.predictor == 2 => undo_differences(row, samples),
            16 => {
                if page.order == Order::Little {
                    row.chunks_exact_mut(2).for_each(<[u8]>::reverse);
                }
                if page.predictor == 2 {
                    undo_differences_16(row, samples);
                }
            }
            _ => {}
        }
    }
    raw
}

/// Undoes horizontal differencing of 8-bit samples.
fn undo_differences(row: &mut [u8], samples: usize) {
    for index in samples..row.len() {
        let before = row.get(index - samples).copied().unwrap_or(0);
        if let Some(byte) = row.get_mut(index) {
            *byte = byte.wrapping_add(before);
        }
    }
}

/// Undoes horizontal differencing of big-endian 16-bit samples.
fn undo_differences_16(row: &mut [u8], samples: usize) {
    let mut before = vec![0_u16; samples];
    for pixel in row.chunks_exact_mut(2 * samples) {
        for (word, sum) in pixel.chunks_exact_mut(2).zip(&mut before) {
            let difference = word.iter().fold(0, |value: u16, byte| value << 8 | u16::from(*byte));
            *sum = sum.wrapping_add(difference);
            word.copy_from_slice(&sum.to_be_bytes());
        }
    }
}

/// Converts one row sample by sample, for any depth and format.
fn convert_row(page: &Page<'_>, row: &[u8], bits: u8) -> Vec<u8> {
    let samples = page.segment_samples();
    let count = page.segment_width as usize * samples;
    let (bytes, order) = if page.predictor == 3 {
        (undo_float_predictor(row, samples, usize::from(page.bits / 8)), Order::Big)
    } else {
        (row.to_vec(), page.order)
    };
    let mask = u64::MAX >> (64 - page.bits);
    let mut before = vec![0_u64; samples];
    let mut packer = Packer::new(bits, row_bytes(page.segment_width, samples, bits));
    let palette = page.photometric == Photometric::Palette;
    for (index, raw) in RawSamples::new(&bytes, page.bits, order).take(count).enumerate() {
        let mut value = raw;
        if page.predictor == 2
            && let Some(sum) = before.get_mut(index % samples)
        {
            *sum = sum.wrapping_add(raw) & mask;
            value = *sum;
        }
        // An index into the palette keeps its value.
        packer.push(if palette { value as u16 } else { fit(page.kind.to_16_bits(value, page.bits), bits) });
    }
    packer.finish()
}

/// Scales a number of 16 bits to `bits` bits.
fn fit(value: u16, bits: u8) -> u16 {
    if bits >= 16 {
        return value;
    }
    let most = (1_u32 << bits) - 1;
    ((u32::from(value) * most + 32767) / 65535) as u16
}

/// An iterator over the raw samples of a row.
struct RawSamples<'r> {
    bytes: &'r [u8],
    bits: usize,
    order: Order,
    at: usize,
}

impl<'r> RawSamples<'r> {
    fn new(bytes: &'r [u8], bits: u8, order: Order) -> Self {
        Self { bytes, bits: usize::from(bits), order, at: 0 }
    }
}

impl Iterator for RawSamples<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (start, end) = (self.at, self.at + self.bits);
        self.at = end;
        let covering = self.bytes.get(start / 8..end.div_ceil(8))?;
        if self.bits.is_multiple_of(8) {
            return Some(self.order.number(covering));
        }
        // Samples that do not consist of whole bytes are packed from the most significant bit on, in files of both byte
        // orders.
        let unused = end.div_ceil(8) * 8 - end;
        Some(Order::Big.number(covering) >> unused & (u64::MAX >> (64 - self.bits)))
    }
}

/// Packs numbers of 1, 2, 4, 8 or 16 bits.
struct Packer {
    bytes: Vec<u8>,
    bits: u8,
    pending: u8,
    filled: u8,
}

impl Packer {
    fn new(bits: u8, capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), bits, pending: 0, filled: 0 }
    }

    fn push(&mut self, value: u16) {
        match self.bits {
            16 => self.bytes.extend(value.to_be_bytes()),
            8 => self.bytes.push(value as u8),
            bits => {
                self.pending = self.pending << bits | value as u8;
                self.filled += bits;
                if self.filled == 8 {
                    self.bytes.push(self.pending);
                    (self.pending, self.filled) = (0, 0);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.bytes.push(self.pending << (8 - self.filled));
        }
        self.bytes
    }
}

/// Undoes the floating-point predictor, which stores the bytes of the same significance of all samples together, as
/// differences between neighbouring bytes.
fn undo_float_predictor(row: &[u8], samples: usize, size: usize) -> Vec<u8> {
    let mut summed = row.to_vec();
    undo_differences(&mut summed, samples);
    let count = summed.len() / size.max(1);
    (0..count)
        .flat_map(|index| (0..size).map(move |byte| byte * count + index))
        .filter_map(|place| summed.get(place).copied())
        .collect()
}

/// Expands a subsampled segment to Y, Cb and Cr for every pixel.
fn expand_chroma(page: &Page<'_>, raw: &[u8], height: u32) -> Vec<u8> {
    let (h, v) = (page.subsampling.0 as usize, page.subsampling.1 as usize);
    let width = page.segment_width as usize;
    let unit = h * v + 2;
    let per_row = width.div_ceil(h);
    let mut rows = Vec::with_capacity(width * height as usize * 3);
    for y in 0..height as usize {
        for x in 0..width {
            let start = (y / v * per_row + x / h) * unit;
            let byte = |offset: usize| raw.get(start + offset).copied().unwrap_or(0);
            rows.extend([byte(y % v * h + x % h), byte(h * v), byte(h * v + 1)]);
        }
    }
    rows
}

/// The picture that is being assembled from segments.
struct Canvas {
    rows: Vec<u8>,
    alpha: Option<Vec<u8>>,
    bits: u8,
    stride: usize,
    alpha_stride: usize,
}

impl Canvas {
    fn new(page: &Page<'_>) -> Self {
        let bits = page.bits_out();
        let (stride, alpha_stride) =
            (row_bytes(page.width, page.channels(), bits), row_bytes(page.width, 1, bits));
        let height = page.height as usize;
        let alpha = page.alpha.map(|_| vec![0; alpha_stride * height]);
        Self { rows: vec![0; stride * height], alpha, bits, stride, alpha_stride }
    }

    /// Copies the rows of a segment to the place of the segment in the picture. In a planar image, the segment contains
    /// only the samples of the channel `plane`; otherwise it contains the samples of all channels.
    fn place(&mut self, page: &Page<'_>, rows: &[u8], (left, top): (u32, u32), plane: usize) {
        let width = page.segment_width.min(page.width - left);
        let source_stride = row_bytes(page.segment_width, page.segment_samples(), self.bits).max(1);
        for (y, row) in rows.chunks_exact(source_stride).take((page.height - top) as usize).enumerate() {
            let y = top as usize + y;
            if page.samples == 1 {
                self.place_whole(row, left, y, width);
            } else {
                self.place_samples(page, row, left as usize, y, width as usize, plane);
            }
        }
    }

    /// Copies a row of pixels with one sample each. A tile begins at a byte boundary also if its samples have fewer
    /// than 8 bits, because the width of a tile is a multiple of 16.
    fn place_whole(&mut self, row: &[u8], left: u32, y: usize, width: u32) {
        let start = y * self.stride + row_bytes(left, 1, self.bits);
        let length = row_bytes(width, 1, self.bits);
        let target = self.rows.get_mut(start..start + length).zip(row.get(..length));
        if let Some((target, source)) = target {
            target.copy_from_slice(source);
        }
    }

    /// Copies samples of 8 or 16 bits: the colour samples to the rows of the picture, the first extra sample to the
    /// rows of alpha.
    fn place_samples(
        &mut self,
        page: &Page<'_>,
        row: &[u8],
        left: usize,
        y: usize,
        width: usize,
        plane: usize,
    ) {
        let (size, channels) = (usize::from(self.bits / 8), page.channels());
        let pixel = page.segment_samples() * size;
        let start = y * self.stride + left * channels * size;
        let colours = self.rows.get_mut(start..start + width * channels * size).unwrap_or_default();
        let start = y * self.alpha_stride + left * size;
        let alphas = self
            .alpha
            .as_mut()
            .and_then(|alpha| alpha.get_mut(start..start + width * size))
            .unwrap_or_default();
        if page.planar {
            let (target, step, at) =
                if plane < channels { (colours, channels, plane) } else { (alphas, 1, 0) };
            if plane > channels {
                return;
            }
            for (target, source) in target.chunks_exact_mut(step * size).zip(row.chunks_exact(size)) {
                copy(target, at * size, source);
            }
            return;
        }
        for (target, source) in colours.chunks_exact_mut(channels * size).zip(row.chunks_exact(pixel)) {
            copy(target, 0, source.get(..channels * size).unwrap_or_default());
        }
        for (target, source) in alphas.chunks_exact_mut(size).zip(row.chunks_exact(pixel)) {
            copy(target, 0, source.get(channels * size..(channels + 1) * size).unwrap_or_default());
        }
    }

    /// Converts colours after all samples of the pixels are in place.
    fn finish(&mut self, page: &Page<'_>) {
        let decoded_by_jpeg = page.compression == Compression::Jpeg && !page.planar;
        match page.photometric {
            Photometric::YCbCr if !decoded_by_jpeg => {
                self.rows
                    .as_chunks_mut()
                    .0
                    .iter_mut()
                    .for_each(|pixel| *pixel = rgb_of_ycbcr(*pixel, page.coefficients));
            }
            Photometric::CieLab => self.offset_lab(),
            _ => {}
        }
        if page.alpha == Some(Alpha::Associated) {
            self.divide_by_alpha(page.channels());
        }
    }

    /// Converts a* and b* from signed to unsigned numbers by adding half the range, as in PDF and ICC.
    fn offset_lab(&mut self) {
        let size = usize::from(self.bits / 8);
        for pixel in self.rows.chunks_exact_mut(3 * size) {
            for place in [size, 2 * size] {
                if let Some(high) = pixel.get_mut(place) {
                    *high ^= 0x80;
                }
            }
        }
    }

    /// Converts associated alpha to unassociated alpha: divides the colours of each pixel by the alpha of the pixel.
    fn divide_by_alpha(&mut self, channels: usize) {
        let Some(alpha) = &self.alpha else { return };
        let size = usize::from(self.bits / 8);
        let most = if size == 1 { 0xff } else { 0xffff };
        let number = |bytes: &[u8]| Order::Big.number(bytes) as u32;
        for (pixel, alpha) in self.rows.chunks_exact_mut(channels * size).zip(alpha.chunks_exact(size)) {
            let alpha = number(alpha);
            if alpha == 0 || alpha == most {
                continue;
            }
            for sample in pixel.chunks_exact_mut(size) {
                let whole = ((u64::from(number(sample)) * u64::from(most) + u64::from(alpha / 2))
                    / u64::from(alpha))
                .min(most.into());
                let bytes = (whole as u16).to_be_bytes();
                sample.copy_from_slice(bytes.get(2 - size..).unwrap_or_default());
            }
        }
    }
}

fn copy(target: &mut [u8], at: usize, source: &[u8]) {
    if let Some(target) = target.get_mut(at..at + source.len()) {
        target.copy_from_slice(source);
    }
}

fn rgb_of_ycbcr([y, cb, cr]: [u8; 3], [red, green, blue]: [f32; 3]) -> [u8; 3] {
    let (y, cb, cr) = (f32::from(y), f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    let r = y + (2.0 - 2.0 * red) * cr;
    let b = y + (2.0 - 2.0 * blue) * cb;
    let g = (y - red * r - blue * b) / green;
    [r, g, b].map(|value| value.round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widened_numbers_keep_the_full_range() {
        for bits in 1..=64 {
            assert_eq!(widen(u64::MAX >> (64 - bits), bits), u16::MAX, "{bits} bits");
            assert_eq!(widen(0, bits), 0);
        }
        assert_eq!(widen(0x8, 4), 0x8888);
    }

    #[test]
    fn signed_numbers_are_offset_by_half_the_range() {
        assert_eq!(SampleKind::Signed.to_16_bits(0x8000, 16), 0);
        assert_eq!(SampleKind::Signed.to_16_bits(0, 16), 0x8000);
        assert_eq!(SampleKind::Signed.to_16_bits(0x7fff, 16), 0xffff);
    }

    #[test]
    fn floats_are_clamped() {
        let of = |value: f32| SampleKind::Float.to_16_bits(value.to_bits().into(), 32);
        assert_eq!(
            [of(-1.0), of(0.0), of(0.5), of(1.0), of(7.0), of(f32::NAN)],
            [0, 0, 32768, 65535, 65535, 0]
        );
        assert_eq!(half_to_f64(0x3c00), 1.0);
        assert_eq!(half_to_f64(0x0001), 2_f64.powi(-24));
    }

    #[test]
    fn samples_of_odd_sizes_are_read_across_bytes() {
        let twelve: Vec<u64> = RawSamples::new(&[0xab, 0xcd, 0xef], 12, Order::Little).collect();
        assert_eq!(twelve, [0xabc, 0xdef]);
        let three: Vec<u64> = RawSamples::new(&[0b1010_1110], 3, Order::Big).collect();
        assert_eq!(three, [0b101, 0b011]);
    }
}
