//! The drawing of a stamp: one form XObject that every page uses.

use super::layout::{Margins, Sizing};
use crate::EngineError;
use crate::document::flate_stream;
use kurbo::{BezPath, PathEl, Point, Size};
use lopdf::{Dictionary, Object, Stream, dictionary};

/// A stamp: its drawing, its size, and its place on a page. The bottom left corner of the drawing is at the origin.
pub(super) struct Mark {
    /// The size of the stamp in points.
    pub(super) size: Size,
    /// How the size of the stamp may change.
    pub(super) sizing: Sizing,
    /// The distances of the stamp from the edges of the page.
    pub(super) margins: Margins,
    /// The operators that draw the stamp.
    pub(super) content: Content,
    /// The resources that `content` uses.
    pub(super) resources: Dictionary,
    /// Whether the stamp is transparent. Transparency requires PDF 1.4.
    pub(super) transparent: bool,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

impl Mark {
    /// The form XObject that draws the stamp. The bounding box of the form is one point larger than the stamp on each
    /// side, so that no edge is clipped.
    pub(super) fn form(&self) -> Result<Stream, EngineError> {
        let bounds = [-1.0, -1.0, self.size.width + 1.0, self.size.height + 1.0];
        let dict = dictionary! {
            "Type" => "XObject",
            "Subtype" => "Form",
            "BBox" => bounds.map(|value| Object::Real(value as f32)).to_vec(),
            "Resources" => self.resources.clone()
        };
        flate_stream(dict, self.content.0.clone().into_bytes())
    }
}

/// A content stream that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Content(String);

impl Content {
    /// Adds an operator with its operands. Both are given as text.
    pub(super) fn operator(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Adds an operator with numbers as its operands.
    pub(super) fn numbers(&mut self, operands: impl IntoIterator<Item = f64>, operator: &str) {
        for operand in operands {
            self.0.push_str(&number(operand));
            self.0.push(' ');
        }
        self.operator(operator);
    }

    /// Adds a path. The caller must add the operator that paints the path.
    pub(super) fn path(&mut self, path: &BezPath) {
        let mut current = Point::ORIGIN;
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(to) => self.numbers([to.x, to.y], "m"),
                PathEl::LineTo(to) => self.numbers([to.x, to.y], "l"),
                PathEl::QuadTo(control, to) => {
                    let first = current.lerp(control, 2.0 / 3.0);
                    let second = to.lerp(control, 2.0 / 3.0);
                    self.numbers([first.x, first.y, second.x, second.y, to.x, to.y], "c");
                }
                PathEl::CurveTo(a, b, to) => self.numbers([a.x, a.y, b.x, b.y, to.x, to.y], "c"),
                PathEl::ClosePath => self.operator("h"),
            }
            current = element.end_point().unwrap_or(current);
        }
    }
}

impl std::fmt::Write for Content {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write_str(text)
    }
}

/// A number in the syntax of content streams: no exponent, at most five decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.5}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_exponent_and_no_trailing_zeros() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0000001, "0"),
            (100.0, "100"),
            (1e-5, "0.00001"),
            (-2.50, "-2.5"),
            (1e6, "1000000"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_path_is_written_in_the_operators_of_pdf() {
        let mut path = BezPath::new();
        path.move_to((0.0, 0.0));
        path.quad_to((3.0, 3.0), (6.0, 0.0));
        path.close_path();
        let mut content = Content::default();
        content.path(&path);
        content.operator("f");
        assert_eq!(content.0, "0 0 m\n2 2 4 2 6 0 c\nh\nf\n");
    }
}
