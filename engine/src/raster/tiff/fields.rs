//! Reads and checks the fields of a TIFF page (TIFF 6.0, and Technical Note 2 for JPEG).

use super::directory::{Directory, Order, Tiff, tag};
use crate::raster::picture::{check_size, row_bytes};
use crate::{EngineError, Job};
use std::borrow::Cow;

/// The colour space of the samples, as the field PhotometricInterpretation states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Photometric {
    WhiteIsZero,
    BlackIsZero,
    Rgb,
    Palette,
    Cmyk,
    YCbCr,
    /// CIE L*a*b* with signed a* and b*.
    CieLab,
    /// CIE L*a*b* with unsigned a* and b*, to which half of their range has been added, as in ICC.
    IccLab,
}

impl Photometric {
    fn of(number: u64) -> Result<Self, EngineError> {
        Ok(match number {
            0 => Self::WhiteIsZero,
            // 4 is a transparency mask: samples of 1 are opaque.
            1 | 4 => Self::BlackIsZero,
            2 => Self::Rgb,
            3 => Self::Palette,
            5 => Self::Cmyk,
            6 => Self::YCbCr,
            8 => Self::CieLab,
            9 => Self::IccLab,
            other => return Err(unsupported(format!("the photometric interpretation {other}"))),
        })
    }

    fn channels(self) -> usize {
        match self {
            Self::WhiteIsZero | Self::BlackIsZero | Self::Palette => 1,
            Self::Rgb | Self::YCbCr | Self::CieLab | Self::IccLab => 3,
            Self::Cmyk => 4,
        }
    }
}

/// The kind of alpha that the extra sample of a pixel contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alpha {
    /// The colours are already multiplied by alpha.
    Associated,
    /// The colours are not multiplied by alpha.
    Unassociated,
}

/// The compression of the segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    HuffmanRle,
    Group3,
    Group4,
    Lzw,
    Jpeg,
    Deflate,
    PackBits,
}

impl Compression {
    pub fn of(number: u64) -> Result<Self, EngineError> {
        Ok(match number {
            1 => Self::None,
            2 => Self::HuffmanRle,
            3 => Self::Group3,
            4 => Self::Group4,
            5 => Self::Lzw,
            7 => Self::Jpeg,
            8 | 32946 => Self::Deflate,
            32773 => Self::PackBits,
            other => {
                let name = match other {
                    6 => "old JPEG",
                    34676 | 34677 => "LogLuv",
                    34712 => "JPEG 2000",
                    34925 => "LZMA",
                    34887 => "LERC",
                    50000 => "Zstandard",
                    50001 => "WebP",
                    50002 => "JPEG XL",
                    _ => return Err(unsupported(format!("the compression {other}"))),
                };
                return Err(unsupported(format!("{name} compression")));
            }
        })
    }

    pub fn is_fax(self) -> bool {
        matches!(self, Self::HuffmanRle | Self::Group3 | Self::Group4)
    }
}

/// The format of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    Unsigned,
    Signed,
    Float,
}

impl SampleKind {
    pub fn of(directory: &Directory<'_>) -> Result<Self, EngineError> {
        match directory.number(tag::SAMPLE_FORMAT).unwrap_or(1) {
            // 4 means that the format is undefined. Readers treat such samples as unsigned numbers.
            1 | 4 => Ok(Self::Unsigned),
            2 => Ok(Self::Signed),
            3 => Ok(Self::Float),
            other => Err(unsupported(format!("samples of the format {other}"))),
        }
    }
}

/// The fields of a page.
pub(super) struct Page<'a> {
    pub width: u32,
    pub height: u32,
    pub bits: u8,
    pub samples: usize,
    pub kind: SampleKind,
    pub order: Order,
    pub photometric: Photometric,
    pub alpha: Option<Alpha>,
    pub compression: Compression,
    pub planar: bool,
    pub predictor: u64,
    pub reversed_bits: bool,
    /// Whether the segments are tiles. Tiles have their full size even at the edges of the image.
    pub tiled: bool,
    pub segment_width: u32,
    pub segment_height: u32,
    pub segments: Vec<&'a [u8]>,
    pub subsampling: (u32, u32),
    pub coefficients: [f32; 3],
    pub jpeg_tables: Option<&'a [u8]>,
    pub t4_options: u64,
}

pub(super) fn unsupported(what: impl std::fmt::Display) -> EngineError {
    EngineError::Unsupported(format!(
        "the TIFF image uses {what}, which is not supported; save it again in a common form, such as RGB with 8 bits per sample"
    ))
}

impl<'a> Page<'a> {
    pub fn read(tiff: &Tiff<'a>, directory: &Directory<'a>, job: &Job) -> Result<Self, EngineError> {
        let number = |tag, default| directory.number(tag).unwrap_or(default);
        let required = |tag, name: &str| {
            directory
                .number(tag)
                .ok_or_else(|| EngineError::Damaged(format!("the TIFF image does not have a {name}")))
        };
        let (width, height) =
            check_size(required(tag::IMAGE_WIDTH, "width")?, required(tag::IMAGE_LENGTH, "height")?, job)?;
        let compression = Compression::of(number(tag::COMPRESSION, 1))?;
        let default_photometric = u64::from(!compression.is_fax());
        let photometric = Photometric::of(number(tag::PHOTOMETRIC_INTERPRETATION, default_photometric))?;
        let samples = usize::try_from(number(tag::SAMPLES_PER_PIXEL, 1)).unwrap_or(usize::MAX);
        if samples < photometric.channels() || samples > 64 {
            return Err(EngineError::Damaged(format!(
                "the TIFF image has {samples} samples per pixel, which does not fit its colour space"
            )));
        }
        if photometric == Photometric::Cmyk && number(tag::INK_SET, 1) != 1 {
            return Err(unsupported("inks other than cyan, magenta, yellow and black"));
        }
        let bits = bits_per_sample(directory)?;
        let subsampling = directory.numbers(tag::YCBCR_SUBSAMPLING).unwrap_or_else(|| vec![2, 2]);
        let factor = |index: usize| {
            subsampling.get(index).copied().filter(|n| matches!(n, 1 | 2 | 4)).unwrap_or(1) as u32
        };
        let mut page = Self {
            width,
            height,
            bits,
            samples,
            kind: SampleKind::of(directory)?,
            order: directory.order,
            photometric,
            alpha: alpha(directory, samples, photometric),
            compression,
            planar: number(tag::PLANAR_CONFIGURATION, 1) == 2 && samples > 1,
            predictor: number(tag::PREDICTOR, 1),
            reversed_bits: number(tag::FILL_ORDER, 1) == 2,
            tiled: false,
            segment_width: width,
            segment_height: height,
            segments: Vec::new(),
            subsampling: (factor(0), factor(1)),
            coefficients: ycbcr_coefficients(directory),
            jpeg_tables: directory.bytes(tag::JPEG_TABLES),
            t4_options: number(tag::T4_OPTIONS, 0),
        };
        page.find_segments(tiff, directory)?;
        Ok(page)
    }

    /// Finds the strips or tiles, in order. Fails if they do not cover the whole image.
    fn find_segments(&mut self, tiff: &Tiff<'a>, directory: &Directory<'a>) -> Result<(), EngineError> {
        let tile_width = directory.number(tag::TILE_WIDTH);
        self.tiled = tile_width.is_some();
        let (offsets_tag, counts_tag) = if self.tiled {
            self.segment_width = tile_size(tile_width)?;
            self.segment_height = tile_size(directory.number(tag::TILE_LENGTH))?;
            (tag::TILE_OFFSETS, tag::TILE_BYTE_COUNTS)
        } else {
            let rows = directory.number(tag::ROWS_PER_STRIP).unwrap_or_else(|| self.height.into());
            self.segment_height = u32::try_from(rows).unwrap_or(u32::MAX).min(self.height);
            if self.segment_height == 0 {
                return Err(EngineError::Damaged("the TIFF image has strips without rows".to_owned()));
            }
            (tag::STRIP_OFFSETS, tag::STRIP_BYTE_COUNTS)
        };
        // Some writers state the offsets and lengths of tiles in the fields for strips.
        let numbers = |tag, other| directory.numbers(tag).or_else(|| directory.numbers(other));
        let offsets = numbers(offsets_tag, tag::STRIP_OFFSETS).unwrap_or_default();
        let counts = numbers(counts_tag, tag::STRIP_BYTE_COUNTS).unwrap_or_default();
        let wanted =
            self.across() as usize * self.down() as usize * if self.planar { self.samples } else { 1 };
        if offsets.len() < wanted {
            return Err(EngineError::Damaged(format!(
                "the TIFF image has only {} of its {wanted} strips or tiles",
                offsets.len()
            )));
        }
        let file_size = tiff.bytes.len() as u64;
        for (index, offset) in offsets.into_iter().take(wanted).enumerate() {
            // If the length is missing or reaches beyond the file, the data ends at the end of the file.
            let rest = file_size.saturating_sub(offset);
            let length = counts.get(index).copied().filter(|count| *count > 0).unwrap_or(rest).min(rest);
            self.segments.push(tiff.slice(offset, length).unwrap_or_default());
        }
        Ok(())
    }

    pub fn across(&self) -> u32 {
        self.width.div_ceil(self.segment_width)
    }

    pub fn down(&self) -> u32 {
        self.height.div_ceil(self.segment_height)
    }

    /// The number of colour channels. Extra samples such as alpha do not count.
    pub fn channels(&self) -> usize {
        self.photometric.channels()
    }

    /// The segment with the most significant bit of each byte first, which is the order that all decoders expect.
    pub fn in_bit_order(&self, segment: &'a [u8]) -> Cow<'a, [u8]> {
        if self.reversed_bits {
            segment.iter().map(|byte| byte.reverse_bits()).collect()
        } else {
            segment.into()
        }
    }

    /// The number of bits of a sample in the picture: the number in the file if PDF supports it, else the next larger
    /// number that PDF supports.
    pub fn bits_out(&self) -> u8 {
        match self.bits {
            bits @ (1 | 2 | 4) if self.samples == 1 => bits,
            ..=8 => 8,
            _ => 16,
        }
    }

    /// The number of samples that a pixel has in one segment. In a planar image each segment contains one channel only.
    pub fn segment_samples(&self) -> usize {
        if self.planar { 1 } else { self.samples }
    }

    /// The size of a decompressed segment in bytes.
    pub fn segment_bytes(&self, width: u32, height: u32) -> usize {
        if self.is_subsampled() {
            let (h, v) = self.subsampling;
            let units = width.div_ceil(h) as usize * height.div_ceil(v) as usize;
            return units * (h as usize * v as usize + 2);
        }
        row_bytes(width, self.segment_samples(), self.bits) * height as usize
    }

    /// Whether the chroma samples (Cb, Cr) are subsampled.
    pub fn is_subsampled(&self) -> bool {
        let stored = self.photometric == Photometric::YCbCr && self.compression != Compression::Jpeg;
        stored && !self.planar && self.subsampling != (1, 1)
    }
}

fn bits_per_sample(directory: &Directory<'_>) -> Result<u8, EngineError> {
    let bits = directory.numbers(tag::BITS_PER_SAMPLE).unwrap_or_else(|| vec![1]);
    let first = bits.first().copied().unwrap_or(1);
    if bits.iter().any(|other| *other != first) {
        return Err(unsupported("samples of different sizes"));
    }
    u8::try_from(first)
        .ok()
        .filter(|bits| matches!(bits, 1..=16 | 24 | 32 | 64))
        .ok_or_else(|| unsupported(format!("samples of {first} bits")))
}

fn tile_size(number: Option<u64>) -> Result<u32, EngineError> {
    let size = number.and_then(|size| u32::try_from(size).ok()).filter(|size| (1..=1 << 20).contains(size));
    size.ok_or_else(|| EngineError::Damaged("the TIFF image has an invalid tile size".to_owned()))
}

/// The kind of alpha that the first extra sample contains. `None` if it is not alpha.
fn alpha(directory: &Directory<'_>, samples: usize, photometric: Photometric) -> Option<Alpha> {
    if samples <= photometric.channels() {
        return None;
    }
    match directory.number(tag::EXTRA_SAMPLES) {
        Some(1) => Some(Alpha::Associated),
        Some(2) => Some(Alpha::Unassociated),
        _ => None,
    }
}

/// The luma coefficients of the file if they are valid, else the luma coefficients of BT.601.
fn ycbcr_coefficients(directory: &Directory<'_>) -> [f32; 3] {
    const BT601: [f32; 3] = [0.299, 0.587, 0.114];
    let values = directory.floats(tag::YCBCR_COEFFICIENTS).unwrap_or_default();
    match values.as_slice() {
        [r, g, b] if [r, g, b].iter().all(|value| (0.01..1.0).contains(*value)) => {
            [*r as f32, *g as f32, *b as f32]
        }
        _ => BT601,
    }
}
