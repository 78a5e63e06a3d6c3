//! Whether a document is signed: whatever is changed in it then breaks the signature.

use crate::document::resolved;
use lopdf::{Dictionary, Document, Object};

/// Whether the document carries a signature, or rights that a signature grants.
pub(super) fn is_signed(document: &Document) -> bool {
    let granted = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"Perms", document))
        .and_then(Object::as_dict)
        .is_ok_and(|rights| !rights.is_empty());
    granted
        || document
            .objects
            .values()
            .filter_map(|object| object.as_dict().ok())
            .any(|dict| is_signature_of(document, dict))
}

/// A field of signature whose value is there, or a signature as such.
fn is_signature_of(document: &Document, dict: &Dictionary) -> bool {
    let is_value = |dict: &Dictionary| dict.has(b"ByteRange") && dict.has(b"Contents");
    let is_field = dict.get(b"FT").and_then(Object::as_name).is_ok_and(|kind| kind == b"Sig");
    is_value(dict)
        || is_field
            && dict
                .get(b"V")
                .ok()
                .and_then(|value| resolved(document, value))
                .and_then(|value| value.as_dict().ok())
                .is_some_and(is_value)
}
