//! Finds the objects that are used outside soft masks. Colours within soft masks (ISO 32000-1, 11.5) are not converted:
//! these colours are not painted, but the mask is computed from their luminosity.

use crate::document::{TRAILER_ROOTS, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// The objects that can be reached without passing through a soft mask.
pub(in super::super) fn objects_outside_soft_masks(document: &Document) -> HashSet<ObjectId> {
    let mut visited = HashSet::new();
    let mut waiting = Vec::new();
    for key in TRAILER_ROOTS {
        if let Ok(root) = document.trailer.get(key) {
            references(document, root, &mut waiting);
        }
    }
    while let Some(id) = waiting.pop() {
        if visited.insert(id)
            && let Some(object) = document.objects.get(&id)
        {
            references(document, object, &mut waiting);
        }
    }
    visited
}

/// Adds the references in an object to `found`, except references to a soft mask. The parser limits how deep an object
/// nests.
fn references(document: &Document, object: &Object, found: &mut Vec<ObjectId>) {
    let mut of_entries = |dict: &Dictionary| {
        for (key, value) in dict {
            // In a graphics state, `SMask` is a soft mask dictionary. In an image, `SMask` is a stream: another image,
            // which is not a soft mask in this sense.
            let mask = key == b"SMask" && matches!(resolved(document, value), Some(Object::Dictionary(_)));
            if !mask {
                references(document, value, found);
            }
        }
    };
    match object {
        Object::Reference(id) => found.push(*id),
        Object::Array(items) => items.iter().for_each(|item| references(document, item, found)),
        Object::Dictionary(dict) => of_entries(dict),
        Object::Stream(stream) => of_entries(&stream.dict),
        _ => {}
    }
}
