//! A raster image in the terms in which a PDF shows it: its samples, their coding and what they mean.

use super::ccitt;
use crate::{EngineError, Job};
use std::borrow::Cow;

/// An image, with everything needed to show it as its file describes it.
pub(crate) struct Picture<'a> {
    /// The columns as stored, before `orientation`.
    pub width: u32,
    /// The rows as stored, before `orientation`.
    pub height: u32,
    pub data: Data<'a>,
    pub color: Color,
    /// An ICC profile for `color` (for the table's colours if it is indexed).
    pub profile: Option<Vec<u8>>,
    /// Bits of a sample: 1, 2, 4, 8 or 16.
    pub bits: u8,
    /// Whether the samples are inverted: 0 is white or full ink.
    pub inverted: bool,
    pub transparency: Transparency,
    pub density: Option<Density>,
    pub orientation: Orientation,
}

/// The samples and how they are coded.
pub(crate) enum Data<'a> {
    /// Rows of packed samples. Each row begins at a byte boundary; 16-bit samples are big-endian.
    Rows(Vec<u8>),
    /// A zlib stream of rows, each preceded by its PNG filter.
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
    /// CIE L*a*b*, D50, a* and b* from -128 to 127.
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
    /// The number of samples of a pixel.
    pub fn channels(&self) -> u8 {
        match self {
            Self::Gray | Self::Indexed(_) | Self::CalGray { .. } => 1,
            Self::Rgb | Self::Lab | Self::CalRgb { .. } => 3,
            Self::Cmyk => 4,
        }
    }
}

/// The transparent pixels.
pub(crate) enum Transparency {
    Opaque,
    /// Alpha samples of the picture's size, packed as in [`Data::Rows`].
    Alpha {
        bits: u8,
        rows: Vec<u8>,
    },
    /// The one colour that is transparent: one sample for each channel.
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

    /// A plausible density; `None` for values such as 0 or infinity.
    pub fn per_inch(x: f64, y: f64) -> Option<Self> {
        let sane = |value: f64| (1.0..=100_000.0).contains(&value);
        (sane(x) && sane(y)).then_some(Self { x, y })
    }

    pub fn per_cm(x: f64, y: f64) -> Option<Self> {
        Self::per_inch(x * Self::PER_CM, y * Self::PER_CM)
    }
}

/// The orientation of the stored rows and columns in the image as shown: one of the eight values of EXIF and TIFF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orientation(u8);

impl Orientation {
    /// The orientation with this number; any other number than 1 to 8 is upright.
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

/// Checks the size of an image before memory is allocated: it must not be empty or exceed the limit of pixels.
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

/// The bytes of a row of `width` pixels.
pub(crate) fn row_bytes(width: u32, channels: usize, bits: u8) -> usize {
    (width as usize * channels * usize::from(bits)).div_ceil(8)
}
