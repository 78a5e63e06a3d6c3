//! Reads the visible area of a page from the document.

use super::layout::PageBox;
use crate::document::{inherited, number, rectangle};
use kurbo::Rect;
use lopdf::{Document, ObjectId};

/// The page box that viewers assume for a page without a page box: US Letter.
const LETTER: Rect = Rect::new(0.0, 0.0, 612.0, 792.0);

impl PageBox {
    /// Reads the visible area of a page, which is the intersection of the crop box and the media box.
    pub(super) fn of(document: &Document, page: ObjectId) -> Self {
        let page_rect = |key: &[u8]| {
            rectangle(document, inherited(document, page, key)?).filter(|rect| rect.area() > 0.0)
        };
        let media = page_rect(b"MediaBox").unwrap_or(LETTER);
        let visible = page_rect(b"CropBox")
            .map(|crop| crop.intersect(media))
            .filter(|crop| crop.area() > 0.0)
            .unwrap_or(media);
        let degrees =
            inherited(document, page, b"Rotate").and_then(|value| number(document, value)).unwrap_or(0.0);
        let quarter_turns = match degrees.rem_euclid(360.0) {
            90.0 => 1,
            180.0 => 2,
            270.0 => 3,
            _ => 0,
        };
        let unit = document
            .get_dictionary(page)
            .and_then(|page| page.get(b"UserUnit"))
            .ok()
            .and_then(|value| number(document, value))
            .filter(|unit| *unit > 0.0)
            .unwrap_or(1.0);
        Self { visible, quarter_turns, unit }
    }
}
