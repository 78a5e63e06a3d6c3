//! Parses TrueType fonts, and subsets them: unused outlines become empty; glyph numbers do not change.

use super::bytes::{i16_at, offset32, u16_at};
use super::cmap;
use std::collections::{BTreeSet, HashMap};

/// The parts of a TrueType font that subsetting needs.
pub(super) struct TrueType<'a> {
    data: &'a [u8],
    tables: HashMap<[u8; 4], (usize, usize)>,
    pub(super) glyphs: usize,
    long_offsets: bool,
}

impl<'a> TrueType<'a> {
    /// Reads the table directory; `None` for collections, fonts without TrueType outlines, and damaged fonts.
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        if !matches!(data.get(..4)?, [0, 1, 0, 0] | b"true") {
            return None;
        }
        let count = usize::from(u16_at(data, 4)?);
        let mut tables = HashMap::new();
        for at in 0..count {
            let record = 12 + at * 16;
            let tag: [u8; 4] = data.get(record..record + 4)?.try_into().ok()?;
            let (offset, length) = (offset32(data, record + 8)?, offset32(data, record + 12)?);
            data.get(offset..offset.checked_add(length)?)?;
            tables.insert(tag, (offset, length));
        }
        let mut font = Self { data, tables, glyphs: 0, long_offsets: false };
        font.glyphs = usize::from(u16_at(font.table(b"maxp")?, 4)?);
        font.long_offsets = i16_at(font.table(b"head")?, 50)? != 0;
        let width = if font.long_offsets { 4 } else { 2 };
        let complete = font.table(b"loca")?.len() >= (font.glyphs + 1) * width
            && font.table(b"glyf").is_some()
            && font.table(b"hhea").is_some();
        (complete && font.is_in_order()?).then_some(font)
    }

    /// Whether outlines do not overlap. Overlapping outlines would let a small file grow without bound.
    fn is_in_order(&self) -> Option<bool> {
        let mut before = 0;
        for glyph in 0..=self.glyphs {
            let place = self.place(glyph)?;
            if place < before {
                return Some(false);
            }
            before = place;
        }
        Some(true)
    }

    /// The offset of a glyph's outline, where the previous one ends.
    fn place(&self, glyph: usize) -> Option<usize> {
        let loca = self.table(b"loca")?;
        if self.long_offsets {
            offset32(loca, glyph * 4)
        } else {
            Some(usize::from(u16_at(loca, glyph * 2)?) * 2)
        }
    }

    pub(super) fn table(&self, tag: &[u8; 4]) -> Option<&'a [u8]> {
        let (offset, length) = self.tables.get(tag)?;
        self.data.get(*offset..offset + length)
    }

    pub(super) fn outline(&self, glyph: u16) -> Option<&'a [u8]> {
        let at = usize::from(glyph);
        let (start, end) = (self.place(at)?, self.place(at + 1)?);
        self.table(b"glyf")?.get(start..end)
    }

    /// Adds the components of composite glyphs.
    pub(super) fn add_components(&self, keep: &mut BTreeSet<u16>) {
        let mut waiting: Vec<u16> = keep.iter().copied().collect();
        while let Some(glyph) = waiting.pop() {
            for part in self.parts(glyph).unwrap_or_default() {
                if keep.insert(part) {
                    waiting.push(part);
                }
            }
        }
    }

    fn parts(&self, glyph: u16) -> Option<Vec<u16>> {
        let outline = self.outline(glyph)?;
        if i16_at(outline, 0)? >= 0 {
            return None;
        }
        let mut parts = Vec::new();
        let mut at = 10;
        loop {
            let flags = u16_at(outline, at)?;
            parts.push(u16_at(outline, at + 2)?);
            at += if flags & 1 != 0 { 8 } else { 6 };
            at += match flags {
                _ if flags & 0x08 != 0 => 2,
                _ if flags & 0x40 != 0 => 4,
                _ if flags & 0x80 != 0 => 8,
                _ => 0,
            };
            if flags & 0x20 == 0 {
                return Some(parts);
            }
        }
    }

    /// The font with the outlines of only these glyphs. A font that is used only by composite fonts needs no cmap.
    pub(super) fn subset(&self, mut keep: BTreeSet<u16>, with_map: bool) -> Option<Vec<u8>> {
        keep.insert(0);
        self.add_components(&mut keep);
        let mut glyf = Vec::new();
        let mut places = Vec::with_capacity(self.glyphs + 1);
        for glyph in 0..u16::try_from(self.glyphs).ok()? {
            places.push(glyf.len());
            if keep.contains(&glyph) {
                glyf.extend_from_slice(self.outline(glyph)?);
                glyf.resize(glyf.len().next_multiple_of(4), 0);
            }
        }
        places.push(glyf.len());
        let (loca, short) = loca_table(&places);
        let mut head = self.table(b"head")?.to_vec();
        head.get_mut(8..12)?.fill(0);
        head.get_mut(50..52)?.copy_from_slice(&u16::from(!short).to_be_bytes());

        let mut tables: Vec<([u8; 4], Vec<u8>)> =
            vec![(*b"glyf", glyf), (*b"loca", loca), (*b"head", head), (*b"hmtx", self.metrics(&keep)?)];
        let copied: &[&[u8; 4]] = &[b"hhea", b"maxp", b"cvt ", b"fpgm", b"prep", b"OS/2"];
        tables.extend(copied.iter().filter_map(|tag| Some((**tag, self.table(tag)?.to_vec()))));
        if with_map {
            if let Some(map) = self.table(b"cmap") {
                tables.push((*b"cmap", cmap::subset(map, &keep)?));
            }
            tables.extend(self.table(b"post").map(|post| (*b"post", post.to_vec())));
        }
        Some(assemble(tables))
    }

    /// The advance and the left side bearing of a glyph.
    pub(super) fn metric(&self, glyph: u16) -> Option<(u16, i16)> {
        let metrics = self.table(b"hmtx")?;
        let (glyph, long) = (usize::from(glyph), usize::from(u16_at(self.table(b"hhea")?, 34)?));
        let last = long.checked_sub(1)?;
        let bearing = if glyph < long { glyph * 4 + 2 } else { long * 4 + (glyph - long) * 2 };
        Some((u16_at(metrics, glyph.min(last) * 4)?, i16_at(metrics, bearing)?))
    }

    /// The metrics, zero for removed glyphs.
    fn metrics(&self, keep: &BTreeSet<u16>) -> Option<Vec<u8>> {
        let mut metrics = self.table(b"hmtx")?.to_vec();
        let long = usize::from(u16_at(self.table(b"hhea")?, 34)?);
        for glyph in 0..self.glyphs {
            if keep.contains(&u16::try_from(glyph).ok()?) || glyph + 1 == long {
                continue;
            }
            let place = if glyph < long {
                glyph * 4..glyph * 4 + 4
            } else {
                long * 4 + (glyph - long) * 2..long * 4 + (glyph - long) * 2 + 2
            };
            if let Some(entry) = metrics.get_mut(place) {
                entry.fill(0);
            }
        }
        Some(metrics)
    }
}

/// The `loca` table of these offsets, and whether it has the short format.
pub(super) fn loca_table(places: &[usize]) -> (Vec<u8>, bool) {
    let short = places.last().is_none_or(|end| *end < 0x2_0000);
    let number = |place: &usize| {
        let value = u32::try_from(if short { place / 2 } else { *place }).unwrap_or(0);
        value.to_be_bytes().into_iter().skip(if short { 2 } else { 0 })
    };
    (places.iter().flat_map(number).collect(), short)
}

/// Writes a font file of these tables, with their checksums.
pub(super) fn assemble(mut tables: Vec<([u8; 4], Vec<u8>)>) -> Vec<u8> {
    tables.sort_by_key(|(tag, _)| *tag);
    let count = u16::try_from(tables.len()).unwrap_or(0);
    let log = count.max(1).ilog2();
    let range = 16 * (1_u16 << log);
    let mut out = vec![0, 1, 0, 0];
    for value in [count, range, u16::try_from(log).unwrap_or(0), count * 16 - range] {
        out.extend_from_slice(&value.to_be_bytes());
    }
    let mut offset = 12 + 16 * tables.len();
    for (tag, data) in &tables {
        out.extend_from_slice(tag);
        out.extend_from_slice(&checksum(data).to_be_bytes());
        out.extend_from_slice(&u32::try_from(offset).unwrap_or(0).to_be_bytes());
        out.extend_from_slice(&u32::try_from(data.len()).unwrap_or(0).to_be_bytes());
        offset += data.len().next_multiple_of(4);
    }
    let mut head_at = None;
    for (tag, data) in &tables {
        if tag == b"head" {
            head_at = Some(out.len());
        }
        out.extend_from_slice(data);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    let adjustment = 0xB1B0_AFBA_u32.wrapping_sub(checksum(&out));
    if let Some(field) = head_at.and_then(|at| out.get_mut(at + 8..at + 12)) {
        field.copy_from_slice(&adjustment.to_be_bytes());
    }
    out
}

fn checksum(data: &[u8]) -> u32 {
    data.chunks(4).fold(0_u32, |sum, chunk| {
        let mut word = [0; 4];
        for (slot, byte) in word.iter_mut().zip(chunk) {
            *slot = *byte;
        }
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}
