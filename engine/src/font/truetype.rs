//! Parses TrueType fonts, and subsets them. Unused outlines become empty; glyph numbers do not change.

use super::bytes::read;
use super::cmap;
use skrifa::raw::tables::glyf::Glyph;
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use skrifa::raw::tables::{head::Head, hhea::Hhea, hmtx::Hmtx, loca::Loca, maxp::Maxp};
use skrifa::raw::types::GlyphId;
use skrifa::raw::{FontData, FontRead, FontRef};
use std::collections::{BTreeSet, HashMap};

/// The parts of a TrueType font that subsetting needs.
pub(super) struct TrueType<'a> {
    tables: HashMap<[u8; 4], &'a [u8]>,
    pub(super) glyphs: usize,
    /// The offsets of the outlines. Each outline ends at the offset of the next outline.
    loca: Loca<'a>,
    glyf: &'a [u8],
    /// The number of glyphs that have an advance of their own in `hmtx`.
    long_metrics: u16,
}

impl<'a> TrueType<'a> {
    /// Reads the table directory; `None` for collections, fonts without TrueType outlines, and damaged fonts.
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        if !matches!(data.get(..4)?, [0, 1, 0, 0] | b"true") {
            return None;
        }
        let mut tables = HashMap::new();
        for record in FontRef::new(data).ok()?.table_directory.table_records() {
            let start = usize::try_from(record.offset()).ok()?;
            let end = start.checked_add(usize::try_from(record.length()).ok()?)?;
            tables.insert(record.tag().to_be_bytes(), data.get(start..end)?);
        }
        let table = |tag: &[u8; 4]| Some(FontData::new(tables.get(tag)?));
        let glyphs = usize::from(Maxp::read(table(b"maxp")?).ok()?.num_glyphs());
        let long_offsets = Head::read(table(b"head")?).ok()?.index_to_loc_format() != 0;
        let size = (glyphs + 1) * if long_offsets { 4 } else { 2 };
        let loca = Loca::read(table(b"loca")?.slice(..size)?, long_offsets).ok()?;
        let long_metrics = Hhea::read(table(b"hhea")?).ok()?.number_of_h_metrics();
        let glyf = *tables.get(b"glyf")?;
        // Outlines must not overlap. Otherwise a small file could grow without bound when overlapping outlines are
        // copied.
        loca.all_offsets_are_ascending().then_some(Self { tables, glyphs, loca, glyf, long_metrics })
    }

    pub(super) fn table(&self, tag: &[u8; 4]) -> Option<&'a [u8]> {
        self.tables.get(tag).copied()
    }

    pub(super) fn outline(&self, glyph: u16) -> Option<&'a [u8]> {
        let place = |at: usize| usize::try_from(self.loca.get_raw(at)?).ok();
        let glyph = usize::from(glyph);
        self.glyf.get(place(glyph)?..place(glyph + 1)?)
    }

    /// Adds the components of the composite glyphs in `keep` to `keep`.
    pub(super) fn add_components(&self, keep: &mut BTreeSet<u16>) {
        let mut waiting: Vec<u16> = keep.iter().copied().collect();
        while let Some(glyph) = waiting.pop() {
            let Some(Ok(Glyph::Composite(outline))) =
                self.outline(glyph).map(|outline| Glyph::read(FontData::new(outline)))
            else {
                continue;
            };
            for (part, _) in outline.component_glyphs_and_flags() {
                if keep.insert(part.to_u16()) {
                    waiting.push(part.to_u16());
                }
            }
        }
    }

    /// Writes the font with the outlines of only these glyphs. `with_map` states whether the cmap is kept: a font that
    /// only composite fonts use needs no cmap.
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
        let metrics = Hmtx::read(FontData::new(self.table(b"hmtx")?), self.long_metrics).ok()?;
        let glyph = GlyphId::from(glyph);
        Some((metrics.advance(glyph)?, metrics.side_bearing(glyph)?))
    }

    /// The glyph names in the `post` table, in glyph order; `None` for a glyph without a name. The whole result is
    /// `None` if the table is damaged or has an unknown format, and empty if the font has no names. The names are not
    /// read by skrifa, because skrifa refuses names that are not ASCII.
    pub(super) fn names(&self) -> Option<Vec<Option<&'a [u8]>>> {
        let standard = || DEFAULT_GLYPH_NAMES.iter().map(|name| name.as_bytes());
        let Some(table) = self.table(b"post") else { return Some(Vec::new()) };
        match read::<u32>(table, 0)? {
            0x1_0000 => Some(standard().map(Some).collect()),
            0x2_0000 => {
                let count = usize::from(read::<u16>(table, 32)?);
                let (indices, mut rest) = table.get(34..)?.split_at_checked(count * 2)?;
                let mut names: Vec<&[u8]> = standard().collect();
                while let Some((length, after)) = rest.split_first() {
                    let Some((name, after)) = after.split_at_checked(usize::from(*length)) else { break };
                    names.push(name);
                    rest = after;
                }
                let indices = indices.as_chunks::<2>().0.iter().map(|index| u16::from_be_bytes(*index));
                Some(indices.map(|index| names.get(usize::from(index)).copied()).collect())
            }
            0x3_0000 => Some(Vec::new()),
            _ => None,
        }
    }

    /// The `hmtx` table, in which the metrics of removed glyphs are zero.
    fn metrics(&self, keep: &BTreeSet<u16>) -> Option<Vec<u8>> {
        let mut metrics = self.table(b"hmtx")?.to_vec();
        let long = usize::from(self.long_metrics);
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

/// The `loca` table with these offsets, and whether the table has the short format.
pub(super) fn loca_table(places: &[usize]) -> (Vec<u8>, bool) {
    let short = places.last().is_none_or(|end| *end < 0x2_0000);
    let number = |place: &usize| {
        let value = u32::try_from(if short { place / 2 } else { *place }).unwrap_or(0);
        value.to_be_bytes().into_iter().skip(if short { 2 } else { 0 })
    };
    (places.iter().flat_map(number).collect(), short)
}

/// Writes a font file with these tables and their checksums.
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
