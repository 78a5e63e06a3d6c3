//! Inserts interrupt points into content streams. Rendering can be interrupted at these points.
//!
//! Rendering can be interrupted only when hayro looks up an object (see [`interrupt`](super::interrupt)), and a content
//! stream that contains only shapes makes hayro look up no object. An interrupt point is an operation that looks up an
//! empty graphics state and changes nothing. The few pages that need interrupt points are rendered from a copy of their
//! document; this copy has interrupt points.

use crate::content::lexer::Lexer;
use crate::document::{Budget, SaveOptions, decode, inherited, load, page_contents, pages, save};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// The resource name of the empty graphics state. Documents do not use this name.
const STATE: &str = "Recto.InterruptPoint";

/// The minimum number of bytes between two interrupt points. It keeps the number of interrupt points small compared
/// with the content.
const MIN_DISTANCE: usize = 200;

/// A copy of a document in which the content of pages, forms and patterns has interrupt points.
///
/// # Errors
/// The errors of [`load`], [`decode`] and [`Job::proceed`].
pub(super) fn add_interrupt_points(bytes: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    let mut document = load(bytes, job)?;
    let budget = Budget::of(job);
    let state = document.add_object(Dictionary::new());
    for page in pages(&document, job.limits())? {
        job.proceed()?;
        let content = content_of(&document, page, &budget)?;
        let content =
            document.add_object(Stream::new(Dictionary::new(), with_interrupt_points(&content, job)?));
        let resources = inherited(&document, page, b"Resources");
        let resources = with_state(&document, resources.and_then(|own| own.as_dict().ok()), state);
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", content);
            page.set("Resources", resources);
        }
    }
    let forms: Vec<ObjectId> =
        document.objects.iter().filter(|(_, object)| is_form_or_pattern(object)).map(|(id, _)| *id).collect();
    for id in forms {
        job.proceed()?;
        let Some(Object::Stream(stream)) = document.objects.get(&id) else { continue };
        let Some(decoded) = decode(&document, stream, &budget)? else { continue };
        if decoded.codec.is_some() || decoded.data.len() < MIN_DISTANCE {
            continue;
        }
        let content = with_interrupt_points(&decoded.data, job)?;
        let mut dict = stream.dict.clone();
        // A form without resources uses the resources of the page.
        if let Ok(own) = dict.get_deref(b"Resources", &document).and_then(Object::as_dict) {
            dict.set("Resources", with_state(&document, Some(own), state));
        }
        dict.remove(b"Filter");
        dict.remove(b"DecodeParms");
        document.objects.insert(id, Object::Stream(Stream::new(dict, content)));
    }
    save(&document, &SaveOptions { object_streams: false, keep_encryption: false })
}

/// Whether an object is a form or a tiling pattern.
fn is_form_or_pattern(object: &Object) -> bool {
    object.as_stream().is_ok_and(|stream| {
        let subtype = stream.dict.get(b"Subtype").and_then(Object::as_name);
        subtype.is_ok_and(|name| name == b"Form") || stream.dict.has(b"PatternType")
    })
}

/// The content of a page: its content streams, decoded and joined. A stream that cannot be decoded is skipped.
fn content_of(document: &Document, page: ObjectId, budget: &Budget) -> Result<Vec<u8>, EngineError> {
    let streams = page_contents(document, page).into_iter();
    let streams = streams.filter_map(|id| document.get_object(id).and_then(Object::as_stream).ok());
    let mut content = Vec::new();
    for stream in streams {
        if let Some(decoded) = decode(document, stream, budget)? {
            content.extend_from_slice(&decoded.data);
        }
        content.push(b'\n');
    }
    Ok(content)
}

fn with_state(document: &Document, resources: Option<&Dictionary>, state: ObjectId) -> Dictionary {
    let mut resources = resources.cloned().unwrap_or_default();
    let states = resources.get_deref(b"ExtGState", document).and_then(Object::as_dict);
    let mut states = states.cloned().unwrap_or_default();
    states.set(STATE, state);
    resources.set("ExtGState", states);
    resources
}

fn with_interrupt_points(content: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    let mut copy = Vec::with_capacity(content.len() + content.len() / 8);
    let mut copied = 0;
    for (number, operation) in Lexer::new(content).enumerate() {
        if number % 4096 == 0 {
            job.proceed()?;
        }
        let paints =
            matches!(operation.operator, b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*");
        let end = operation.span.end;
        if paints && end >= copied + MIN_DISTANCE {
            copy.extend_from_slice(content.get(copied..end).unwrap_or_default());
            copy.extend_from_slice(format!(" /{STATE} gs ").as_bytes());
            copied = end;
        }
    }
    copy.extend_from_slice(content.get(copied..).unwrap_or_default());
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupt_points_are_inserted_after_shapes_only() {
        let shape = format!("{}S\n", "1 2 m 3 4 l ".repeat(20));
        let text = format!("BT (S f S {}) Tj ET\n", "S ".repeat(200));
        let content = format!("q {shape}{shape}{text}Q");
        let copy = with_interrupt_points(content.as_bytes(), &Job::default()).unwrap();
        let copy = String::from_utf8(copy).unwrap();
        assert_eq!(copy.matches("gs").count(), 2);
        assert_eq!(copy.replace(" /Recto.InterruptPoint gs ", ""), content);
    }
}
