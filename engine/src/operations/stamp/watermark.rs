//! The watermark: a transparent text at 45 degrees, as large as the page allows.

use super::color::Rgb;
use super::layout::Sizing;
use super::mark::{Content, Mark};
use super::text::{Lettering, font_resources};
use crate::EngineError;
use kurbo::Affine;
use lopdf::{Document, Object, dictionary};
use recto_interface::options::{StampWatermarkOptions, WATERMARK_ANGLE, WATERMARK_OPACITY};

/// The font size at which a watermark is drawn if the options give no font size. The watermark is then scaled to each
/// page.
const NATURAL_SIZE: f64 = 100.0;
/// The default colour.
const DEFAULT_COLOR: Rgb = Rgb::bytes(0x80, 0x80, 0x80);

/// The watermark that these options describe. The size of the watermark is the size of the bounding box of the rotated
/// letters.
///
/// # Errors
/// [`EngineError::InvalidOption`] when the text, its characters or its colour cannot be used.
pub(super) fn mark(options: &StampWatermarkOptions, document: &mut Document) -> Result<Mark, EngineError> {
    let style = options.text_style.clone().unwrap_or_default();
    let lettering = Lettering::new(&options.text, &style, false, DEFAULT_COLOR)?;
    let em = style.font_size.unwrap_or(NATURAL_SIZE);
    let rotation = Affine::rotate(WATERMARK_ANGLE.to_radians()) * Affine::scale(em);
    let bounds = lettering
        .text
        .ink(&lettering.face, rotation)
        .ok_or_else(|| EngineError::Internal("the laid-out text has no visible glyphs".to_owned()))?;

    let font = lettering.embed(document)?;
    let mut content = Content::default();
    content.operator("/G gs");
    lettering.draw(&mut content, &font, Affine::translate(-bounds.origin().to_vec2()) * rotation);
    let mut resources = font_resources(&font);
    let opacity = Object::Real(WATERMARK_OPACITY as f32);
    resources
        .set("ExtGState", dictionary! { "G" => dictionary! { "ca" => opacity.clone(), "CA" => opacity } });
    Ok(Mark {
        size: bounds.size(),
        sizing: if style.font_size.is_some() { Sizing::Exact } else { Sizing::Fill { em } },
        margins: options.margin.into(),
        content,
        resources,
        transparent: true,
        notes: Vec::new(),
    })
}
