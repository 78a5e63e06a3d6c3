//! Detects digital signatures, which any change of the document would invalidate.

use crate::document::resolved;
use lopdf::{Dictionary, Document, Object};

/// Whether the document has a signature, or permissions that a signature grants.
pub(super) fn is_signed(document: &Document) -> bool {
    let has_permissions = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"Perms", document))
        .and_then(Object::as_dict)
        .is_ok_and(|permissions| !permissions.is_empty());
    has_permissions
        || document
            .objects
            .values()
            .filter_map(|object| object.as_dict().ok())
            .any(|dict| is_signature(document, dict))
}

/// Whether it is a signature dictionary, or a signature field with one as its value.
fn is_signature(document: &Document, dict: &Dictionary) -> bool {
    let is_signature_dictionary = |dict: &Dictionary| dict.has(b"ByteRange") && dict.has(b"Contents");
    let is_signature_field = dict.get(b"FT").and_then(Object::as_name).is_ok_and(|kind| kind == b"Sig");
    is_signature_dictionary(dict)
        || is_signature_field
            && dict
                .get(b"V")
                .ok()
                .and_then(|value| resolved(document, value))
                .and_then(|value| value.as_dict().ok())
                .is_some_and(is_signature_dictionary)
}
