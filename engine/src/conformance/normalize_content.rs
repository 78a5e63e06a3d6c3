//! Normalizes content streams that the validator of PDF/A cannot parse.
//!
//! The validator ignores a content stream that its parser cannot read as a whole: for instance, if a bracket is
//! missing, or if the data of an inline image contain the letters `EI`.

use crate::content::lexer::Lexer;
use crate::document::{Budget, decode, flate_stream, page_contents, pages};
use crate::{EngineError, Job};
use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::BTreeMap;

/// Normalized copies of the content streams that the validator cannot parse, with the identifiers of the streams. A
/// copy contains only the operations of the content stream, without inline images. The validator checks the
/// dictionaries of the inline images in the original document.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn normalized_contents(
    document: &Document,
    budget: &Budget,
    job: &Job,
) -> Result<Vec<(ObjectId, Object)>, EngineError> {
    let mut replacements = Vec::new();
    let mut page_streams: BTreeMap<Vec<ObjectId>, ()> = BTreeMap::new();
    for page in pages(document, job.limits())? {
        page_streams.insert(page_contents(document, page), ());
    }
    for ids in page_streams.keys() {
        job.proceed()?;
        let parts = ids.iter().map(|id| data(document, *id, budget)).collect::<Result<Vec<_>, _>>()?;
        let Some(whole) = parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.join(&b'\n'))
        else {
            continue;
        };
        // An operation may begin in one content stream of a page and end in the next. All operations of the page
        // therefore go into the first content stream, and the others become empty.
        if let (Some(normalized), [first, rest @ ..]) = (normalized(&whole), ids.as_slice()) {
            replacements.push((*first, flate_stream(Dictionary::new(), normalized)?.into()));
            for id in rest {
                replacements.push((*id, flate_stream(Dictionary::new(), Vec::new())?.into()));
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
        if let Some(normalized) = data(document, *id, budget)?.and_then(|data| normalized(&data)) {
            replacements.push((*id, flate_stream(stream.dict.clone(), normalized)?.into()));
        }
    }
    Ok(replacements)
}

fn data(document: &Document, id: ObjectId, budget: &Budget) -> Result<Option<Vec<u8>>, EngineError> {
    let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { return Ok(None) };
    let decoded = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none());
    Ok(decoded.map(|decoded| decoded.data))
}

/// The operations of a content stream, without inline images; `None` if the validator can parse the content as it is.
fn normalized(content: &[u8]) -> Option<Vec<u8>> {
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
    fn operations_are_kept_and_inline_images_removed() {
        assert_eq!(normalized(b"q 1 0 0 1 0 0 cm Q"), None);
        let image = b"q BI /W 4 /H 1 /BPC 8 /CS /G ID  EI  EI Q 0 g";
        assert_eq!(normalized(image).as_deref(), Some(&b"q\nQ\n0 g\n"[..]));
    }
}
