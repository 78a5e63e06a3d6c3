//! Removes named resources that no content stream uses.

use super::forms::FormFonts;
use super::usage::{CategoryDict, Usage};
use crate::document::{for_each_reference, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// The categories of named resources.
pub(super) const CATEGORIES: [&[u8]; 7] =
    [b"XObject", b"Font", b"ExtGState", b"Pattern", b"Shading", b"ColorSpace", b"Properties"];

/// Removes unused resources. Resources that form fields may use when they are filled in are kept.
pub(crate) fn remove_unused_resources(document: &mut Document, usage: &Usage) {
    if usage.incomplete {
        return;
    }
    let mut kept = form_resources(document);
    if let Some(mut fonts) = FormFonts::of(document) {
        kept.insert(fonts.list);
        fonts.names.extend(usage.names.get(&CategoryDict::Object(fonts.list)).into_iter().flatten().cloned());
        if let Ok(list) = document.get_dictionary_mut(fonts.list) {
            keep_only(list, &fonts.names);
        }
    }
    for (category_dict, names) in &usage.names {
        if let Some(dict) = category_dict_mut(document, category_dict, &kept) {
            keep_only(dict, names);
        }
    }
}

fn keep_only(dict: &mut Dictionary, names: &HashSet<Vec<u8>>) {
    let unused: Vec<Vec<u8>> = dict
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !names.contains(*name) && !is_default(name))
        .cloned()
        .collect();
    for name in unused {
        dict.remove(&name);
    }
}

/// Whether the name is the name of a default colour space. Default colour spaces are used although no content stream
/// names them.
fn is_default(name: &[u8]) -> bool {
    matches!(name, b"DefaultGray" | b"DefaultRGB" | b"DefaultCMYK")
}

/// The objects that belong to the default resources of form fields.
fn form_resources(document: &Document) -> HashSet<ObjectId> {
    let mut ids = HashSet::new();
    let resources = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"AcroForm", document))
        .and_then(Object::as_dict)
        .and_then(|form| form.get(b"DR"));
    if let Ok(resources) = resources {
        for_each_reference(resources, &mut |id| {
            ids.insert(id);
        });
        if let Some(dict) = resolved(document, resources) {
            for_each_reference(dict, &mut |id| {
                ids.insert(id);
            });
        }
    }
    ids
}

fn category_dict_mut<'a>(
    document: &'a mut Document,
    category_dict: &CategoryDict,
    kept: &HashSet<ObjectId>,
) -> Option<&'a mut Dictionary> {
    match category_dict {
        CategoryDict::Object(id) if kept.contains(id) => None,
        CategoryDict::Object(id) => document.get_dictionary_mut(*id).ok(),
        CategoryDict::InResources(id, _) if kept.contains(id) => None,
        CategoryDict::InResources(id, category) => {
            document.get_dictionary_mut(*id).ok()?.get_mut(category).ok()?.as_dict_mut().ok()
        }
        CategoryDict::InOwner(id, category) => {
            let owner = match document.objects.get_mut(id)? {
                Object::Dictionary(dict) => dict,
                Object::Stream(stream) => &mut stream.dict,
                _ => return None,
            };
            owner.get_mut(b"Resources").ok()?.as_dict_mut().ok()?.get_mut(category).ok()?.as_dict_mut().ok()
        }
    }
}
