//! Embeds a subset of a face in a document, with a ToUnicode map, so that the text can be searched and copied.

use super::faces::Face;
use super::text::Glyph;
use super::to_unicode::{CodeSize, to_unicode};
use crate::EngineError;
use crate::document::flate_stream;
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, dictionary};
use recto_interface::options::FontFamily;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use subsetter::GlyphRemapper;

/// A face embedded in a document.
pub(crate) struct Embedded {
    /// The object identifier of the font dictionary.
    pub(crate) id: ObjectId,
    codes: GlyphRemapper,
}

impl Embedded {
    /// Embeds the glyphs as a Type 0 font with two-byte codes. `glyphs` are the used glyphs with their characters.
    ///
    /// # Errors
    /// [`EngineError::Internal`] if the face cannot be subset.
    pub(crate) fn new(
        document: &mut Document,
        face: &Face,
        glyphs: &BTreeMap<u16, char>,
    ) -> Result<Self, EngineError> {
        let ids: Vec<u16> = glyphs.keys().copied().collect();
        let codes = GlyphRemapper::new_from_glyphs_sorted(&ids);
        let file = subsetter::subset(face.data, 0, &codes)
            .map_err(|error| EngineError::Internal(format!("{} cannot be subset: {error}", face.name)))?;
        let name = Object::Name(format!("{}+{}", tag(&ids), face.name).into_bytes());
        let glyph_count = glyph_count(&file).unwrap_or_else(|| codes.num_gids());

        let length = i64::try_from(file.len()).unwrap_or(i64::MAX);
        let file = document.add_object(flate_stream(dictionary! { "Length1" => length }, file)?);
        let cid_set = document.add_object(flate_stream(Dictionary::new(), all_bits(glyph_count))?);
        let descriptor = document.add_object(descriptor(face, name.clone(), file, cid_set));
        let widths = codes.remapped_gids().map(|glyph| thousandths(face.advance(glyph))).collect::<Vec<_>>();
        let descendant = document.add_object(dictionary! {
            "Type" => "Font",
            "Subtype" => "CIDFontType2",
            "BaseFont" => name.clone(),
            "CIDSystemInfo" => dictionary! {
                "Registry" => string("Adobe"),
                "Ordering" => string("Identity"),
                "Supplement" => 0
            },
            "FontDescriptor" => descriptor,
            "CIDToGIDMap" => "Identity",
            "DW" => 1000,
            "W" => vec![0.into(), Object::Array(widths)]
        });
        let characters: Vec<(u16, String)> = glyphs
            .iter()
            .filter_map(|(id, character)| Some((codes.get(*id)?, character.to_string())))
            .collect();
        let to_unicode = document.add_object(to_unicode(CodeSize::TwoBytes, &characters, &[])?);
        let id = document.add_object(dictionary! {
            "Type" => "Font",
            "Subtype" => "Type0",
            "BaseFont" => name,
            "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()],
            "ToUnicode" => to_unicode
        });
        Ok(Self { id, codes })
    }

    /// The string operand, in hexadecimal form, that shows these glyphs.
    pub(crate) fn string(&self, glyphs: &[Glyph]) -> String {
        let mut text = String::with_capacity(2 + 4 * glyphs.len());
        text.push('<');
        for glyph in glyphs {
            // Writing to a string does not fail.
            let _ = write!(text, "{:04X}", self.codes.get(glyph.id).unwrap_or_default());
        }
        text.push('>');
        text
    }
}

fn descriptor(face: &Face, name: Object, file: ObjectId, cid_set: ObjectId) -> Dictionary {
    const SERIF: i64 = 1 << 1;
    const SYMBOLIC: i64 = 1 << 2;
    const ITALIC: i64 = 1 << 6;
    let metrics = face.metrics();
    let mut flags = SYMBOLIC;
    if face.style.family == FontFamily::Serif {
        flags |= SERIF;
    }
    if face.style.italic {
        flags |= ITALIC;
    }
    let bounds = metrics.bounds;
    dictionary! {
        "Type" => "FontDescriptor",
        "FontName" => name,
        "Flags" => flags,
        "FontBBox" => [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(thousandths).to_vec(),
        "ItalicAngle" => Object::Real(metrics.italic_angle as f32),
        "Ascent" => thousandths(metrics.ascent),
        "Descent" => thousandths(metrics.descent),
        "CapHeight" => thousandths(metrics.cap_height),
        "StemV" => if face.style.bold { 140 } else { 80 },
        "FontFile2" => file,
        "CIDSet" => cid_set
    }
}

/// Converts ems to thousandths of an em, the unit of fonts in PDF.
fn thousandths(ems: f64) -> Object {
    Object::Real((ems * 1000.0) as f32)
}

fn string(text: &str) -> Object {
    Object::String(text.as_bytes().to_vec(), StringFormat::Literal)
}

/// The tag of a font subset: six letters that differ between subsets of the same face (ISO 32000-1, 9.6.4).
fn tag(glyphs: &[u16]) -> String {
    // The hash function FNV-1a. Any function would do that always gives the same subset the same tag.
    let mut hash =
        glyphs.iter().flat_map(|glyph| glyph.to_be_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    (0..6)
        .map(|_| {
            let letter = u8::try_from(hash % 26).unwrap_or_default();
            hash /= 26;
            char::from(b'A' + letter)
        })
        .collect()
}

/// The number of glyphs in a font file, according to its `maxp` table.
fn glyph_count(file: &[u8]) -> Option<u16> {
    use skrifa::raw::TableProvider;
    Some(skrifa::FontRef::new(file).ok()?.maxp().ok()?.num_glyphs())
}

/// The data of the CIDSet, with one bit set for each glyph, because a subset contains all CIDs below its number of
/// glyphs.
fn all_bits(count: u16) -> Vec<u8> {
    let mut bits = vec![0xFF; usize::from(count / 8)];
    if !count.is_multiple_of(8) {
        bits.push(0xFF_u8 << (8 - count % 8));
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cid_set_has_one_bit_for_each_glyph() {
        assert!(all_bits(0).is_empty());
        assert_eq!(all_bits(3), [0b1110_0000]);
        assert_eq!(all_bits(16), [0xFF, 0xFF]);
        assert_eq!(all_bits(17), [0xFF, 0xFF, 0b1000_0000]);
    }

    #[test]
    fn different_subsets_have_different_tags() {
        assert_eq!(tag(&[3, 4]), tag(&[3, 4]));
        assert_ne!(tag(&[3, 4]), tag(&[3, 5]));
        assert!(tag(&[1]).len() == 6 && tag(&[1]).bytes().all(|byte| byte.is_ascii_uppercase()));
    }
}
