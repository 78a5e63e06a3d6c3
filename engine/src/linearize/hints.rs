//! Writes the hint tables (ISO 32000-1, F.4): where each page's objects are, which shared objects it needs, and where the
//! outlines are. All offsets are counted as if the file had no hint stream.

use super::bits::{BitWriter, width};

/// The contents of the tables.
pub(super) struct Hints {
    /// The pages; the first page is the whole first-page section.
    pub(super) pages: Vec<PageHint>,
    /// Where the first page's object begins.
    pub(super) first_page_offset: usize,
    /// The lengths of the shared objects: all objects of the first-page section, then those of part 8.
    pub(super) shared_lengths: Vec<usize>,
    /// The number of shared objects in the first-page section.
    pub(super) shared_first_page: usize,
    /// The first object of part 8: its number and offset.
    pub(super) first_shared: Option<(u32, usize)>,
    /// The outlines, if there are any.
    pub(super) outlines: Option<OutlineHint>,
}

/// The entries for a page.
pub(super) struct PageHint {
    pub(super) objects: usize,
    pub(super) length: usize,
    /// The indices of the shared objects that it needs; empty for the first page, whose section contains its own.
    pub(super) shared: Vec<usize>,
}

/// The entries for the outlines.
pub(super) struct OutlineHint {
    pub(super) first_object: u32,
    pub(super) offset: usize,
    pub(super) objects: usize,
    pub(super) length: usize,
}

/// The tables as bytes.
pub(super) struct Tables {
    pub(super) data: Vec<u8>,
    /// Where the table of shared objects begins.
    pub(super) shared_at: usize,
    /// Where the table of outlines begins.
    pub(super) outlines_at: Option<usize>,
}

/// Writes the tables.
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

/// The page offset hint table (F.4.1). The position of the contents within a page is left out, as all writers do;
/// therefore no reader relies on it.
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
    // The position in a page where a shared object is first needed is left out: its numerator has 0 bits, the denominator
    // is 4.
    bits.put(0, 16);
    bits.put(4, 16);

    column(bits, pages.iter().map(|page| page.objects - objects), object_bits);
    column(bits, pages.iter().map(|page| page.length - length), length_bits);
    column(bits, pages.iter().map(|page| page.shared.len()), shared_bits);
    column(bits, pages.iter().flat_map(|page| page.shared.iter().copied()), identifier_bits);
    column(bits, pages.iter().map(|page| page.length - length), length_bits);
}

/// The shared object hint table (F.4.2). Every group has one object.
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
    // No signatures.
    column(bits, lengths.iter().map(|_| 0), 1);
}

/// Writes one value for each entry, beginning at a byte boundary.
fn column(bits: &mut BitWriter, values: impl Iterator<Item = usize>, width: u32) {
    values.for_each(|value| bits.put(wide(value), width));
    bits.align();
}

fn wide(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
