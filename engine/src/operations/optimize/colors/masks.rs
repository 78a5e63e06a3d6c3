//! What is shown, and what only masks what is shown: the colours of soft masks (ISO 32000-1, 11.5) are never printed, and
//! their light is what masks, so that they must stay.

use crate::document::{TRAILER_ROOTS, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// The objects that a document reaches by other ways than through soft masks.
pub(in super::super) fn shown(document: &Document) -> HashSet<ObjectId> {
    let mut seen = HashSet::new();
    let mut waiting = Vec::new();
    for key in TRAILER_ROOTS {
        if let Ok(root) = document.trailer.get(key) {
            references(document, root, &mut waiting);
        }
    }
    while let Some(id) = waiting.pop() {
        if seen.insert(id)
            && let Some(object) = document.objects.get(&id)
        {
            references(document, object, &mut waiting);
        }
    }
    seen
}

/// The references of an object, but for those to a soft mask. The parser bounds how deep an object nests.
fn references(document: &Document, object: &Object, found: &mut Vec<ObjectId>) {
    let mut of_entries = |dict: &Dictionary| {
        for (key, value) in dict {
            // The mask of an image is another image, a stream; that of a graphics state is a dictionary.
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
