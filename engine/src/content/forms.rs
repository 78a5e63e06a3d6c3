//! The fonts in which form fields are filled in: the fonts in the form's default resources (`DR`) that a default
//! appearance string (`DA`) names (ISO 32000-1, 12.7.2 and 12.7.3.3).

use super::lexer::{Lexer, Operand};
use crate::document::{reachable, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// The names of the fonts that viewers use for fields whose font is not set.
const DEFAULT_FONTS: [&[u8]; 2] = [b"Helv", b"ZaDb"];

/// The keys of entries whose values may refer to fonts in ways that are not supported: rich text, default style, XFA,
/// scripts.
const OPAQUE: [&[u8]; 4] = [b"RV", b"DS", b"XFA", b"JS"];

/// Makes the dictionary of the fonts in the form's default resources an indirect object.
pub(crate) fn hoist_form_fonts(document: &mut Document) {
    let Some(fonts @ Object::Dictionary(_)) =
        default_resources(document).and_then(|resources| resources.get(b"Font").ok()).cloned()
    else {
        return;
    };
    let id = document.add_object(fonts);
    let was_set = default_resources_mut(document).map(|resources| resources.set("Font", id));
    if was_set.is_none() {
        document.objects.remove(&id);
    }
}

/// The default resources of a document's form.
pub(super) fn default_resources(document: &Document) -> Option<&Dictionary> {
    let form = document.catalog().ok()?.get_deref(b"AcroForm", document).ok()?.as_dict().ok()?;
    form.get_deref(b"DR", document).ok()?.as_dict().ok()
}

fn default_resources_mut(document: &mut Document) -> Option<&mut Dictionary> {
    let root = document.trailer.get(b"Root").ok()?.as_reference().ok()?;
    let form = document.get_dictionary(root).ok()?.get(b"AcroForm").ok()?.as_reference().ok();
    let within = |document: &Document| -> Option<Option<ObjectId>> {
        let form = document.catalog().ok()?.get_deref(b"AcroForm", document).ok()?.as_dict().ok()?;
        Some(form.get(b"DR").ok()?.as_reference().ok())
    };
    if let Some(resources) = within(document)? {
        return document.get_dictionary_mut(resources).ok();
    }
    let form = match form {
        Some(form) => document.get_dictionary_mut(form).ok()?,
        None => document.get_dictionary_mut(root).ok()?.get_mut(b"AcroForm").ok()?.as_dict_mut().ok()?,
    };
    form.get_mut(b"DR").ok()?.as_dict_mut().ok()
}

/// The dictionary of the fonts in a form's default resources, and the names of the fonts that fields use.
pub(super) struct FormFonts {
    pub(super) list: ObjectId,
    pub(super) names: HashSet<Vec<u8>>,
}

impl FormFonts {
    /// Finds the fonts that the fields of a form use. `None` if the fonts in the form's default resources are not an
    /// indirect object, or if fields may use any of these fonts.
    pub(super) fn of(document: &Document) -> Option<Self> {
        let list = default_resources(document)?.get(b"Font").ok()?.as_reference().ok()?;
        let fonts = document.get_dictionary(list).ok()?;
        let mut names: HashSet<Vec<u8>> = DEFAULT_FONTS.iter().map(|name| name.to_vec()).collect();
        let mut opaque = false;
        for id in reachable(document).order {
            let Some(object) = document.objects.get(&id) else { continue };
            for_each_dictionary(object, &mut |dict| {
                opaque |= OPAQUE.iter().any(|key| dict.has(key));
                if let Some(text) = dict.get(b"DA").ok().and_then(|text| resolved(document, text)) {
                    let used = text.as_str().map(fonts_of).unwrap_or_default();
                    // A viewer that does not find a font by its name may use any similar font of the form.
                    opaque |= used.iter().any(|name| !fonts.has(name));
                    names.extend(used);
                }
            });
        }
        (!opaque).then_some(Self { list, names })
    }
}

/// The fonts that a default appearance string sets.
fn fonts_of(text: &[u8]) -> Vec<Vec<u8>> {
    Lexer::new(text)
        .filter(|operation| operation.operator == b"Tf")
        .filter_map(|operation| operation.operands.iter().find_map(Operand::name).map(<[u8]>::to_vec))
        .collect()
}

/// Calls `visit` with every dictionary in an object. The recursion is bounded, because the parser limits how deep
/// objects nest.
fn for_each_dictionary(object: &Object, visit: &mut impl FnMut(&Dictionary)) {
    match object {
        Object::Array(items) => items.iter().for_each(|item| for_each_dictionary(item, visit)),
        Object::Dictionary(dict) => {
            visit(dict);
            dict.iter().for_each(|(_, value)| for_each_dictionary(value, visit));
        }
        Object::Stream(stream) => {
            visit(&stream.dict);
            stream.dict.iter().for_each(|(_, value)| for_each_dictionary(value, visit));
        }
        _ => {}
    }
}
