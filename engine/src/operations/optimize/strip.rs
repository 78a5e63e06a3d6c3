//! Dropping what a profile does without: metadata, output intents, private data, thumbnails.

use super::settings::Settings;
use crate::document::dictionary_mut;
use lopdf::{Dictionary, Document};

/// Drops it.
pub(super) fn strip(document: &mut Document, settings: &Settings) {
    for object in document.objects.values_mut() {
        if let Some(dict) = dictionary_mut(object) {
            strip_dictionary(dict, settings);
        }
    }
    if settings.strip_metadata {
        if let Ok(catalog) = document.catalog_mut() {
            catalog.remove(b"OutputIntents");
        }
        document.trailer.remove(b"Info");
    }
}

fn strip_dictionary(dict: &mut Dictionary, settings: &Settings) {
    if settings.strip_private {
        // Data of the programs that made the document, which its readers do not show.
        dict.remove(b"PieceInfo");
        if dict.has_type(b"Page") {
            dict.remove(b"Thumb");
        }
    }
    // Marked content may have a property of any name, and form fields a key of their own; metadata is a stream that
    // an entry of this name refers to.
    if settings.strip_metadata && dict.get(b"Metadata").is_ok_and(|value| value.as_reference().is_ok()) {
        dict.remove(b"Metadata");
    }
}
