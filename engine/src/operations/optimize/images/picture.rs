//! An image as samples.

use lopdf::Object;

/// How samples are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One bit a pixel, rows padded to bytes.
    Bits,
    /// One byte for each component of each pixel.
    Bytes,
}

/// What a colour space's components are, as far as it matters to a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    Gray,
    Rgb,
    Cmyk,
    /// Something else with so many components.
    Other,
}

/// An image as samples.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Components of a pixel.
    pub(super) channels: usize,
    pub(super) kind: Kind,
    pub(super) model: Model,
    pub(super) data: Vec<u8>,
    /// The colour space of the samples.
    pub(super) space: Object,
    /// An image mask, which has no colour space.
    pub(super) stencil: bool,
    /// It came out of a lossy codec: coding it without loss would only keep that codec's noise.
    pub(super) was_lossy: bool,
    /// Its samples are not those that the stream has (palette expanded, depth reduced): encoding it is of use only if
    /// it has become smaller in pixels.
    pub(super) only_if_resampled: bool,
}

impl Picture {
    /// Bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        match self.kind {
            Kind::Bits => self.width.div_ceil(8),
            Kind::Bytes => self.width * self.channels,
        }
    }
}
