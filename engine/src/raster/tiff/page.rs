//! Converts one page of a TIFF file to a picture that a PDF can show.

use super::directory::{Directory, Tiff, tag};
use super::fields::{Compression, Page, Photometric, unsupported};
use super::samples::{Layout, assemble};
use super::segments;
use crate::raster::ccitt::{self, Scheme};
use crate::raster::icc::usable_profile;
use crate::raster::picture::{Color, Data, Orientation, Picture, Transparency};
use crate::{EngineError, Job};
use std::borrow::Cow;

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

/// Reads a page in the old JPEG compression. `None` if the page has another compression. Fails if the page does not
/// contain a complete JPEG file; most writers stored one.
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

    /// The colour map as RGB triples of bytes. The values in the file should have 16 bits, but some writers store 8-bit
    /// values.
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

    /// The fax data of the page. Data in one strip is kept unchanged; several strips are decoded, joined, and encoded
    /// as Group 4.
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

    /// The picture of a page whose only segment is a JPEG image with all samples of the page: this JPEG image as a
    /// file. `None` for any other page.
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
        // Decode the segment once to check that it is complete.
        segments::decompress(self, segment, self.width, self.height, 0, job)?;
        let color = match self.photometric {
            Photometric::BlackIsZero => Color::Gray,
            Photometric::Cmyk => Color::Cmyk,
            _ => Color::Rgb,
        };
        Ok(Some(self.of_data(Data::Jpeg(file.into()), color, 8, false, Transparency::Opaque)))
    }
}
