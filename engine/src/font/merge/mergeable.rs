//! What the merging of font files needs of each kind of font.

/// What a kind of font can do to be merged.
pub(super) trait Mergeable: Sized + Send {
    /// Whether nothing in the one contradicts the other.
    fn agrees(&self, other: &Self) -> bool;
    /// Takes over what another has, with which it agrees.
    fn absorb(&mut self, other: Self);
    /// The bytes that it takes in memory, about, without the file itself.
    fn size(&self) -> usize;
    /// The font as a file; nothing for what the format cannot hold.
    fn write(&self) -> Option<Vec<u8>>;
}
