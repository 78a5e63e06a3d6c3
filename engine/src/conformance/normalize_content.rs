//! Contents in which the judge of PDF/A loses its way, as it can follow them.
//!
//! It looks at nothing of a content stream that its parser cannot read as a whole: after an inline image whose data has
//! the letters `EI` in it, for instance, or where a bracket is missing.

use crate::content::lexer::Lexer;
use crate::document::{Budget, decode, flate_stream, pages};
use crate::{EngineError, Job};
use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::BTreeMap;

/// Streams of contents that need it, without their inline images and what is no operation; the judge has seen the
/// dictionaries of the images.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn readable(
    document: &Document,
    budget: &Budget,
    job: &Job,
) -> Result<Vec<(ObjectId, Object)>, EngineError> {
    let mut told = Vec::new();
    let mut of_pages: BTreeMap<Vec<ObjectId>, ()> = BTreeMap::new();
    for page in pages(document, job.limits())? {
        if let Ok(page) = document.get_dictionary(page) {
            of_pages.insert(streams(document, page), ());
        }
    }
    for ids in of_pages.keys() {
        job.proceed()?;
        let parts = ids.iter().map(|id| data(document, *id, budget)).collect::<Result<Vec<_>, _>>()?;
        let Some(whole) = parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.join(&b'\n'))
        else {
            continue;
        };
        // Operations may begin in one stream and end in the next: all go to the first.
        if let (Some(followed), [first, rest @ ..]) = (followed(&whole), ids.as_slice()) {
            told.push((*first, flate_stream(Dictionary::new(), followed)?.into()));
            for id in rest {
                told.push((*id, flate_stream(Dictionary::new(), Vec::new())?.into()));
            }
        }
    }
    for (id, object) in &document.objects {
        let Ok(stream) = object.as_stream() else { continue };
        let is_form = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
        if !is_form && !stream.dict.has(b"PatternType") {
            continue;
        }
        job.proceed()?;
        if let Some(followed) = data(document, *id, budget)?.and_then(|data| followed(&data)) {
            told.push((*id, flate_stream(stream.dict.clone(), followed)?.into()));
        }
    }
    Ok(told)
}

/// The streams of a page's contents.
fn streams(document: &Document, page: &Dictionary) -> Vec<ObjectId> {
    let Ok(contents) = page.get(b"Contents") else { return Vec::new() };
    let list = match document.dereference(contents) {
        Ok((_, Object::Array(items))) => items.as_slice(),
        _ => std::slice::from_ref(contents),
    };
    list.iter().filter_map(|item| item.as_reference().ok()).collect()
}

fn data(document: &Document, id: ObjectId, budget: &Budget) -> Result<Option<Vec<u8>>, EngineError> {
    let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { return Ok(None) };
    let decoded = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none());
    Ok(decoded.map(|decoded| decoded.data))
}

/// The operations alone; nothing where the judge reads the content as it is.
fn followed(content: &[u8]) -> Option<Vec<u8>> {
    let has_image = Lexer::new(content).any(|operation| operation.operator == b"BI");
    if !has_image && Content::decode(content).is_ok() {
        return None;
    }
    let mut operations = Vec::with_capacity(content.len());
    for operation in Lexer::new(content).filter(|operation| operation.operator != b"BI") {
        operations.extend_from_slice(content.get(operation.span)?);
        operations.push(b'\n');
    }
    Some(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_operation_stays_and_inline_images_go() {
        assert_eq!(followed(b"q 1 0 0 1 0 0 cm Q"), None);
        let image = b"q BI /W 4 /H 1 /BPC 8 /CS /G ID  EI  EI Q 0 g";
        assert_eq!(followed(image).as_deref(), Some(&b"q\nQ\n0 g\n"[..]));
    }
}
