//! The glyphs of a font file that a font shows, in a simple font or a composite one.

use super::cff::Cff;
use super::files::FontUse;
use super::truetype::TrueType;
use super::{bytes, simple};
use crate::document::{Budget, decode, resolved};
use lopdf::{Document, Object};
use std::collections::BTreeSet;

/// The character identifiers that a composite font shows; nothing unless its codes are the identifiers.
pub(super) fn identifiers(document: &Document, face: &FontUse) -> Option<BTreeSet<u16>> {
    let font = document.get_dictionary(face.font).ok()?;
    let encoding = resolved(document, font.get(b"Encoding").ok()?)?.as_name().ok()?;
    let plain = matches!(encoding, b"Identity-H" | b"Identity-V") && !face.codes.odd;
    plain.then(|| face.codes.words().collect())
}

pub(super) fn truetype_glyphs(
    document: &Document,
    face: &FontUse,
    font: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let Some(descendant) = face.descendant else {
        return simple::truetype(document, face.font, &face.codes, font);
    };
    let cids = identifiers(document, face)?;
    let descendant = document.get_dictionary(descendant).ok()?;
    match descendant.get(b"CIDToGIDMap").ok().and_then(|map| resolved(document, map)) {
        None => Some(cids),
        Some(Object::Name(name)) if name == b"Identity" => Some(cids),
        Some(Object::Stream(map)) => {
            let map = decode(document, map, &Budget::bounded(1 << 20)).ok()??.data;
            Some(cids.iter().filter_map(|cid| bytes::u16_at(&map, usize::from(*cid) * 2)).collect())
        }
        Some(_) => None,
    }
}

pub(super) fn cff_glyphs(document: &Document, face: &FontUse, font: &Cff<'_>) -> Option<BTreeSet<u16>> {
    match face.descendant {
        Some(_) => Some(font.glyph_of_cid(&identifiers(document, face)?)),
        None => simple::cff(document, face.font, &face.codes, font),
    }
}
