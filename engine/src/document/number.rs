//! Reads numbers and rectangles from PDF objects: integers, reals, or references to them.

use kurbo::{Point, Rect};
use lopdf::{Document, Object};

/// The value of a number or of a reference to one; `None` if it is not finite.
pub(crate) fn number(document: &Document, object: &Object) -> Option<f64> {
    let (_, object) = document.dereference(object).ok()?;
    match object {
        #[expect(clippy::cast_precision_loss, reason = "no coordinate is beyond 2^52")]
        Object::Integer(value) => Some(*value as f64),
        Object::Real(value) if value.is_finite() => Some(f64::from(*value)),
        _ => None,
    }
}

/// A rectangle, by any two opposite corners (ISO 32000-1, 7.9.5).
pub(crate) fn rectangle(document: &Document, object: &Object) -> Option<Rect> {
    let (_, object) = document.dereference(object).ok()?;
    let [a, b, c, d] = object.as_array().ok()?.as_slice() else { return None };
    let point = |x, y| Some(Point::new(number(document, x)?, number(document, y)?));
    Some(Rect::from_points(point(a, b)?, point(c, d)?))
}
