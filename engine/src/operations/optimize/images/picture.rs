//! The samples of an image.

use lopdf::Object;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One bit per pixel, rows padded to bytes.
    Bits,
    /// One byte for each component of each pixel.
    Bytes,
}

/// The kind of components that a colour space has, as codecs distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    Gray,
    Rgb,
    Cmyk,
    /// Any other colour space.
    Other,
}

/// The samples of an image.
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
    /// It was decoded from a lossy codec, so a lossless encoding would only preserve the noise of that codec.
    pub(super) was_lossy: bool,
    /// Its samples differ from those of the stream (expanded palette, reduced depth): encoding it is worthwhile only if
    /// it was resampled.
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
