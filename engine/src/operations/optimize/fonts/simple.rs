//! Which glyphs the codes of a simple font mean. Readers disagree on fonts that break the rules, so these sets are
//! generous: they hold what any reader could come to.

use super::super::content::Codes;
use super::bytes;
use super::cff::Cff;
use super::cmap;
use super::truetype::TrueType;
use crate::document::resolved;
use crate::font::type1c::names;
use lopdf::{Document, Object, ObjectId};
use std::collections::{BTreeMap, BTreeSet};

/// What a font dictionary says about its codes.
struct Encoding {
    codes: BTreeSet<u8>,
    /// The names of codes that are renamed.
    differences: BTreeMap<u8, Vec<u8>>,
}

fn encoding(document: &Document, font: ObjectId, codes: &Codes) -> Option<Encoding> {
    let dict = document.get_dictionary(font).ok()?;
    let mut differences = BTreeMap::new();
    if let Ok(Object::Dictionary(encoding)) = dict.get_deref(b"Encoding", document) {
        let mut code = 0_i64;
        for item in
            encoding.get_deref(b"Differences", document).and_then(Object::as_array).into_iter().flatten()
        {
            match resolved(document, item)? {
                Object::Integer(start) => code = *start,
                Object::Name(name) => {
                    differences.extend(u8::try_from(code).ok().map(|code| (code, name.clone())));
                    code = code.saturating_add(1);
                }
                _ => return None,
            }
        }
    }
    Some(Encoding { codes: codes.bytes().collect(), differences })
}

impl Encoding {
    /// The names that used codes are given.
    fn names(&self) -> BTreeSet<Vec<u8>> {
        self.differences
            .iter()
            .filter(|(code, _)| self.codes.contains(code))
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// Whether a code beyond ASCII is used under a standard encoding.
    fn beyond_ascii(&self) -> bool {
        self.codes.iter().any(|code| *code >= 127)
    }
}

/// The glyphs of a simple TrueType font.
pub(super) fn truetype(
    document: &Document,
    font: ObjectId,
    codes: &Codes,
    file: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let encoding = encoding(document, font, codes)?;
    let mut keep = BTreeSet::new();
    // Without a map, codes are glyph numbers to some readers.
    keep.extend(
        encoding.codes.iter().map(|code| u16::from(*code)).filter(|glyph| usize::from(*glyph) < file.glyphs),
    );
    let renamed = !encoding.names().is_empty();
    for map in file.table(b"cmap").map(cmap::read).unwrap_or_else(|| Some(Vec::new()))? {
        let unicode = map.platform == 0 || map.platform == 3 && map.encoding != 0;
        for (&character, &glyph) in &map.glyphs {
            let low = u8::try_from(character & 0xff).unwrap_or(0);
            let as_code =
                (character < 0x100 || (0xf000..0xf300).contains(&character)) && encoding.codes.contains(&low);
            // By name or by a standard encoding a code may mean any character of the scripts that names exist for.
            let as_character = unicode
                && (renamed && is_named(character) || encoding.beyond_ascii() && is_standard(character));
            // The Mac map is asked for names by their code in the Mac encoding.
            let as_mac =
                map.platform == 1 && (renamed || encoding.beyond_ascii()) && (character >= 128 || renamed);
            if as_code || as_character || as_mac {
                keep.insert(glyph);
            }
        }
    }
    if renamed {
        keep.extend(glyphs_by_post(file, &encoding.names()));
    }
    Some(keep)
}

/// Characters that a name of the Adobe glyph list may mean.
fn is_named(character: u32) -> bool {
    matches!(character, 0x20..0x700 | 0x1e00..0x2300 | 0x2310..0x2800 | 0xe000..0xf900 | 0xfb00..0xfb50)
}

/// Characters of the standard, Windows and Mac encodings.
fn is_standard(character: u32) -> bool {
    matches!(character, 0x20..0x180 | 0x192 | 0x2c6..0x2de | 0x394 | 0x3a9 | 0x3bc | 0x3c0 | 0x2010..0x2050 | 0x20ac | 0x2100..0x2300 | 0x25ca | 0xf001..0xf003 | 0xf8ff | 0xfb01 | 0xfb02)
}

/// The glyphs whose names in the `post` table are wanted. Names of the Macintosh order are not looked up there by
/// readers that have a character map, so only a font's own names count.
fn glyphs_by_post(file: &TrueType<'_>, wanted: &BTreeSet<Vec<u8>>) -> BTreeSet<u16> {
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
        let is_wanted = match index.checked_sub(258) {
            Some(at) => own.get(at).is_some_and(|name| wanted.contains(*name)),
            // One of the 258 names of the Macintosh: cheap to keep, they are the common letters.
            None => true,
        };
        if is_wanted {
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
    let encoding = encoding(document, font, codes)?;
    if file.is_cid() {
        return None;
    }
    let mut keep = file.glyphs_of_codes(&encoding.codes)?;
    keep.extend(file.glyphs_of_names(&encoding.names()));
    // Under the standard encodings a code of ASCII means one of few names; beyond, any of the Latin ones.
    let mut sids: BTreeSet<u16> = encoding.codes.iter().map(|code| names::standard_encoding(*code)).collect();
    for (code, others) in [(b'\'', [8_u16, 104]), (b'`', [65, 124]), (b'-', [14, 166])] {
        if encoding.codes.contains(&code) {
            sids.extend(others);
        }
    }
    let beyond = encoding.beyond_ascii();
    for (sid, glyph) in file.sids().iter().zip(0..) {
        let latin = (96..229).contains(sid);
        if sids.contains(sid) || beyond && (latin || *sid >= names::COUNT) {
            keep.insert(glyph);
        }
    }
    Some(keep.into_iter().filter(|glyph| usize::from(*glyph) < file.glyphs()).collect())
}
