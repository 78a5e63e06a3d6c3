//! The operations that a kind of font file must have so that its files can be merged.

/// A font that can be merged with others.
pub(super) trait Mergeable: Sized + Send {
    /// Whether this font and the other font can be merged.
    fn agrees(&self, other: &Self) -> bool;
    /// Merges another font into this font. Both fonts must agree.
    fn absorb(&mut self, other: Self);
    /// The approximate memory that the font takes, in bytes, without the font file itself.
    fn size(&self) -> usize;
    /// The font as a file; `None` if the format cannot represent the font.
    fn write(&self) -> Option<Vec<u8>>;
}
