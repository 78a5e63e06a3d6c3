//! The embedded font files of a document, and the fonts that use each file.

use crate::content::{Codes, Usage};
use crate::document::{for_each_reference, reachable};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::{BTreeMap, HashSet};

/// The keys under which a font descriptor refers to font files that can be subset.
const FILES: [&[u8]; 2] = [b"FontFile2", b"FontFile3"];

/// A font that uses a font file, and the codes that text shows in this font.
pub(super) struct FontUse {
    pub(super) font: ObjectId,
    /// The descendant font, if `font` is composite.
    pub(super) descendant: Option<ObjectId>,
    pub(super) descriptor: ObjectId,
    pub(super) codes: Codes,
    /// Whether form fields may use the font.
    pub(super) used_by_forms: bool,
}

/// All font files, each with the fonts that use it; `None` for a file that must not be subset.
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
        let used_by_forms = fonts_of_forms.contains(&id);
        for file in font_files(document, descriptor) {
            let uses = files.entry(file).or_insert_with(|| Some(Vec::new()));
            match uses {
                // Text that is typed into a field in a simple font has only the 256 one-byte codes, so the glyphs of
                // all these codes are kept.
                Some(uses) if !used_by_forms || descendant.is_none() => {
                    let shown = || usage.fonts.get(&id).cloned().unwrap_or_default();
                    let codes = if used_by_forms { Codes::every_byte() } else { shown() };
                    uses.push(FontUse { font: id, descendant, descriptor, codes, used_by_forms });
                }
                _ => *uses = None,
            }
        }
    }
    // A file is not subset if one of its font descriptors belongs to no supported font.
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

/// Whether a font name has a subset tag: six capital letters and a plus sign.
pub(super) fn is_tagged(name: &[u8]) -> bool {
    name.get(6) == Some(&b'+') && name.iter().take(6).all(u8::is_ascii_uppercase)
}

/// A font name without its subset tag.
pub(super) fn untagged(name: &[u8]) -> &[u8] {
    if is_tagged(name) { name.get(7..).unwrap_or_default() } else { name }
}
