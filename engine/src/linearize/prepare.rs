//! Copies inherited attributes into the pages, because a reader shows the first page before it has received the page
//! tree.

use crate::document::{fresh_id, inherited};
use lopdf::{Document, Object, ObjectId};
use std::collections::HashMap;

const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// A copy of the document in which no page inherits attributes.
pub(super) fn prepare(document: &Document, pages: &[ObjectId]) -> Document {
    let mut prepared = document.clone();
    // If a node of the page tree has resources, they become an indirect object that the pages below this node share.
    let mut shared: HashMap<ObjectId, ObjectId> = HashMap::new();
    for &page in pages {
        let mut own = Vec::new();
        for key in INHERITED {
            if document.get_dictionary(page).is_ok_and(|dict| dict.has(key)) {
                continue;
            }
            let Some((node, value)) = owner(document, page, key) else { continue };
            let value = match value {
                Object::Dictionary(_) => {
                    let id = *shared.entry(node).or_insert_with(|| {
                        let id = fresh_id(&prepared);
                        prepared.objects.insert(id, value.clone());
                        id
                    });
                    Object::Reference(id)
                }
                other => other.clone(),
            };
            own.push((key, value));
        }
        if let Ok(dict) = prepared.get_dictionary_mut(page) {
            dict.set("Type", Object::Name(b"Page".to_vec()));
            for (key, value) in own {
                dict.set(key, value);
            }
        }
    }
    strip_tree(&mut prepared, pages);
    make_outlines_indirect(&mut prepared);
    prepared
}

/// The node of the page tree that a page inherits an attribute from, and the value of the attribute in this node.
fn owner<'a>(document: &'a Document, page: ObjectId, key: &[u8]) -> Option<(ObjectId, &'a Object)> {
    inherited(document, page, key)?;
    let mut node = page;
    for _ in 0..256 {
        let dict = document.get_dictionary(node).ok()?;
        if let Ok(value) = dict.get(key) {
            return Some((node, value));
        }
        node = dict.get(b"Parent").and_then(Object::as_reference).ok()?;
    }
    None
}

/// Removes the inherited attributes from the nodes of the page tree, because the pages now have copies of them.
fn strip_tree(document: &mut Document, pages: &[ObjectId]) {
    let mut nodes = Vec::new();
    for &page in pages {
        let mut node = page;
        for _ in 0..256 {
            let parent = document
                .get_dictionary(node)
                .and_then(|dict| dict.get(b"Parent"))
                .and_then(Object::as_reference);
            let Ok(parent) = parent else { break };
            if nodes.last() == Some(&parent) {
                break;
            }
            nodes.push(parent);
            node = parent;
        }
    }
    for node in nodes {
        if let Ok(dict) = document.get_dictionary_mut(node) {
            for key in INHERITED {
                dict.remove(key);
            }
        }
    }
}

/// Makes the outlines an indirect object, as the standard requires. Some writers make them a direct object.
fn make_outlines_indirect(document: &mut Document) {
    let direct = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Outlines"))
        .ok()
        .filter(|value| value.as_dict().is_ok())
        .cloned();
    if let Some(outlines) = direct {
        let id = fresh_id(document);
        document.objects.insert(id, outlines);
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("Outlines", Object::Reference(id));
        }
    }
}
