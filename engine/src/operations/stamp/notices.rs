//! What a document promises that a stamp breaks: that nothing was changed since it was signed, and that it conforms to
//! a part of PDF/A that knows no transparency.

use crate::EngineError;
use crate::document::{Budget, decode, resolved};
use lopdf::{Document, Object};

/// A note for each promise that is broken.
///
/// # Errors
/// [`EngineError::Limit`] when the document's metadata do not fit into what it may inflate to.
pub(super) fn broken(
    document: &Document,
    transparent: bool,
    budget: &Budget,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    if is_signed(document) {
        notes.push(
            "the document was signed; the stamp changes it, so its signatures no longer hold".to_owned(),
        );
    }
    if transparent && claims_pdf_a_1(document, budget)? {
        notes.push(
            "the document claims to be PDF/A-1, which knows no transparency; with the watermark it does not conform"
                .to_owned(),
        );
    }
    Ok(notes)
}

/// Whether the document holds a signature: a dictionary that says which bytes it covers.
fn is_signed(document: &Document) -> bool {
    let signs =
        |object: &Object| object.as_dict().is_ok_and(|dict| dict.has(b"ByteRange") && dict.has(b"Contents"));
    let holds =
        |object: &Object| signs(object) || object.as_dict().is_ok_and(|dict| dict.get(b"V").is_ok_and(signs));
    document.objects.values().any(holds)
}

/// Whether the metadata claim part 1 of PDF/A, as an element or as an attribute.
fn claims_pdf_a_1(document: &Document, budget: &Budget) -> Result<bool, EngineError> {
    let metadata = document.catalog().ok().and_then(|catalog| catalog.get(b"Metadata").ok());
    let Some(Object::Stream(stream)) = metadata.and_then(|value| resolved(document, value)) else {
        return Ok(false);
    };
    let Some(decoded) = decode(document, stream, budget)? else { return Ok(false) };
    let text: String =
        String::from_utf8_lossy(&decoded.data).chars().filter(|c| !c.is_whitespace() && *c != '\0').collect();
    Ok(["pdfaid:part>1<", "pdfaid:part=\"1\"", "pdfaid:part='1'"].iter().any(|claim| text.contains(claim)))
}
