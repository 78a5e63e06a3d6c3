//! Notices for the user when a stamp invalidates signatures, or adds transparency to a PDF/A-1 document.

use crate::EngineError;
use crate::document::{Budget, decode, resolved};
use lopdf::{Document, Object};

/// A note for each of these effects that the stamp has.
///
/// # Errors
/// [`EngineError::Limit`] when the document's metadata exceed the limit of decoded bytes.
pub(super) fn notices(
    document: &Document,
    transparent: bool,
    budget: &Budget,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    if is_signed(document) {
        notes.push(
            "the document was signed; the stamp changes it, so its signatures are no longer valid".to_owned(),
        );
    }
    if transparent && declares_pdf_a_1(document, budget)? {
        notes.push(
            "the document declares PDF/A-1, which does not allow transparency; with the watermark it no longer conforms"
                .to_owned(),
        );
    }
    Ok(notes)
}

/// Whether the document contains a signature: a dictionary with `ByteRange` and `Contents`.
fn is_signed(document: &Document) -> bool {
    let is_signature =
        |object: &Object| object.as_dict().is_ok_and(|dict| dict.has(b"ByteRange") && dict.has(b"Contents"));
    let contains_signature = |object: &Object| {
        is_signature(object) || object.as_dict().is_ok_and(|dict| dict.get(b"V").is_ok_and(is_signature))
    };
    document.objects.values().any(contains_signature)
}

/// Whether the metadata declare part 1 of PDF/A, as an element or as an attribute.
fn declares_pdf_a_1(document: &Document, budget: &Budget) -> Result<bool, EngineError> {
    let metadata = document.catalog().ok().and_then(|catalog| catalog.get(b"Metadata").ok());
    let Some(Object::Stream(stream)) = metadata.and_then(|value| resolved(document, value)) else {
        return Ok(false);
    };
    let Some(decoded) = decode(document, stream, budget)? else { return Ok(false) };
    let text: String =
        String::from_utf8_lossy(&decoded.data).chars().filter(|c| !c.is_whitespace() && *c != '\0').collect();
    Ok(["pdfaid:part>1<", "pdfaid:part=\"1\"", "pdfaid:part='1'"]
        .iter()
        .any(|declaration| text.contains(declaration)))
}
