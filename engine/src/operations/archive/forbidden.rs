//! Removes objects that PDF/A forbids: scripts, actions that PDF/A does not allow, XFA forms, signatures, permissions
//! and requirements.

use crate::document::{for_each_dictionary_mut, is_signature, is_signed, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// The action types that PDF/A-2 allows (ISO 19005-2, 6.5.1).
const ALLOWED: [&[u8]; 8] =
    [b"GoTo", b"GoToR", b"GoToE", b"Thread", b"URI", b"Named", b"SubmitForm", b"Trans"];
/// The named actions that PDF/A-2 allows.
const ALLOWED_NAMES: [&[u8]; 4] = [b"NextPage", b"PrevPage", b"FirstPage", b"LastPage"];

/// Removes everything that PDF/A forbids, and adds a note on everything removed that users may miss.
pub(super) fn remove_forbidden(document: &mut Document, notes: &mut Vec<String>) {
    document.trailer.remove(b"Encrypt");
    let signed = is_signed(document);
    let mut removed = Removed::default();
    let forbidden_actions: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|dict| is_forbidden_action(document, dict)))
        .map(|(id, _)| *id)
        .collect();
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(mut object) = document.objects.remove(&id) else { continue };
        for_each_dictionary_mut(&mut object, &mut |dict| {
            clean(dict, &forbidden_actions, document, &mut removed);
        });
        document.objects.insert(id, object);
    }
    clean_catalog(document, &mut removed);
    for (was, what) in [
        (removed.actions, "actions and scripts were removed, because PDF/A does not allow them"),
        (removed.xfa, "the XFA form was removed; the form's fields remain"),
        (signed, "the document was signed; its signatures were removed, because the document has changed"),
    ] {
        if was {
            notes.push(what.to_owned());
        }
    }
}

#[derive(Default)]
struct Removed {
    actions: bool,
    xfa: bool,
}

fn clean_catalog(document: &mut Document, removed: &mut Removed) {
    let names = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get_deref(b"Names", document).and_then(Object::as_dict).ok())
        .cloned();
    let form = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get_deref(b"AcroForm", document).and_then(Object::as_dict).ok())
        .cloned();
    // PDF/A-2 and PDF/A-3 are based on PDF 1.7, and readers of PDF 1.7 ignore the features that PDF 2.0 added.
    document.version = "1.7".to_owned();
    let Ok(catalog) = document.catalog_mut() else { return };
    catalog.set("Type", "Catalog");
    for key in [
        &b"NeedsRendering"[..],
        b"Requirements",
        b"Perms",
        b"Legal",
        b"Version",
        b"Extensions",
        b"Collection",
    ] {
        catalog.remove(key);
    }
    if let Some(mut names) = names {
        removed.actions |= names.has(b"JavaScript");
        for key in [&b"JavaScript"[..], b"AlternatePresentations", b"Renditions"] {
            names.remove(key);
        }
        catalog.set("Names", names);
    }
    if let Some(mut form) = form {
        removed.xfa |= form.has(b"XFA");
        form.remove(b"XFA");
        form.remove(b"NeedAppearances");
        form.remove(b"SigFlags");
        catalog.set("AcroForm", form);
    }
}

/// Removes forbidden entries from a dictionary.
fn clean(dict: &mut Dictionary, forbidden_actions: &[ObjectId], document: &Document, removed: &mut Removed) {
    let is_field = dict.has(b"FT") || dict.has(b"Kids") && dict.has(b"T");
    let is_widget = name_of(dict, b"Subtype") == Some(b"Widget");
    let is_action = |value: &Object| match value {
        Object::Reference(id) => forbidden_actions.contains(id),
        Object::Dictionary(action) => is_forbidden_action(document, action),
        _ => false,
    };
    // `AA` contains the additional actions of the catalog, a page, an annotation or a field (ISO 19005-2, 6.5.2).
    if dict.has(b"AA") {
        dict.remove(b"AA");
        removed.actions = true;
    }
    dict.remove(b"PresSteps");
    if (is_field || is_widget) && dict.has(b"A") {
        dict.remove(b"A");
        removed.actions = true;
    }
    for key in [&b"A"[..], b"OpenAction", b"Next", b"PA"] {
        if dict.get(key).is_ok_and(is_action) {
            dict.remove(key);
            removed.actions = true;
        }
    }
    // A field may inherit its type from its parent.
    let is_signed = |value: &Object| {
        resolved(document, value).and_then(|value| value.as_dict().ok()).is_some_and(is_signature)
    };
    if dict.get(b"V").is_ok_and(|value| name_of(dict, b"FT") == Some(b"Sig") || is_signed(value)) {
        dict.remove(b"V");
    }
}

fn is_forbidden_action(document: &Document, dict: &Dictionary) -> bool {
    // Dictionaries that are not actions can have an `S` entry too, but with other values than these.
    const FORBIDDEN: [&[u8]; 12] = [
        b"Launch",
        b"Sound",
        b"Movie",
        b"ResetForm",
        b"ImportData",
        b"JavaScript",
        b"Hide",
        b"SetOCGState",
        b"Rendition",
        b"GoTo3DView",
        b"RichMediaExecute",
        b"NOP",
    ];
    let is_action = name_of(dict, b"Type") == Some(b"Action");
    let Some(kind) = dict.get(b"S").ok().and_then(|kind| resolved(document, kind)?.as_name().ok()) else {
        return is_action;
    };
    if kind == b"Named" {
        return !dict.get(b"N").and_then(Object::as_name).is_ok_and(|name| ALLOWED_NAMES.contains(&name));
    }
    FORBIDDEN.contains(&kind) || is_action && !ALLOWED.contains(&kind)
}

fn name_of<'a>(dict: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    dict.get(key).and_then(Object::as_name).ok()
}
