//! The text stamp: bold letters in a rounded double frame, with small gaps as in the print of a rubber stamp.

use super::color::{self, Rgb};
use super::layout::Sizing;
use super::mark::{Content, Mark};
use crate::EngineError;
use crate::font::{Embedded, Face, LayoutError, Style, Text};
use kurbo::{Affine, Insets, Rect, RoundedRect, Shape, Size, Vec2};
use lopdf::{Dictionary, Document, Object, dictionary};
use recto_interface::InvalidOption;
use recto_interface::options::{FontFamily, StampTextOptions, TextStyle};

/// The default font size in points. On a page that is too small, the stamp is drawn smaller.
const DEFAULT_SIZE: f64 = 24.0;
/// The default colour: a red like the ink of a stamp pad.
const DEFAULT_COLOR: Rgb = Rgb::bytes(0xB8, 0x14, 0x1E);
/// The maximum number of characters in a stamp.
const MAX_CHARACTERS: usize = 2_000;

/// The sizes of the parts of the frame, in ems of the text in the frame.
mod frame {
    pub(super) const OUTER_LINE: f64 = 0.09;
    pub(super) const GAP: f64 = 0.07;
    pub(super) const INNER_LINE: f64 = 0.03;
    pub(super) const PADDING_X: f64 = 0.38;
    pub(super) const PADDING_Y: f64 = 0.30;
    pub(super) const RADIUS: f64 = 0.30;
}

/// The text stamp that these options describe.
///
/// # Errors
/// [`EngineError::InvalidOption`] when the text, its characters or its colour cannot be used.
pub(super) fn mark(options: &StampTextOptions, document: &mut Document) -> Result<Mark, EngineError> {
    let style = options.text_style.clone().unwrap_or_default();
    // Letters are bold by default.
    let lettering = Lettering::new(&options.text, &style, true, DEFAULT_COLOR)?;
    let em = style.font_size.unwrap_or(DEFAULT_SIZE);
    let edge = (frame::OUTER_LINE + frame::GAP + frame::INNER_LINE) * em;
    let (padding_x, padding_y) = (frame::PADDING_X * em + edge, frame::PADDING_Y * em + edge);
    let letters = lettering.text.extent.scale_from_origin(em);
    let size = Size::new(letters.width() + 2.0 * padding_x, letters.height() + 2.0 * padding_y);

    let font = lettering.embed(document)?;
    let mut content = Content::default();
    content.path(&worn_clip(size, em));
    content.operator("W* n");
    content.operator(&lettering.color.operator(true));
    let whole = size.to_rect();
    for (inset, line) in
        [(0.0, frame::OUTER_LINE * em), (edge - frame::INNER_LINE * em, frame::INNER_LINE * em)]
    {
        let middle = inset + line / 2.0;
        content.numbers([line], "w");
        content.path(&rounded(whole - Insets::uniform(middle), (frame::RADIUS * em - middle).max(0.0)));
        content.operator("S");
    }
    let baseline = Vec2::new(padding_x - letters.x0, padding_y - letters.y0);
    lettering.draw(&mut content, &font, Affine::translate(baseline) * Affine::scale(em));
    Ok(Mark {
        size,
        sizing: if style.font_size.is_some() { Sizing::Exact } else { Sizing::Shrink },
        margins: options.margin.into(),
        content,
        resources: font_resources(&font),
        transparent: false,
        notes: Vec::new(),
    })
}

/// A text with its typeface and colour, for the text stamp and the watermark.
pub(super) struct Lettering {
    pub(super) face: Face,
    pub(super) text: Text,
    pub(super) color: Rgb,
}

impl Lettering {
    /// Lays out a text in the style of the options.
    pub(super) fn new(text: &str, style: &TextStyle, bold: bool, color: Rgb) -> Result<Self, EngineError> {
        check_text(text)?;
        let color = match &style.text_color {
            Some(text) => parse_color(text)?,
            None => color,
        };
        let face = Face::of(Style {
            family: style.font_family.unwrap_or(FontFamily::Sans),
            bold: style.is_bold.unwrap_or(bold),
            italic: style.is_italic.unwrap_or(false),
        })?;
        let text = Text::set(&face, text).map_err(layout_refused)?;
        Ok(Self { face, text, color })
    }

    /// Embeds the glyphs of the typeface that the text uses.
    pub(super) fn embed(&self, document: &mut Document) -> Result<Embedded, EngineError> {
        Embedded::new(document, &self.face, &self.text.glyphs())
    }

    /// Draws the text. `transform` maps the coordinates of the text, in ems, to the coordinates of the stamp.
    pub(super) fn draw(&self, content: &mut Content, font: &Embedded, transform: Affine) {
        content.operator("BT");
        content.operator(&self.color.operator(false));
        // The font size is 1 here, because the text matrix contains the real font size.
        content.operator("/F 1 Tf");
        for line in &self.text.lines {
            let matrix = transform * Affine::translate(line.origin.to_vec2());
            content.numbers(matrix.as_coeffs(), "Tm");
            content.operator(&format!("{} Tj", font.string(&line.glyphs)));
        }
        content.operator("ET");
    }
}

/// Checks that a text is neither blank nor too long.
///
/// # Errors
/// [`InvalidOption`] if it is blank or too long.
pub(super) fn check_text(text: &str) -> Result<(), InvalidOption> {
    let length = text.chars().count();
    if length > MAX_CHARACTERS {
        let reason = format!("it has {length} characters; a stamp can have at most {MAX_CHARACTERS}");
        return Err(InvalidOption::new("text", reason));
    }
    if text.trim().is_empty() {
        return Err(layout_refused(LayoutError::Blank));
    }
    Ok(())
}

/// The colour that the option names.
///
/// # Errors
/// As [`color::parse`].
pub(super) fn parse_color(text: &str) -> Result<Rgb, InvalidOption> {
    color::parse("textStyle.textColor", text)
}

/// The resources of a content stream that uses one font.
pub(super) fn font_resources(font: &Embedded) -> Dictionary {
    dictionary! { "Font" => dictionary! { "F" => Object::Reference(font.id) } }
}

fn layout_refused(why: LayoutError) -> InvalidOption {
    let list = |characters: &[char]| {
        let shown: Vec<String> = characters
            .iter()
            .take(20)
            .map(|c| {
                let code = u32::from(*c);
                if c.is_control() { format!("U+{code:04X}") } else { format!("{c} (U+{code:04X})") }
            })
            .collect();
        let more = characters.len().saturating_sub(shown.len());
        if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
    };
    InvalidOption::new(
        "text",
        match why {
            LayoutError::Blank => "it has no visible characters; give a text".to_owned(),
            LayoutError::Missing(characters) => format!(
                "no font has a glyph for {}; Latin, Greek and Cyrillic letters and common symbols can be stamped",
                list(&characters)
            ),
            LayoutError::Complex(characters) => format!(
                "stamps do not support scripts whose letters join, stack or run from right to left: {}",
                list(&characters)
            ),
        },
    )
}

/// A rectangle with rounded corners.
fn rounded(rect: Rect, radius: f64) -> kurbo::BezPath {
    RoundedRect::from_rect(rect, radius).to_path(0.01)
}

/// A clip path: the area of the stamp without random specks. The page is visible through these specks, so that the
/// stamp looks worn.
fn worn_clip(size: Size, em: f64) -> kurbo::BezPath {
    let mut path = (size.to_rect() + Insets::uniform(1.0)).to_path(0.1);
    let mut random = Random(0x5EED);
    let specks = (size.area() / (em * em) * 16.0).min(1_000.0) as usize;
    for _ in 0..specks {
        let center = Vec2::new(random.next() * size.width, random.next() * size.height);
        // The random number is raised to the power of three, which makes most specks tiny.
        let radius = em * (0.005 + 0.024 * random.next().powi(3));
        let (x, y) = (radius * (0.6 + random.next()), radius * (0.6 + random.next()));
        let turn = Affine::translate(center) * Affine::rotate(random.next() * std::f64::consts::TAU);
        let corners = [(x, 0.0), (x * 0.3, y), (-x * 0.8, y * 0.6), (-x * 0.7, -y * 0.5), (x * 0.2, -y)];
        for (at, corner) in corners.into_iter().enumerate() {
            let corner = turn * kurbo::Point::from(corner);
            if at == 0 { path.move_to(corner) } else { path.line_to(corner) }
        }
        path.close_path();
    }
    path
}

/// Pseudorandom numbers from 0 to 1. The seed is fixed, so that the same input always gives the same file.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1_u32 << 24)
    }
}
