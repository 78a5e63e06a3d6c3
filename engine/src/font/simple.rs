//! Which glyphs the codes of a simple font mean. Readers disagree on fonts that break the rules, so these sets are
//! generous: they hold what any reader could come to.

use super::bytes;
use super::cff::Cff;
use super::characters::{macintosh_codes, of_code, of_known_name, of_name};
use super::cmap;
use super::encoding::differences;
use super::truetype::TrueType;
use crate::content::Codes;
use lopdf::{Document, Object, ObjectId};
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use std::collections::BTreeSet;

/// What a font is asked for.
struct Wanted {
    codes: BTreeSet<u8>,
    /// The names that codes are given.
    names: BTreeSet<Vec<u8>>,
    /// What codes and names may mean.
    characters: BTreeSet<u32>,
    /// Whether a name means no character that is known: readers guess.
    riddle: bool,
}

impl Wanted {
    fn of(document: &Document, font: ObjectId, codes: &Codes) -> Option<Self> {
        let codes: BTreeSet<u8> = codes.bytes().collect();
        let names = names(document, font, &codes)?;
        let mut wanted = Self {
            characters: codes.iter().flat_map(|code| of_code(*code)).collect(),
            riddle: false,
            codes,
            names,
        };
        for name in wanted.names.iter().filter(|name| *name != b".notdef") {
            let characters = of_name(name);
            wanted.riddle |= characters.is_empty();
            wanted.characters.extend(characters);
        }
        Some(wanted)
    }

    /// Whether a name is asked for, or means a character that is.
    fn has_name(&self, name: &[u8]) -> bool {
        self.names.contains(name)
            || of_known_name(name).is_some_and(|characters| !characters.is_disjoint(&self.characters))
    }
}

/// The names that the encoding of a font gives to these codes.
fn names(document: &Document, font: ObjectId, codes: &BTreeSet<u8>) -> Option<BTreeSet<Vec<u8>>> {
    let dict = document.get_dictionary(font).ok()?;
    let Ok(Object::Dictionary(encoding)) = dict.get_deref(b"Encoding", document) else {
        return Some(BTreeSet::new());
    };
    let names = differences(document, encoding)?.into_iter();
    Some(names.filter(|(code, _)| codes.contains(code)).map(|(_, name)| name).collect())
}

/// The glyphs of a simple TrueType font.
pub(super) fn truetype(
    document: &Document,
    font: ObjectId,
    codes: &Codes,
    file: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let wanted = Wanted::of(document, font, codes)?;
    let mac = macintosh_codes(&wanted.characters);
    // Without a map, codes are glyph numbers to some readers; so are the numbers in names that nobody knows.
    let numbers = wanted.names.iter().filter(|_| wanted.riddle).filter_map(|name| number_in(name));
    let mut keep: BTreeSet<u16> = wanted
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
                (character < 0x100 || (0xf000..0xf300).contains(&character)) && wanted.codes.contains(&low);
            let as_character =
                unicode && (wanted.characters.contains(&character) || wanted.riddle && is_named(character));
            // The Macintosh's map is asked for names by their codes there.
            let as_mac = map.platform == 1 && (wanted.riddle || mac.contains(&low));
            if as_code || as_character || as_mac {
                keep.insert(glyph);
            }
        }
    }
    keep.extend(glyphs_by_post(file, &wanted));
    Some(keep)
}

/// The number that a name such as `g123` ends with.
fn number_in(name: &[u8]) -> Option<u16> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(name.get(name.len() - digits..)?).ok()?.parse().ok()
}

/// Characters that a name of the Adobe glyph list may mean.
fn is_named(character: u32) -> bool {
    matches!(character, 0x20..0x700 | 0x1e00..0x2300 | 0x2310..0x2800 | 0xe000..0xf900 | 0xfb00..0xfb50)
}

/// The glyphs whose names in the `post` table are wanted.
fn glyphs_by_post(file: &TrueType<'_>, wanted: &Wanted) -> BTreeSet<u16> {
    let mut keep = BTreeSet::new();
    let Some(post) = file.table(b"post").filter(|post| bytes::u32_at(post, 0) == Some(0x2_0000)) else {
        return keep;
    };
    let count = usize::from(bytes::u16_at(post, 32).unwrap_or(0));
    let mut own = Vec::new();
    let mut at = 34 + count * 2;
    while let Some(length) = bytes::u8_at(post, at) {
        let Some(name) = post.get(at + 1..at + 1 + usize::from(length)) else { break };
        own.push(name);
        at += 1 + usize::from(length);
    }
    for glyph in 0..count {
        let index = bytes::u16_at(post, 34 + glyph * 2).map_or(0, usize::from);
        let name = match index.checked_sub(DEFAULT_GLYPH_NAMES.len()) {
            Some(at) => own.get(at).copied(),
            None => DEFAULT_GLYPH_NAMES.get(index).map(|name| name.as_bytes()),
        };
        if name.is_some_and(|name| wanted.has_name(name)) {
            keep.extend(u16::try_from(glyph));
        }
    }
    keep
}

/// The glyphs of a simple font of CFF outlines.
pub(super) fn cff(
    document: &Document,
    font: ObjectId,
    codes: &Codes,
    file: &Cff<'_>,
) -> Option<BTreeSet<u16>> {
    let wanted = Wanted::of(document, font, codes)?;
    if file.is_cid() {
        return None;
    }
    let mut keep = file.glyphs_of_codes(&wanted.codes)?;
    let own: BTreeSet<&[u8]> = file.names().collect();
    // A name that the font does not have is sought by what it means.
    let guess = wanted.names.iter().any(|name| !own.contains(name.as_slice()));
    for (name, glyph) in file.names().zip(0..) {
        if wanted.has_name(name) || guess && of_known_name(name).is_none() {
            keep.insert(glyph);
        }
    }
    Some(keep.into_iter().filter(|glyph| usize::from(*glyph) < file.glyphs()).collect())
}
