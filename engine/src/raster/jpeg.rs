//! Reads the headers of JPEG files. A JPEG file is copied into a PDF unchanged.

use super::exif;
use super::icc::usable_profile;
use super::picture::{Color, Data, Density, Picture, Transparency, check_size};
use crate::{EngineError, Job};
use std::borrow::Cow;
use std::collections::BTreeMap;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The end-of-image marker.
const END: &[u8] = &[0xff, 0xd9];

/// The headers of a JPEG file.
#[derive(Default)]
pub(crate) struct Header {
    pub width: u64,
    pub height: u64,
    /// The identifiers of the components.
    pub components: Vec<u8>,
    /// The colour transform that Adobe's marker states: 0 is none, 1 is YCbCr, 2 is YCCK. `None` if there is no such
    /// marker.
    pub adobe: Option<u8>,
    profile: BTreeMap<u8, Vec<u8>>,
    density: Option<Density>,
    exif: Option<exif::Exif>,
    /// The offset of the first byte after the end-of-image marker. `None` if the file has no end-of-image marker.
    end: Option<usize>,
}

/// Reads a JPEG file.
pub(crate) fn read<'a>(bytes: &'a [u8], job: &Job) -> Result<Picture<'a>, EngineError> {
    let header = Header::read(bytes)?;
    let (width, height) = check_size(header.width, header.height, job)?;
    let color = match header.components.len() {
        1 => Color::Gray,
        3 => Color::Rgb,
        4 => Color::Cmyk,
        count => {
            return Err(EngineError::Unsupported(format!(
                "a JPEG image with {count} components cannot be shown in a PDF; convert it to gray, RGB or CMYK first"
            )));
        }
    };
    let data = match header.end {
        Some(end) => Cow::Borrowed(bytes.get(..end).unwrap_or(bytes)),
        None => Cow::Owned(with_end_marker(bytes, &header)?),
    };
    // A file with Adobe's marker stores CMYK values inverted.
    let inverted = color == Color::Cmyk && header.adobe.is_some();
    let profile = header.profile.into_values().flatten().collect();
    let exif = header.exif.unwrap_or_default();
    Ok(Picture {
        width,
        height,
        data: Data::Jpeg(data),
        profile: usable_profile(profile, &color),
        color,
        bits: 8,
        inverted,
        transparency: Transparency::Opaque,
        density: header.density.or(exif.density),
        orientation: exif.orientation,
    })
}

/// Adds the missing end-of-image marker to a file that is complete otherwise.
fn with_end_marker(bytes: &[u8], header: &Header) -> Result<Vec<u8>, EngineError> {
    let limits = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(limits(header.width))
        .set_max_height(limits(header.height));
    let decoded = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options).decode();
    match decoded {
        Ok(_) => Ok([bytes, END].concat()),
        Err(_) => Err(EngineError::Damaged(
            "the JPEG image ends before its last line; the file may be truncated".to_owned(),
        )),
    }
}

impl Header {
    /// Reads all markers up to the end of the image.
    pub fn read(bytes: &[u8]) -> Result<Self, EngineError> {
        let mut header = Self::default();
        let mut at = 2;
        let mut seen_scan = false;
        while let Some(marker) = next_marker(bytes, &mut at) {
            match marker {
                0xd9 => {
                    header.end = Some(at);
                    break;
                }
                // These markers have no length: restart markers, another start-of-image marker, and TEM.
                0x01 | 0xd0..=0xd8 => continue,
                _ => {}
            }
            let Some(segment) = segment(bytes, at) else { break };
            at += segment.len() + 2;
            match marker {
                0xc0..=0xc2 => header.frame(segment)?,
                0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => return Err(unusual_frame(marker)),
                0xda => seen_scan = true,
                0xe0 => header.jfif(segment),
                0xe1 => header.exif(segment),
                0xe2 => header.profile_part(segment),
                0xee => header.adobe_marker(segment),
                _ => {}
            }
        }
        if header.components.is_empty() || !seen_scan {
            return Err(EngineError::Damaged(
                "the JPEG image ends before its first line; the file may be truncated".to_owned(),
            ));
        }
        Ok(header)
    }

    fn frame(&mut self, segment: &[u8]) -> Result<(), EngineError> {
        let [precision, h1, h0, w1, w0, count, components @ ..] = segment else {
            return Err(EngineError::Damaged("the frame header of the JPEG image is truncated".to_owned()));
        };
        if *precision != 8 {
            return Err(EngineError::Unsupported(format!(
                "a JPEG image with {precision} bits per sample cannot be shown in a PDF; convert it to 8 bits first"
            )));
        }
        self.height = u64::from(u16::from_be_bytes([*h1, *h0]));
        self.width = u64::from(u16::from_be_bytes([*w1, *w0]));
        if self.height == 0 {
            return Err(EngineError::Unsupported(
                "a JPEG image whose height is given after its lines (DNL) is not supported; save it again with its height in the header".to_owned(),
            ));
        }
        self.components =
            components.chunks_exact(3).take(usize::from(*count)).filter_map(|c| c.first().copied()).collect();
        Ok(())
    }

    fn jfif(&mut self, segment: &[u8]) {
        let [b'J', b'F', b'I', b'F', 0, _, _, unit, x1, x0, y1, y0, ..] = segment else { return };
        let (x, y) = (u16::from_be_bytes([*x1, *x0]), u16::from_be_bytes([*y1, *y0]));
        self.density = match unit {
            1 => Density::per_inch(x.into(), y.into()),
            2 => Density::per_cm(x.into(), y.into()),
            _ => None,
        };
    }

    fn exif(&mut self, segment: &[u8]) {
        if let (None, Some(block)) = (&self.exif, segment.strip_prefix(b"Exif\0\0")) {
            self.exif = Some(exif::read(block));
        }
    }

    fn profile_part(&mut self, segment: &[u8]) {
        if let Some([number, _, part @ ..]) = segment.strip_prefix(b"ICC_PROFILE\0") {
            self.profile.insert(*number, part.to_vec());
        }
    }

    fn adobe_marker(&mut self, segment: &[u8]) {
        if let Some([_, _, _, _, _, _, transform, ..]) = segment.strip_prefix(b"Adobe") {
            self.adobe = Some(*transform);
        }
    }
}

/// Whether the three components of a file are RGB although the file has no Adobe marker: some writers use the letters
/// R, G and B as component identifiers instead of the marker.
pub(crate) fn is_plain_rgb_jpeg(file: &[u8]) -> bool {
    Header::read(file).is_ok_and(|header| header.adobe.is_none() && header.components == *b"RGB")
}

fn unusual_frame(marker: u8) -> EngineError {
    let kind = match marker {
        0xc3 | 0xc7 | 0xcb | 0xcf => "lossless",
        0xc9..=0xcf => "arithmetic-coded",
        _ => "hierarchical",
    };
    EngineError::Unsupported(format!(
        "a {kind} JPEG image cannot be shown in a PDF; convert it to a baseline JPEG first"
    ))
}

/// Finds the next marker at or after the offset `at`, and moves `at` to the first byte after the marker. Entropy-coded
/// data before the marker is skipped.
fn next_marker(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        let rest = bytes.get(*at..)?;
        let found = rest.iter().position(|byte| *byte == 0xff)?;
        *at += found + 1;
        match bytes.get(*at)? {
            // A zero after 0xff means that this 0xff is entropy-coded data, not a marker. Another 0xff is a fill byte.
            0x00 => *at += 1,
            0xff => {}
            marker => {
                *at += 1;
                return Some(*marker);
            }
        }
    }
}

/// The content of the segment whose length field is at the offset `at`. The length field is not part of the content.
fn segment(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let [high, low, ..] = bytes.get(at..)? else { return None };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    bytes.get(at + 2..at + length.max(2))
}
