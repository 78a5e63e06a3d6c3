//! The page tree: pages in order, and the attributes that they inherit.

use crate::{EngineError, Limits};
use lopdf::{Document, Object, ObjectId};
use std::collections::HashSet;

/// The pages of a document in reading order. A node without a type is a page unless it has kids; a node of
/// the tree that is met twice is taken once; what cannot be read is passed over.
///
/// # Errors
/// [`EngineError::Limit`] when there are too many pages or the tree is too deep.
pub(crate) fn pages(document: &Document, limits: &Limits) -> Result<Vec<ObjectId>, EngineError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let root = document.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference);
    let mut waiting: Vec<(ObjectId, usize)> = root.into_iter().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = waiting.pop() {
        if depth > limits.depth {
            return Err(EngineError::limit("depth of the page tree", limits.depth.to_string()));
        }
        let Ok(node) = document.get_dictionary(id) else { continue };
        match node.get_deref(b"Kids", document).and_then(Object::as_array) {
            Ok(_) if !seen.insert(id) => {}
            Ok(kids) => {
                waiting.extend(
                    kids.iter().rev().filter_map(|kid| kid.as_reference().ok()).map(|kid| (kid, depth + 1)),
                );
            }
            Err(_) if depth > 0 || node.has_type(b"Page") => found.push(id),
            Err(_) => {}
        }
        if found.len() > limits.pages {
            return Err(EngineError::limit("pages", limits.pages.to_string()));
        }
    }
    Ok(found)
}

/// An attribute of a page, its own or inherited (`Resources`, `MediaBox`, `CropBox`, `Rotate`), dereferenced.
pub(crate) fn inherited<'a>(document: &'a Document, page: ObjectId, key: &[u8]) -> Option<&'a Object> {
    let mut node = document.get_dictionary(page).ok()?;
    // A tree deeper than this was refused when its pages were listed; the bound ends cycles.
    for _ in 0..256 {
        if let Ok(value) = node.get_deref(key, document)
            && !value.is_null()
        {
            return Some(value);
        }
        node = node.get_deref(b"Parent", document).and_then(Object::as_dict).ok()?;
    }
    None
}
