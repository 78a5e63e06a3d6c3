//! Reads character maps (cmap tables) of TrueType fonts, and writes them for fewer glyphs.

use skrifa::raw::tables::cmap::{Cmap, Cmap4, Cmap12, CmapSubtable, PlatformId};
use skrifa::raw::{FontData, FontRead};
use std::collections::{BTreeMap, BTreeSet};

/// A subtable: its platform, its encoding, and the glyph of each character or code.
pub(super) struct Map {
    pub(super) platform: u16,
    pub(super) encoding: u16,
    pub(super) glyphs: BTreeMap<u32, u16>,
}

/// The maximum number of codes that are read from all subtables of a table. No font has more. Segments can overlap, and
/// subtables can be listed several times, so a small table can list far more codes than it has bytes.
const CODES: usize = 1_000_000;

/// How many codes may still be read.
struct Codes(usize);

impl Codes {
    fn take(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.checked_sub(count)?;
        Some(())
    }
}

/// Reads all subtables; `None` if a subtable has an unknown format or is cut off. The lengths are checked here, because
/// skrifa treats a list that is cut off as an empty list, and the font would lose its glyphs.
pub(super) fn read(table: &[u8]) -> Option<Vec<Map>> {
    let cmap = Cmap::read(FontData::new(table)).ok()?;
    let records = cmap.encoding_records();
    if records.len() != usize::from(cmap.num_tables()) {
        return None;
    }
    let mut maps = Vec::new();
    let mut codes = Codes(CODES);
    for record in records.iter().take(32) {
        let glyphs: BTreeMap<u32, u16> = match record.subtable(cmap.offset_data()).ok()? {
            CmapSubtable::Format0(map) => {
                (0..).zip(map.glyph_id_array()).map(|(code, glyph)| (code, u16::from(*glyph))).collect()
            }
            CmapSubtable::Format4(map) => segments(&map, &mut codes)?,
            CmapSubtable::Format6(map) => {
                let glyphs = map.glyph_id_array();
                if glyphs.len() != usize::from(map.entry_count()) {
                    return None;
                }
                codes.take(glyphs.len())?;
                (u32::from(map.first_code())..).zip(glyphs).map(|(code, glyph)| (code, glyph.get())).collect()
            }
            CmapSubtable::Format12(map) => groups(&map, &mut codes)?,
            // A subtable for variation selectors does not map characters itself.
            CmapSubtable::Format14(_) => continue,
            _ => return None,
        };
        if record.platform_id() == PlatformId::Unknown {
            return None;
        }
        maps.push(Map {
            platform: record.platform_id() as u16,
            encoding: record.encoding_id(),
            glyphs: glyphs.into_iter().filter(|(_, glyph)| *glyph != 0).collect(),
        });
    }
    Some(maps)
}

/// Reads a subtable of format 4, segment by segment. The iterator of skrifa is not used: if segments overlap, it
/// mistakes the codes of the later segment for other codes.
fn segments(map: &Cmap4<'_>, codes: &mut Codes) -> Option<BTreeMap<u32, u16>> {
    let (ends, starts) = (map.end_code(), map.start_code());
    let (deltas, ranges) = (map.id_delta(), map.id_range_offsets());
    let count = usize::from(map.seg_count_x2() / 2);
    if [ends.len(), starts.len(), deltas.len(), ranges.len()] != [count; 4] {
        return None;
    }
    let mut glyphs = BTreeMap::new();
    for (at, (((end, start), delta), range)) in ends.iter().zip(starts).zip(deltas).zip(ranges).enumerate() {
        let (end, start, delta, range) = (end.get(), start.get(), delta.get(), usize::from(range.get()));
        // The last segment is for the code 0xffff, which is not a character.
        let segment = start..=end.min(0xfffe);
        codes.take(segment.len())?;
        for code in segment {
            let glyph = if range == 0 {
                code.wrapping_add_signed(delta)
            } else {
                // The range offset counts from its own position in the array of range offsets. The array of glyphs
                // follows that array.
                let place = (range / 2 + usize::from(code - start) + at).checked_sub(count);
                match place.and_then(|place| map.glyph_id_array().get(place)).map(|glyph| glyph.get()) {
                    Some(0) | None => 0,
                    Some(glyph) => glyph.wrapping_add_signed(delta),
                }
            };
            glyphs.insert(u32::from(code), glyph);
        }
    }
    Some(glyphs)
}

fn groups(map: &Cmap12<'_>, codes: &mut Codes) -> Option<BTreeMap<u32, u16>> {
    let groups = map.groups();
    if groups.len() != usize::try_from(map.num_groups()).ok()? {
        return None;
    }
    let mut glyphs = BTreeMap::new();
    for group in groups {
        let (start, end) = (group.start_char_code(), group.end_char_code());
        if start > end || end > 0x10_ffff {
            return None;
        }
        codes.take(usize::try_from(end - start).ok()?.saturating_add(1))?;
        for code in start..=end {
            let glyph = group.start_glyph_id().checked_add(code - start)?;
            glyphs.insert(code, u16::try_from(glyph).ok()?);
        }
    }
    Some(glyphs)
}

/// The cmap table with only the characters and codes of the glyphs in `keep`.
pub(super) fn subset(table: &[u8], keep: &BTreeSet<u16>) -> Option<Vec<u8>> {
    write(read(table)?.into_iter().map(|mut map| {
        map.glyphs.retain(|_, glyph| keep.contains(glyph));
        map
    }))
}

/// The cmap table with these subtables; `None` if the entries do not fit in the table.
pub(super) fn write(maps: impl Iterator<Item = Map>) -> Option<Vec<u8>> {
    let mut written: Vec<(u16, u16, Vec<u8>)> = Vec::new();
    for Map { platform, encoding, glyphs } in maps {
        let high = glyphs.keys().next_back().copied().unwrap_or(0);
        let data = if platform == 1 && high < 256 {
            trimmed(&glyphs)
        } else if high < 0xffff {
            segmented(&glyphs)?
        } else {
            grouped(&glyphs)
        };
        written.push((platform, encoding, data));
    }
    let mut out = Vec::new();
    out.extend_from_slice(&0_u16.to_be_bytes());
    out.extend_from_slice(&u16::try_from(written.len()).ok()?.to_be_bytes());
    let mut offset = 4 + 8 * written.len();
    for (platform, encoding, data) in &written {
        out.extend_from_slice(&platform.to_be_bytes());
        out.extend_from_slice(&encoding.to_be_bytes());
        out.extend_from_slice(&u32::try_from(offset).ok()?.to_be_bytes());
        offset += data.len();
    }
    written.iter().for_each(|(_, _, data)| out.extend_from_slice(data));
    Some(out)
}

/// A subtable of format 6, for one-byte codes.
fn trimmed(glyphs: &BTreeMap<u32, u16>) -> Vec<u8> {
    let first = glyphs.keys().next().copied().unwrap_or(0);
    let last = glyphs.keys().next_back().copied().unwrap_or(0);
    let mut out = Vec::new();
    let count = last - first + 1;
    for value in [6, 10 + 2 * count, 0, first, count] {
        out.extend_from_slice(&u16::try_from(value).unwrap_or(0).to_be_bytes());
    }
    for code in first..=last {
        out.extend_from_slice(&glyphs.get(&code).copied().unwrap_or(0).to_be_bytes());
    }
    out
}

/// A subtable of format 4: runs of successive codes with successive glyphs. `None` if there are too many runs.
fn segmented(glyphs: &BTreeMap<u32, u16>) -> Option<Vec<u8>> {
    let mut runs: Vec<(u16, u16, u16)> = Vec::new();
    for (&code, &glyph) in glyphs {
        let code = u16::try_from(code).ok()?;
        match runs.last_mut() {
            Some((start, end, first)) if *end + 1 == code && first.wrapping_add(code - *start) == glyph => {
                *end = code
            }
            _ => runs.push((code, code, glyph)),
        }
    }
    runs.push((0xffff, 0xffff, 0));
    let count = u16::try_from(runs.len()).ok()?;
    let log = count.ilog2();
    let search = 2_u16.checked_shl(log)?;
    let mut out = Vec::new();
    for value in
        [4, 16 + count.checked_mul(8)?, 0, count * 2, search, u16::try_from(log).ok()?, count * 2 - search]
    {
        out.extend_from_slice(&value.to_be_bytes());
    }
    runs.iter().for_each(|(_, end, _)| out.extend_from_slice(&end.to_be_bytes()));
    out.extend_from_slice(&[0, 0]);
    runs.iter().for_each(|(start, _, _)| out.extend_from_slice(&start.to_be_bytes()));
    // The last run has only the code 0xffff, and maps it to no glyph.
    runs.iter()
        .for_each(|(start, _, first)| out.extend_from_slice(&first.wrapping_sub(*start).to_be_bytes()));
    runs.iter().for_each(|_| out.extend_from_slice(&[0, 0]));
    Some(out)
}

/// A subtable of format 12, for characters above U+FFFF.
fn grouped(glyphs: &BTreeMap<u32, u16>) -> Vec<u8> {
    let mut groups: Vec<(u32, u32, u32)> = Vec::new();
    for (&code, &glyph) in glyphs {
        match groups.last_mut() {
            Some((start, end, first)) if *end + 1 == code && *first + (code - *start) == u32::from(glyph) => {
                *end = code
            }
            _ => groups.push((code, code, glyph.into())),
        }
    }
    let count = u32::try_from(groups.len()).unwrap_or(0);
    let mut out = vec![0, 12, 0, 0];
    for value in [16 + count * 12, 0, count] {
        out.extend_from_slice(&value.to_be_bytes());
    }
    for (start, end, first) in groups {
        for value in [start, end, first] {
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(parts: &[(u16, u16, Vec<u8>)]) -> Vec<u8> {
        let mut out = vec![0, 0, 0, u8::try_from(parts.len()).unwrap()];
        let mut offset = 4 + 8 * parts.len();
        for (platform, encoding, data) in parts {
            out.extend_from_slice(&platform.to_be_bytes());
            out.extend_from_slice(&encoding.to_be_bytes());
            out.extend_from_slice(&u32::try_from(offset).unwrap().to_be_bytes());
            offset += data.len();
        }
        parts.iter().for_each(|(_, _, data)| out.extend_from_slice(data));
        out
    }

    #[test]
    fn maps_survive_in_each_form() {
        let small: BTreeMap<u32, u16> =
            (65..=90).map(|code| (code, u16::try_from(code).unwrap() - 60)).chain([(200, 3)]).collect();
        let large: BTreeMap<u32, u16> = small.iter().map(|(code, glyph)| (code + 0x1_0000, *glyph)).collect();
        let whole =
            table(&[(1, 0, trimmed(&small)), (3, 1, segmented(&small).unwrap()), (3, 10, grouped(&large))]);
        let maps = read(&whole).unwrap();
        assert_eq!([&maps[0].glyphs, &maps[1].glyphs, &maps[2].glyphs], [&small, &small, &large]);

        let keep = BTreeSet::from([3, 5, 6, 7, 30]);
        let fewer = read(&subset(&whole, &keep).unwrap()).unwrap();
        let expected: BTreeMap<u32, u16> =
            small.into_iter().filter(|(_, glyph)| keep.contains(glyph)).collect();
        assert_eq!(fewer[0].glyphs, expected);
        assert_eq!(fewer[1].glyphs, expected);
    }

    /// Found by the fuzzer: the processor time depended on the codes that the segments list, not on the size of the table.
    #[test]
    fn a_small_table_that_lists_too_many_codes_is_refused() {
        let one = |count: u16| {
            let mut out = Vec::new();
            for value in [4, 16 + 8 * count, 0, 2 * count, 0, 0, 0] {
                out.extend_from_slice(&u16::to_be_bytes(value));
            }
            // The ends, a padding, the starts, the differences, and the offsets.
            (0..count).for_each(|_| out.extend_from_slice(&[0xff, 0xfe]));
            (0..1 + 3 * count).for_each(|_| out.extend_from_slice(&[0, 0]));
            out
        };
        assert_eq!(read(&table(&[(3, 1, one(2))])).unwrap()[0].glyphs.len(), 0xfffe);
        assert!(read(&table(&[(3, 1, one(16))])).is_none(), "overlapping segments");
        let mut shared = table(&[(3, 1, one(1))]);
        let subtable = shared.split_off(12);
        let record = [0, 3, 0, 1, 0, 0, 0, 4 + 8 * 20];
        let repeated = [&[0, 0, 0, 20][..], &record.repeat(20), &subtable].concat();
        assert!(read(&repeated).is_none(), "one subtable, listed several times");
        let groups = |count: usize| {
            let length = u32::try_from(16 + 12 * count).unwrap();
            let head = [
                &[0, 12, 0, 0][..],
                &length.to_be_bytes(),
                &[0; 4],
                &u32::try_from(count).unwrap().to_be_bytes(),
            ];
            [head.concat(), [0, 0, 0, 1, 0, 0, 0xff, 0xf0, 0, 0, 0, 1].repeat(count)].concat()
        };
        assert_eq!(read(&table(&[(3, 10, groups(1))])).unwrap()[0].glyphs.len(), 0xfff0);
        assert!(read(&table(&[(3, 10, groups(16))])).is_none(), "overlapping groups");
    }

    #[test]
    fn broken_maps_are_refused_without_a_panic() {
        for data in
            [&[][..], &[0, 0, 0, 1], &[0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, 4, 0, 0, 0, 0, 0xff, 0xff]]
        {
            let _ = read(data);
        }
    }
}
