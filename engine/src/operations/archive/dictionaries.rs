//! Repairs graphics states, halftones, optional content, metadata and language: removes entries that PDF/A forbids, and
//! adds entries that it requires.

use crate::document::{dictionary_mut, for_each_dictionary_mut};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};
use std::collections::BTreeSet;

/// The blend modes of PDF 1.7.
const BLEND_MODES: [&[u8]; 17] = [
    b"Normal",
    b"Compatible",
    b"Multiply",
    b"Screen",
    b"Overlay",
    b"Darken",
    b"Lighten",
    b"ColorDodge",
    b"ColorBurn",
    b"HardLight",
    b"SoftLight",
    b"Difference",
    b"Exclusion",
    b"Hue",
    b"Saturation",
    b"Color",
    b"Luminosity",
];
const INTENTS: [&[u8]; 4] = [b"RelativeColorimetric", b"AbsoluteColorimetric", b"Perceptual", b"Saturation"];

/// Removes entries that PDF/A forbids, and adds entries that it requires.
pub(super) fn repair(document: &mut Document) {
    for object in document.objects.values_mut() {
        for_each_dictionary_mut(object, &mut |dict| {
            repair_graphics_state(dict);
            repair_halftone(dict);
        });
        if let Some(dict) = dictionary_mut(object)
            && dict.get(b"Metadata").is_ok_and(|value| value.as_reference().is_ok())
        {
            // The catalog gets new metadata later. Metadata streams of other objects are removed, because they may not
            // conform.
            dict.remove(b"Metadata");
        }
    }
    repair_optional_content(document);
    remove_invalid_language(document);
}

fn repair_graphics_state(dict: &mut Dictionary) {
    let is_state = dict.has_type(b"ExtGState")
        || [&b"BM"[..], b"ca", b"CA", b"SMask", b"TR", b"TR2", b"HT", b"OPM"].iter().any(|key| dict.has(key))
            && !dict.has(b"Subtype")
            && !dict.has(b"Rect");
    if !is_state {
        return;
    }
    dict.remove(b"TR");
    if dict.has(b"TR2") {
        dict.set("TR2", "Default");
    }
    dict.remove(b"HTO");
    dict.remove(b"HTP");
    if dict.get(b"RI").and_then(Object::as_name).is_ok_and(|intent| !INTENTS.contains(&intent)) {
        dict.remove(b"RI");
    }
    let mode = match dict.get(b"BM") {
        Ok(Object::Name(mode)) => Some(mode.clone()),
        Ok(Object::Array(modes)) => modes
            .iter()
            .filter_map(|mode| mode.as_name().ok())
            .find(|mode| BLEND_MODES.contains(mode))
            .map(<[u8]>::to_vec)
            .or(Some(b"Normal".to_vec())),
        _ => None,
    };
    if let Some(mode) = mode {
        let mode = if BLEND_MODES.contains(&mode.as_slice()) { mode } else { b"Normal".to_vec() };
        dict.set("BM", Object::Name(mode));
    }
}

fn repair_halftone(dict: &mut Dictionary) {
    if dict.has_type(b"Halftone") || dict.has(b"HalftoneType") {
        dict.remove(b"HalftoneName");
        dict.remove(b"TransferFunction");
    }
    if dict.get(b"HT").is_ok_and(|value| matches!(value, Object::Dictionary(_) | Object::Reference(_))) {
        // Halftones depend on the output device, so they are removed.
        dict.remove(b"HT");
    }
}

/// Gives every optional content configuration a unique name, no automatic states (`AS`) and an order (`Order`) that
/// lists all groups.
fn repair_optional_content(document: &mut Document) {
    let Some(properties) = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get_deref(b"OCProperties", document).and_then(Object::as_dict).ok())
        .cloned()
    else {
        return;
    };
    let groups: Vec<Object> =
        properties.get_deref(b"OCGs", document).and_then(Object::as_array).cloned().unwrap_or_default();
    let mut properties = properties;
    let mut names = BTreeSet::new();
    let mut repair_config = |document: &Document, config: &Object, number: usize| -> Object {
        let mut config = document
            .dereference(config)
            .ok()
            .and_then(|(_, object)| object.as_dict().ok().cloned())
            .unwrap_or_default();
        config.remove(b"AS");
        let name = config.get_deref(b"Name", document).and_then(Object::as_str).ok().map(<[u8]>::to_vec);
        let mut name = name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| format!("Configuration {number}").into_bytes());
        while !names.insert(name.clone()) {
            name.extend_from_slice(b" 2");
        }
        config.set("Name", Object::String(name, StringFormat::Literal));
        if config.has(b"Order") {
            let mut listed = BTreeSet::new();
            let order =
                config.get_deref(b"Order", document).and_then(Object::as_array).cloned().unwrap_or_default();
            references(document, &order, &mut listed, 0);
            let mut order = order;
            order.extend(
                groups
                    .iter()
                    .filter(|group| group.as_reference().is_ok_and(|id| !listed.contains(&id)))
                    .cloned(),
            );
            config.set("Order", order);
        }
        Object::Dictionary(config)
    };
    let default = properties.get(b"D").cloned().unwrap_or(Object::Null);
    let default = repair_config(document, &default, 0);
    let others: Vec<Object> = properties
        .get_deref(b"Configs", document)
        .and_then(Object::as_array)
        .map(|configs| {
            configs.iter().enumerate().map(|(at, config)| repair_config(document, config, at + 1)).collect()
        })
        .unwrap_or_default();
    properties.set("D", default);
    if properties.has(b"Configs") {
        properties.set("Configs", others);
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OCProperties", properties);
    }
}

fn references(document: &Document, items: &[Object], found: &mut BTreeSet<ObjectId>, depth: usize) {
    for item in items {
        match item {
            Object::Reference(id) => {
                found.insert(*id);
                if let Ok(Object::Array(items)) = document.get_object(*id)
                    && depth < 20
                {
                    references(document, items, found, depth + 1);
                }
            }
            Object::Array(items) if depth < 20 => references(document, items, found, depth + 1),
            _ => {}
        }
    }
}

/// Removes the language entry of the catalog if it is not a text.
fn remove_invalid_language(document: &mut Document) {
    let good = document.catalog().ok().is_none_or(|catalog| {
        catalog
            .get_deref(b"Lang", document)
            .map_or(true, |lang| lang.as_str().is_ok_and(|lang| !lang.is_empty()))
    });
    if !good && let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"Lang");
    }
}
