//! Finds the glyphs of a font file that text shows, for simple and composite fonts.

use super::cff::Cff;
use super::files::FontUse;
use super::truetype::TrueType;
use super::{bytes, simple};
use crate::document::{Budget, decode, resolved};
use lopdf::{Document, Object};
use std::collections::BTreeSet;

/// The character identifiers that text shows in a composite font. `None` if the encoding of the font is neither
/// Identity-H nor Identity-V, or if a string has an odd number of bytes.
pub(super) fn shown_cids(document: &Document, font_use: &FontUse) -> Option<BTreeSet<u16>> {
    let font = document.get_dictionary(font_use.font).ok()?;
    let encoding = resolved(document, font.get(b"Encoding").ok()?)?.as_name().ok()?;
    let plain = matches!(encoding, b"Identity-H" | b"Identity-V") && !font_use.codes.odd;
    plain.then(|| font_use.codes.words().collect())
}

pub(super) fn truetype_glyphs(
    document: &Document,
    font_use: &FontUse,
    font: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let Some(descendant) = font_use.descendant else {
        return simple::truetype(document, font_use.font, &font_use.codes, font);
    };
    let cids = shown_cids(document, font_use)?;
    let descendant = document.get_dictionary(descendant).ok()?;
    match descendant.get(b"CIDToGIDMap").ok().and_then(|map| resolved(document, map)) {
        None => Some(cids),
        Some(Object::Name(name)) if name == b"Identity" => Some(cids),
        Some(Object::Stream(map)) => {
            let map = decode(document, map, &Budget::bounded(1 << 20)).ok()??.data;
            Some(cids.iter().filter_map(|cid| bytes::read::<u16>(&map, usize::from(*cid) * 2)).collect())
        }
        Some(_) => None,
    }
}

pub(super) fn cff_glyphs(document: &Document, font_use: &FontUse, font: &Cff<'_>) -> Option<BTreeSet<u16>> {
    match font_use.descendant {
        Some(_) => Some(font.glyph_of_cid(&shown_cids(document, font_use)?)),
        None => simple::cff(document, font_use.font, &font_use.codes, font),
    }
}
