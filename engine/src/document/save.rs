//! Saves a document. The reachable objects are renumbered, and packed into deflated object streams if the options
//! request it.

use super::container::{
    Entry, Numbered, may_be_packed, object_stream, version, write_header, write_indirect, write_xref_table,
    xref_stream,
};
use super::graph::{TRAILER_ROOTS, reachable};
use crate::EngineError;
use lopdf::{Dictionary, Document, EncryptionState, Object, ObjectId, StringFormat};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The maximum number of objects in one object stream. A reader must inflate the whole stream to read one object.
const OBJECTS_PER_STREAM: usize = 200;

/// How a document is saved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SaveOptions {
    /// Whether to write object streams and a cross-reference stream (PDF 1.5) instead of a cross-reference table.
    pub(crate) object_streams: bool,
    /// Whether a document that was encrypted when it was loaded is encrypted again, with the same passwords.
    pub(crate) keep_encryption: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { object_streams: true, keep_encryption: true }
    }
}

/// Saves a document. Objects that nothing refers to are left out. The other objects get new numbers.
///
/// # Errors
/// [`EngineError::Internal`] if the document's encryption cannot be restored.
pub(crate) fn save(document: &Document, options: &SaveOptions) -> Result<Vec<u8>, EngineError> {
    let order = reachable(document).order;
    let objects = |packed: bool| {
        order
            .iter()
            .filter_map(|id| Some((*id, document.objects.get(id)?)))
            .filter(move |(_, object)| (options.object_streams && may_be_packed(object)) == packed)
    };
    let packed: Vec<(ObjectId, &Object)> = objects(true).collect();
    let plain: Vec<(ObjectId, &Object)> = objects(false).collect();
    let encryption = document.encryption_state.as_ref().filter(|_| options.keep_encryption);
    let encrypt = encryption
        .map(|state| Ok::<_, EngineError>((fresh_id(document), encryption_dictionary(state)?)))
        .transpose()?;
    let ids = packed.iter().chain(&plain).map(|(id, _)| *id).chain(encrypt.iter().map(|(id, _)| *id));
    let numbers: HashMap<ObjectId, u32> = ids.zip(1..).collect();
    let number = |id: ObjectId| numbers.get(&id).copied();

    let mut out = Vec::new();
    let mut entries = vec![Entry::Free; 1 + numbers.len()];
    let mut next =
        u32::try_from(entries.len()).map_err(|_| EngineError::limit("objects", u32::MAX.to_string()))?;
    write_header(
        &mut out,
        version(document, encryption, if options.object_streams { (1, 5) } else { (1, 0) }),
    );
    for (id, object) in &plain {
        let Some(own) = number(*id) else { continue };
        place(&mut entries, own, Entry::At(out.len()));
        write_indirect(&mut out, (own, object), &number, encryption)?;
    }
    for group in packed.chunks(OBJECTS_PER_STREAM) {
        let group: Vec<Numbered<'_>> =
            group.iter().filter_map(|(id, object)| Some((number(*id)?, *object))).collect();
        for (index, (own, _)) in group.iter().enumerate() {
            place(&mut entries, *own, Entry::In(next, index));
        }
        entries.push(Entry::At(out.len()));
        write_indirect(&mut out, (next, &object_stream(&group, &number)?), &number, encryption)?;
        next += 1;
    }
    let mut trailer = trailer(document, &out, encryption.is_some());
    if let Some((id, dictionary)) = &encrypt
        && let Some(own) = number(*id)
    {
        place(&mut entries, own, Entry::At(out.len()));
        write_indirect(&mut out, (own, dictionary), &number, None)?;
        trailer.set("Encrypt", Object::Reference(*id));
    }

    let start = out.len();
    if options.object_streams {
        entries.push(Entry::At(start));
        trailer.set("Size", i64::from(next) + 1);
        write_indirect(&mut out, (next, &xref_stream(&entries, 0, trailer, true, None)?), &number, None)?;
    } else {
        trailer.set("Size", i64::from(next));
        write_xref_table(&mut out, &entries, 0, &trailer, &number);
    }
    out.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
    Ok(out)
}

/// An object identifier that the document does not use yet.
pub(crate) fn fresh_id(document: &Document) -> ObjectId {
    let last = document.objects.keys().next_back().map_or(0, |id| id.0);
    (last.max(document.max_id).saturating_add(1), 0)
}

fn place(entries: &mut [Entry], number: u32, entry: Entry) {
    if let Some(slot) = usize::try_from(number).ok().and_then(|at| entries.get_mut(at)) {
        *slot = entry;
    }
}

/// The trailer of the new file, without the entry Size. `body` is the content of the new file, from which the file
/// identifier is computed. `encrypted` is whether the new file is encrypted.
pub(crate) fn trailer(document: &Document, body: &[u8], encrypted: bool) -> Dictionary {
    let mut trailer = Dictionary::new();
    for key in TRAILER_ROOTS {
        if let Ok(value) = document.trailer.get(key) {
            trailer.set(key, value.clone());
        }
    }
    trailer.set("ID", identifier(document, body, encrypted));
    trailer
}

/// The file identifier of the new file (ISO 32000-1, 14.4). The first part is copied from the original file, if that
/// file has an identifier. The second part is a hash of the new content. The key of an encrypted file depends on the
/// first part, which is therefore kept even if it is empty.
fn identifier(document: &Document, body: &[u8], encrypted: bool) -> Object {
    let now = Sha256::digest(body).iter().copied().take(16).collect::<Vec<u8>>();
    let original = document
        .trailer
        .get_deref(b"ID", document)
        .and_then(Object::as_array)
        .ok()
        .and_then(|pair| pair.first()?.as_str().ok())
        .filter(|id| encrypted || !id.is_empty())
        .map_or_else(|| now.clone(), <[u8]>::to_vec);
    let string = |bytes| Object::String(bytes, StringFormat::Hexadecimal);
    Object::Array(vec![string(original), string(now)])
}

/// The encryption dictionary of the new file, which opens with the same passwords as the original file.
///
/// # Errors
/// [`EngineError::Internal`] if the encryption dictionary cannot be made from the state.
pub(crate) fn encryption_dictionary(state: &EncryptionState) -> Result<Object, EngineError> {
    state.encode().map(Object::Dictionary).map_err(|error| {
        EngineError::Internal(format!("the encryption dictionary cannot be written: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Job;
    use crate::document::{load, load_with_password};
    use lopdf::encryption::crypt_filters::{Aes256CryptFilter, CryptFilter};
    use lopdf::{EncryptionVersion, Permissions, Stream, dictionary};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// A document of one page with text, an unused object, and a gap in the object numbers.
    fn sample() -> Document {
        let mut document = Document::with_version("1.3");
        let unused = document.add_object(Object::string_literal("unused"));
        document.max_id += 1000;
        let content = document.add_object(Stream::new(Dictionary::new(), b"BT (Hello) Tj ET".to_vec()));
        let tree = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Lost" => Object::Reference((9999, 0)),
            "MediaBox" => vec![0.into(), 0.into(), 100.into(), 100.into()]
        });
        document.objects.insert(
            tree,
            dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 }.into(),
        );
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        let info = document.add_object(dictionary! { "Title" => Object::string_literal("A (title)") });
        document.trailer.set("Root", root);
        document.trailer.set("Info", info);
        assert!(document.has_object(unused));
        document
    }

    fn title(document: &Document) -> Vec<u8> {
        let info = document.trailer.get_deref(b"Info", document).and_then(Object::as_dict).unwrap();
        info.get(b"Title").and_then(Object::as_str).unwrap().to_vec()
    }

    #[test]
    fn both_forms_load_again_with_the_used_objects_only() {
        for object_streams in [true, false] {
            let bytes = save(&sample(), &SaveOptions { object_streams, ..SaveOptions::default() }).unwrap();
            let again = load(&bytes, &Job::default()).unwrap();
            assert_eq!(title(&again), b"A (title)");
            assert_eq!(again.get_page_content(again.get_pages()[&1]).trim_ascii(), b"BT (Hello) Tj ET");
            let own = again
                .objects
                .values()
                .filter(|object| !matches!(object.type_name(), Ok(b"ObjStm" | b"XRef")));
            assert_eq!(own.count(), 5);
            assert_eq!(bytes.starts_with(b"%PDF-1.5"), object_streams);
        }
    }

    #[test]
    fn an_encrypted_document_is_encrypted_again_with_the_same_passwords() {
        let mut document = sample();
        let filter: Arc<dyn CryptFilter> = Arc::new(Aes256CryptFilter);
        let state = EncryptionState::try_from(EncryptionVersion::V5 {
            encrypt_metadata: true,
            crypt_filters: BTreeMap::from([(b"StdCF".to_vec(), filter)]),
            file_encryption_key: &[7; 32],
            stream_filter: b"StdCF".to_vec(),
            string_filter: b"StdCF".to_vec(),
            owner_password: "owner",
            user_password: "user",
            permissions: Permissions::all(),
        })
        .unwrap();
        document.encryption_state = Some(state);
        for object_streams in [true, false] {
            let bytes = save(&document, &SaveOptions { object_streams, ..SaveOptions::default() }).unwrap();
            assert!(!bytes.windows(5).any(|window| window == b"title" || window == b"Hello"));
            assert!(matches!(load(&bytes, &Job::default()), Err(EngineError::PasswordRequired)));
            let wrong = load_with_password(&bytes, "wrong", &Job::default());
            assert!(matches!(wrong, Err(EngineError::WrongPassword)), "{wrong:?}");
            for password in ["user", "owner"] {
                let again = load_with_password(&bytes, password, &Job::default()).unwrap();
                assert_eq!(title(&again), b"A (title)", "{password} {object_streams}");
                assert_eq!(again.get_page_content(again.get_pages()[&1]).trim_ascii(), b"BT (Hello) Tj ET");
            }
        }
    }

    #[test]
    fn a_document_saved_twice_is_the_same_file() {
        let once = save(&sample(), &SaveOptions::default()).unwrap();
        assert_eq!(once, save(&sample(), &SaveOptions::default()).unwrap());
    }
}
