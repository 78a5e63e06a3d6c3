//! Makes annotations conform to PDF/A: removes annotations of types that are not allowed, and makes all others visible
//! and printed, with only a normal appearance.

use crate::document::{inherited, pages, rectangle, resolved};
use crate::render::complete_appearances;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// The annotation types that PDF/A-2 allows (ISO 19005-2, 6.3.1).
const ALLOWED: [&[u8]; 22] = [
    b"Text",
    b"Link",
    b"FreeText",
    b"Line",
    b"Square",
    b"Circle",
    b"Polygon",
    b"PolyLine",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Stamp",
    b"Caret",
    b"Ink",
    b"Popup",
    b"FileAttachment",
    b"Widget",
    b"PrinterMark",
    b"TrapNet",
    b"Watermark",
    b"Redact",
];

const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 2;
const PRINT: i64 = 4;
const NO_VIEW: i64 = 32;
const TOGGLE_NO_VIEW: i64 = 256;

/// Repairs the annotations of all pages, and removes annotations that PDF/A does not allow.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn repair(document: &mut Document, notes: &mut Vec<String>, job: &Job) -> Result<(), EngineError> {
    complete_appearances(document, job)?;
    let mut removed = 0_usize;
    for page in pages(document, job.limits())? {
        job.proceed()?;
        let Some(Object::Array(items)) = inherited(document, page, b"Annots").cloned() else { continue };
        let mut kept = Vec::new();
        for item in items {
            let id = match item {
                Object::Reference(id) => id,
                Object::Dictionary(direct) => document.add_object(direct),
                _ => continue,
            };
            let Ok(annotation) = document.get_dictionary(id).cloned() else { continue };
            match repaired(document, annotation) {
                Some(annotation) => {
                    document.objects.insert(id, Object::Dictionary(annotation));
                    kept.push(id.into());
                }
                None => removed += 1,
            }
        }
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Annots", kept);
        }
    }
    if removed > 0 {
        notes.push(format!(
            "{removed} annotation{} removed, because PDF/A does not allow their type (such as sound, movie, 3D) or because \
             an attached file is missing",
            if removed == 1 { " was" } else { "s were" }
        ));
    }
    Ok(())
}

/// The annotation as PDF/A allows it. `None` if the annotation must be removed.
fn repaired(document: &mut Document, mut annotation: Dictionary) -> Option<Dictionary> {
    let kind = annotation.get_deref(b"Subtype", document).and_then(Object::as_name).ok()?.to_vec();
    if !ALLOWED.contains(&kind.as_slice()) {
        return None;
    }
    if kind == b"FileAttachment" {
        let file = annotation.get_deref(b"FS", document).and_then(Object::as_dict).ok()?;
        if !file.has(b"EF") {
            return None;
        }
    }
    annotation.remove(b"AA");
    if kind == b"Popup" {
        annotation.remove(b"AP");
        annotation.set("F", PRINT);
        return Some(annotation);
    }
    let flags = annotation.get_deref(b"F", document).and_then(Object::as_i64).unwrap_or(0);
    let is_hidden = flags & (HIDDEN | NO_VIEW) != 0;
    annotation.set("F", flags & !(INVISIBLE | HIDDEN | NO_VIEW | TOGGLE_NO_VIEW) | PRINT);
    if kind == b"Link" && !annotation.has(b"AP") {
        return Some(annotation);
    }
    let is_button = field_type(document, &annotation).is_some_and(|kind| kind == b"Btn") && kind == b"Widget";
    let normal = if is_hidden { None } else { normal_appearance(document, &annotation, is_button) };
    let normal = match normal {
        Some(normal) => normal,
        None => {
            let rect = annotation.get(b"Rect").ok().and_then(|rect| rectangle(document, rect));
            let rect = rect.unwrap_or_default();
            let [x0, y0, x1, y1] = [rect.x0, rect.y0, rect.x1, rect.y1].map(|side| Object::Real(side as f32));
            let empty = Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![x0, y0, x1, y1],
                    "Resources" => Dictionary::new()
                },
                Vec::new(),
            );
            let empty = document.add_object(empty);
            if is_button { Object::Dictionary(dictionary! { "Off" => empty }) } else { empty.into() }
        }
    };
    if is_button
        && let Object::Dictionary(states) = &normal
        && !annotation.get(b"AS").and_then(Object::as_name).is_ok_and(|state| states.has(state))
        && let Some((state, _)) =
            states.iter().find(|(state, _)| states.len() == 1 || state.as_slice() == b"Off")
    {
        annotation.set("AS", Object::Name(state.clone()));
    }
    annotation.set("AP", dictionary! { "N" => normal });
    Some(annotation)
}

/// The normal appearance of an annotation: a stream, or for a button a dictionary with one stream for each state.
fn normal_appearance(document: &mut Document, annotation: &Dictionary, is_button: bool) -> Option<Object> {
    let states = annotation.get_deref(b"AP", document).and_then(Object::as_dict).ok()?;
    let raw = states.get(b"N").ok()?.clone();
    let shown = annotation.get_deref(b"AS", document).and_then(Object::as_name).ok().map(<[u8]>::to_vec);
    match (resolved(document, &raw)?.clone(), is_button) {
        (Object::Stream(_), false) => Some(raw),
        (Object::Stream(stream), true) => {
            let id = match raw {
                Object::Reference(id) => id,
                _ => document.add_object(stream),
            };
            let mut dict = Dictionary::new();
            dict.set(shown.unwrap_or_else(|| b"Off".to_vec()), id);
            Some(dict.into())
        }
        (Object::Dictionary(states_of_button), true) => {
            let kept: Dictionary = states_of_button
                .iter()
                .filter(|(_, value)| matches!(resolved(document, value), Some(Object::Stream(_))))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            (!kept.is_empty()).then(|| kept.into())
        }
        (Object::Dictionary(states_of_button), false) => {
            let state = shown?;
            let chosen = states_of_button.get(&state).ok()?;
            matches!(resolved(document, chosen), Some(Object::Stream(_))).then(|| chosen.clone())
        }
        _ => None,
    }
}

/// The type (`FT`) of a widget's field: the field's own type, or the type that the field inherits.
fn field_type(document: &Document, annotation: &Dictionary) -> Option<Vec<u8>> {
    let mut node = annotation;
    for _ in 0..50 {
        if let Ok(kind) = node.get_deref(b"FT", document).and_then(Object::as_name) {
            return Some(kind.to_vec());
        }
        let parent: ObjectId = node.get(b"Parent").and_then(Object::as_reference).ok()?;
        node = document.get_dictionary(parent).ok()?;
    }
    None
}
