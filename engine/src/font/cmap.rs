//! Character maps of TrueType fonts: reading them, and writing them for fewer glyphs.

use super::bytes::{i16_at, offset32, u16_at, u32_at};
use std::collections::{BTreeMap, BTreeSet};

/// A subtable: its platform, its encoding, and what it maps.
pub(super) struct Map {
    pub(super) platform: u16,
    pub(super) encoding: u16,
    pub(super) glyphs: BTreeMap<u32, u16>,
}

/// The most characters of one map: no font has more.
const CHARACTERS: usize = 200_000;

/// Reads all subtables; nothing when one is of a form that is not known.
pub(super) fn read(table: &[u8]) -> Option<Vec<Map>> {
    let count = usize::from(u16_at(table, 2)?);
    let mut maps = Vec::new();
    for at in 0..count.min(32) {
        let record = 4 + at * 8;
        let (platform, encoding) = (u16_at(table, record)?, u16_at(table, record + 2)?);
        let data = table.get(offset32(table, record + 4)?..)?;
        let glyphs = match u16_at(data, 0)? {
            0 => (0..256_u32)
                .filter_map(|code| Some((code, u16::from(*data.get(6 + usize::try_from(code).ok()?)?))))
                .collect(),
            4 => segments(data)?,
            6 => {
                let (first, count) = (u32::from(u16_at(data, 6)?), usize::from(u16_at(data, 8)?));
                (0..count)
                    .zip(first..)
                    .filter_map(|(at, code)| Some((code, u16_at(data, 10 + at * 2)?)))
                    .collect()
            }
            12 => groups(data)?,
            // Variation selectors map no characters of their own.
            14 => continue,
            _ => return None,
        };
        let glyphs: BTreeMap<u32, u16> = glyphs;
        maps.push(Map {
            platform,
            encoding,
            glyphs: glyphs.into_iter().filter(|(_, glyph)| *glyph != 0).collect(),
        });
    }
    Some(maps)
}

fn segments(data: &[u8]) -> Option<BTreeMap<u32, u16>> {
    let count = usize::from(u16_at(data, 6)?) / 2;
    let mut glyphs = BTreeMap::new();
    for at in 0..count {
        let end = u16_at(data, 14 + at * 2)?;
        let start = u16_at(data, 16 + count * 2 + at * 2)?;
        let delta = i16_at(data, 16 + count * 4 + at * 2)?;
        let range_at = 16 + count * 6 + at * 2;
        let range = usize::from(u16_at(data, range_at)?);
        if start > end {
            continue;
        }
        for code in start..=end {
            if code == 0xffff {
                break;
            }
            let glyph = if range == 0 {
                code.wrapping_add_signed(delta)
            } else {
                match u16_at(data, range_at + range + usize::from(code - start) * 2) {
                    Some(0) | None => 0,
                    Some(glyph) => glyph.wrapping_add_signed(delta),
                }
            };
            glyphs.insert(u32::from(code), glyph);
        }
    }
    Some(glyphs)
}

fn groups(data: &[u8]) -> Option<BTreeMap<u32, u16>> {
    let count = offset32(data, 12)?;
    let mut glyphs = BTreeMap::new();
    for at in 0..count {
        let group = 16 + at.checked_mul(12)?;
        let (start, end, first) = (u32_at(data, group)?, u32_at(data, group + 4)?, u32_at(data, group + 8)?);
        if start > end || end > 0x10_ffff {
            return None;
        }
        for code in start..=end {
            if glyphs.len() > CHARACTERS {
                return None;
            }
            glyphs.insert(code, u16::try_from(first.checked_add(code - start)?).ok()?);
        }
    }
    Some(glyphs)
}

/// The table for only the glyphs that are kept.
pub(super) fn subset(table: &[u8], keep: &BTreeSet<u16>) -> Option<Vec<u8>> {
    write(read(table)?.into_iter().map(|mut map| {
        map.glyphs.retain(|_, glyph| keep.contains(glyph));
        map
    }))
}

/// The table of these subtables; nothing for more than it can hold.
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

/// Format 6: the codes of one byte.
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

/// Format 4: runs of codes whose glyphs run along.
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
    // The last run maps its one code to no glyph.
    runs.iter()
        .for_each(|(start, _, first)| out.extend_from_slice(&first.wrapping_sub(*start).to_be_bytes()));
    runs.iter().for_each(|_| out.extend_from_slice(&[0, 0]));
    Some(out)
}

/// Format 12: characters beyond the basic plane.
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

    #[test]
    fn broken_maps_are_refused_without_a_panic() {
        for data in
            [&[][..], &[0, 0, 0, 1], &[0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, 4, 0, 0, 0, 0, 0xff, 0xff]]
        {
            let _ = read(data);
        }
    }
}
