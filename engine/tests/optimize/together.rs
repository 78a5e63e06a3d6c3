//! Merges documents, and reads or replaces the font files of a document.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::BTreeSet;

/// One document with the pages of all sources.
pub(crate) fn together(sources: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Document::load_mem(&sources[0]).unwrap();
    all.renumber_objects();
    let tree = all.catalog().unwrap().get(b"Pages").and_then(Object::as_reference).unwrap();
    for source in &sources[1..] {
        let mut other = Document::load_mem(source).unwrap();
        other.renumber_objects_with(all.max_id + 1);
        let pages: Vec<ObjectId> = other.get_pages().into_values().collect();
        all.max_id = other.max_id;
        all.objects.extend(other.objects);
        for page in pages {
            all.get_dictionary_mut(page).unwrap().set("Parent", tree);
            let tree = all.get_dictionary_mut(tree).unwrap();
            tree.get_mut(b"Kids").and_then(Object::as_array_mut).unwrap().push(page.into());
            let count = tree.get(b"Count").and_then(Object::as_i64).unwrap();
            tree.set("Count", count + 1);
        }
    }
    let mut bytes = Vec::new();
    all.save_to(&mut bytes).unwrap();
    bytes
}

/// The font descriptors of a document.
fn descriptors(document: &Document) -> impl Iterator<Item = &Dictionary> {
    let dicts = document.objects.values().filter_map(|object| object.as_dict().ok());
    dicts.filter(|dict| dict.has_type(b"FontDescriptor"))
}

/// The object identifiers of the embedded font files (TrueType and CFF) of a document.
pub(crate) fn font_files(document: &Document) -> BTreeSet<ObjectId> {
    let file = |descriptor: &Dictionary| {
        let file = descriptor.get(b"FontFile2").or_else(|_| descriptor.get(b"FontFile3"));
        file.and_then(Object::as_reference).ok()
    };
    descriptors(document).filter_map(file).collect()
}

/// The number of embedded font files (TrueType and CFF) in a document.
pub(crate) fn count_font_files(bytes: &[u8]) -> usize {
    font_files(&Document::load_mem(bytes).unwrap()).len()
}

/// The font names in font dictionaries and font descriptors, each name once.
pub(crate) fn font_names(bytes: &[u8]) -> BTreeSet<String> {
    let document = Document::load_mem(bytes).unwrap();
    let dicts = document.objects.values().filter_map(|object| object.as_dict().ok());
    let names = dicts.flat_map(|dict| [dict.get(b"BaseFont"), dict.get(b"FontName")]);
    names
        .filter_map(|name| name.and_then(Object::as_name).ok())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// The document after `change` has changed the data of each font file.
pub(crate) fn with_fonts(bytes: &[u8], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut document = Document::load_mem(bytes).unwrap();
    for id in font_files(&document) {
        let stream = document.get_object_mut(id).and_then(Object::as_stream_mut).unwrap();
        let mut font = stream.get_plain_content().unwrap();
        change(&mut font);
        let mut dict = Dictionary::new();
        dict.extend(&stream.dict);
        dict.remove(b"Filter");
        *stream = Stream::new(dict, font);
    }
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}
