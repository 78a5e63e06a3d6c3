//! Reads numbers and rectangles from PDF objects: integers, reals, or references to them.

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

/// A rectangle as `[left, bottom, right, top]`, with its corners put in this order.
pub(crate) fn rectangle(document: &Document, object: &Object) -> Option<[f64; 4]> {
    let (_, object) = document.dereference(object).ok()?;
    let [a, b, c, d] = object.as_array().ok()?.as_slice() else { return None };
    let [a, b, c, d] =
        [number(document, a)?, number(document, b)?, number(document, c)?, number(document, d)?];
    Some([a.min(c), b.min(d), a.max(c), b.max(d)])
}
