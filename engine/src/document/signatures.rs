//! Digital signatures (ISO 32000-1, 12.8): whether a document is signed.

use super::graph::{for_each_dictionary, reachable};
use lopdf::{Dictionary, Document, Object};

/// Whether a document is signed, so that any change of the document makes a signature invalid. A document is signed if
/// it contains a signature dictionary, as an indirect object or as a direct value (of a field, for instance), or if
/// `Perms` in the catalog grants rights by a signature (DocMDP, UR3). Objects that nothing refers to, such as objects
/// of earlier revisions, do not count.
pub(crate) fn is_signed(document: &Document) -> bool {
    let has_permissions = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"Perms", document))
        .and_then(Object::as_dict)
        .is_ok_and(|permissions| !permissions.is_empty());
    let contains_signature = |object: &Object| {
        let mut found = false;
        for_each_dictionary(object, &mut |dict| found |= is_signature(dict));
        found
    };
    has_permissions
        || reachable(document).order.iter().filter_map(|id| document.objects.get(id)).any(contains_signature)
}

/// Whether a dictionary is a signature. A signature has the entries `ByteRange` (the bytes of the file that the
/// signature covers) and `Contents` (the value of the signature).
pub(crate) fn is_signature(dict: &Dictionary) -> bool {
    dict.has(b"ByteRange") && dict.has(b"Contents")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    fn with(change: impl FnOnce(&mut Document, &mut Dictionary)) -> Document {
        let mut document = Document::with_version("1.7");
        let mut catalog = dictionary! { "Type" => "Catalog" };
        change(&mut document, &mut catalog);
        let root = document.add_object(catalog);
        document.trailer.set("Root", root);
        document
    }

    fn signature() -> Dictionary {
        dictionary! { "ByteRange" => vec![0.into(), 1.into()], "Contents" => Object::string_literal("x") }
    }

    fn form(field: impl Into<Object>) -> Dictionary {
        dictionary! { "Fields" => vec![field.into()] }
    }

    #[test]
    fn signatures_are_found_wherever_they_are() {
        let indirect = with(|document, catalog| {
            let value = document.add_object(signature());
            let field = document.add_object(dictionary! { "FT" => "Sig", "V" => value });
            catalog.set("AcroForm", form(field));
        });
        let direct_value = with(|document, catalog| {
            let field = document.add_object(dictionary! { "FT" => "Sig", "V" => signature() });
            catalog.set("AcroForm", form(field));
        });
        let all_direct = with(|_, catalog| {
            catalog.set("AcroForm", form(dictionary! { "FT" => "Sig", "V" => signature() }));
        });
        let without_type = with(|document, catalog| {
            let parent = document.add_object(dictionary! { "FT" => "Sig" });
            let field = document.add_object(dictionary! { "Parent" => parent, "V" => signature() });
            catalog.set("AcroForm", form(field));
        });
        let permissions = with(|document, catalog| {
            let value = document.add_object(dictionary! { "Type" => "Sig" });
            catalog.set("Perms", dictionary! { "DocMDP" => value });
        });
        for document in [indirect, direct_value, all_direct, without_type, permissions] {
            assert!(is_signed(&document), "{document:?}");
        }
    }

    #[test]
    fn empty_fields_and_unused_signatures_are_no_signature() {
        let empty = with(|document, catalog| {
            let field = document.add_object(dictionary! { "FT" => "Sig" });
            catalog.set("AcroForm", form(field));
            catalog.set("Perms", Dictionary::new());
        });
        let unused = with(|document, _| {
            document.add_object(signature());
        });
        assert!(!is_signed(&empty) && !is_signed(&unused));
    }
}
