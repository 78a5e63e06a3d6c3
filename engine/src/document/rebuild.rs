//! Rebuilds the cross-reference table of a damaged file: finds the objects by scanning the file, and the catalog or the
//! pages among the objects.
//!
//! lopdf rebuilds the table too, but only if a trailer or a catalog survives, the catalog is an indirect object, and
//! each object begins a line. This module makes none of these assumptions. [`with_table`] appends a new table to the
//! file, so that lopdf parses the objects; [`set_catalog`] then finds the catalog among the parsed objects.

use super::lexical::is_white_space;
use super::page_tree;
use crate::Limits;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::BTreeMap;
use std::ops::Range;

/// The maximum number of an object. Larger numbers occur only in damaged or malicious files.
const MAX_NUMBER: u32 = 10_000_000;

/// The maximum number of trailers that are read, from the end of the file.
const MAX_TRAILERS: usize = 16;

/// The maximum number of catalogs, and of page trees, that are tried. Each one is walked: without this limit, the time
/// would grow with the square of their number.
const MAX_CANDIDATES: usize = 64;

/// The objects and trailers that were found by scanning a file.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The offset and the generation of the last object with each number.
    objects: BTreeMap<u32, (usize, u16)>,
    /// The offsets of the data after the keyword `trailer`.
    trailers: Vec<usize>,
}

/// Finds the objects and the trailers of a file. The data of streams are skipped.
pub(super) fn scan(bytes: &[u8]) -> Scan {
    let mut found = Scan::default();
    let mut at = 0;
    // If no `endstream` was found once, the rest of the file has none, and is not searched again.
    let mut unterminated = false;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let before = bytes.get(..at).unwrap_or_default();
        if rest.starts_with(b"obj") && !rest.get(3).is_some_and(u8::is_ascii_alphanumeric) {
            if let Some((offset, number, generation)) = header_before(before) {
                found.objects.insert(number, (offset, generation));
            }
            at += 3;
        } else if rest.starts_with(b"trailer") {
            found.trailers.push(at + 7);
            at += 7;
        } else if !unterminated
            && rest.starts_with(b"stream")
            && matches!(rest.get(6), Some(b'\r' | b'\n' | b' '))
            && !before.ends_with(b"end")
        {
            let end = position(rest, b"endstream");
            unterminated = end.is_none();
            at += end.unwrap_or(6);
        } else {
            at += 1;
        }
    }
    found
}

/// The start, the number and the generation of the object header (`12 0 obj`) whose keyword follows `before`.
fn header_before(before: &[u8]) -> Option<(usize, u32, u16)> {
    let (generation, rest) = number_at_end(before)?;
    let (number, rest) = number_at_end(rest)?;
    let generation = u16::try_from(generation).ok()?;
    (0 < number && number <= MAX_NUMBER).then_some((rest.len(), number, generation))
}

/// The number at the end of the bytes, which white space may follow, and the bytes before the number.
fn number_at_end(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let spaces = bytes.iter().rev().take(32).take_while(|byte| is_white_space(**byte)).count();
    let bytes = bytes.get(..bytes.len().checked_sub(spaces.max(1))?)?;
    let digits = bytes.iter().rev().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = bytes.split_at_checked(bytes.len() - digits)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// The numbers of the catalog and the page tree that [`with_table`] adds. lopdf requires them; [`clear`] removes them.
pub(super) struct Placeholders(Range<u32>);

/// Appends a cross-reference table with the objects of the scan to the file; `None` if the scan found no objects.
pub(super) fn with_table(bytes: &[u8], scan: &Scan) -> Option<(Vec<u8>, Placeholders)> {
    let last = *scan.objects.keys().next_back()?;
    let (root, tree) = (last + 1, last + 2);
    // Offsets are relative to the header, as lopdf reads them.
    let header = position(bytes, b"%PDF-")?;
    let mut file = bytes.to_vec();
    file.push(b'\n');
    let mut place = |text: String| {
        let offset = file.len();
        file.extend(text.bytes());
        offset
    };
    let root_at = place(format!("{root} 0 obj\n<</Type/Catalog/Pages {tree} 0 R>>\nendobj\n"));
    let tree_at = place(format!("{tree} 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"));
    let start = place("xref\n".to_owned());
    let added = [(root, (root_at, 0)), (tree, (tree_at, 0))];
    let objects = scan.objects.iter().map(|(number, place)| (*number, *place)).chain(added);
    for (number, (offset, generation)) in objects {
        let Some(offset) = offset.checked_sub(header) else { continue };
        file.extend(format!("{number} 1\n{offset:010} {generation:05} n \n").bytes());
    }
    let start = start - header;
    file.extend(
        format!("trailer\n<</Size {}/Root {root} 0 R>>\nstartxref\n{start}\n%%EOF\n", tree + 1).bytes(),
    );
    Some((file, Placeholders(root..tree + 1)))
}

/// The trailers of the file: the dictionaries after the keyword `trailer`, and those of the cross-reference streams,
/// the last one first. `parse` reads a file.
pub(super) fn trailers(
    document: &Document,
    bytes: &[u8],
    scan: &Scan,
    parse: impl Fn(&[u8]) -> Option<Document>,
) -> Vec<Dictionary> {
    let mut found: Vec<(usize, Dictionary)> = Vec::new();
    for &at in scan.trailers.iter().rev().take(MAX_TRAILERS) {
        let text = bytes.get(at..).unwrap_or_default();
        let end = position(text, b"startxref").unwrap_or(text.len()).min(1 << 16);
        // lopdf parses only whole files.
        let mut file = b"%PDF-1.4\n1 0 obj\n".to_vec();
        file.extend(text.get(..end).unwrap_or_default());
        let size = file.len() + 1;
        file.extend(format!("\nxref\n1 1\n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R>>\nstartxref\n{size}\n%%EOF\n").bytes());
        let parsed = parse(&file).and_then(|file| file.get_dictionary((1, 0)).ok().cloned());
        found.extend(parsed.map(|dict| (at, dict)));
    }
    for (id, object) in &document.objects {
        if let Ok(stream) = object.as_stream()
            && stream.dict.has_type(b"XRef")
            && let Some((at, _)) = scan.objects.get(&id.0)
        {
            found.push((*at, stream.dict.clone()));
        }
    }
    found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    found.into_iter().map(|(_, dict)| dict).collect()
}

/// Removes all objects and trailer entries that the scan did not find.
pub(super) fn clear(document: &mut Document, placeholders: &Placeholders, scan: &Scan) {
    document.objects.retain(|id, _| scan.objects.contains_key(&id.0) && !placeholders.0.contains(&id.0));
    document.trailer = Dictionary::new();
}

/// Adds the objects in object streams to the document. If several objects have the same number, the one in the last
/// object stream of the file is used.
pub(super) fn add_packed(document: &mut Document, scan: &Scan, limit: usize) {
    let mut containers: Vec<(usize, ObjectId)> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"ObjStm")))
        .filter_map(|(id, _)| Some((scan.objects.get(&id.0)?.0, *id)))
        .collect();
    containers.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (_, id) in containers {
        let members = match document.get_object(id).and_then(Object::as_stream) {
            Ok(stream) => lopdf::ObjectStream::new_with_limit(stream, Some(limit)),
            Err(_) => continue,
        };
        for (id, object) in members.map(|members| members.objects).unwrap_or_default() {
            document.objects.entry(id).or_insert(object);
            document.max_id = document.max_id.max(id.0);
        }
    }
}

/// Where [`set_catalog`] found the pages of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Trailer,
    Catalog,
    Tree,
    Pages,
}

impl Origin {
    /// The part of a note that describes what was found.
    pub(super) const fn note(self) -> &'static str {
        match self {
            Self::Trailer => "its catalog was found through a trailer",
            Self::Catalog => "its catalog was found by scanning the file",
            Self::Tree => "its page tree was found by scanning the file",
            Self::Pages => "its pages were found by scanning the file, and their order is that of the file",
        }
    }

    /// Whether the document has a catalog. Other readers do not open documents without one.
    pub(super) const fn has_catalog(self) -> bool {
        matches!(self, Self::Trailer | Self::Catalog)
    }
}

/// Sets the catalog of a document whose objects were found by scanning: the catalog of a trailer, or else any catalog,
/// or else a new catalog for a page tree or for all pages that were found. `None` if the document has no pages.
pub(super) fn set_catalog(
    document: &mut Document,
    trailers: &[Dictionary],
    scan: &Scan,
    limits: &Limits,
) -> Option<Origin> {
    let has_pages = |document: &Document, root: ObjectId| page_tree::count(document, root, limits) > 0;
    for trailer in trailers {
        for key in [&b"Info"[..], b"ID"] {
            if let Ok(value) = trailer.get(key)
                && !document.trailer.has(key)
            {
                document.trailer.set(key, value.clone());
            }
        }
    }
    let named = trailers.iter().filter_map(|trailer| trailer.get(b"Root").ok()).cloned();
    for root in named.collect::<Vec<_>>() {
        let id = match root {
            Object::Reference(id) => id,
            direct => document.add_object(direct),
        };
        if has_pages(document, id) {
            document.trailer.set("Root", id);
            return Some(Origin::Trailer);
        }
    }
    let mut catalogs: Vec<ObjectId> = of_type(document, b"Catalog").collect();
    catalogs.sort_by_key(|id| std::cmp::Reverse(scan.objects.get(&id.0).map(|(at, _)| *at)));
    if let Some(id) = catalogs.into_iter().take(MAX_CANDIDATES).find(|id| has_pages(document, *id)) {
        document.trailer.set("Root", id);
        return Some(Origin::Catalog);
    }
    let trees = of_type(document, b"Pages").filter(|id| {
        let parent = document.get_dictionary(*id).and_then(|node| node.get(b"Parent"));
        !parent.and_then(Object::as_reference).is_ok_and(|parent| document.get_dictionary(parent).is_ok())
    });
    let counted = trees.take(MAX_CANDIDATES).map(|id| (page_tree::count_from(document, id, limits), id));
    if let Some((_, tree)) = counted.max().filter(|(pages, _)| *pages > 0) {
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", root);
        return Some(Origin::Tree);
    }
    let mut pages: Vec<ObjectId> = of_type(document, b"Page").collect();
    pages.sort_by_key(|id| (scan.objects.get(&id.0).map(|(at, _)| *at), *id));
    if pages.is_empty() {
        return None;
    }
    let kids: Vec<Object> = pages.into_iter().map(Object::Reference).collect();
    let tree = document.add_object(dictionary! { "Type" => "Pages", "Kids" => kids });
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", root);
    Some(Origin::Pages)
}

fn of_type<'a>(document: &'a Document, kind: &'a [u8]) -> impl Iterator<Item = ObjectId> + 'a {
    document
        .objects
        .iter()
        .filter(move |(_, object)| object.as_dict().is_ok_and(|dict| dict.has_type(kind)))
        .map(|(id, _)| *id)
}

/// The first position of `word` in `bytes`.
pub(super) fn position(bytes: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_anywhere_but_in_streams() {
        let file = b"%PDF-1.4\n1 0 obj<</A 1>>endobj 2 0 obj<<>>stream\n9 0 obj endstream endobj3 1 obj 1 endobj\nx4 0 objx trailer<<>>";
        let found = scan(file);
        let numbers: Vec<(u32, u16)> = found.objects.iter().map(|(id, place)| (*id, place.1)).collect();
        assert_eq!(numbers, [(1, 0), (2, 0), (3, 1)]);
        assert!(found.objects.values().all(|(at, _)| file[*at].is_ascii_digit()));
        assert_eq!(found.trailers.len(), 1);
    }
}
