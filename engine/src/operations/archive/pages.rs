//! Pages: resources of their own, and which of them fail.

use super::Part;
use crate::conformance;
use crate::document::{SaveOptions, inherited, pages, save};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::HashSet;

/// How deep forms within forms are given resources.
const DEEPEST: usize = 30;

/// Gives every page the resources that it inherits, and every form without any those of its page, which is where readers
/// look for them.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn settle(document: &mut Document, job: &Job) -> Result<(), EngineError> {
    let mut settled = HashSet::new();
    for page in pages(document, job.limits())? {
        job.proceed()?;
        let resources = match document.get_dictionary(page).and_then(|page| page.get(b"Resources")) {
            Ok(Object::Reference(id)) => Some(*id),
            _ => None,
        };
        let resources = match resources.filter(|id| document.get_dictionary(*id).is_ok()) {
            Some(id) => id,
            None => {
                let own = match inherited(document, page, b"Resources") {
                    Some(Object::Dictionary(resources)) => resources.clone(),
                    _ => Dictionary::new(),
                };
                document.add_object(own)
            }
        };
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Resources", resources);
            if page.get(b"Group").is_ok_and(Object::is_null) {
                page.remove(b"Group");
            }
        }
        forms(document, resources, resources, &mut settled, 0);
    }
    Ok(())
}

/// Gives the forms among these resources those of the page, where they have none.
fn forms(
    document: &mut Document,
    of: ObjectId,
    page: ObjectId,
    settled: &mut HashSet<ObjectId>,
    depth: usize,
) {
    if depth > DEEPEST || !settled.insert(of) {
        return;
    }
    let listed = |document: &Document, category: &[u8]| -> Vec<ObjectId> {
        document
            .get_dictionary(of)
            .and_then(|resources| resources.get_deref(category, document))
            .and_then(Object::as_dict)
            .map(|dict| dict.iter().filter_map(|(_, value)| value.as_reference().ok()).collect())
            .unwrap_or_default()
    };
    let mut waiting = listed(document, b"XObject");
    waiting.extend(listed(document, b"Pattern"));
    for id in waiting {
        let Ok(Object::Stream(form)) = document.get_object_mut(id) else { continue };
        let is_form = form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
        if !is_form && !form.dict.has(b"PatternType") {
            continue;
        }
        let own = match form.dict.get(b"Resources") {
            Ok(Object::Reference(own)) => Some(*own),
            Ok(Object::Dictionary(own)) => {
                let own = own.clone();
                let own = document.add_object(own);
                if let Ok(Object::Stream(form)) = document.get_object_mut(id) {
                    form.dict.set("Resources", own);
                }
                Some(own)
            }
            _ => {
                form.dict.set("Resources", page);
                None
            }
        };
        if let Some(own) = own {
            forms(document, own, page, settled, depth + 1);
        }
    }
}

/// The pages, counted from 0, that do not conform by themselves.
///
/// # Errors
/// As [`conformance::check`].
pub(super) fn failing(document: &mut Document, part: Part, job: &Job) -> Result<Vec<usize>, EngineError> {
    let mut failing = Vec::new();
    let list = pages(document, job.limits())?;
    for (index, page) in list.iter().enumerate() {
        job.proceed()?;
        let bytes = alone(document, *page)?;
        if !conformance::check(&bytes, Some(part.standard()), job)?.findings.is_empty() {
            failing.push(index);
        }
    }
    Ok(failing)
}

/// A file of this page alone, with the document's metadata and output intents.
pub(super) fn alone(document: &mut Document, page: ObjectId) -> Result<Vec<u8>, EngineError> {
    let catalog = document.catalog().ok();
    let kept = |key: &[u8]| catalog.and_then(|catalog| catalog.get(key).ok()).cloned();
    let (metadata, intents) = (kept(b"Metadata"), kept(b"OutputIntents"));
    let trailer = document.trailer.clone();
    let mut single = document.get_dictionary(page).cloned().unwrap_or_default();
    for key in [&b"MediaBox"[..], b"CropBox", b"Rotate"] {
        if let Some(value) = inherited(document, page, key) {
            single.set(key, value.clone());
        }
    }
    for key in [&b"B"[..], b"StructParents", b"AA"] {
        single.remove(key);
    }
    let annotations: Vec<Object> = match single.get_deref(b"Annots", document).and_then(Object::as_array) {
        Ok(items) => items
            .iter()
            .filter_map(|item| document.dereference(item).ok()?.1.as_dict().ok().cloned())
            .map(|mut annotation| {
                for key in [&b"P"[..], b"Parent", b"Popup", b"IRT", b"Dest", b"A"] {
                    annotation.remove(key);
                }
                Object::Dictionary(annotation)
            })
            .collect(),
        Err(_) => Vec::new(),
    };
    single.set("Annots", annotations);
    let mut temporary = Vec::new();
    let tree = document.add_object(Object::Null);
    temporary.push(tree);
    single.set("Parent", tree);
    let single = document.add_object(single);
    temporary.push(single);
    document
        .objects
        .insert(tree, dictionary! { "Type" => "Pages", "Kids" => vec![single.into()], "Count" => 1 }.into());
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => tree };
    if let Some(metadata) = metadata {
        catalog.set("Metadata", metadata);
    }
    if let Some(intents) = intents {
        catalog.set("OutputIntents", intents);
    }
    let root = document.add_object(catalog);
    temporary.push(root);
    document.trailer.set("Root", root);
    document.trailer.remove(b"Info");
    let bytes = save(document, &SaveOptions { keep_encryption: false, ..SaveOptions::default() });
    document.trailer = trailer;
    for id in temporary {
        document.objects.remove(&id);
    }
    bytes
}
