//! Reads numbers and rectangles from PDF objects. The objects may also be references to numbers.

use kurbo::{Point, Rect};
use lopdf::{Document, Object};

/// The value of an integer or a real number, or of the number that a reference leads to. `None` for other objects, and
/// for a number that is not finite.
pub(crate) fn number(document: &Document, object: &Object) -> Option<f64> {
    let (_, object) = document.dereference(object).ok()?;
    match object {
        #[expect(clippy::cast_precision_loss, reason = "no coordinate is beyond 2^52")]
        Object::Integer(value) => Some(*value as f64),
        Object::Real(value) if value.is_finite() => Some(f64::from(*value)),
        _ => None,
    }
}

/// A rectangle. The array in the document gives the coordinates of any two opposite corners (ISO 32000-1, 7.9.5).
pub(crate) fn rectangle(document: &Document, object: &Object) -> Option<Rect> {
    let (_, object) = document.dereference(object).ok()?;
    let [a, b, c, d] = object.as_array().ok()?.as_slice() else { return None };
    let point = |x, y| Some(Point::new(number(document, x)?, number(document, y)?));
    Some(Rect::from_points(point(a, b)?, point(c, d)?))
}
