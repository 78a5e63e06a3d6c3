//! Writes the hint tables (ISO 32000-1, F.4): they state where the objects of each page are, which shared objects each
//! page needs, and where the outlines are. All offsets in the tables are counted as if the file had no hint stream.

use super::bits::{BitWriter, width};

/// The values that the hint tables contain.
pub(super) struct Hints {
    /// The entries for the pages. The entry for the first page describes the whole first-page section.
    pub(super) pages: Vec<PageHint>,
    /// The offset at which the object of the first page begins.
    pub(super) first_page_offset: usize,
    /// The lengths of the shared objects: first of all objects of the first-page section, then of the objects of part
    /// 8.
    pub(super) shared_lengths: Vec<usize>,
    /// The number of shared objects in the first-page section.
    pub(super) shared_first_page: usize,
    /// The number and the offset of the first object of part 8. `None` if part 8 is empty.
    pub(super) first_shared: Option<(u32, usize)>,
    /// The entries for the outlines. `None` if the document has no outlines.
    pub(super) outlines: Option<OutlineHint>,
}

/// The entries for a page.
pub(super) struct PageHint {
    pub(super) objects: usize,
    pub(super) length: usize,
    /// The indices of the shared objects that the page needs. The list is empty for the first page, because the
    /// first-page section contains all objects that the first page needs.
    pub(super) shared: Vec<usize>,
}

/// The entries for the outlines.
pub(super) struct OutlineHint {
    pub(super) first_object: u32,
    pub(super) offset: usize,
    pub(super) objects: usize,
    pub(super) length: usize,
}

/// The hint tables as bytes.
pub(super) struct Tables {
    pub(super) data: Vec<u8>,
    /// The offset in `data` at which the table of shared objects begins.
    pub(super) shared_at: usize,
    /// The offset in `data` at which the table of outlines begins. `None` if there is no such table.
    pub(super) outlines_at: Option<usize>,
}

/// Writes the hint tables.
pub(super) fn tables(hints: &Hints) -> Tables {
    let mut bits = BitWriter::default();
    page_table(&mut bits, hints);
    let shared_at = bits.len();
    shared_table(&mut bits, hints);
    let outlines_at = hints.outlines.as_ref().map(|outlines| {
        let at = bits.len();
        for value in [
            u64::from(outlines.first_object),
            wide(outlines.offset),
            wide(outlines.objects),
            wide(outlines.length),
        ] {
            bits.put(value, 32);
        }
        at
    });
    Tables { data: bits.finish(), shared_at, outlines_at }
}

/// The page offset hint table (F.4.1). The table does not state where the contents of a page are among the page's
/// objects. All writers leave this position out, so no reader relies on it.
fn page_table(bits: &mut BitWriter, hints: &Hints) {
    let pages = &hints.pages;
    let least = |value: fn(&PageHint) -> usize| pages.iter().map(value).min().unwrap_or(0);
    let most = |value: fn(&PageHint) -> usize| pages.iter().map(value).max().unwrap_or(0);
    let (objects, length) = (least(|page| page.objects), least(|page| page.length));
    let object_bits = width(wide(most(|page| page.objects) - objects));
    let length_bits = width(wide(most(|page| page.length) - length));
    let shared_bits = width(wide(most(|page| page.shared.len())));
    let identifier_bits = width(wide(hints.shared_lengths.len()));

    bits.put(wide(objects), 32);
    bits.put(wide(hints.first_page_offset), 32);
    bits.put(object_bits.into(), 16);
    bits.put(wide(length), 32);
    bits.put(length_bits.into(), 16);
    bits.put(0, 32);
    bits.put(0, 16);
    bits.put(wide(length), 32);
    bits.put(length_bits.into(), 16);
    bits.put(shared_bits.into(), 16);
    bits.put(identifier_bits.into(), 16);
    // The table does not state at which position in a page a shared object is first needed: the numerator of this
    // fraction has 0 bits, and its denominator is 4.
    bits.put(0, 16);
    bits.put(4, 16);

    column(bits, pages.iter().map(|page| page.objects - objects), object_bits);
    column(bits, pages.iter().map(|page| page.length - length), length_bits);
    column(bits, pages.iter().map(|page| page.shared.len()), shared_bits);
    column(bits, pages.iter().flat_map(|page| page.shared.iter().copied()), identifier_bits);
    column(bits, pages.iter().map(|page| page.length - length), length_bits);
}

/// The shared object hint table (F.4.2). Each group of shared objects consists of one object.
fn shared_table(bits: &mut BitWriter, hints: &Hints) {
    let lengths = &hints.shared_lengths;
    let least = lengths.iter().copied().min().unwrap_or(0);
    let length_bits = width(wide(lengths.iter().copied().max().unwrap_or(0) - least));
    let (number, offset) = hints.first_shared.unwrap_or((0, 0));
    bits.put(number.into(), 32);
    bits.put(wide(offset), 32);
    bits.put(wide(hints.shared_first_page), 32);
    bits.put(wide(lengths.len()), 32);
    bits.put(0, 16);
    bits.put(wide(least), 32);
    bits.put(length_bits.into(), 16);
    column(bits, lengths.iter().map(|length| length - least), length_bits);
    // One bit for each object: 0 means that the table contains no signature (MD5 digest) of the object.
    column(bits, lengths.iter().map(|_| 0), 1);
}

/// Writes one value for each entry, and fills the last byte, so that the next column begins at a byte boundary.
fn column(bits: &mut BitWriter, values: impl Iterator<Item = usize>, width: u32) {
    values.for_each(|value| bits.put(wide(value), width));
    bits.align();
}

fn wide(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
