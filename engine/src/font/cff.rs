//! Parses CFF fonts, and subsets them. Unused outlines and subroutines become empty; glyph numbers do not change.
//!
//! Dictionaries, charsets and FDSelect are read here and not by skrifa, because their bytes are copied: skrifa does not
//! report which bytes an entry has or where a table ends.

use super::bytes::read;
use super::charstring::{Subroutines, used_subroutines};
use crate::font::type1c::{CHARSET, CHARSTRINGS, ENCODING, PRIVATE, write_index};
use skrifa::raw::ps::cff::encoding::CustomEncoding;
use skrifa::raw::ps::cff::index::Index1;
use skrifa::raw::ps::encoding::PredefinedEncoding;
use skrifa::raw::ps::string::Sid;
use skrifa::raw::{FontData, FontRead};
use std::collections::{BTreeSet, HashMap};

/// `endchar` alone: a glyph that draws nothing.
const EMPTY_GLYPH: &[u8] = &[14];
/// `return` alone: a subroutine that does nothing.
const EMPTY_SUBROUTINE: &[u8] = &[11];

// Operators of DICTs that are not needed to write fonts with glyph names. An operator of two bytes begins with the byte
// 12.
pub(super) const SUBRS: u16 = 19;
pub(super) const CHARSTRING_TYPE: u16 = 12 << 8 | 6;
pub(super) const ROS: u16 = 12 << 8 | 30;
pub(super) const FD_ARRAY: u16 = 12 << 8 | 36;
pub(super) const FD_SELECT: u16 = 12 << 8 | 37;

/// The byte strings of an INDEX.
pub(super) type Index<'a> = Vec<&'a [u8]>;

/// A DICT: its entries in order. Each entry is an operator, the numbers of the entry, and the bytes of the entry.
pub(super) struct Dict<'a>(pub(super) Vec<(u16, Vec<i64>, &'a [u8])>);

impl Dict<'_> {
    pub(super) fn get(&self, operator: u16) -> Option<&[i64]> {
        self.0.iter().find(|(own, _, _)| *own == operator).map(|(_, numbers, _)| numbers.as_slice())
    }

    fn offset(&self, operator: u16) -> Option<usize> {
        usize::try_from(*self.get(operator)?.first()?).ok()
    }
}

/// A Private DICT with its local subroutines.
pub(super) struct Private<'a> {
    pub(super) dict: Dict<'a>,
    pub(super) subrs: Index<'a>,
}

/// The parts of a CFF font that subsetting needs.
pub(super) struct Cff<'a> {
    pub(super) name: &'a [u8],
    pub(super) top: Dict<'a>,
    pub(super) strings: Index<'a>,
    pub(super) globals: Index<'a>,
    pub(super) charstrings: Index<'a>,
    pub(super) charset: Vec<u16>,
    pub(super) charset_data: Option<&'a [u8]>,
    pub(super) encoding_data: Option<&'a [u8]>,
    /// The number of each glyph's Font DICT.
    pub(super) select: Vec<u8>,
    pub(super) select_data: Option<&'a [u8]>,
    pub(super) fonts: Vec<(Dict<'a>, Private<'a>)>,
}

impl<'a> Cff<'a> {
    /// Parses a font; `None` if the font is damaged or unsupported.
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        if read::<u8>(data, 0)? != 1 {
            return None;
        }
        let (names, at) = index(data, usize::from(read::<u8>(data, 2)?))?;
        let (tops, at) = index(data, at)?;
        let (strings, at) = index(data, at)?;
        let (globals, _) = index(data, at)?;
        let [name] = names.as_slice() else { return None };
        let [top] = tops.as_slice() else { return None };
        let top = dict(top)?;
        if top.get(CHARSTRING_TYPE).is_some_and(|kind| kind != [2]) {
            return None;
        }
        let (charstrings, _) = index(data, top.offset(CHARSTRINGS)?)?;
        let glyphs = charstrings.len();
        let (charset, charset_data) = match top.offset(CHARSET).unwrap_or(0) {
            0 => ((0..u16::try_from(glyphs).ok()?).collect(), None),
            // The predefined expert charsets are not supported.
            1 | 2 => return None,
            at => charset(data, at, glyphs).map(|(sids, end)| (sids, data.get(at..end)))?,
        };
        let encoding_data = match top.offset(ENCODING).unwrap_or(0) {
            0 => None,
            1 => return None,
            at => data.get(at..encoding_end(data, at)?),
        };
        let mut font = Self {
            name,
            top,
            strings,
            globals,
            charstrings,
            charset,
            charset_data,
            encoding_data,
            select: vec![0; glyphs],
            select_data: None,
            fonts: Vec::new(),
        };
        if font.is_cid() {
            let at = font.top.offset(FD_SELECT)?;
            let (select, end) = fd_select(data, at, glyphs)?;
            font.select = select;
            font.select_data = data.get(at..end);
            let (dicts, _) = index(data, font.top.offset(FD_ARRAY)?)?;
            for bytes in dicts {
                let own = dict(bytes)?;
                let private = private(data, &own)?;
                font.fonts.push((own, private));
            }
            if font.select.iter().any(|own| usize::from(*own) >= font.fonts.len()) {
                return None;
            }
        } else {
            let private = private(data, &font.top)?;
            font.fonts.push((Dict(Vec::new()), private));
        }
        Some(font)
    }

    /// Whether glyphs have character identifiers instead of names.
    pub(super) fn is_cid(&self) -> bool {
        self.top.get(ROS).is_some()
    }

    /// The number of glyphs.
    pub(super) fn glyphs(&self) -> usize {
        self.charstrings.len()
    }

    /// The glyphs with these character identifiers. In a font with glyph names, the character identifiers are glyph
    /// numbers.
    pub(super) fn glyph_of_cid(&self, cids: &BTreeSet<u16>) -> BTreeSet<u16> {
        if !self.is_cid() {
            return cids.clone();
        }
        self.charset.iter().zip(0..).filter(|(cid, _)| cids.contains(cid)).map(|(_, glyph)| glyph).collect()
    }

    /// The name of each glyph; empty for a glyph without a name.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.charset.iter().map(|sid| self.string(Sid::new(*sid)).unwrap_or_default())
    }

    /// The string with this identifier (SID): a standard string, or one of the font's own strings.
    pub(super) fn string(&self, sid: Sid) -> Option<&'a [u8]> {
        match sid.resolve_standard() {
            Ok(standard) => Some(standard),
            Err(own) => self.strings.get(own).copied(),
        }
    }

    /// The glyphs that the font's own encoding gives to these codes.
    pub(super) fn glyphs_of_codes(&self, codes: &BTreeSet<u8>) -> Option<BTreeSet<u16>> {
        let Some(data) = self.encoding_data else {
            let sids: BTreeSet<u16> = codes
                .iter()
                .filter_map(|code| PredefinedEncoding::Standard.sid(*code))
                .map(Sid::to_u16)
                .collect();
            return Some(
                self.charset
                    .iter()
                    .zip(0..)
                    .filter(|(sid, _)| sids.contains(sid))
                    .map(|(_, glyph)| glyph)
                    .collect(),
            );
        };
        let encoding = CustomEncoding::new(data).ok()?;
        let (listed, supplements): (Vec<u16>, _) = match encoding {
            CustomEncoding::Format0(codes, supplements) => {
                (codes.iter().map(|code| u16::from(*code)).collect(), supplements)
            }
            CustomEncoding::Format1(ranges, supplements) => {
                let codes = |first: u8, more: u8| u16::from(first)..=u16::from(first) + u16::from(more);
                (ranges.iter().flat_map(|range| codes(range.first, range.n_left)).collect(), supplements)
            }
        };
        let is_wanted = |code: u16| u8::try_from(code).is_ok_and(|code| codes.contains(&code));
        // Glyph 0 has no code.
        let mut glyphs: BTreeSet<u16> = listed
            .into_iter()
            .zip(1..)
            .filter(|(code, _)| is_wanted(*code))
            .map(|(_, glyph)| glyph)
            .collect();
        for supplement in supplements.iter().filter(|supplement| codes.contains(&supplement.code)) {
            let named = self.charset.iter().zip(0..).filter(|(sid, _)| **sid == supplement.glyph.get());
            glyphs.extend(named.map(|(_, glyph)| glyph));
        }
        Some(glyphs)
    }

    /// Writes the font with the outlines of only these glyphs; `None` if a charstring is invalid or unsupported.
    pub(super) fn subset(&self, mut keep: BTreeSet<u16>) -> Option<Vec<u8>> {
        keep.insert(0);
        let mut globals = BTreeSet::new();
        let mut locals: Vec<BTreeSet<usize>> = self.fonts.iter().map(|_| BTreeSet::new()).collect();
        for glyph in &keep {
            let Some(charstring) = self.charstrings.get(usize::from(*glyph)) else { continue };
            let own = usize::from(*self.select.get(usize::from(*glyph))?);
            let subroutines = Subroutines { global: &self.globals, local: &self.fonts.get(own)?.1.subrs };
            used_subroutines(charstring, &subroutines, &mut globals, locals.get_mut(own)?)?;
        }
        let charstrings: Vec<&[u8]> = (0_u16..)
            .zip(&self.charstrings)
            .map(|(glyph, charstring)| if keep.contains(&glyph) { *charstring } else { EMPTY_GLYPH })
            .collect();
        let without_unused = |subrs: &Index<'a>, used: &BTreeSet<usize>| -> Vec<&[u8]> {
            subrs
                .iter()
                .enumerate()
                .map(|(at, body)| if used.contains(&at) { *body } else { EMPTY_SUBROUTINE })
                .collect()
        };
        let locals: Vec<Vec<&[u8]>> = self
            .fonts
            .iter()
            .zip(&locals)
            .map(|((_, private), used)| without_unused(&private.subrs, used))
            .collect();
        self.write(&charstrings, &without_unused(&self.globals, &globals), &locals)
    }

    /// Writes the font. Offsets always take five bytes, so that the sizes of the dictionaries do not depend on the
    /// offsets.
    pub(super) fn write(
        &self,
        charstrings: &[&[u8]],
        globals: &[&[u8]],
        locals: &[Vec<&[u8]>],
    ) -> Option<Vec<u8>> {
        let mut top_offsets = HashMap::from([(CHARSTRINGS, vec![0])]);
        for (operator, data) in
            [(CHARSET, self.charset_data), (ENCODING, self.encoding_data), (FD_SELECT, self.select_data)]
        {
            if data.is_some() {
                top_offsets.insert(operator, vec![0]);
            }
        }
        top_offsets.extend([if self.is_cid() { (FD_ARRAY, vec![0]) } else { (PRIVATE, vec![0, 0]) }]);

        let mut head = vec![1, 0, 4, 4];
        write_index(&mut head, &[self.name])?;
        let mut tail = Vec::new();
        write_index(&mut tail, &self.strings)?;
        write_index(&mut tail, globals)?;
        let top_size = {
            let mut sized = Vec::new();
            write_index(&mut sized, &[&write_dict(&self.top, &top_offsets)])?;
            sized.len()
        };
        let base = head.len() + top_size;
        let mut place = |operator: u16, data: Option<&[u8]>, tail: &mut Vec<u8>| {
            if let Some(data) = data {
                top_offsets.insert(operator, vec![base + tail.len()]);
                tail.extend_from_slice(data);
            }
        };
        place(CHARSET, self.charset_data, &mut tail);
        place(ENCODING, self.encoding_data, &mut tail);
        place(FD_SELECT, self.select_data, &mut tail);
        let mut glyphs = Vec::new();
        write_index(&mut glyphs, charstrings)?;
        place(CHARSTRINGS, Some(&glyphs), &mut tail);

        let mut privates = Vec::new();
        for ((_, private), subrs) in self.fonts.iter().zip(locals) {
            let start = base + tail.len();
            let places =
                |size| if subrs.is_empty() { HashMap::new() } else { HashMap::from([(SUBRS, vec![size])]) };
            let size = write_dict(&private.dict, &places(0)).len();
            tail.extend_from_slice(&write_dict(&private.dict, &places(size)));
            if !subrs.is_empty() {
                write_index(&mut tail, subrs)?;
            }
            privates.push(vec![size, start]);
        }
        if self.is_cid() {
            let dicts: Vec<Vec<u8>> = self
                .fonts
                .iter()
                .zip(&privates)
                .map(|((dict, _), place)| write_dict(dict, &HashMap::from([(PRIVATE, place.clone())])))
                .collect();
            top_offsets.insert(FD_ARRAY, vec![base + tail.len()]);
            write_index(&mut tail, &dicts.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        } else {
            top_offsets.insert(PRIVATE, privates.first()?.clone());
        }
        write_index(&mut head, &[&write_dict(&self.top, &top_offsets)])?;
        // All offsets assume the size of the Top DICT that was computed above.
        if head.len() != base {
            return None;
        }
        head.extend_from_slice(&tail);
        Some(head)
    }
}

/// Reads an INDEX. Returns the items of the INDEX and the offset of its end.
fn index(data: &[u8], at: usize) -> Option<(Index<'_>, usize)> {
    let data = data.get(at..)?;
    if data.starts_with(&[0, 0]) {
        return Some((Vec::new(), at + 2));
    }
    let index = Index1::read(FontData::new(data)).ok()?;
    let items = (0..usize::from(index.count())).map(|item| index.get(item).ok()).collect::<Option<_>>()?;
    Some((items, at.checked_add(index.size_in_bytes().ok()?)?))
}

fn dict(data: &[u8]) -> Option<Dict<'_>> {
    let mut entries = Vec::new();
    let mut numbers = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < data.len() {
        let first = read::<u8>(data, at)?;
        at += 1;
        match first {
            0..=21 => {
                let mut operator = u16::from(first);
                if first == 12 {
                    operator = 12 << 8 | u16::from(read::<u8>(data, at)?);
                    at += 1;
                }
                entries.push((operator, std::mem::take(&mut numbers), data.get(start..at)?));
                start = at;
            }
            28 => {
                numbers.push(i64::from(read::<i16>(data, at)?));
                at += 2;
            }
            29 => {
                let value = i32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?);
                numbers.push(i64::from(value));
                at += 4;
            }
            30 => {
                // A real number is skipped, because its value is not needed here.
                while data.get(at).is_some_and(|byte| byte & 0x0f != 0x0f && byte >> 4 != 0x0f) {
                    at += 1;
                }
                at += 1;
                numbers.push(0);
            }
            32..=246 => numbers.push(i64::from(first) - 139),
            247..=250 => {
                numbers.push((i64::from(first) - 247) * 256 + i64::from(read::<u8>(data, at)?) + 108);
                at += 1;
            }
            251..=254 => {
                numbers.push(-(i64::from(first) - 251) * 256 - i64::from(read::<u8>(data, at)?) - 108);
                at += 1;
            }
            _ => return None,
        }
    }
    Some(Dict(entries))
}

/// Writes a DICT, with new offsets for the operators in `places`. Entries with other offsets are omitted, because the
/// data at these offsets was not kept.
fn write_dict(dict: &Dict<'_>, places: &HashMap<u16, Vec<usize>>) -> Vec<u8> {
    const OFFSET_OPERATORS: [u16; 7] = [CHARSET, ENCODING, CHARSTRINGS, PRIVATE, SUBRS, FD_ARRAY, FD_SELECT];
    let mut out = Vec::new();
    for (operator, numbers, bytes) in &dict.0 {
        match places.get(operator) {
            Some(values) => {
                for value in values {
                    out.push(29);
                    out.extend_from_slice(&u32::try_from(*value).unwrap_or(0).to_be_bytes());
                }
                match operator >> 8 {
                    0 => out.extend(u8::try_from(*operator)),
                    _ => out.extend([12, operator.to_be_bytes()[1]]),
                }
            }
            // The number 0 means the predefined charset or encoding, and is not an offset.
            None if OFFSET_OPERATORS.contains(operator) && numbers.as_slice() != [0] => {}
            None => out.extend_from_slice(bytes),
        }
    }
    out
}

fn private<'a>(data: &'a [u8], owner: &Dict<'a>) -> Option<Private<'a>> {
    let [size, at] = owner.get(PRIVATE)? else { return None };
    let (size, at) = (usize::try_from(*size).ok()?, usize::try_from(*at).ok()?);
    let dict = dict(data.get(at..at.checked_add(size)?)?)?;
    let subrs = match dict.offset(SUBRS) {
        Some(offset) => index(data, at.checked_add(offset)?)?.0,
        None => Vec::new(),
    };
    Some(Private { dict, subrs })
}

/// The SIDs or CIDs of all glyphs, and the offset of the end of the charset.
fn charset(data: &[u8], at: usize, glyphs: usize) -> Option<(Vec<u16>, usize)> {
    let format = read::<u8>(data, at)?;
    let mut at = at + 1;
    let mut sids = vec![0];
    while sids.len() < glyphs {
        let first = read::<u16>(data, at)?;
        at += 2;
        let more = match format {
            0 => 0,
            1 => {
                at += 1;
                u16::from(read::<u8>(data, at - 1)?)
            }
            2 => {
                at += 2;
                read::<u16>(data, at - 2)?
            }
            _ => return None,
        };
        sids.extend(first..=first.checked_add(more)?);
    }
    sids.truncate(glyphs);
    Some((sids, at))
}

/// The offset of the end of an encoding.
fn encoding_end(data: &[u8], at: usize) -> Option<usize> {
    let data = data.get(at..)?;
    let (codes, supplements) = match CustomEncoding::new(data).ok()? {
        CustomEncoding::Format0(codes, supplements) => (codes.len(), supplements),
        CustomEncoding::Format1(ranges, supplements) => (ranges.len() * 2, supplements),
    };
    let has_supplements = data.first()? & 0x80 != 0;
    Some(at + 2 + codes + if has_supplements { 1 + supplements.len() * 3 } else { 0 })
}

/// The number of each glyph's Font DICT, and the offset of the end of the table.
fn fd_select(data: &[u8], at: usize, glyphs: usize) -> Option<(Vec<u8>, usize)> {
    match read::<u8>(data, at)? {
        0 => Some((data.get(at + 1..at + 1 + glyphs)?.to_vec(), at + 1 + glyphs)),
        3 => {
            let count = usize::from(read::<u16>(data, at + 1)?);
            let mut select = Vec::with_capacity(glyphs);
            for range in 0..count {
                let entry = at + 3 + range * 3;
                let (own, next) = (read::<u8>(data, entry + 2)?, usize::from(read::<u16>(data, entry + 3)?));
                if next > glyphs || next < select.len() {
                    return None;
                }
                select.resize(next, own);
            }
            (select.len() == glyphs).then_some((select, at + 3 + count * 3 + 2))
        }
        _ => None,
    }
}
