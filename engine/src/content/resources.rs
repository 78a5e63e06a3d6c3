//! Dropping resources that no content names.

use super::forms::FormFonts;
use super::usage::{Shelf, Usage};
use crate::document::{for_each_reference, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// The categories of named resources.
pub(super) const CATEGORIES: [&[u8]; 7] =
    [b"XObject", b"Font", b"ExtGState", b"Pattern", b"Shading", b"ColorSpace", b"Properties"];

/// Drops them. What form fields may use is kept: they are filled in later.
pub(crate) fn prune(document: &mut Document, usage: &Usage) {
    if usage.incomplete {
        return;
    }
    let mut kept = form_resources(document);
    if let Some(mut fonts) = FormFonts::of(document) {
        kept.insert(fonts.list);
        fonts.names.extend(usage.names.get(&Shelf::Object(fonts.list)).into_iter().flatten().cloned());
        if let Ok(list) = document.get_dictionary_mut(fonts.list) {
            drop_others(list, &fonts.names);
        }
    }
    for (shelf, names) in &usage.names {
        if let Some(dict) = shelf_mut(document, shelf, &kept) {
            drop_others(dict, names);
        }
    }
}

fn drop_others(dict: &mut Dictionary, names: &HashSet<Vec<u8>>) {
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

/// Colour spaces that are used without being named.
fn is_default(name: &[u8]) -> bool {
    matches!(name, b"DefaultGray" | b"DefaultRGB" | b"DefaultCMYK")
}

/// The objects that the default resources of form fields consist of.
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

fn shelf_mut<'a>(
    document: &'a mut Document,
    shelf: &Shelf,
    kept: &HashSet<ObjectId>,
) -> Option<&'a mut Dictionary> {
    match shelf {
        Shelf::Object(id) if kept.contains(id) => None,
        Shelf::Object(id) => document.get_dictionary_mut(*id).ok(),
        Shelf::InResources(id, _) if kept.contains(id) => None,
        Shelf::InResources(id, category) => {
            document.get_dictionary_mut(*id).ok()?.get_mut(category).ok()?.as_dict_mut().ok()
        }
        Shelf::InOwner(id, category) => {
            let owner = match document.objects.get_mut(id)? {
                Object::Dictionary(dict) => dict,
                Object::Stream(stream) => &mut stream.dict,
                _ => return None,
            };
            owner.get_mut(b"Resources").ok()?.as_dict_mut().ok()?.get_mut(category).ok()?.as_dict_mut().ok()
        }
    }
}
