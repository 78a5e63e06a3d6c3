//! The samples of an image.

use lopdf::Object;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One bit per pixel. Each row is padded to whole bytes.
    Bits,
    /// One byte for each component of each pixel.
    Bytes,
}

/// The kind of colour space, as far as codecs distinguish colour spaces.
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
    /// The number of components of a pixel.
    pub(super) channels: usize,
    pub(super) kind: Kind,
    pub(super) model: Model,
    pub(super) data: Vec<u8>,
    /// The colour space of the samples.
    pub(super) space: Object,
    /// Whether the image is an image mask, which has no colour space.
    pub(super) stencil: bool,
    /// Whether the samples were decoded from a lossy codec. If so, a lossless encoding would only preserve the noise of
    /// that codec.
    pub(super) was_lossy: bool,
    /// Whether the samples differ from the samples of the stream, because a palette was expanded or the number of bits
    /// was reduced. If so, the picture is encoded only if it was resampled.
    pub(super) only_if_resampled: bool,
}

impl Picture {
    /// The number of bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        match self.kind {
            Kind::Bits => self.width.div_ceil(8),
            Kind::Bytes => self.width * self.channels,
        }
    }
}
