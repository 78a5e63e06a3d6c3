//! The page tree: the pages in order, and the attributes that pages inherit from the tree.

use crate::{EngineError, Limits};
use lopdf::{Document, Object, ObjectId};
use std::collections::HashSet;

/// The pages of a document in order. A node of the page tree without `Kids` is a page, even if the node lacks a type. A
/// node with `Kids` that occurs twice in the tree is visited once. Nodes that cannot be read are skipped.
///
/// # Errors
/// [`EngineError::Limit`] if the document has too many pages, or if the page tree is too deep.
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

/// The value of an attribute that a page can inherit (`Resources`, `MediaBox`, `CropBox`, `Rotate`): the page's own
/// value, or else the value that the page inherits. References are resolved.
pub(crate) fn inherited<'a>(document: &'a Document, page: ObjectId, key: &[u8]) -> Option<&'a Object> {
    let mut node = document.get_dictionary(page).ok()?;
    // The bound ends cycles of parents. A tree deeper than the bound was already refused when its pages were listed.
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

/// The content streams of a page, in order (ISO 32000-1, 7.8.2). Entries of `Contents` that are not streams are left
/// out.
pub(crate) fn page_contents(document: &Document, page: ObjectId) -> Vec<ObjectId> {
    let stream = |object: &Object| match document.dereference(object) {
        Ok((Some(id), Object::Stream(_))) => Some(id),
        _ => None,
    };
    let Ok(contents) = document.get_dictionary(page).and_then(|page| page.get(b"Contents")) else {
        return Vec::new();
    };
    match document.dereference(contents) {
        Ok((_, Object::Array(items))) => items.iter().filter_map(stream).collect(),
        _ => stream(contents).into_iter().collect(),
    }
}
