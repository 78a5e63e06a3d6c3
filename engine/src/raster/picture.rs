//! A raster image as a PDF needs it: the samples, their coding, and their meaning (colour space, transparency,
//! orientation).

use super::ccitt;
use crate::{EngineError, Job};
use std::borrow::Cow;

/// An image, with everything that is needed to show the image as its file describes it.
pub(crate) struct Picture<'a> {
    /// The number of stored columns, before `orientation` is applied.
    pub width: u32,
    /// The number of stored rows, before `orientation` is applied.
    pub height: u32,
    pub data: Data<'a>,
    pub color: Color,
    /// The ICC profile of `color`, if there is one. For an indexed `color`, the profile describes the colours of the
    /// table.
    pub profile: Option<Vec<u8>>,
    /// The number of bits of a sample: 1, 2, 4, 8 or 16.
    pub bits: u8,
    /// Whether the samples are inverted, so that 0 is white (gray) or full ink (CMYK).
    pub inverted: bool,
    pub transparency: Transparency,
    pub density: Option<Density>,
    pub orientation: Orientation,
}

/// The samples of the picture: packed rows, or compressed data.
pub(crate) enum Data<'a> {
    /// Rows of packed samples. Each row begins at a byte boundary; 16-bit samples are big-endian.
    Rows(Vec<u8>),
    /// A zlib stream of rows. Before each row there is a byte that states its PNG filter.
    PngRows(Vec<u8>),
    /// A JPEG file.
    Jpeg(Cow<'a, [u8]>),
    /// CCITT fax data.
    Ccitt(Cow<'a, [u8]>, ccitt::Coding),
}

/// The colour space of the samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Color {
    Gray,
    Rgb,
    Cmyk,
    /// CIE L*a*b* with the white point D50. The range of a* and b* is -128 to 127.
    Lab,
    /// Indices into a table of RGB triples.
    Indexed(Vec<u8>),
    /// Gray with a gamma.
    CalGray {
        gamma: f32,
    },
    /// RGB with a gamma and primaries.
    CalRgb {
        gamma: f32,
        white: [f32; 3],
        matrix: [f32; 9],
    },
}

impl Color {
    /// The number of samples that a pixel has.
    pub fn channels(&self) -> u8 {
        match self {
            Self::Gray | Self::Indexed(_) | Self::CalGray { .. } => 1,
            Self::Rgb | Self::Lab | Self::CalRgb { .. } => 3,
            Self::Cmyk => 4,
        }
    }
}

/// The transparency of the pixels.
pub(crate) enum Transparency {
    Opaque,
    /// One alpha sample for each pixel of the picture, packed as in [`Data::Rows`].
    Alpha {
        bits: u8,
        rows: Vec<u8>,
    },
    /// The only colour that is transparent, as one sample for each channel.
    Key(Vec<u16>),
}

/// The resolution: pixels per inch, horizontal and vertical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Density {
    pub x: f64,
    pub y: f64,
}

impl Density {
    const PER_CM: f64 = 2.54;

    /// The density with these values. `None` if the values are not plausible, such as 0 or infinity.
    pub fn per_inch(x: f64, y: f64) -> Option<Self> {
        let sane = |value: f64| (1.0..=100_000.0).contains(&value);
        (sane(x) && sane(y)).then_some(Self { x, y })
    }

    pub fn per_cm(x: f64, y: f64) -> Option<Self> {
        Self::per_inch(x * Self::PER_CM, y * Self::PER_CM)
    }
}

/// How the stored image must be rotated or mirrored to be shown: one of the eight values that EXIF and TIFF define.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orientation(u8);

impl Orientation {
    /// The orientation with this number from 1 to 8. For any other number: the orientation 1, which is upright.
    pub fn from_number(number: u64) -> Self {
        u8::try_from(number).ok().filter(|number| (1..=8).contains(number)).map_or_else(Self::default, Self)
    }

    /// Whether rows and columns are exchanged.
    pub fn swaps_axes(self) -> bool {
        (5..=8).contains(&self.0)
    }

    /// The matrix from the unit square of the stored image (y upwards) to the unit square of the image as shown.
    pub fn matrix(self) -> [f32; 6] {
        match self.0 {
            2 => [-1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
            3 => [-1.0, 0.0, 0.0, -1.0, 1.0, 1.0],
            4 => [1.0, 0.0, 0.0, -1.0, 0.0, 1.0],
            5 => [0.0, -1.0, -1.0, 0.0, 1.0, 1.0],
            6 => [0.0, -1.0, 1.0, 0.0, 0.0, 1.0],
            7 => [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            8 => [0.0, 1.0, -1.0, 0.0, 1.0, 0.0],
            _ => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        }
    }
}

/// Checks the size of an image before memory is allocated: the image must not be empty, and must not have more pixels
/// than the limit allows.
pub(crate) fn check_size(width: u64, height: u64, job: &Job) -> Result<(u32, u32), EngineError> {
    let (Ok(columns), Ok(rows)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(EngineError::Damaged(format!(
            "the image has an invalid size of {width} x {height} pixels"
        )));
    };
    if columns == 0 || rows == 0 {
        return Err(EngineError::Damaged(format!(
            "the image has an invalid size of {width} x {height} pixels"
        )));
    }
    let most = job.limits().pixels;
    if width.saturating_mul(height) > most || columns > i32::MAX as u32 || rows > i32::MAX as u32 {
        return Err(EngineError::limit(
            "image size",
            format!("{most} pixels; the image has {width} x {height}"),
        ));
    }
    Ok((columns, rows))
}

/// The number of bytes in a row of `width` pixels.
pub(crate) fn row_bytes(width: u32, channels: usize, bits: u8) -> usize {
    (width as usize * channels * usize::from(bits)).div_ceil(8)
}
