//! Finds the glyphs that the codes of a simple font may show. Readers disagree on fonts that break the rules, so the
//! result contains every glyph that any reader may choose.

use super::cff::Cff;
use super::characters::{macintosh_codes, of_code, of_known_name, of_name};
use super::cmap;
use super::truetype::TrueType;
use crate::content::{Codes, differences};
use lopdf::{Document, Object, ObjectId};
use std::collections::BTreeSet;

/// The codes that text shows in a font, and the possible meanings of the codes.
struct UsedCharacters {
    codes: BTreeSet<u8>,
    /// The glyph names that the encoding of the font gives to the codes.
    names: BTreeSet<Vec<u8>>,
    /// The Unicode characters that the codes and the glyph names may mean.
    characters: BTreeSet<u32>,
    /// Whether a glyph name means no known character, so that readers guess its glyph.
    has_unknown_name: bool,
}

impl UsedCharacters {
    fn of(document: &Document, font: ObjectId, codes: &Codes) -> Option<Self> {
        let codes: BTreeSet<u8> = codes.bytes().collect();
        let names = names(document, font, &codes)?;
        let mut used = Self {
            characters: codes.iter().flat_map(|code| of_code(*code)).collect(),
            has_unknown_name: false,
            codes,
            names,
        };
        for name in used.names.iter().filter(|name| *name != b".notdef") {
            let characters = of_name(name);
            used.has_unknown_name |= characters.is_empty();
            used.characters.extend(characters);
        }
        Some(used)
    }

    /// Whether a glyph name is one of the names of the codes, or means one of the characters.
    fn has_name(&self, name: &[u8]) -> bool {
        self.names.contains(name)
            || of_known_name(name).is_some_and(|characters| !characters.is_disjoint(&self.characters))
    }
}

/// The glyph names that the encoding of a font gives to these codes.
fn names(document: &Document, font: ObjectId, codes: &BTreeSet<u8>) -> Option<BTreeSet<Vec<u8>>> {
    let dict = document.get_dictionary(font).ok()?;
    let Ok(Object::Dictionary(encoding)) = dict.get_deref(b"Encoding", document) else {
        return Some(BTreeSet::new());
    };
    let names = differences(document, encoding)?.into_iter();
    Some(names.filter(|(code, _)| codes.contains(code)).map(|(_, name)| name).collect())
}

/// The glyphs of a simple TrueType font that the codes may show; `None` if the font or its encoding is unsupported.
pub(super) fn truetype(
    document: &Document,
    font: ObjectId,
    codes: &Codes,
    file: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let used = UsedCharacters::of(document, font, codes)?;
    let mac = macintosh_codes(&used.characters);
    // If a font has no cmap, some readers use the codes as glyph numbers, and some use the numbers at the end of
    // unknown glyph names.
    let numbers = used.names.iter().filter(|_| used.has_unknown_name).filter_map(|name| number_in(name));
    let mut glyphs: BTreeSet<u16> = used
        .codes
        .iter()
        .map(|code| u16::from(*code))
        .chain(numbers)
        .filter(|glyph| usize::from(*glyph) < file.glyphs)
        .collect();
    for map in file.table(b"cmap").map(cmap::read).unwrap_or_else(|| Some(Vec::new()))? {
        let unicode = map.platform == 0 || map.platform == 3 && map.encoding != 0;
        for (&character, &glyph) in &map.glyphs {
            let low = u8::try_from(character & 0xff).unwrap_or(0);
            let as_code =
                (character < 0x100 || (0xf000..0xf300).contains(&character)) && used.codes.contains(&low);
            let as_character = unicode
                && (used.characters.contains(&character) || used.has_unknown_name && is_named(character));
            // In a Macintosh cmap, readers look up the Macintosh code of the character that a glyph name means.
            let as_mac = map.platform == 1 && (used.has_unknown_name || mac.contains(&low));
            if as_code || as_character || as_mac {
                glyphs.insert(glyph);
            }
        }
    }
    glyphs.extend(glyphs_by_post(file, &used));
    Some(glyphs)
}

/// The number at the end of a glyph name such as `g123`.
fn number_in(name: &[u8]) -> Option<u16> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(name.get(name.len() - digits..)?).ok()?.parse().ok()
}

/// Whether the Adobe Glyph List may have a name for the character.
fn is_named(character: u32) -> bool {
    matches!(character, 0x20..0x700 | 0x1e00..0x2300 | 0x2310..0x2800 | 0xe000..0xf900 | 0xfb00..0xfb50)
}

/// The glyphs whose names in the `post` table are used, or mean used characters.
fn glyphs_by_post(file: &TrueType<'_>, used: &UsedCharacters) -> BTreeSet<u16> {
    let names = file.names().unwrap_or_default();
    let is_used = |name: Option<&[u8]>| name.is_some_and(|name| used.has_name(name));
    (0..).zip(names).filter(|(_, name)| is_used(*name)).map(|(glyph, _)| glyph).collect()
}

/// The glyphs of a simple CFF font that the codes may show; `None` if the font or its encoding is unsupported.
pub(super) fn cff(
    document: &Document,
    font: ObjectId,
    codes: &Codes,
    file: &Cff<'_>,
) -> Option<BTreeSet<u16>> {
    let used = UsedCharacters::of(document, font, codes)?;
    if file.is_cid() {
        return None;
    }
    let mut glyphs = file.glyphs_of_codes(&used.codes)?;
    let own: BTreeSet<&[u8]> = file.names().collect();
    // If the font lacks a glyph name, readers may look for the character that the name means.
    let has_missing_name = used.names.iter().any(|name| !own.contains(name.as_slice()));
    for (name, glyph) in file.names().zip(0..) {
        if used.has_name(name) || has_missing_name && of_known_name(name).is_none() {
            glyphs.insert(glyph);
        }
    }
    Some(glyphs.into_iter().filter(|glyph| usize::from(*glyph) < file.glyphs()).collect())
}
