//! Removes metadata, output intents, private data and thumbnails, as the profile requires.

use super::settings::Settings;
use crate::document::dictionary_mut;
use lopdf::{Dictionary, Document};

/// Removes the data that the settings of the profile name.
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
        // `PieceInfo` contains private data of editing programs, which viewers do not use.
        dict.remove(b"PieceInfo");
        if dict.has_type(b"Page") {
            dict.remove(b"Thumb");
        }
    }
    // A metadata stream is always referenced. Property lists and other dictionaries may have a direct value under the
    // same key, which is not a metadata stream.
    if settings.strip_metadata && dict.get(b"Metadata").is_ok_and(|value| value.as_reference().is_ok()) {
        dict.remove(b"Metadata");
    }
}
