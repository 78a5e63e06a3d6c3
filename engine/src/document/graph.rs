//! The graph of indirect objects: which objects are reachable from the trailer, and the references between them.

use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::{HashSet, VecDeque};

/// The trailer entries that belong to the document. The other entries describe the file from which the document was
/// loaded.
pub(crate) const TRAILER_ROOTS: [&[u8]; 2] = [b"Root", b"Info"];

/// The objects that are reachable from a document's trailer.
pub(crate) struct Reachable {
    /// The objects in the order in which they were found, the catalog first.
    pub(crate) order: Vec<ObjectId>,
    /// The objects that are referred to but do not exist.
    pub(crate) missing: Vec<ObjectId>,
}

/// Finds the reachable objects breadth first. The breadth-first order puts objects of one kind next to each other,
/// which compresses well.
pub(crate) fn reachable(document: &Document) -> Reachable {
    let mut seen = HashSet::new();
    let mut order = Vec::new();
    let mut missing = Vec::new();
    let mut waiting: VecDeque<ObjectId> = VecDeque::new();
    for key in TRAILER_ROOTS {
        if let Ok(value) = document.trailer.get(key) {
            for_each_reference(value, &mut |id| waiting.push_back(id));
        }
    }
    while let Some(id) = waiting.pop_front() {
        if !seen.insert(id) {
            continue;
        }
        match document.objects.get(&id) {
            Some(object) => {
                order.push(id);
                for_each_reference(object, &mut |next| {
                    if !seen.contains(&next) {
                        waiting.push_back(next);
                    }
                });
            }
            None => missing.push(id),
        }
    }
    Reachable { order, missing }
}

/// The dictionary of a dictionary object or of a stream.
pub(crate) fn dictionary_mut(object: &mut Object) -> Option<&mut Dictionary> {
    match object {
        Object::Dictionary(dict) => Some(dict),
        Object::Stream(stream) => Some(&mut stream.dict),
        _ => None,
    }
}

/// The maximum depth at which objects within objects are searched.
const DEEPEST: usize = 50;

/// Replaces the direct dictionaries that `wanted` selects by indirect objects.
pub(crate) fn hoist(document: &mut Document, wanted: &dyn Fn(&Dictionary) -> bool) {
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(mut object) = document.objects.remove(&id) else { continue };
        hoist_within(document, &mut object, wanted, 0);
        document.objects.insert(id, object);
    }
}

fn hoist_within(
    document: &mut Document,
    object: &mut Object,
    wanted: &dyn Fn(&Dictionary) -> bool,
    depth: usize,
) {
    if depth > DEEPEST {
        return;
    }
    let each = |document: &mut Document, value: &mut Object| {
        hoist_within(document, value, wanted, depth + 1);
        if value.as_dict().is_ok_and(wanted) {
            let taken = std::mem::replace(value, Object::Null);
            *value = document.add_object(taken).into();
        }
    };
    match object {
        Object::Array(items) => items.iter_mut().for_each(|item| each(document, item)),
        Object::Dictionary(dict) => dict.iter_mut().for_each(|(_, value)| each(document, value)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|(_, value)| each(document, value)),
        _ => {}
    }
}

/// Calls `visit` with every reference in an object, except the reference to the length of a stream. The recursion is
/// bounded, because the parser limits how deep objects nest.
pub(crate) fn for_each_reference(object: &Object, visit: &mut impl FnMut(ObjectId)) {
    match object {
        Object::Reference(id) => visit(*id),
        Object::Array(items) => items.iter().for_each(|item| for_each_reference(item, visit)),
        Object::Dictionary(entries) => entries.iter().for_each(|(_, value)| for_each_reference(value, visit)),
        Object::Stream(stream) => stream
            .dict
            .iter()
            .filter(|(key, _)| key.as_slice() != b"Length")
            .for_each(|(_, value)| for_each_reference(value, visit)),
        _ => {}
    }
}

/// Replaces references in an object. `change` returns the new reference, or `None` to keep the old one.
pub(crate) fn rewrite_references(object: &mut Object, change: &mut impl FnMut(ObjectId) -> Option<ObjectId>) {
    match object {
        Object::Reference(id) => {
            if let Some(new) = change(*id) {
                *id = new;
            }
        }
        Object::Array(items) => items.iter_mut().for_each(|item| rewrite_references(item, change)),
        Object::Dictionary(entries) => {
            entries.iter_mut().for_each(|(_, value)| rewrite_references(value, change))
        }
        Object::Stream(stream) => {
            stream.dict.iter_mut().for_each(|(_, value)| rewrite_references(value, change))
        }
        _ => {}
    }
}

/// Calls `visit` with every dictionary within an object: the object's own dictionary, and the dictionaries nested in it
/// up to the depth [`DEEPEST`].
pub(crate) fn for_each_dictionary(object: &Object, visit: &mut impl FnMut(&Dictionary)) {
    dictionaries(object, DEEPEST, visit);
}

fn dictionaries(object: &Object, depth: usize, visit: &mut impl FnMut(&Dictionary)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match object {
        Object::Array(items) => items.iter().for_each(|item| dictionaries(item, depth, visit)),
        Object::Dictionary(dict) => {
            visit(dict);
            dict.iter().for_each(|(_, value)| dictionaries(value, depth, visit));
        }
        Object::Stream(stream) => {
            visit(&stream.dict);
            stream.dict.iter().for_each(|(_, value)| dictionaries(value, depth, visit));
        }
        _ => {}
    }
}

/// Calls `change` with every dictionary within an object, up to the depth [`DEEPEST`]. A dictionary is changed before
/// the dictionaries nested in it are visited, so entries that `change` removes are not visited.
pub(crate) fn for_each_dictionary_mut(object: &mut Object, change: &mut impl FnMut(&mut Dictionary)) {
    dictionaries_mut(object, DEEPEST, change);
}

fn dictionaries_mut(object: &mut Object, depth: usize, change: &mut impl FnMut(&mut Dictionary)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match object {
        Object::Array(items) => items.iter_mut().for_each(|item| dictionaries_mut(item, depth, change)),
        Object::Dictionary(dict) => {
            change(dict);
            dict.iter_mut().for_each(|(_, value)| dictionaries_mut(value, depth, change));
        }
        Object::Stream(stream) => {
            change(&mut stream.dict);
            stream.dict.iter_mut().for_each(|(_, value)| dictionaries_mut(value, depth, change));
        }
        _ => {}
    }
}
