//! Transformations and rectangles of content streams: constants and functions that kurbo does not have.

use kurbo::{Affine, Rect};

/// The whole plane: the clip rectangle if nothing is clipped.
pub(crate) const EVERYWHERE: Rect =
    Rect::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY);
/// The rectangle that contains no point. The union of another rectangle with this one is the other rectangle.
pub(crate) const NOWHERE: Rect =
    Rect::new(f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
/// The unit square, on which images are defined.
pub(crate) const UNIT: Rect = Rect::new(0.0, 0.0, 1.0, 1.0);

/// Whether a rectangle has no area.
pub(crate) fn is_empty(rect: Rect) -> bool {
    !(rect.x0 < rect.x1 && rect.y0 < rect.y1)
}

/// The inverse of a transformation; `None` if the transformation cannot be inverted.
pub(crate) fn inverse(map: Affine) -> Option<Affine> {
    let determinant = map.determinant();
    (determinant.is_finite() && determinant.abs() >= 1e-12).then(|| map.inverse())
}

/// The bounding box of a rectangle after a transformation. The whole plane for a rectangle that is not finite.
pub(crate) fn mapped(rect: Rect, map: Affine) -> Rect {
    if rect.is_finite() { map.transform_rect_bbox(rect) } else { EVERYWHERE }
}

/// The lengths of the two unit vectors after a transformation: the width and the height at which the unit square is
/// shown.
pub(crate) fn extent(map: Affine) -> (f64, f64) {
    let [a, b, c, d, _, _] = map.as_coeffs();
    (a.hypot(b), c.hypot(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_flattens_the_plane_has_no_inverse() {
        let map = Affine::new([2.0, 1.0, -1.0, 3.0, 10.0, 20.0]);
        let point = inverse(map).unwrap() * (map * kurbo::Point::new(5.0, 7.0));
        assert!((point.x - 5.0).abs() < 1e-9 && (point.y - 7.0).abs() < 1e-9);
        assert!(inverse(Affine::new([1.0, 2.0, 2.0, 4.0, 0.0, 0.0])).is_none());
        assert!(inverse(Affine::new([f64::MAX, 0.0, 0.0, f64::MAX, 0.0, 0.0])).is_none());
    }

    #[test]
    fn the_whole_plane_and_no_point_stay_what_they_are() {
        let rect = Rect::new(0.0, 0.0, 2.0, 2.0);
        assert_eq!(NOWHERE.union(rect), rect);
        assert_eq!(EVERYWHERE.intersect(rect), rect);
        assert!(is_empty(NOWHERE.intersect(rect)) && is_empty(rect.intersect(Rect::new(5.0, 5.0, 6.0, 6.0))));
        assert_eq!(mapped(EVERYWHERE, Affine::new([0.0, 1.0, -1.0, 0.0, 0.0, 0.0])), EVERYWHERE);
    }
}
