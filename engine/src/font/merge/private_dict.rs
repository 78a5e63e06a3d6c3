//! Font DICTs and Private DICTs of CFF fonts: the entries that glyphs depend on, and the entries that are copied into a
//! merged font. Real numbers are read here and not by skrifa, because skrifa rounds them to 16 bits after the point.

use crate::font::cff::{Cff, Dict, Private, SUBRS};
use crate::font::type1c::{
    DEFAULT_WIDTH, Fixed, NOMINAL_WIDTH, PRIVATE, Strings, fixed, write_number, write_operator,
};
use skrifa::raw::ps::string::Sid;
use std::sync::Arc;

const FONT_NAME: u16 = 12 << 8 | 38;

/// The entries of a DICT. Each entry is an operator and the bytes of the entry.
pub(super) type Entries = Vec<(u16, Vec<u8>)>;

/// The entries of the Font DICT and the Private DICT that glyphs depend on, without widths and subroutines.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FontDict {
    name: Option<Vec<u8>>,
    font: Entries,
    private: Entries,
}

impl FontDict {
    /// The entries to write to the Font DICT and to the Private DICT. `usual` is written as the default width and the
    /// nominal width.
    pub(super) fn dictionaries(&self, usual: Fixed, strings: &mut Strings) -> Option<(Entries, Entries)> {
        let mut font = Entries::new();
        if let Some(name) = &self.name {
            font.push((FONT_NAME, entry(FONT_NAME, &[strings.sid(name)?.into()])?));
        }
        font.extend(self.font.iter().cloned());
        font.push((PRIVATE, Vec::new()));
        let mut private = self.private.clone();
        for operator in [DEFAULT_WIDTH, NOMINAL_WIDTH] {
            private.push((operator, entry(operator, &[usual.as_f64()])?));
        }
        Some((font, private))
    }
}

/// A Font DICT for comparison, with the default width and the nominal width of its glyphs.
pub(super) fn font_dict(
    font: &Cff<'_>,
    dict: &Dict<'_>,
    private: &Private<'_>,
) -> Option<(Arc<FontDict>, Fixed, Fixed)> {
    let name = match dict.get(FONT_NAME) {
        Some([sid]) => Some(text(font, *sid)?.to_vec()),
        _ => None,
    };
    let without = |dict: &Dict<'_>, dropped: &[u16]| -> Entries {
        let kept = dict.0.iter().filter(|(operator, _, _)| !dropped.contains(operator));
        kept.map(|(operator, _, bytes)| (*operator, bytes.to_vec())).collect()
    };
    let width = |operator: u16| match numbers(&private.dict, operator) {
        Some(numbers) => numbers?.first().copied().map(fixed),
        None => Some(Fixed::ZERO),
    };
    let font_dict = FontDict {
        name,
        font: without(dict, &[PRIVATE, FONT_NAME]),
        private: without(&private.dict, &[SUBRS, DEFAULT_WIDTH, NOMINAL_WIDTH]),
    };
    Some((Arc::new(font_dict), width(DEFAULT_WIDTH)?, width(NOMINAL_WIDTH)?))
}

/// The numbers of an entry: `None` if the DICT does not have the entry, `Some(None)` if the entry has an invalid
/// number.
pub(super) fn numbers(dict: &Dict<'_>, operator: u16) -> Option<Option<Vec<f64>>> {
    let (_, whole, bytes) = dict.0.iter().find(|(own, _, _)| *own == operator)?;
    let mut at = 0;
    let number = |whole: &i64| {
        let start = at;
        at += match bytes.get(at)? {
            28 => 3,
            29 => 5,
            30 => 1 + bytes.get(at + 1..)?.iter().position(|byte| byte & 0xf == 0xf || byte >> 4 == 0xf)? + 1,
            32..=246 => 1,
            _ => 2,
        };
        match bytes.get(start..at)? {
            [30, digits @ ..] => real(digits),
            _ => Some(f64::from(i32::try_from(*whole).ok()?)),
        }
    };
    Some(whole.iter().map(number).collect())
}

/// The value of a real number, which is encoded in nibbles.
fn real(digits: &[u8]) -> Option<f64> {
    let nibbles = digits.iter().flat_map(|byte| [byte >> 4, byte & 0xf]).take_while(|nibble| *nibble != 0xf);
    let mut text = String::new();
    for nibble in nibbles {
        match nibble {
            0..=9 => text.push(char::from(b'0' + nibble)),
            0xa => text.push('.'),
            0xb => text.push('e'),
            0xc => text.push_str("e-"),
            0xe => text.push('-'),
            _ => return None,
        }
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The string with this string identifier (SID).
pub(super) fn text<'a>(font: &Cff<'a>, sid: i64) -> Option<&'a [u8]> {
    font.string(Sid::new(u16::try_from(sid).ok()?))
}

pub(super) fn entry(operator: u16, numbers: &[f64]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    numbers.iter().try_for_each(|number| write_number(&mut bytes, *number))?;
    write_operator(&mut bytes, operator);
    Some(bytes)
}

pub(super) fn dictionary(entries: &Entries) -> Dict<'_> {
    Dict(entries.iter().map(|(operator, bytes)| (*operator, Vec::new(), bytes.as_slice())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_numbers_are_refused() {
        // The numbers -1.5, 2, 300, 1e-2 and 70000, and an operator.
        let bytes = [30, 0xe1, 0xa5, 0xff, 141, 28, 1, 44, 30, 0x1c, 0x2f, 29, 0, 1, 17, 112, 5];
        let dict = Dict(vec![(5, vec![0, 2, 300, 0, 70_000], &bytes)]);
        assert_eq!(numbers(&dict, 5), Some(Some(vec![-1.5, 2.0, 300.0, 0.01, 70_000.0])));
        assert_eq!(numbers(&dict, 6), None);
        for damaged in [&[0xd1, 0xff][..], &[0xff], &[0x1a, 0xa1, 0xff], &[0x1b, 0x99, 0x99, 0xff]] {
            assert_eq!(real(damaged), None, "{damaged:?}");
        }
    }
}
