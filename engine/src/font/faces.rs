//! The faces that Recto ships: the DejaVu fonts. The licence of these fonts permits shipping and embedding them.
//!
//! The faces cover Latin, Greek and Cyrillic with all accents, and many symbols. There are sans and serif faces, each
//! in regular, bold, italic and bold italic. The glyph `.notdef` has the number 0 in all faces.

use crate::EngineError;
use kurbo::{Affine, BezPath, Rect, Shape};
use recto_interface::options::FontFamily;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// A style, which selects a face of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// The family: sans or serif.
    pub(crate) family: FontFamily,
    /// Whether the face is bold.
    pub(crate) bold: bool,
    /// Whether the face is italic. The sans faces are oblique instead.
    pub(crate) italic: bool,
}

/// A face: its file, outlines and metrics. Distances are in ems.
pub(crate) struct Face {
    /// The font file.
    pub(crate) data: &'static [u8],
    /// The PostScript name of the face.
    pub(crate) name: &'static str,
    /// The style of the face.
    pub(crate) style: Style,
    font: FontRef<'static>,
    outlines: OutlineGlyphCollection<'static>,
    em: f64,
}

/// The metrics of a face as a whole, in ems.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metrics {
    /// The height of the face above the baseline.
    pub(crate) ascent: f64,
    /// The depth of the face below the baseline, as a negative number.
    pub(crate) descent: f64,
    /// The height of a capital letter.
    pub(crate) cap_height: f64,
    /// The angle of the letters in degrees; negative if the letters lean to the right.
    pub(crate) italic_angle: f64,
    /// The bounding box of all glyphs.
    pub(crate) bounds: Rect,
}

impl Face {
    /// The face with this style.
    ///
    /// # Errors
    /// [`EngineError::Internal`] if the file that is compiled in is not a font.
    pub(crate) fn of(style: Style) -> Result<Self, EngineError> {
        use dejavu::{sans, serif};
        let (data, name) = match (style.family, style.bold, style.italic) {
            (FontFamily::Sans, false, false) => (sans::regular(), "DejaVuSans"),
            (FontFamily::Sans, true, false) => (sans::bold(), "DejaVuSans-Bold"),
            (FontFamily::Sans, false, true) => (sans::oblique(), "DejaVuSans-Oblique"),
            (FontFamily::Sans, true, true) => (sans::bold_oblique(), "DejaVuSans-BoldOblique"),
            (FontFamily::Serif, false, false) => (serif::regular(), "DejaVuSerif"),
            (FontFamily::Serif, true, false) => (serif::bold(), "DejaVuSerif-Bold"),
            (FontFamily::Serif, false, true) => (serif::italic(), "DejaVuSerif-Italic"),
            (FontFamily::Serif, true, true) => (serif::bold_italic(), "DejaVuSerif-BoldItalic"),
        };
        let font = FontRef::new(data).map_err(|error| EngineError::Internal(format!("{name}: {error}")))?;
        let em = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em).max(1.0);
        Ok(Self { data, name, style, outlines: font.outline_glyphs(), font, em })
    }

    /// The glyph of a character; `None` if the face has no glyph for the character.
    pub(crate) fn glyph(&self, character: char) -> Option<u16> {
        let id = self.font.charmap().map(character)?;
        u16::try_from(id.to_u32()).ok().filter(|id| *id != 0)
    }

    /// The advance width of a glyph.
    pub(crate) fn advance(&self, glyph: u16) -> f64 {
        let metrics = self.font.glyph_metrics(Size::unscaled(), LocationRef::default());
        f64::from(metrics.advance_width(GlyphId::from(glyph)).unwrap_or_default()) / self.em
    }

    /// The outline of a glyph at the origin; empty for a space.
    pub(crate) fn outline(&self, glyph: u16) -> BezPath {
        let mut pen = Pen(BezPath::new());
        if let Some(outline) = self.outlines.get(GlyphId::from(glyph)) {
            let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
            // A glyph whose outline cannot be drawn is empty.
            let _ = outline.draw(settings, &mut pen);
        }
        Affine::scale(1.0 / self.em) * pen.0
    }

    /// The metrics of the face as a whole.
    pub(crate) fn metrics(&self) -> Metrics {
        let metrics = self.font.metrics(Size::unscaled(), LocationRef::default());
        let length = |value: f32| f64::from(value) / self.em;
        let capital = self.glyph('H').map_or(0.7, |glyph| self.outline(glyph).bounding_box().y1);
        let bounds = metrics.bounds.unwrap_or_default();
        Metrics {
            ascent: length(metrics.ascent),
            descent: length(metrics.descent),
            cap_height: capital,
            italic_angle: f64::from(metrics.italic_angle),
            bounds: Rect::new(
                length(bounds.x_min),
                length(bounds.y_min),
                length(bounds.x_max),
                length(bounds.y_max),
            ),
        }
    }
}

/// Draws an outline into a path.
struct Pen(BezPath);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to((f64::from(x), f64::from(y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to((f64::from(x), f64::from(y)));
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        self.0.quad_to((f64::from(cx0), f64::from(cy0)), (f64::from(x), f64::from(y)));
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.0.curve_to(
            (f64::from(cx0), f64::from(cy0)),
            (f64::from(cx1), f64::from(cy1)),
            (f64::from(x), f64::from(y)),
        );
    }

    fn close(&mut self) {
        self.0.close_path();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every face.
    fn faces() -> impl Iterator<Item = Face> {
        [FontFamily::Sans, FontFamily::Serif].into_iter().flat_map(|family| {
            [(false, false), (true, false), (false, true), (true, true)]
                .map(|(bold, italic)| Face::of(Style { family, bold, italic }).unwrap())
        })
    }

    #[test]
    fn every_face_has_latin_greek_and_cyrillic() {
        let letters = ('!'..='~')
            .chain('¡'..='ſ')
            .chain('Α'..='Ρ')
            .chain('Σ'..='ώ')
            .chain('Ѐ'..='џ')
            .chain("€„“”–—…№".chars());
        let letters: Vec<char> = letters.collect();
        for face in faces() {
            let missing: String = letters.iter().filter(|c| face.glyph(**c).is_none()).collect();
            assert_eq!(missing, "", "{}", face.name);
        }
    }

    #[test]
    fn a_character_without_a_glyph_has_none() {
        for face in faces() {
            assert_eq!(face.glyph('漢'), None);
            assert_eq!(face.glyph('\u{10FFFF}'), None);
        }
    }

    #[test]
    fn bold_is_wider_and_italic_leans() {
        let width = |bold, italic| {
            let face = Face::of(Style { family: FontFamily::Serif, bold, italic }).unwrap();
            (face.advance(face.glyph('n').unwrap()), face.metrics().italic_angle)
        };
        assert!(width(true, false).0 > width(false, false).0);
        assert!(width(false, true).1 < 0.0 && width(false, false).1 == 0.0);
    }

    #[test]
    fn lengths_are_ems() {
        let face = Face::of(Style { family: FontFamily::Sans, bold: false, italic: false }).unwrap();
        let metrics = face.metrics();
        assert!((0.6..0.8).contains(&metrics.cap_height), "{metrics:?}");
        assert!(
            (0.7..1.1).contains(&metrics.ascent) && (-0.4..-0.1).contains(&metrics.descent),
            "{metrics:?}"
        );
        let ink = face.outline(face.glyph('H').unwrap()).bounding_box();
        assert!(ink.y0.abs() < 0.01 && (ink.y1 - metrics.cap_height).abs() < 1e-9);
    }
}
