//! Numbers in dictionaries and arrays, wherever a PDF may write an integer, a real or a reference to one.

use lopdf::{Document, Object};

/// The number that an object is or refers to, if it is finite.
pub(crate) fn number(document: &Document, object: &Object) -> Option<f64> {
    let (_, object) = document.dereference(object).ok()?;
    match object {
        #[expect(clippy::cast_precision_loss, reason = "coordinates beyond 2^52 mean nothing")]
        Object::Integer(value) => Some(*value as f64),
        Object::Real(value) if value.is_finite() => Some(f64::from(*value)),
        _ => None,
    }
}

/// A rectangle as `[left, bottom, right, top]`, its corners in order.
pub(crate) fn rectangle(document: &Document, object: &Object) -> Option<[f64; 4]> {
    let (_, object) = document.dereference(object).ok()?;
    let [a, b, c, d] = object.as_array().ok()?.as_slice() else { return None };
    let [a, b, c, d] =
        [number(document, a)?, number(document, b)?, number(document, c)?, number(document, d)?];
    Some([a.min(c), b.min(d), a.max(c), b.max(d)])
}
