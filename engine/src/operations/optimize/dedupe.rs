//! Merges equal objects, except objects that must stay separate.

use crate::document::{reachable, rewrite_references, write_object};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The maximum number of rounds. Each round merges one more level of references: for example font files, then font
/// descriptors, then fonts.
const ROUNDS: usize = 12;

type Fingerprint = [u8; 32];

/// Merges equal objects: first objects without references, then the objects that refer to them.
///
/// # Errors
/// The job was cancelled.
pub(super) fn dedupe(document: &mut Document, job: &Job) -> Result<(), EngineError> {
    let mut stream_digests: HashMap<ObjectId, Fingerprint> = HashMap::new();
    for _ in 0..ROUNDS {
        let mut first: HashMap<Fingerprint, ObjectId> = HashMap::new();
        let mut duplicates: HashMap<ObjectId, ObjectId> = HashMap::new();
        for id in reachable(document).order {
            let Some(object) = document.objects.get(&id).filter(|object| is_shareable(object)) else {
                continue;
            };
            job.proceed()?;
            let print = fingerprint(object, || {
                *stream_digests.entry(id).or_insert_with(|| match object {
                    Object::Stream(stream) => Sha256::digest(&stream.content).into(),
                    _ => Fingerprint::default(),
                })
            });
            let kept = *first.entry(print).or_insert(id);
            if kept != id {
                duplicates.insert(id, kept);
            }
        }
        if duplicates.is_empty() {
            return Ok(());
        }
        for object in document.objects.values_mut() {
            rewrite_references(object, &mut |id| duplicates.get(&id).copied());
        }
        let mut trailer = Object::Dictionary(std::mem::take(&mut document.trailer));
        rewrite_references(&mut trailer, &mut |id| duplicates.get(&id).copied());
        if let Object::Dictionary(trailer) = trailer {
            document.trailer = trailer;
        }
        for id in duplicates.keys() {
            document.objects.remove(id);
        }
    }
    Ok(())
}

/// A digest that is the same for equal objects. It covers the object as text, and the content of a stream.
fn fingerprint(object: &Object, content: impl FnOnce() -> Fingerprint) -> Fingerprint {
    let numbers = |id: ObjectId| Some(id.0);
    let mut text = Vec::new();
    match object {
        Object::Stream(stream) => {
            write_object(&mut text, &Object::Dictionary(sorted(&stream.dict)), &numbers);
            text.extend_from_slice(&content());
        }
        Object::Dictionary(dict) => write_object(&mut text, &Object::Dictionary(sorted(dict)), &numbers),
        other => write_object(&mut text, other, &numbers),
    }
    Sha256::digest(&text).into()
}

fn sorted(dict: &Dictionary) -> Dictionary {
    let mut entries: Vec<(&Vec<u8>, &Object)> =
        dict.iter().filter(|(key, _)| key.as_slice() != b"Length").collect();
    entries.sort_by_key(|(key, _)| *key);
    entries.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Whether one object may replace several equal objects without a difference for viewers and for later editing. Pages,
/// annotations, fields, outline items, structure elements and optional content groups stay separate even where they are
/// equal.
fn is_shareable(object: &Object) -> bool {
    const KEYS_WITH_IDENTITY: [&[u8]; 12] = [
        b"Parent",
        b"P",
        b"Prev",
        b"Next",
        b"Kids",
        b"First",
        b"Last",
        b"FT",
        b"T",
        b"Rect",
        b"Pg",
        b"StructParents",
    ];
    const TYPES_WITH_IDENTITY: [&[u8]; 10] = [
        b"Catalog",
        b"Page",
        b"Pages",
        b"Annot",
        b"OCG",
        b"StructElem",
        b"Outlines",
        b"Sig",
        b"Thread",
        b"Bead",
    ];
    match object {
        Object::Stream(stream) => !stream.dict.has(b"StructParent") && !stream.dict.has(b"StructParents"),
        Object::Dictionary(dict) => {
            !KEYS_WITH_IDENTITY.iter().any(|key| dict.has(key))
                && !dict.get_type().is_ok_and(|name| TYPES_WITH_IDENTITY.contains(&name))
                && !dict.is_empty()
        }
        // Arrays that begin with a name (colour spaces) and tables of numbers may be shared. Other arrays may be lists
        // that are edited later.
        Object::Array(items) => match items.first() {
            Some(Object::Name(_)) => true,
            Some(Object::Integer(_) | Object::Real(_)) => items.len() >= 4,
            _ => false,
        },
        _ => false,
    }
}
