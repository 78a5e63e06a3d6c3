//! The functions of `crate::fuzzing` for the parsers of font programs.

use super::cff::Cff;
use super::cmap as character_map;
use super::truetype::TrueType;
use super::type1::fuzzing;
use std::collections::BTreeSet;

/// The glyphs that a test keeps: every third glyph.
fn third(glyphs: usize) -> BTreeSet<u16> {
    (0..u16::try_from(glyphs).unwrap_or(u16::MAX)).step_by(3).collect()
}

/// Parses a CFF font, subsets it, and parses the result.
pub fn cff(program: &[u8]) {
    let Some(font) = Cff::parse(program) else { return };
    let codes = (0..=255).collect();
    let _ = font.glyphs_of_codes(&codes);
    let Some(subset) = font.subset(third(font.glyphs())) else { return };
    let again = Cff::parse(&subset);
    assert_eq!(again.map(|again| again.glyphs()), Some(font.glyphs()), "a subset can be parsed");
}

/// Parses a TrueType font, subsets it, and parses the result.
pub fn true_type(program: &[u8]) {
    let Some(font) = TrueType::parse(program) else { return };
    let _ = font.names();
    let keep = third(font.glyphs);
    let Some(subset) = font.subset(keep.clone(), true) else { return };
    let again = TrueType::parse(&subset).map(|again| again.glyphs);
    assert_eq!(again, Some(font.glyphs), "a subset can be parsed, and glyph numbers do not change");
}

/// Reads a table of character maps, subsets it, and reads the result.
pub fn cmap(table: &[u8]) {
    let Some(maps) = character_map::read(table) else { return };
    let keep: BTreeSet<u16> = maps.iter().flat_map(|map| map.glyphs.values().copied()).step_by(2).collect();
    let Some(subset) = character_map::subset(table, &keep) else { return };
    let again = character_map::read(&subset).unwrap_or_default();
    assert_eq!(again.len(), maps.len(), "a subset can be read");
    for (map, again) in maps.iter().zip(&again) {
        let wanted = map.glyphs.iter().filter(|(_, glyph)| keep.contains(glyph));
        assert!(wanted.eq(again.glyphs.iter()), "a subset maps the kept glyphs as before");
    }
}

/// Converts a Type 1 font to Type 1C, and parses the result. The input is tried as a font program, and as a font
/// program whose private part is not encrypted yet.
pub fn type_1(program: &[u8]) {
    for program in [program.to_vec(), fuzzing::with_encrypted_private_part(program)] {
        let Some(converted) = super::type1::rounded_type_1c(&program) else { continue };
        assert!(Cff::parse(&converted).is_some(), "a converted font can be parsed");
    }
}
