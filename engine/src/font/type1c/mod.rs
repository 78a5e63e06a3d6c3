//! Writes fonts with glyph names in the Compact Font Format (Adobe Technical Note 5176), for `Type1C` font programs.

mod outline;

pub(crate) use outline::{Fixed, Outline, Stem, Step, fixed, write_number as write_fixed};

use sha2::{Digest, Sha256};
use skrifa::raw::ps::string::STANDARD_STRINGS;
use std::collections::{BTreeMap, HashMap};

// Operators of the top dictionary. An operator of two bytes begins with the byte 12.
const NOTICE: u16 = 1;
pub(crate) const FONT_BBOX: u16 = 5;
pub(crate) const CHARSET: u16 = 15;
pub(crate) const ENCODING: u16 = 16;
pub(crate) const CHARSTRINGS: u16 = 17;
pub(crate) const PRIVATE: u16 = 18;
pub(crate) const FONT_MATRIX: u16 = 12 << 8 | 7;
// Operators of the private dictionary.
pub(crate) const DEFAULT_WIDTH: u16 = 20;
pub(crate) const NOMINAL_WIDTH: u16 = 21;

/// Operators of the private dictionary whose numbers are written as differences from the previous number.
const DELTAS: [u16; 6] = [6, 7, 8, 9, 12 << 8 | 12, 12 << 8 | 13];

/// The name of the glyph that every font must have.
pub(crate) const NOTDEF: &[u8] = b".notdef";

/// A font with glyph names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamedFont {
    /// The PostScript name of the font.
    pub(crate) name: Vec<u8>,
    /// The copyright notice.
    pub(crate) notice: Option<Vec<u8>>,
    /// The matrix from glyph units to ems; `None` if a unit is a thousandth of an em.
    pub(crate) matrix: Option<[f64; 6]>,
    /// The bounding box of all glyphs.
    pub(crate) bounds: [f64; 4],
    /// The hints for the whole font: operators of the private dictionary, with the numbers of each operator.
    pub(crate) private: BTreeMap<u16, Vec<f64>>,
    /// The encoding: the glyph names of the codes. `None` for the standard encoding.
    pub(crate) encoding: Option<BTreeMap<u8, Vec<u8>>>,
    /// The glyphs, by their names.
    pub(crate) glyphs: BTreeMap<Vec<u8>, Glyph>,
}

/// A glyph: its width, and its charstring without the width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Glyph {
    pub(crate) width: Fixed,
    pub(crate) code: Vec<u8>,
}

impl NamedFont {
    /// Writes the font as a CFF file; `None` if the format cannot represent the font.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        let mut strings = Strings::default();
        let order = self.order();
        let codes = self.codes(&order);
        let charset = charset(&order, &mut strings)?;
        let encoding = match &self.encoding {
            None => None,
            Some(_) => Some(encoding(&order, &codes, &mut strings)?),
        };
        let usual = self.usual_width();
        let charstrings: Vec<Vec<u8>> =
            order.iter().map(|name| self.charstring(name, usual)).collect::<Option<_>>()?;
        let mut private = Vec::new();
        for (&operator, numbers) in &self.private {
            let mut before = 0.0;
            for &number in numbers {
                let base = if DELTAS.contains(&operator) { before } else { 0.0 };
                write_number(&mut private, number - base)?;
                before = number;
            }
            write_operator(&mut private, operator);
        }
        for operator in [DEFAULT_WIDTH, NOMINAL_WIDTH] {
            write_number(&mut private, usual.as_f64())?;
            write_operator(&mut private, operator);
        }
        let mut fixed_part = Vec::new();
        if let Some(notice) = &self.notice {
            write_number(&mut fixed_part, strings.sid(notice)?.into())?;
            write_operator(&mut fixed_part, NOTICE);
        }
        for (operator, numbers) in
            [(FONT_MATRIX, self.matrix.as_ref().map(|m| &m[..])), (FONT_BBOX, Some(&self.bounds[..]))]
        {
            let Some(numbers) = numbers else { continue };
            numbers.iter().try_for_each(|number| write_number(&mut fixed_part, *number))?;
            write_operator(&mut fixed_part, operator);
        }

        let mut head = vec![1, 0, 4, 4];
        write_index(&mut head, &[&self.name])?;
        let mut tail = Vec::new();
        write_index(&mut tail, &strings.own.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        // An empty INDEX, because the font has no global subroutines.
        write_index(&mut tail, &[])?;
        let mut parts = vec![(CHARSET, charset)];
        parts.extend(encoding.map(|encoding| (ENCODING, encoding)));
        let mut glyphs = Vec::new();
        write_index(&mut glyphs, &charstrings.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        parts.push((CHARSTRINGS, glyphs));

        // Each offset is written in five bytes, so that the size of the top dictionary is known before the offsets are
        // known.
        let top = |places: &[(u16, usize)], size: usize, private: usize| -> Option<Vec<u8>> {
            let mut dict = fixed_part.clone();
            for &(operator, place) in places {
                write_offset(&mut dict, place)?;
                write_operator(&mut dict, operator);
            }
            write_offset(&mut dict, size)?;
            write_offset(&mut dict, private)?;
            write_operator(&mut dict, PRIVATE);
            let mut index = Vec::new();
            write_index(&mut index, &[&dict])?;
            Some(index)
        };
        let blank: Vec<(u16, usize)> = parts.iter().map(|(operator, _)| (*operator, 0)).collect();
        let base = head.len() + top(&blank, 0, 0)?.len();
        let mut places = Vec::new();
        for (operator, data) in &parts {
            places.push((*operator, base + tail.len()));
            tail.extend_from_slice(data);
        }
        head.extend(top(&places, private.len(), base + tail.len())?);
        head.extend(tail);
        head.extend(private);
        Some(head)
    }

    /// The glyph names in the order of the file. After `.notdef`, the names with codes come first, as the encoding
    /// requires.
    fn order(&self) -> Vec<&[u8]> {
        let mut order = vec![NOTDEF];
        let encoded = self.encoding.iter().flatten().map(|(_, name)| name.as_slice());
        let mut seen = std::collections::HashSet::from([NOTDEF]);
        for name in encoded.chain(self.glyphs.keys().map(Vec::as_slice)) {
            if self.glyphs.contains_key(name) && seen.insert(name) {
                order.push(name);
            }
        }
        order
    }

    /// The codes of each glyph name, in the order of the names in `order`.
    fn codes(&self, order: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut by_name: HashMap<&[u8], Vec<u8>> = HashMap::new();
        for (code, name) in self.encoding.iter().flatten() {
            by_name.entry(name).or_default().push(*code);
        }
        order.iter().map(|name| by_name.remove(name).unwrap_or_default()).collect()
    }

    /// The usual width of the glyphs: the most frequent width that is a whole number.
    fn usual_width(&self) -> Fixed {
        usual_width(self.glyphs.values().map(|glyph| glyph.width))
    }

    fn charstring(&self, name: &[u8], usual: Fixed) -> Option<Vec<u8>> {
        match self.glyphs.get(name) {
            Some(glyph) => glyph.charstring(usual),
            None => Some(vec![outline::END]),
        }
    }
}

impl Glyph {
    /// The charstring with the width, for a font in which `usual` is both the default width and the nominal width.
    pub(crate) fn charstring(&self, usual: Fixed) -> Option<Vec<u8>> {
        let mut code = Vec::with_capacity(self.code.len() + 4);
        if self.width != usual {
            outline::write_number(&mut code, self.width - usual)?;
        }
        code.extend_from_slice(&self.code);
        Some(code)
    }
}

/// The most frequent width that is a whole number. Some readers accept only a whole number as the default width.
pub(crate) fn usual_width(widths: impl Iterator<Item = Fixed>) -> Fixed {
    let mut counts: BTreeMap<Fixed, usize> = BTreeMap::new();
    let whole = widths.filter(|width| width.as_f64().fract() == 0.0);
    whole.for_each(|width| *counts.entry(width).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(Fixed::ZERO, |(width, _)| width)
}

/// The tag of a font subset: six letters that differ between subsets of the same font.
pub(crate) fn subset_tag(program: &[u8]) -> Vec<u8> {
    Sha256::digest(program).iter().take(6).map(|byte| b'A' + byte % 26).collect()
}

/// The strings of a font that are not standard strings.
#[derive(Default)]
pub(crate) struct Strings {
    pub(crate) own: Vec<Vec<u8>>,
    known: HashMap<Vec<u8>, u16>,
}

impl Strings {
    /// The identifier (SID) of a string. A new string is added. `None` if there are too many strings.
    pub(crate) fn sid(&mut self, text: &[u8]) -> Option<u16> {
        if self.known.is_empty() {
            self.known = STANDARD_STRINGS.iter().map(|name| name.as_bytes().to_vec()).zip(0..).collect();
        }
        if let Some(sid) = self.known.get(text) {
            return Some(*sid);
        }
        let sid = u16::try_from(STANDARD_STRINGS.len() + self.own.len()).ok()?;
        self.own.push(text.to_vec());
        self.known.insert(text.to_vec(), sid);
        Some(sid)
    }
}

/// The data of the charset: the names of the glyphs in the order of the file.
pub(crate) fn charset(order: &[&[u8]], strings: &mut Strings) -> Option<Vec<u8>> {
    let mut data = vec![0];
    for name in order.iter().skip(1) {
        data.extend(strings.sid(name)?.to_be_bytes());
    }
    Some(data)
}

/// The data of the encoding: the first codes of the glyphs in the order of the file, then the additional codes of
/// glyphs with more than one code.
pub(crate) fn encoding(order: &[&[u8]], codes: &[Vec<u8>], strings: &mut Strings) -> Option<Vec<u8>> {
    let firsts: Vec<u8> = codes.iter().skip(1).map_while(|codes| codes.first().copied()).collect();
    let mut more = Vec::new();
    for (name, codes) in order.iter().zip(codes) {
        for code in codes.iter().skip(usize::from(*name != NOTDEF)) {
            // The codes of `.notdef` need not be listed: a code that is not listed shows `.notdef` anyway.
            if *name != NOTDEF {
                more.push((*code, strings.sid(name)?));
            }
        }
    }
    let mut data = vec![if more.is_empty() { 0 } else { 0x80 }, u8::try_from(firsts.len()).ok()?];
    data.extend(firsts);
    if !more.is_empty() {
        data.push(u8::try_from(more.len()).ok()?);
        for (code, sid) in more {
            data.push(code);
            data.extend(sid.to_be_bytes());
        }
    }
    Some(data)
}

/// Writes an INDEX (an array of byte strings).
pub(crate) fn write_index(out: &mut Vec<u8>, items: &[&[u8]]) -> Option<()> {
    out.extend_from_slice(&u16::try_from(items.len()).ok()?.to_be_bytes());
    if items.is_empty() {
        return Some(());
    }
    let total: usize = 1 + items.iter().map(|item| item.len()).sum::<usize>();
    let size = match total {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    };
    out.push(size);
    let mut offset = 1_u32;
    let put =
        |offset: u32, out: &mut Vec<u8>| out.extend(offset.to_be_bytes().iter().skip(4 - usize::from(size)));
    put(offset, out);
    for item in items {
        offset = offset.checked_add(u32::try_from(item.len()).ok()?)?;
        put(offset, out);
    }
    items.iter().for_each(|item| out.extend_from_slice(item));
    Some(())
}

/// Writes an operator of a dictionary.
pub(crate) fn write_operator(out: &mut Vec<u8>, operator: u16) {
    let [high, low] = operator.to_be_bytes();
    if high != 0 {
        out.push(high);
    }
    out.push(low);
}

fn write_offset(out: &mut Vec<u8>, offset: usize) -> Option<()> {
    out.push(29);
    out.extend(i32::try_from(offset).ok()?.to_be_bytes());
    Some(())
}

/// Writes a number operand of a dictionary, as an integer or a real.
pub(crate) fn write_number(out: &mut Vec<u8>, value: f64) -> Option<()> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be a small whole number")]
    if value.fract() == 0.0 && value.abs() < 32_000.0 {
        outline::write_integer(out, value as i16);
        return Some(());
    }
    if !value.is_finite() || value.abs() >= 1e9 {
        return None;
    }
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let mut nibbles: Vec<u8> = text
        .bytes()
        .map(|byte| match byte {
            b'-' => 0xe,
            b'.' => 0xa,
            digit => digit.wrapping_sub(b'0') & 0xf,
        })
        .collect();
    nibbles.push(0xf);
    out.push(30);
    out.extend(nibbles.chunks(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        [high, ..] => high << 4 | 0xf,
        [] => 0xff,
    }));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_width_is_a_whole_number() {
        let width = |widths: &[f64]| usual_width(widths.iter().map(|width| fixed(*width)));
        assert_eq!(width(&[630.95, 630.95, 500.0, 610.0, 500.0]), fixed(500.0));
        assert_eq!(width(&[630.95, 630.95]), Fixed::ZERO);
    }
}
