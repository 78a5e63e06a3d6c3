//! The embedded font files of a document, and the fonts that use each.

use crate::content::{Codes, Usage};
use crate::document::{for_each_reference, reachable};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};

/// The kinds of font files that are cut down.
const FILES: [&[u8]; 2] = [b"FontFile2", b"FontFile3"];

/// A font that uses a font file, and the codes that it is asked for.
pub(super) struct FontUse {
    pub(super) font: ObjectId,
    /// The font that the file belongs to, where `font` is composite.
    pub(super) descendant: Option<ObjectId>,
    pub(super) descriptor: ObjectId,
    pub(super) codes: Codes,
    /// Form fields may be filled in with it.
    pub(super) typed: bool,
}

/// All font files with all fonts that use them; nothing for a file that must stay whole.
pub(super) fn files(document: &Document, usage: &Usage) -> BTreeMap<ObjectId, Option<Vec<FontUse>>> {
    let mut files: BTreeMap<ObjectId, Option<Vec<FontUse>>> = BTreeMap::new();
    let fonts_of_forms = fonts_of_forms(document);
    let mut descriptors_seen: HashSet<ObjectId> = HashSet::new();
    let order = reachable(document).order;
    for &id in &order {
        let Ok(dict) = document.get_dictionary(id) else { continue };
        if !dict.has_type(b"Font") || is_descendant(dict) {
            continue;
        }
        let descendant = descendant(document, dict);
        let Ok(owner) = descendant.map_or(Ok(dict), |id| document.get_dictionary(id)) else { continue };
        let Ok(descriptor) = owner.get(b"FontDescriptor").and_then(Object::as_reference) else { continue };
        descriptors_seen.insert(descriptor);
        let typed = fonts_of_forms.contains(&id);
        for file in font_files(document, descriptor) {
            let uses = files.entry(file).or_insert_with(|| Some(Vec::new()));
            match uses {
                // All that can be typed in a simple font has one of 256 codes.
                Some(uses) if !typed || descendant.is_none() => {
                    let shown = || usage.fonts.get(&id).cloned().unwrap_or_default();
                    let codes = if typed { Codes::every_byte() } else { shown() };
                    uses.push(FontUse { font: id, descendant, descriptor, codes, typed });
                }
                _ => *uses = None,
            }
        }
    }
    // A descriptor that belongs to no font that was understood keeps its file whole.
    for &id in &order {
        let is_descriptor = document.get_dictionary(id).is_ok_and(|dict| dict.has_type(b"FontDescriptor"));
        if is_descriptor && !descriptors_seen.contains(&id) {
            for file in font_files(document, id) {
                files.insert(file, None);
            }
        }
    }
    files
}

fn font_files(document: &Document, descriptor: ObjectId) -> Vec<ObjectId> {
    let Ok(dict) = document.get_dictionary(descriptor) else { return Vec::new() };
    FILES.iter().filter_map(|key| dict.get(key).and_then(Object::as_reference).ok()).collect()
}

fn is_descendant(dict: &Dictionary) -> bool {
    dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind.starts_with(b"CIDFont"))
}

fn descendant(document: &Document, dict: &Dictionary) -> Option<ObjectId> {
    dict.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?.first()?.as_reference().ok()
}

/// The fonts among the default resources of form fields.
fn fonts_of_forms(document: &Document) -> HashSet<ObjectId> {
    let mut fonts = HashSet::new();
    let resources = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"AcroForm", document))
        .and_then(Object::as_dict)
        .and_then(|form| form.get_deref(b"DR", document))
        .and_then(Object::as_dict)
        .and_then(|resources| resources.get_deref(b"Font", document));
    if let Ok(list) = resources {
        for_each_reference(list, &mut |id| {
            fonts.insert(id);
        });
    }
    fonts
}

pub(super) fn is_tagged(name: &[u8]) -> bool {
    name.get(6) == Some(&b'+') && name.iter().take(6).all(u8::is_ascii_uppercase)
}

/// A name without the letters that mark a subset.
pub(super) fn untagged(name: &[u8]) -> &[u8] {
    if is_tagged(name) { name.get(7..).unwrap_or_default() } else { name }
}
