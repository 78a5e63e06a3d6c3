//! Repairs faults of a loaded document that readers accept.

use super::graph::{for_each_reference, rewrite_references};
use lopdf::{Document, Object, ObjectId};
use std::collections::HashMap;

/// If the trailer contains the catalog instead of referring to it, makes the catalog an indirect object.
pub(super) fn make_catalog_indirect(document: &mut Document) {
    if let Ok(catalog @ Object::Dictionary(_)) = document.trailer.get(b"Root").cloned() {
        let id = document.add_object(catalog);
        document.trailer.set("Root", id);
    }
}

/// The maximum number of an object that is reserved. Larger numbers occur in documents only by mistake.
const MAX_RESERVED: u32 = 10_000_000;

/// Reserves the numbers of missing objects that the document refers to. Otherwise a new object could get such a number,
/// and the references would lead to it.
pub(super) fn reserve_missing(document: &mut Document) {
    let mut highest = document.max_id;
    let mut reserve = |id: ObjectId| {
        if id.0 <= MAX_RESERVED {
            highest = highest.max(id.0);
        }
    };
    document.objects.values().for_each(|object| for_each_reference(object, &mut reserve));
    document.trailer.iter().for_each(|(_, value)| for_each_reference(value, &mut reserve));
    document.max_id = highest;
}

/// Makes references that lead to other references lead to the final object. A reference that leads back to itself is a
/// reference to no object. Returns whether the document had such references.
pub(super) fn resolve_aliases(document: &mut Document) -> bool {
    let aliases: HashMap<ObjectId, ObjectId> =
        document.objects.iter().filter_map(|(id, object)| Some((*id, object.as_reference().ok()?))).collect();
    if aliases.is_empty() {
        return false;
    }
    document.objects.retain(|id, _| !aliases.contains_key(id));
    // The chains can be long, so each one is followed only once.
    let mut ends: HashMap<ObjectId, ObjectId> = HashMap::new();
    for start in aliases.keys() {
        let mut path = Vec::new();
        let mut at = *start;
        while let Some(next) = aliases.get(&at).filter(|_| !ends.contains_key(&at)) {
            path.push(at);
            // Until its end is known, an object leads to itself. This ends loops.
            ends.insert(at, at);
            at = *next;
        }
        let end = ends.get(&at).copied().unwrap_or(at);
        ends.extend(path.into_iter().map(|id| (id, end)));
    }
    let mut change = |id: ObjectId| ends.get(&id).copied();
    for object in document.objects.values_mut() {
        rewrite_references(object, &mut change);
    }
    for (_, value) in document.trailer.iter_mut() {
        rewrite_references(value, &mut change);
    }
    true
}

/// The abbreviations that are allowed for inline images only (ISO 32000-1, table 94). Readers accept them for all
/// streams.
const ABBREVIATIONS: [(&[u8], &[u8]); 7] = [
    (b"AHx", b"ASCIIHexDecode"),
    (b"A85", b"ASCII85Decode"),
    (b"LZW", b"LZWDecode"),
    (b"Fl", b"FlateDecode"),
    (b"RL", b"RunLengthDecode"),
    (b"CCF", b"CCITTFaxDecode"),
    (b"DCT", b"DCTDecode"),
];

/// Replaces abbreviated names of filters by the full names, and the entry `DP` by `DecodeParms`.
pub(super) fn expand_filter_names(document: &mut Document) {
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        match stream.dict.get_mut(b"Filter") {
            Ok(Object::Array(names)) => names.iter_mut().for_each(expand),
            Ok(name) => expand(name),
            Err(_) => continue,
        }
        if !stream.dict.has(b"DecodeParms")
            && let Some(parameters) = stream.dict.remove(b"DP")
        {
            stream.dict.set("DecodeParms", parameters);
        }
    }
}

fn expand(name: &mut Object) {
    let Object::Name(name) = name else { return };
    if let Some((_, full)) = ABBREVIATIONS.iter().find(|(short, _)| *short == name.as_slice()) {
        *name = full.to_vec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::{Stream, dictionary};

    #[test]
    fn chains_of_references_of_any_length_lead_to_their_end() {
        let mut document = Document::new();
        let to = |number: u32| Object::Reference((number, 0));
        for number in 1..=1000 {
            document.objects.insert((number, 0), to(number + 1));
        }
        document.objects.insert((1001, 0), Object::Integer(7));
        document.objects.insert((2001, 0), to(2002));
        document.objects.insert((2002, 0), to(2001));
        document.objects.insert((2003, 0), to(2003));
        document.objects.insert((3000, 0), vec![to(1), to(500), to(2001), to(2003), to(1001)].into());
        document.trailer.set("Root", to(3));
        assert!(resolve_aliases(&mut document));
        assert_eq!(document.trailer.get(b"Root").unwrap(), &to(1001));
        let all = document.get_object((3000, 0)).and_then(Object::as_array).unwrap().clone();
        let values: Vec<Option<i64>> =
            all.iter().map(|item| document.dereference(item).ok()?.1.as_i64().ok()).collect();
        assert_eq!(values, [Some(7), Some(7), None, None, Some(7)]);
        assert!(!resolve_aliases(&mut document));
    }

    #[test]
    fn new_objects_do_not_get_the_numbers_of_missing_objects() {
        let mut document = Document::new();
        let to = |number: u32| Object::Reference((number, 0));
        document.add_object(vec![to(40), to(u32::MAX)]);
        reserve_missing(&mut document);
        assert_eq!(document.add_object(1), (41, 0));
    }

    #[test]
    fn abbreviated_filters_get_their_full_names() {
        let mut document = Document::new();
        let filters = vec!["A85".into(), "Fl".into(), "Other".into()];
        let dict = dictionary! { "Filter" => filters, "DP" => vec![Object::Null] };
        let id = document.add_object(Stream::new(dict, Vec::new()));
        expand_filter_names(&mut document);
        let stream = document.get_object(id).and_then(Object::as_stream).unwrap();
        assert_eq!(stream.filters().unwrap(), [&b"ASCII85Decode"[..], b"FlateDecode", b"Other"]);
        assert!(stream.dict.has(b"DecodeParms") && !stream.dict.has(b"DP"));
    }
}
