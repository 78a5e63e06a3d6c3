//! The operations on a kind of font file that merging needs.

/// A font that can be merged with others.
pub(super) trait Mergeable: Sized + Send {
    /// Whether both can be merged.
    fn agrees(&self, other: &Self) -> bool;
    /// Merges another font, with which it agrees, into this one.
    fn absorb(&mut self, other: Self);
    /// The approximate memory that it takes, in bytes, without the file itself.
    fn size(&self) -> usize;
    /// The font as a file; `None` if the format cannot represent it.
    fn write(&self) -> Option<Vec<u8>>;
}
