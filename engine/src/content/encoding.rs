//! Reads the glyph names that the encoding of a simple font gives to codes.

use crate::document::resolved;
use lopdf::{Dictionary, Document, Object};
use std::collections::BTreeMap;

/// The glyph names in `Differences` by their codes (ISO 32000-1, 9.6.6.1); `None` if the array is invalid.
pub(crate) fn differences(document: &Document, encoding: &Dictionary) -> Option<BTreeMap<u8, Vec<u8>>> {
    let mut names = BTreeMap::new();
    let mut code = 0_i64;
    let items = encoding.get_deref(b"Differences", document).and_then(Object::as_array);
    for item in items.into_iter().flatten() {
        match resolved(document, item)? {
            Object::Integer(start) => code = *start,
            Object::Name(name) => {
                names.extend(u8::try_from(code).ok().map(|code| (code, name.clone())));
                code = code.saturating_add(1);
            }
            _ => return None,
        }
    }
    Some(names)
}
