//! Gives each page its own resources, and finds the pages that do not conform.

use super::Part;
use crate::conformance;
use crate::document::{SaveOptions, inherited, pages, save};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::HashSet;

/// The maximum nesting depth of forms. Forms nested deeper are ignored.
const MAX_DEPTH: usize = 30;

/// Gives every page a copy of the resources that it inherits. Gives every form without resources the resources of its
/// page, because readers look up the names in such a form there.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn set_resources(document: &mut Document, job: &Job) -> Result<(), EngineError> {
    let mut visited = HashSet::new();
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
        set_form_resources(document, resources, resources, &mut visited, 0);
    }
    Ok(())
}

/// Gives the resources of the page to the forms and patterns in `resources` that have none, and to the forms and
/// patterns nested in them.
fn set_form_resources(
    document: &mut Document,
    resources: ObjectId,
    page: ObjectId,
    visited: &mut HashSet<ObjectId>,
    depth: usize,
) {
    if depth > MAX_DEPTH || !visited.insert(resources) {
        return;
    }
    let listed = |document: &Document, category: &[u8]| -> Vec<ObjectId> {
        document
            .get_dictionary(resources)
            .and_then(|resources| resources.get_deref(category, document))
            .and_then(Object::as_dict)
            .map(|dict| dict.iter().filter_map(|(_, value)| value.as_reference().ok()).collect())
            .unwrap_or_default()
    };
    let mut entries = listed(document, b"XObject");
    entries.extend(listed(document, b"Pattern"));
    for id in entries {
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
            set_form_resources(document, own, page, visited, depth + 1);
        }
    }
}

/// Validates each page alone, and returns the indices of the pages that do not conform.
///
/// # Errors
/// The errors of [`conformance::check`].
pub(super) fn nonconforming(
    document: &mut Document,
    part: Part,
    job: &Job,
) -> Result<Vec<usize>, EngineError> {
    let mut nonconforming = Vec::new();
    let list = pages(document, job.limits())?;
    for (index, page) in list.iter().enumerate() {
        job.proceed()?;
        let bytes = single_page_file(document, *page)?;
        if !conformance::check(&bytes, Some(part.standard()), job)?.findings.is_empty() {
            nonconforming.push(index);
        }
    }
    Ok(nonconforming)
}

/// A file with this page only, and with the document's metadata and output intents.
pub(super) fn single_page_file(document: &mut Document, page: ObjectId) -> Result<Vec<u8>, EngineError> {
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
