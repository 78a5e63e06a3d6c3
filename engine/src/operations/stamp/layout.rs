//! Computes where a stamp is placed, from the page size, the margins and the stamp size. The computation needs no
//! document.
//!
//! Positions are in the coordinates of the page as viewers show it: upright, with the origin at the bottom left of the
//! visible area, in points of 1/72 inch. [`PageBox::to_user`] converts these coordinates to the page's user space.

use kurbo::{Affine, Point, Rect, Size};
use recto_interface::options::{CodeMargin, Margin, Unit};

/// The unit of a length if the options give no unit.
pub(super) const DEFAULT_UNIT: Unit = Unit::Cm;

/// The share of the free space that a stamp takes if it fills the page.
const FILL_RATIO: f64 = 0.8;
/// The maximum font size of a stamp that fills the page, as a share of the page's smaller side.
const LARGEST_EM: f64 = 0.25;
/// The space at an edge for which no margin is given, as a share of the page. This space stays free when a stamp is
/// scaled.
const BORDER: f64 = 0.02;

/// The visible area of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PageBox {
    /// The area in user space.
    pub(super) visible: Rect,
    /// The number of quarter turns, 0 to 3, by which viewers rotate the page clockwise.
    pub(super) quarter_turns: u8,
    /// The size of a user space unit in points.
    pub(super) unit: f64,
}

impl PageBox {
    /// The size of the page as viewers show the page, in points.
    pub(super) fn size(&self) -> Size {
        let Size { width, height } = self.visible.size() * self.unit;
        if self.quarter_turns.is_multiple_of(2) { Size::new(width, height) } else { Size::new(height, width) }
    }

    /// The transform from the coordinates of the page as viewers show it to the page's user space.
    pub(super) fn to_user(self) -> Affine {
        let Rect { x0, y0, x1, y1 } = self.visible;
        let rotation = match self.quarter_turns % 4 {
            0 => Affine::new([1.0, 0.0, 0.0, 1.0, x0, y0]),
            1 => Affine::new([0.0, 1.0, -1.0, 0.0, x1, y0]),
            2 => Affine::new([-1.0, 0.0, 0.0, -1.0, x1, y1]),
            _ => Affine::new([0.0, -1.0, 1.0, 0.0, x0, y1]),
        };
        rotation * Affine::scale(1.0 / self.unit)
    }
}

/// The distances of a stamp from the edges of the visible page, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Margins {
    pub(super) top: Option<f64>,
    pub(super) right: Option<f64>,
    pub(super) bottom: Option<f64>,
    pub(super) left: Option<f64>,
}

impl From<Option<Margin>> for Margins {
    fn from(margin: Option<Margin>) -> Self {
        let margin = margin.unwrap_or_default();
        let points = |length: Option<f64>| Some(length? * margin.unit.unwrap_or(DEFAULT_UNIT).points());
        Self {
            top: points(margin.top),
            right: points(margin.right),
            bottom: points(margin.bottom),
            left: points(margin.left),
        }
    }
}

impl From<Option<CodeMargin>> for Margins {
    fn from(margin: Option<CodeMargin>) -> Self {
        let CodeMargin { left, bottom, unit } = margin.unwrap_or_default();
        Some(Margin { left, bottom, unit, ..Margin::default() }).into()
    }
}

/// How a stamp's size may change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sizing {
    /// The size does not change, because the user gave the size.
    Exact,
    /// The stamp shrinks if the page is too small for it.
    Shrink,
    /// The stamp grows or shrinks to fill the page.
    Fill {
        /// The font size before scaling, in points.
        em: f64,
    },
}

/// A stamp on a page: scaled by `scale`, with its bottom left corner at `origin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) origin: Point,
    pub(super) scale: f64,
}

impl Placement {
    /// The transform from the coordinates of the stamp to the coordinates of the page as viewers show it.
    pub(super) fn transform(self) -> Affine {
        Affine::translate(self.origin.to_vec2()) * Affine::scale(self.scale)
    }
}

/// Places a stamp on a page. For each axis: if one margin is given, the stamp has that distance from that edge; if both
/// are given, the stamp is centred between the margins; if none is given, the stamp is centred on the page.
pub(super) fn place(page: Size, stamp: Size, margins: Margins, sizing: Sizing) -> Placement {
    let room = |extent: f64, one: Option<f64>, other: Option<f64>| {
        let border = extent * BORDER;
        let room = extent - one.unwrap_or(border) - other.unwrap_or(border);
        if room > 0.0 { room } else { extent }
    };
    let fitting = (room(page.width, margins.left, margins.right) / stamp.width)
        .min(room(page.height, margins.bottom, margins.top) / stamp.height);
    let scale = match sizing {
        Sizing::Exact => 1.0,
        Sizing::Shrink => fitting.min(1.0),
        Sizing::Fill { em } => (FILL_RATIO * fitting).min(LARGEST_EM * page.min_side() / em),
    };
    let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
    let start = |extent: f64, length: f64, before: Option<f64>, after: Option<f64>| match (before, after) {
        (Some(before), None) => before,
        (None, Some(after)) => extent - after - length,
        (before, after) => {
            let (before, after) = (before.unwrap_or(0.0), after.unwrap_or(0.0));
            before + (extent - before - after - length) / 2.0
        }
    };
    let origin = Point::new(
        start(page.width, stamp.width * scale, margins.left, margins.right),
        start(page.height, stamp.height * scale, margins.bottom, margins.top),
    );
    Placement { origin, scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A4: Size = Size::new(595.0, 842.0);
    const STAMP: Size = Size::new(100.0, 40.0);

    fn at(margins: Margins) -> (f64, f64) {
        let placed = place(A4, STAMP, margins, Sizing::Exact);
        assert_eq!(placed.scale, 1.0);
        (placed.origin.x, placed.origin.y)
    }

    #[test]
    fn any_two_margins_place_a_stamp_and_an_axis_without_one_is_centred() {
        let none = Margins::default();
        assert_eq!(at(none), (247.5, 401.0));
        assert_eq!(at(Margins { left: Some(10.0), bottom: Some(20.0), ..none }), (10.0, 20.0));
        assert_eq!(at(Margins { right: Some(10.0), top: Some(20.0), ..none }), (485.0, 782.0));
        assert_eq!(at(Margins { left: Some(10.0), ..none }), (10.0, 401.0));
        assert_eq!(at(Margins { top: Some(0.0), ..none }), (247.5, 802.0));
        assert_eq!(at(Margins { left: Some(-10.0), bottom: Some(-1.0), ..none }), (-10.0, -1.0));
    }

    #[test]
    fn between_two_margins_of_one_axis_a_stamp_is_in_the_middle() {
        let margins = Margins { left: Some(100.0), right: Some(0.0), ..Margins::default() };
        assert_eq!(at(margins), (297.5, 401.0));
    }

    #[test]
    fn lengths_without_a_unit_are_centimetres() {
        let margin = Margin { left: Some(2.54), top: Some(1.27), ..Margin::default() };
        assert_eq!(Margins::from(Some(margin)).left, Some(72.0));
        let inches = Margin { unit: Some(Unit::In), ..margin };
        assert_eq!(Margins::from(Some(inches)).top, Some(1.27 * 72.0));
        assert_eq!(Margins::from(None::<Margin>), Margins::default());
    }

    #[test]
    fn a_stamp_is_shrunk_only_where_it_must_be() {
        let shrink = |stamp| place(A4, stamp, Margins::default(), Sizing::Shrink).scale;
        assert_eq!(shrink(STAMP), 1.0);
        let scale = shrink(Size::new(1190.0, 40.0));
        assert!((scale - 0.48).abs() < 1e-9, "{scale}");
        let tiny = place(
            Size::new(1.0, 1.0),
            STAMP,
            Margins { left: Some(50.0), ..Margins::default() },
            Sizing::Shrink,
        );
        assert!(tiny.scale > 0.0 && tiny.scale <= 0.01);
    }

    #[test]
    fn a_page_filling_stamp_grows_and_shrinks_with_the_page() {
        let fill = |page, stamp| place(page, stamp, Margins::default(), Sizing::Fill { em: 10.0 }).scale;
        let small = fill(A4, Size::new(100.0, 100.0));
        let large = fill(A4 * 2.0, Size::new(100.0, 100.0));
        assert!((large / small - 2.0).abs() < 1e-9);
        assert_eq!(fill(A4, Size::new(8.0, 8.0)), 0.25 * 595.0 / 10.0, "a short text does not become huge");
    }

    #[test]
    fn rotated_pages_map_the_shown_corners_to_the_right_corners_of_the_box() {
        let visible = Rect::new(10.0, 20.0, 110.0, 220.0);
        // For each rotation: the user space coordinates of the corners that viewers show at the bottom left and at the
        // top left.
        let corners = [
            ((10.0, 20.0), (10.0, 220.0)),
            ((110.0, 20.0), (10.0, 20.0)),
            ((110.0, 220.0), (110.0, 20.0)),
            ((10.0, 220.0), (110.0, 220.0)),
        ];
        for (quarter_turns, (bottom, top)) in (0_u8..).zip(corners) {
            let page_box = PageBox { visible, quarter_turns, unit: 2.0 };
            let height = page_box.size().height;
            assert_eq!(height, if quarter_turns % 2 == 0 { 400.0 } else { 200.0 });
            assert_eq!(page_box.to_user() * Point::ORIGIN, bottom.into(), "turned by {quarter_turns}");
            assert_eq!(page_box.to_user() * Point::new(0.0, height), top.into(), "turned by {quarter_turns}");
        }
    }
}
