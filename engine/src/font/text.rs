//! Text layout in one face: the position of each glyph, and the bounds of the text.

use super::faces::Face;
use kurbo::{Affine, Point, Rect, Shape, Vec2};
use std::collections::BTreeMap;
use unicode_bidi::{BidiClass, bidi_class};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The distance between two baselines, in ems.
const LEADING: f64 = 1.2;

/// A glyph and the character that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glyph {
    /// The glyph's number in the face.
    pub(crate) id: u16,
    /// The character.
    pub(crate) character: char,
}

/// A line of a text.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The start of the line, in ems. The x coordinate counts from the left edge of the widest line, the y coordinate
    /// from the baseline of the first line.
    pub(crate) origin: Point,
    /// The glyphs of the line.
    pub(crate) glyphs: Vec<Glyph>,
    /// The width of the line, in ems.
    pub(crate) width: f64,
}

/// A text that is laid out in a face, with centred lines. Distances are in ems, and y coordinates increase upwards. The
/// baseline of the first line is the x axis.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The lines that are not empty.
    pub(crate) lines: Vec<Line>,
    /// The bounding box of the text. It includes the widths of the lines and the outlines of the glyphs.
    pub(crate) extent: Rect,
}

/// Why a text cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LayoutError {
    /// The text has no visible character.
    Blank,
    /// The face has no glyph for these characters.
    Missing(Vec<char>),
    /// These characters belong to a script whose letters join, stack or run from right to left.
    Complex(Vec<char>),
}

impl Text {
    /// Lays out a text. The text is brought into Unicode normalization form C, and a tab is treated as a space.
    ///
    /// # Errors
    /// [`LayoutError`], which lists the characters that cannot be laid out.
    pub(crate) fn set(face: &Face, text: &str) -> Result<Self, LayoutError> {
        let text: String =
            text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n").nfc().collect();
        let characters = || text.chars().filter(|c| *c != '\n' && !is_invisible(*c));
        let complex = distinct(characters().filter(|c| is_complex(*c)));
        if !complex.is_empty() {
            return Err(LayoutError::Complex(complex));
        }
        let missing = distinct(characters().filter(|c| face.glyph(visible(*c)).is_none()));
        if !missing.is_empty() {
            return Err(LayoutError::Missing(missing));
        }
        let mut lines: Vec<Line> = text
            .split('\n')
            .zip(0_u32..)
            .map(|(line, at)| {
                let glyphs: Vec<Glyph> = line
                    .trim()
                    .chars()
                    .filter(|c| !is_invisible(*c))
                    .filter_map(|c| Some(Glyph { id: face.glyph(visible(c))?, character: visible(c) }))
                    .collect();
                let width = glyphs.iter().map(|glyph| face.advance(glyph.id)).sum();
                Line { origin: Point::new(0.0, -LEADING * f64::from(at)), glyphs, width }
            })
            .filter(|line| !line.glyphs.is_empty())
            .collect();
        let Some(top) = lines.first().map(|line| line.origin.y) else { return Err(LayoutError::Blank) };
        let widest = lines.iter().map(|line| line.width).fold(0.0, f64::max);
        for line in &mut lines {
            line.origin += Vec2::new((widest - line.width) / 2.0, -top);
        }
        let bottom = lines.last().map_or(0.0, |line| line.origin.y);
        let letters = Rect::new(0.0, bottom, widest, face.metrics().cap_height);
        let text = Self { lines, extent: letters };
        let Some(ink) = text.ink(face, Affine::IDENTITY) else { return Err(LayoutError::Blank) };
        Ok(Self { extent: letters.union(ink), ..text })
    }

    /// The exact bounding box of the glyph outlines after `transform`; `None` if the text has only spaces.
    pub(crate) fn ink(&self, face: &Face, transform: Affine) -> Option<Rect> {
        let mut outlines = BTreeMap::new();
        let mut ink: Option<Rect> = None;
        for line in &self.lines {
            let mut pen = line.origin;
            for glyph in &line.glyphs {
                let outline = outlines.entry(glyph.id).or_insert_with(|| face.outline(glyph.id));
                if !outline.is_empty() {
                    let placed =
                        (transform * Affine::translate(pen.to_vec2()) * outline.clone()).bounding_box();
                    ink = Some(ink.map_or(placed, |ink| ink.union(placed)));
                }
                pen.x += face.advance(glyph.id);
            }
        }
        ink
    }

    /// The glyphs that the text uses, each glyph once, with its character.
    pub(crate) fn glyphs(&self) -> BTreeMap<u16, char> {
        self.lines.iter().flat_map(|line| &line.glyphs).map(|glyph| (glyph.id, glyph.character)).collect()
    }
}

fn distinct(characters: impl Iterator<Item = char>) -> Vec<char> {
    let mut found = Vec::new();
    characters.for_each(|c| {
        if !found.contains(&c) {
            found.push(c);
        }
    });
    found
}

/// The character to draw. Any white space is drawn as a space.
fn visible(character: char) -> char {
    if character.is_whitespace() { ' ' } else { character }
}

/// Whether a character only controls the layout and is not drawn itself.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Whether a character needs complex layout. Other characters are simply placed to the right of the previous character.
fn is_complex(character: char) -> bool {
    matches!(bidi_class(character), BidiClass::R | BidiClass::AL | BidiClass::AN)
        || is_combining_mark(character)
        || matches!(character, '\u{0900}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{18AF}' | '\u{1A00}'..='\u{1AAF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::font::Style;
    use recto_interface::options::FontFamily;

    fn face() -> Face {
        Face::of(Style { family: FontFamily::Sans, bold: false, italic: false }).unwrap()
    }

    fn letters(text: &str) -> Vec<String> {
        let text = Text::set(&face(), text).unwrap();
        text.lines.iter().map(|line| line.glyphs.iter().map(|glyph| glyph.character).collect()).collect()
    }

    #[test]
    fn lines_end_at_every_kind_of_line_end_and_are_centred() {
        assert_eq!(letters("one\r\ntwo\rthree\nfour"), ["one", "two", "three", "four"]);
        let text = Text::set(&face(), "wide line\ni\n\nlast").unwrap();
        assert_eq!(text.lines.len(), 3);
        for line in &text.lines {
            assert!((line.origin.x + line.width / 2.0 - text.lines[0].width / 2.0).abs() < 1e-9);
        }
        assert!((text.lines[2].origin.y + 3.0 * LEADING).abs() < 1e-9, "an empty line keeps its place");
    }

    #[test]
    fn accents_are_composed_and_invisible_marks_dropped() {
        assert_eq!(letters("Cafe\u{301} \u{feff}a\u{ad}b\tc\u{a0}d"), ["Café ab c d"]);
    }

    #[test]
    fn unsupported_characters_are_listed_once_each() {
        let refused = |text: &str| Text::set(&face(), text).unwrap_err();
        assert_eq!(refused("a漢字漢"), LayoutError::Missing(vec!['漢', '字']));
        assert_eq!(refused("a\u{7}b"), LayoutError::Missing(vec!['\u{7}']));
        assert_eq!(refused("שלום"), LayoutError::Complex("שלום".chars().collect()));
        for text in ["", " \n\t ", "\u{200b}"] {
            assert_eq!(refused(text), LayoutError::Blank);
        }
    }

    #[test]
    fn the_ink_is_the_exact_bounding_box_of_the_outlines() {
        let face = face();
        let text = Text::set(&face, "HH").unwrap();
        let ink = text.ink(&face, Affine::IDENTITY).unwrap();
        assert!(ink.y0.abs() < 1e-9 && (ink.y1 - face.metrics().cap_height).abs() < 1e-9);
        assert!(ink.x0 > 0.0 && ink.x1 < text.lines[0].width);
        let turned = text.ink(&face, Affine::rotate(std::f64::consts::FRAC_PI_2)).unwrap();
        assert!((turned.height() - ink.width()).abs() < 1e-9 && (turned.x0 + ink.y1).abs() < 1e-9);
    }
}
