//! Notices for the user when a stamp invalidates signatures, or adds transparency to a PDF/A-1 document.

use crate::conformance::{Standard, declared_pdf_a};
use crate::notes::invalid_signatures;
use lopdf::Document;

/// The notes for the user: one if the stamp invalidates signatures, and one if it adds transparency to a PDF/A-1
/// document.
pub(super) fn notices(document: &Document, transparent: bool) -> Vec<String> {
    let mut notes: Vec<String> = invalid_signatures(document).into_iter().collect();
    if transparent && matches!(declared_pdf_a(document), Some(Standard::Archive { part: 1, .. })) {
        notes.push(
            "the document declares PDF/A-1, which does not allow transparency; with the watermark it no longer conforms"
                .to_owned(),
        );
    }
    notes
}
