//! What PDF/A forbids outright: scripts, actions that do more than lead somewhere, XFA, rights, requirements.

use crate::document::{dictionary_mut, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// Kinds of actions that PDF/A-2 allows (ISO 19005-2, 6.5.1).
const ALLOWED: [&[u8]; 8] =
    [b"GoTo", b"GoToR", b"GoToE", b"Thread", b"URI", b"Named", b"SubmitForm", b"Trans"];
/// Named actions that it allows.
const ALLOWED_NAMES: [&[u8]; 4] = [b"NextPage", b"PrevPage", b"FirstPage", b"LastPage"];

/// Drops it; `notes` tells what a reader could miss.
pub(super) fn drop_all(document: &mut Document, notes: &mut Vec<String>) {
    document.trailer.remove(b"Encrypt");
    let mut dropped = Dropped::default();
    let bad: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|dict| is_forbidden_action(document, dict)))
        .map(|(id, _)| *id)
        .collect();
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(mut object) = document.objects.remove(&id) else { continue };
        if let Some(dict) = dictionary_mut(&mut object) {
            clean(dict, &bad, document, &mut dropped, 0);
        }
        document.objects.insert(id, object);
    }
    catalog(document, &mut dropped);
    for (was, what) in [
        (dropped.actions, "actions and scripts that an archive must not have were dropped"),
        (dropped.xfa, "the XFA form was dropped; the form's fields remain"),
        (dropped.signatures, "signatures were dropped: they would not hold for the changed document"),
    ] {
        if was {
            notes.push(what.to_owned());
        }
    }
}

#[derive(Default)]
struct Dropped {
    actions: bool,
    xfa: bool,
    signatures: bool,
}

fn catalog(document: &mut Document, dropped: &mut Dropped) {
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
    // What PDF 2.0 brought is ignored by readers of 1.7, on which these parts of PDF/A build.
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
        dropped.actions |= names.has(b"JavaScript");
        for key in [&b"JavaScript"[..], b"AlternatePresentations", b"Renditions"] {
            names.remove(key);
        }
        catalog.set("Names", names);
    }
    if let Some(mut form) = form {
        dropped.xfa |= form.has(b"XFA");
        form.remove(b"XFA");
        form.remove(b"NeedAppearances");
        form.remove(b"SigFlags");
        catalog.set("AcroForm", form);
    }
}

/// Takes away from a dictionary, and from those written within it, what must not be there.
fn clean(dict: &mut Dictionary, bad: &[ObjectId], document: &Document, dropped: &mut Dropped, depth: usize) {
    const DEEPEST: usize = 40;
    let is_field = dict.has(b"FT") || dict.has(b"Kids") && dict.has(b"T");
    let is_widget = name_of(dict, b"Subtype") == Some(b"Widget");
    let is_action = |value: &Object| match value {
        Object::Reference(id) => bad.contains(id),
        Object::Dictionary(action) => is_forbidden_action(document, action),
        _ => false,
    };
    // Additional actions are those of the catalog, of pages, annotations and fields; elsewhere the key means else.
    if dict.has(b"AA") {
        dict.remove(b"AA");
        dropped.actions = true;
    }
    dict.remove(b"PresSteps");
    if (is_field || is_widget) && dict.has(b"A") {
        dict.remove(b"A");
        dropped.actions = true;
    }
    for key in [&b"A"[..], b"OpenAction", b"Next", b"PA"] {
        if dict.get(key).is_ok_and(is_action) {
            dict.remove(key);
            dropped.actions = true;
        }
    }
    if name_of(dict, b"FT") == Some(b"Sig") && dict.has(b"V") {
        dict.remove(b"V");
        dropped.signatures = true;
    }
    if depth < DEEPEST {
        for (_, value) in dict.iter_mut() {
            clean_within(value, bad, document, dropped, depth + 1);
        }
    }
}

fn clean_within(
    value: &mut Object,
    bad: &[ObjectId],
    document: &Document,
    dropped: &mut Dropped,
    depth: usize,
) {
    match value {
        Object::Dictionary(dict) => clean(dict, bad, document, dropped, depth),
        Object::Array(items) if depth < 40 => {
            items.iter_mut().for_each(|item| clean_within(item, bad, document, dropped, depth + 1));
        }
        _ => {}
    }
}

fn is_forbidden_action(document: &Document, dict: &Dictionary) -> bool {
    // An action has a kind; so do other dictionaries, but theirs are none of an action's.
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
    let typed = name_of(dict, b"Type") == Some(b"Action");
    let Some(kind) = dict.get(b"S").ok().and_then(|kind| resolved(document, kind)?.as_name().ok()) else {
        return typed;
    };
    if kind == b"Named" {
        return !dict.get(b"N").and_then(Object::as_name).is_ok_and(|name| ALLOWED_NAMES.contains(&name));
    }
    FORBIDDEN.contains(&kind) || typed && !ALLOWED.contains(&kind)
}

fn name_of<'a>(dict: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    dict.get(key).and_then(Object::as_name).ok()
}
