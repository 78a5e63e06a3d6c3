//! Reads one page of a TIFF file: checks its fields and converts it to a picture for a PDF.

use super::directory::{Directory, Order, Tiff, tag};
use super::samples::{Layout, SampleKind, assemble};
use super::segments::{self, Compression};
use crate::raster::ccitt::{self, Scheme};
use crate::raster::{Color, Data, Orientation, Picture, Transparency, check_size, usable_profile};
use crate::{EngineError, Job};
use std::borrow::Cow;

/// The colour space of the samples: the values of PhotometricInterpretation.
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
    /// CIE L*a*b* with a* and b* offset by half their range, as in ICC.
    IccLab,
}

impl Photometric {
    fn of(number: u64) -> Result<Self, EngineError> {
        Ok(match number {
            0 => Self::WhiteIsZero,
            // 4 is a mask, whose ones are opaque.
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

/// The meaning of the extra sample of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alpha {
    /// Alpha that the colours are already multiplied by.
    Associated,
    /// Alpha that the colours are not multiplied by.
    Unassociated,
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
    /// Whether the segments are tiles, which have their full size even at the edges of the image.
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

/// Reads the page that a directory describes.
pub(super) fn read<'a>(
    tiff: &Tiff<'a>,
    directory: &Directory<'a>,
    job: &Job,
) -> Result<Picture<'a>, EngineError> {
    if let Some(picture) = old_jpeg(tiff, directory, job)? {
        return Ok(picture);
    }
    let page = Page::read(tiff, directory, job)?;
    let mut picture = page.picture(directory, job)?;
    picture.density = directory.density().or(picture.density);
    picture.orientation =
        directory.number(tag::ORIENTATION).map_or_else(Orientation::default, Orientation::from_number);
    let profile = directory.bytes(tag::ICC_PROFILE).map(<[u8]>::to_vec);
    picture.profile = profile.and_then(|profile| usable_profile(profile, &picture.color)).or(picture.profile);
    Ok(picture)
}

/// A page in the old JPEG compression, if it contains a complete JPEG file, as most writers wrote it.
fn old_jpeg<'a>(
    tiff: &Tiff<'a>,
    directory: &Directory<'a>,
    job: &Job,
) -> Result<Option<Picture<'a>>, EngineError> {
    const OLD_JPEG: u64 = 6;
    if directory.number(tag::COMPRESSION) != Some(OLD_JPEG) {
        return Ok(None);
    }
    let start = directory.number(tag::JPEG_INTERCHANGE_FORMAT);
    let length = directory.number(tag::JPEG_INTERCHANGE_FORMAT_LENGTH);
    let file = start.zip(length).and_then(|(start, length)| tiff.slice(start, length));
    let Some(file) = file.filter(|file| file.starts_with(&[0xff, 0xd8])) else {
        return Err(unsupported("the old JPEG compression without a complete JPEG file"));
    };
    let mut picture = super::super::jpeg::read(file, job)?;
    picture.orientation =
        directory.number(tag::ORIENTATION).map_or(picture.orientation, Orientation::from_number);
    picture.density = directory.density().or(picture.density);
    Ok(Some(picture))
}

impl<'a> Page<'a> {
    fn read(tiff: &Tiff<'a>, directory: &Directory<'a>, job: &Job) -> Result<Self, EngineError> {
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

    /// Finds the strips or tiles, in order. There must be enough of them to cover the image.
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
        // Some writers use the tags of strips for tiles.
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

    /// The number of channels that are colour.
    pub fn channels(&self) -> usize {
        self.photometric.channels()
    }

    fn picture(&self, directory: &Directory<'a>, job: &Job) -> Result<Picture<'a>, EngineError> {
        if self.compression.is_fax() && self.samples == 1 && self.bits == 1 {
            return self.fax_picture(job);
        }
        if let Some(picture) = self.whole_jpeg(job)? {
            return Ok(picture);
        }
        let color = self.color(directory)?;
        let Layout { rows, alpha, bits } = assemble(self, job)?;
        let transparency = match alpha {
            Some(rows) if rows.iter().any(|byte| *byte != 0xff) => Transparency::Alpha { bits, rows },
            _ => Transparency::Opaque,
        };
        let inverted = self.photometric == Photometric::WhiteIsZero;
        Ok(self.of_data(Data::Rows(rows), color, bits, inverted, transparency))
    }

    fn of_data(
        &self,
        data: Data<'a>,
        color: Color,
        bits: u8,
        inverted: bool,
        transparency: Transparency,
    ) -> Picture<'a> {
        Picture {
            width: self.width,
            height: self.height,
            data,
            color,
            profile: None,
            bits,
            inverted,
            transparency,
            density: None,
            orientation: Orientation::default(),
        }
    }

    fn color(&self, directory: &Directory<'_>) -> Result<Color, EngineError> {
        Ok(match self.photometric {
            Photometric::WhiteIsZero | Photometric::BlackIsZero => Color::Gray,
            Photometric::Rgb | Photometric::YCbCr => Color::Rgb,
            Photometric::Cmyk => Color::Cmyk,
            Photometric::CieLab | Photometric::IccLab => Color::Lab,
            Photometric::Palette => Color::Indexed(self.palette(directory)?),
        })
    }

    /// The colour map as RGB triples of bytes. Its values have 16 bits, but some writers write 8-bit values.
    fn palette(&self, directory: &Directory<'_>) -> Result<Vec<u8>, EngineError> {
        if self.bits > 8 {
            return Err(unsupported(format!("a palette of {} bits", self.bits)));
        }
        let map = directory.numbers(tag::COLOR_MAP).unwrap_or_default();
        let colors = 1_usize << self.bits;
        let (Some(red), Some(green), Some(blue)) =
            (map.get(..colors), map.get(colors..2 * colors), map.get(2 * colors..3 * colors))
        else {
            return Err(EngineError::Damaged(format!(
                "the palette of the TIFF image has fewer than {colors} colours"
            )));
        };
        let shift = if map.iter().all(|value| *value < 256) { 0 } else { 8 };
        let byte = |value: &u64| u8::try_from(value >> shift).unwrap_or(u8::MAX);
        Ok(red.iter().zip(green).zip(blue).flat_map(|((r, g), b)| [byte(r), byte(g), byte(b)]).collect())
    }

    /// The fax data unchanged if it is in one strip, else joined and encoded as Group 4.
    fn fax_picture(&self, job: &Job) -> Result<Picture<'a>, EngineError> {
        let coding = self.fax_coding();
        let stride = (self.width as usize).div_ceil(8);
        let mut rows = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            job.proceed()?;
            let height = self.segment_height.min(self.height - index as u32 * self.segment_height);
            let decoded = ccitt::decode(&self.in_bit_order(segment), self.segment_width, height, coding);
            if decoded.len() < height as usize * stride {
                return Err(segments::truncated(index, self.segments.len()));
            }
            rows.extend(decoded);
        }
        let data = match self.segments.as_slice() {
            [only] => Data::Ccitt(self.in_bit_order(only), coding),
            _ => {
                let coding = ccitt::Coding {
                    scheme: Scheme::Group4,
                    end_of_line: false,
                    byte_aligned: false,
                    ..coding
                };
                Data::Ccitt(Cow::Owned(ccitt::encode_group4(&rows, self.width)), coding)
            }
        };
        Ok(self.of_data(data, Color::Gray, 1, false, Transparency::Opaque))
    }

    fn fax_coding(&self) -> ccitt::Coding {
        const TWO_DIMENSIONAL: u64 = 1;
        let scheme = match self.compression {
            Compression::Group4 => Scheme::Group4,
            Compression::Group3 if self.t4_options & TWO_DIMENSIONAL != 0 => Scheme::Group3TwoDimensional,
            _ => Scheme::Group3,
        };
        ccitt::Coding {
            scheme,
            end_of_line: self.compression == Compression::Group3,
            byte_aligned: self.compression == Compression::HuffmanRle,
            black_is_1: self.photometric == Photometric::BlackIsZero,
        }
    }

    /// The segment with the most significant bit first, as all decoders expect it.
    pub fn in_bit_order(&self, segment: &'a [u8]) -> Cow<'a, [u8]> {
        if self.reversed_bits {
            segment.iter().map(|byte| byte.reverse_bits()).collect()
        } else {
            segment.into()
        }
    }

    /// The JPEG file of a page that has only one segment, a JPEG image of all its samples.
    fn whole_jpeg(&self, job: &Job) -> Result<Option<Picture<'a>>, EngineError> {
        let [segment] = self.segments.as_slice() else { return Ok(None) };
        let is_supported = matches!(
            self.photometric,
            Photometric::BlackIsZero | Photometric::Rgb | Photometric::YCbCr | Photometric::Cmyk
        );
        if self.compression != Compression::Jpeg
            || !is_supported
            || self.samples != self.channels()
            || self.bits != 8
        {
            return Ok(None);
        }
        let file = segments::jpeg_file(self, segment);
        let header = super::super::jpeg::Header::read(&file)?;
        if (header.width, header.height) != (self.width.into(), self.height.into()) {
            return Ok(None);
        }
        // Decode it once to check that it is complete.
        segments::decompress(self, segment, self.width, self.height, 0, job)?;
        let color = match self.photometric {
            Photometric::BlackIsZero => Color::Gray,
            Photometric::Cmyk => Color::Cmyk,
            _ => Color::Rgb,
        };
        Ok(Some(self.of_data(Data::Jpeg(file.into()), color, 8, false, Transparency::Opaque)))
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

/// The kind of alpha of the first extra sample, if it is alpha.
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

/// The luma coefficients of the file, if they are valid, else those of BT.601.
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
