//! Embedded files. In a PDF/A-3 document they are kept, and the entries that must describe them are added. For PDF/A-2
//! they are removed.

use super::Part;
use crate::document::{dictionary_mut, hoist, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, dictionary};
use std::collections::BTreeSet;

/// Keeps or removes the embedded files, as the chosen part of PDF/A requires.
pub(super) fn keep_or_remove(document: &mut Document, part: Part, notes: &mut Vec<String>) {
    // An associated file (`AF`) must be an indirect file specification.
    hoist(document, &|dict| dict.has(b"EF"));
    let specifications: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|dict| dict.has(b"EF")))
        .map(|(id, _)| *id)
        .collect();
    if specifications.is_empty() {
        return;
    }
    match part {
        Part::Two => remove_files(document, &specifications, notes),
        Part::Three => add_required_entries(document, &specifications),
    }
}

fn remove_files(document: &mut Document, specifications: &[ObjectId], notes: &mut Vec<String>) {
    for id in specifications {
        if let Ok(specification) = document.get_dictionary_mut(*id) {
            specification.remove(b"EF");
            specification.remove(b"RF");
        }
    }
    for object in document.objects.values_mut() {
        if let Some(dict) = dictionary_mut(object) {
            dict.remove(b"AF");
        }
    }
    edit_names(document, |names| {
        names.remove(b"EmbeddedFiles");
    });
    notes.push(format!(
        "{} embedded file{} removed, because PDF/A-2 does not allow them; use pdf_a3_b to keep them",
        specifications.len(),
        if specifications.len() == 1 { " was" } else { "s were" }
    ));
}

/// Adds the entries that PDF/A-3 requires: the name of each file, its media type and its relationship to the document.
fn add_required_entries(document: &mut Document, specifications: &[ObjectId]) {
    let mut associated: Vec<Object> = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"AF", document))
        .and_then(Object::as_array)
        .cloned()
        .unwrap_or_default();
    let known: BTreeSet<ObjectId> = associated.iter().filter_map(|item| item.as_reference().ok()).collect();
    for id in specifications {
        let Ok(specification) = document.get_dictionary(*id) else { continue };
        let mut specification = specification.clone();
        let name = ["UF", "F", "Unix", "DOS", "Mac"]
            .iter()
            .find_map(|key| {
                specification.get(key.as_bytes()).ok().and_then(|value| resolved(document, value))
            })
            .and_then(|value| value.as_str().ok())
            .filter(|name| !name.is_empty())
            .map_or_else(|| b"file".to_vec(), <[u8]>::to_vec);
        for key in ["F", "UF"] {
            if !specification
                .get(key.as_bytes())
                .is_ok_and(|value| value.as_str().is_ok_and(|s| !s.is_empty()))
            {
                specification.set(key, Object::String(name.clone(), StringFormat::Literal));
            }
        }
        specification.set("Type", "Filespec");
        let relations: [&[u8]; 7] =
            [b"Source", b"Data", b"Alternative", b"Supplement", b"EncryptedPayload", b"FormData", b"Schema"];
        if !specification
            .get(b"AFRelationship")
            .and_then(Object::as_name)
            .is_ok_and(|name| relations.contains(&name))
        {
            specification.set("AFRelationship", "Unspecified");
        }
        let files: Vec<ObjectId> = match specification.get_deref(b"EF", document).and_then(Object::as_dict) {
            Ok(files) => files.iter().filter_map(|(_, file)| file.as_reference().ok()).collect(),
            Err(_) => Vec::new(),
        };
        let kind = media_type(&name);
        for file in files {
            if let Ok(Object::Stream(stream)) = document.get_object_mut(file) {
                stream.dict.set("Type", "EmbeddedFile");
                let named = stream
                    .dict
                    .get(b"Subtype")
                    .and_then(Object::as_name)
                    .is_ok_and(|kind| kind.contains(&b'/'));
                if !named {
                    stream.dict.set("Subtype", kind);
                }
                if !stream.dict.has(b"Params") {
                    let date = Object::String(b"D:19700101000000Z".to_vec(), StringFormat::Literal);
                    stream.dict.set("Params", dictionary! { "ModDate" => date });
                }
            }
        }
        document.objects.insert(*id, Object::Dictionary(specification));
        if !known.contains(id) {
            associated.push((*id).into());
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("AF", associated);
    }
}

/// The media type of a file, by the extension of the file name. `application/octet-stream` if the extension is unknown.
fn media_type(name: &[u8]) -> &'static str {
    let plain: Vec<u8> = name.iter().filter(|byte| **byte != 0).map(u8::to_ascii_lowercase).collect();
    let extension = plain.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    match extension {
        b"pdf" => "application/pdf",
        b"xml" => "text/xml",
        b"txt" => "text/plain",
        b"csv" => "text/csv",
        b"html" | b"htm" => "text/html",
        b"json" => "application/json",
        b"jpg" | b"jpeg" => "image/jpeg",
        b"png" => "image/png",
        b"tif" | b"tiff" => "image/tiff",
        b"zip" => "application/zip",
        b"doc" => "application/msword",
        b"xls" => "application/vnd.ms-excel",
        b"docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        b"xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}

fn edit_names(document: &mut Document, edit: impl FnOnce(&mut Dictionary)) {
    let names = document
        .catalog()
        .ok()
        .and_then(|catalog| catalog.get_deref(b"Names", document).and_then(Object::as_dict).ok())
        .cloned();
    if let (Some(mut names), Ok(catalog)) = (names, document.catalog_mut()) {
        edit(&mut names);
        catalog.set("Names", names);
    }
}
