//! Decrypts documents as readers do: finds the key with a password, and decrypts the objects.
//!
//! lopdf implements the algorithms, but opens fewer documents than other readers. It does not open documents with a
//! direct or incomplete encryption dictionary, without a file identifier, with crypt filters for single streams, or
//! with faults in a stream. Therefore this module loads the document as if it were not encrypted ([`hidden`]), and then
//! decrypts it object by object ([`decrypt`]) with a corrected encryption dictionary.

use super::encryption_dictionary::{self, Crypt};
use super::rebuild::position;
use crate::EngineError;
use lopdf::encryption::{PasswordAlgorithm, decrypt_object};
use lopdf::{Dictionary, Document, EncryptionState, Object, ObjectId, ObjectStream, Stream, StringFormat};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// The key of the encryption dictionary in a trailer.
const KEY: &[u8] = b"Encrypt";

/// The name that replaces [`KEY`] while lopdf reads the file. It has the same length.
const HIDDEN: &[u8] = b"EncrypX";

/// The type of object streams. lopdf would read them before they are decrypted, and drop them.
const OBJECT_STREAM: &[u8] = b"ObjStm";

/// The name that replaces [`OBJECT_STREAM`] while lopdf reads the file. It has the same length.
const HIDDEN_STREAM: &[u8] = b"ObjStX";

/// Renames the entry `Encrypt` of the trailers and the type of object streams, so that lopdf reads an encrypted
/// document as if it were not encrypted. Returns the file unchanged if it has no entry `Encrypt`.
///
/// The data of a document can contain the same words, for example in an attached PDF file that is encrypted. If no
/// trailer has the renamed entry afterwards, the caller reads the file without this change: see [`encryption`].
pub(super) fn hidden(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut renamed = Cow::Borrowed(bytes);
    let mut from = 0;
    while let Some(found) = bytes.get(from..).and_then(|rest| position(rest, b"/Encrypt")) {
        let start = from + found + 1;
        from = start + KEY.len();
        let after = bytes.get(from..).unwrap_or_default().trim_ascii_start();
        let is_entry = after.starts_with(b"<<") || after.first().is_some_and(u8::is_ascii_digit);
        if is_entry && let Some(key) = renamed.to_mut().get_mut(start..from) {
            key.copy_from_slice(HIDDEN);
        }
    }
    if let Cow::Owned(file) = &mut renamed {
        from = 0;
        while let Some(found) = file.get(from..).and_then(|rest| position(rest, OBJECT_STREAM)) {
            let start = from + found;
            from = start + OBJECT_STREAM.len();
            let is_name = start.checked_sub(1).and_then(|before| file.get(before)) == Some(&b'/');
            if is_name && let Some(name) = file.get_mut(start..from) {
                name.copy_from_slice(HIDDEN_STREAM);
            }
        }
    }
    renamed
}

/// Gives object streams their type again.
fn restore_types(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.dict.has_type(HIDDEN_STREAM)
        {
            stream.dict.set("Type", Object::Name(OBJECT_STREAM.to_vec()));
        }
    }
}

/// The encryption dictionary of a document that was read with [`hidden`].
pub(super) fn encryption(document: &Document) -> Option<&Object> {
    document.trailer.get(HIDDEN).ok()
}

/// Copies the encryption dictionary and the file identifier from the last trailer that has them.
pub(super) fn adopt(document: &mut Document, trailers: &[Dictionary]) {
    let encrypted = trailers.iter().find(|trailer| trailer.has(HIDDEN));
    let key = encrypted.and_then(|trailer| trailer.get(HIDDEN).ok()).cloned();
    if let Some(trailer) = encrypted
        && let Ok(id) = trailer.get(b"ID")
    {
        document.trailer.set("ID", id.clone());
    }
    if let Some(key) = key.or_else(|| unnamed(document).map(Object::Reference)) {
        document.trailer.set(HIDDEN.to_vec(), key);
    }
}

/// The encryption dictionary of a file whose trailers are lost: the object with the entries of such a dictionary.
fn unnamed(document: &Document) -> Option<ObjectId> {
    let is_encryption = |object: &Object| {
        object.as_dict().is_ok_and(|dict| {
            let standard =
                dict.get(b"Filter").and_then(Object::as_name).is_ok_and(|name| name == b"Standard");
            standard && [&b"O"[..], b"U", b"P"].iter().all(|key| dict.has(key))
        })
    };
    document.objects.iter().find(|(_, object)| is_encryption(object)).map(|(id, _)| *id)
}

/// What is still encrypted after [`decrypt`].
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// The objects that could not be decrypted, because their data are damaged.
    pub(super) damaged: Vec<ObjectId>,
    /// Whether attachments are encrypted, because only they need the password.
    pub(super) attachments: bool,
}

/// Decrypts a document that was read with [`hidden`], and sets its encryption state.
///
/// Without a password, the empty password is used. A document in which only attachments are encrypted opens without a
/// password; they then stay encrypted.
///
/// # Errors
/// [`EngineError::PasswordRequired`] or [`EngineError::WrongPassword`]; [`EngineError::Unsupported`] if the document is
/// not encrypted with passwords.
pub(super) fn decrypt(document: &mut Document, password: Option<&str>) -> Result<Remaining, EngineError> {
    let Some(entry) = document.trailer.remove(HIDDEN) else { return Ok(Remaining::default()) };
    restore_types(document);
    let own_id = entry.as_reference().ok();
    let identifier = first_identifier(document);
    let dictionary = document.dereference(&entry).ok().and_then(|(_, entry)| entry.as_dict().ok());
    let Some(dictionary) = dictionary else {
        return Err(EngineError::Damaged("its encryption dictionary is missing".to_owned()));
    };
    let candidates = encryption_dictionary::corrected(document, dictionary)?;
    let opened = candidates.iter().find_map(|crypt| {
        States::open(crypt, &identifier, password.unwrap_or_default()).map(|it| (crypt, it))
    });
    let Some((crypt, states)) = opened else {
        let only_attachments = candidates.iter().any(Crypt::leaves_pages_readable);
        return match password {
            Some(_) => Err(EngineError::WrongPassword),
            None if only_attachments => Ok(Remaining { attachments: true, ..Remaining::default() }),
            None => Err(EngineError::PasswordRequired),
        };
    };
    // The key depends on the identifier, so a document that is encrypted again needs the same one.
    document.trailer.set("ID", vec![string(&identifier), string(&identifier)]);
    let mut objects: Vec<(&ObjectId, &mut Object)> = document.objects.iter_mut().collect();
    let damaged = objects
        .par_iter_mut()
        .filter(|(id, _)| Some(**id) != own_id)
        .filter_map(|(id, object)| (!states.decrypt(**id, object, crypt)).then_some(**id))
        .collect();
    document.encryption_state = Some(states.for_writing(crypt));
    if let Some(own_id) = own_id {
        document.objects.remove(&own_id);
    }
    Ok(Remaining { damaged, attachments: false })
}

/// Adds the objects of object streams that the cross-reference table lists. lopdf could not read them while the object
/// streams were encrypted.
pub(super) fn add_packed(document: &mut Document, limit: usize) {
    let mut members: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (number, entry) in &document.reference_table.entries {
        if let lopdf::xref::XrefEntry::Compressed { container, .. } = entry {
            members.entry(*container).or_default().insert(*number);
        }
    }
    for (container, numbers) in members {
        let Ok(stream) = document.get_object((container, 0)).and_then(Object::as_stream) else { continue };
        let Ok(unpacked) = ObjectStream::new_with_limit(stream, Some(limit)) else { continue };
        let wanted = unpacked.objects.into_iter().filter(|(id, _)| numbers.contains(&id.0));
        for (id, object) in wanted {
            document.objects.entry(id).or_insert(object);
            document.max_id = document.max_id.max(id.0);
        }
    }
}

/// The first part of the file identifier; empty if the file has none, as in other readers.
fn first_identifier(document: &Document) -> Vec<u8> {
    let pair = document.trailer.get_deref(b"ID", document).and_then(Object::as_array);
    let first = pair.ok().and_then(|pair| document.dereference(pair.first()?).ok());
    first.and_then(|(_, first)| first.as_str().ok()).map(<[u8]>::to_vec).unwrap_or_default()
}

fn string(bytes: &[u8]) -> Object {
    Object::String(bytes.to_vec(), StringFormat::Hexadecimal)
}

/// The key of a document, and one state of lopdf for each crypt filter that is used for streams.
struct States {
    main: EncryptionState,
    probe: Document,
    password: Vec<u8>,
    by_filter: Mutex<BTreeMap<Vec<u8>, EncryptionState>>,
}

impl States {
    /// Opens the document with a password; `None` if the password is wrong.
    fn open(crypt: &Crypt, identifier: &[u8], password: &str) -> Option<Self> {
        let probe = probe(&crypt.dictionary, identifier);
        let algorithm = PasswordAlgorithm::try_from(&probe).ok()?;
        // Some writers do not encode the password as the standard requires.
        let latin: Option<Vec<u8>> = password.chars().map(|char| u8::try_from(char).ok()).collect();
        let spellings =
            [algorithm.sanitize_password(password).ok(), Some(password.as_bytes().to_vec()), latin];
        spellings.into_iter().flatten().find_map(|password| {
            probe.authenticate_raw_password(&password).ok()?;
            let main = EncryptionState::decode(&probe, &password).ok()?;
            Some(Self { main, probe: probe.clone(), password, by_filter: Mutex::default() })
        })
    }

    /// The state with which the document is encrypted again: one crypt filter for strings, streams and attachments,
    /// because readers disagree on documents that are partly encrypted.
    fn for_writing(&self, crypt: &Crypt) -> EncryptionState {
        let state = crypt.encrypting_filter().and_then(|name| {
            let mut probe = self.probe.clone();
            let id = probe.trailer.get(KEY).and_then(Object::as_reference).ok()?;
            let dictionary = probe.get_dictionary_mut(id).ok()?;
            for key in ["StmF", "StrF"] {
                dictionary.set(key, Object::Name(name.clone()));
            }
            EncryptionState::decode(&probe, &self.password).ok()
        });
        state.unwrap_or_else(|| self.main.clone())
    }

    /// The state in which streams are encrypted by the crypt filter `name`.
    fn with_filter(&self, name: &[u8]) -> Option<EncryptionState> {
        if self.main.default_stream_filter() == name {
            return Some(self.main.clone());
        }
        let mut known = self.by_filter.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(state) = known.get(name) {
            return Some(state.clone());
        }
        let mut probe = self.probe.clone();
        let id = probe.trailer.get(KEY).and_then(Object::as_reference).ok()?;
        probe.get_dictionary_mut(id).ok()?.set("StmF", Object::Name(name.to_vec()));
        let state = EncryptionState::decode(&probe, &self.password).ok()?;
        known.insert(name.to_vec(), state.clone());
        Some(state)
    }

    /// Decrypts one object. Returns whether its data could be decrypted.
    fn decrypt(&self, id: ObjectId, object: &mut Object, crypt: &Crypt) -> bool {
        let filter = match object {
            Object::Stream(stream) => match take_crypt_filter(stream) {
                Some(name) => Some(crypt.known(&name)),
                None if stream.dict.has_type(b"EmbeddedFile") => crypt.attachments.clone(),
                None => None,
            },
            _ => None,
        };
        let other = filter.and_then(|name| self.with_filter(&name));
        let state = other.as_ref().unwrap_or(&self.main);
        decrypt_object(state, id, object).is_ok()
    }
}

/// A document that has only an encryption dictionary and an identifier, as lopdf needs them to check a password.
fn probe(dictionary: &Dictionary, identifier: &[u8]) -> Document {
    let mut probe = Document::new();
    let id = probe.add_object(dictionary.clone());
    probe.trailer.set(KEY.to_vec(), id);
    probe.trailer.set("ID", vec![string(identifier), string(identifier)]);
    probe
}

/// Removes the filter `Crypt` from a stream, and returns the name of its crypt filter. `None` if the stream has no such
/// filter.
fn take_crypt_filter(stream: &mut Stream) -> Option<Vec<u8>> {
    let is_crypt = |name: &Object| name.as_name().is_ok_and(|name| name == b"Crypt");
    let named = |parameters: &Object| {
        let name = parameters.as_dict().and_then(|dict| dict.get(b"Name")).and_then(Object::as_name);
        name.unwrap_or(b"Identity").to_vec()
    };
    match stream.dict.get_mut(b"Filter").ok()? {
        single if is_crypt(single) => {
            stream.dict.remove(b"Filter");
            let parameters = stream.dict.remove(b"DecodeParms").unwrap_or(Object::Null);
            Some(match &parameters {
                Object::Array(items) => items.first().map_or_else(|| named(&Object::Null), named),
                one => named(one),
            })
        }
        Object::Array(filters) => {
            let at = filters.iter().position(is_crypt)?;
            filters.remove(at);
            let name = match stream.dict.get_mut(b"DecodeParms") {
                Ok(Object::Array(items)) if at < items.len() => named(&items.remove(at)),
                // Some writers write one dictionary for several filters. It can only belong to the crypt filter.
                Ok(one @ Object::Dictionary(_)) if one.as_dict().is_ok_and(|dict| dict.has(b"Name")) => {
                    named(&std::mem::replace(one, Object::Null))
                }
                _ => b"Identity".to_vec(),
            };
            if stream.dict.get(b"Filter").and_then(Object::as_array).is_ok_and(Vec::is_empty) {
                stream.dict.remove(b"Filter");
                stream.dict.remove(b"DecodeParms");
            }
            Some(name)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    #[test]
    fn only_entries_of_trailers_are_renamed() {
        let file =
            b"/EncryptMetadata true /Encrypt 5 0 R /Encrypt<</A 1>> (/Encrypt) /ObjStm ObjStm /Encrypt";
        let expected =
            b"/EncryptMetadata true /EncrypX 5 0 R /EncrypX<</A 1>> (/Encrypt) /ObjStX ObjStm /Encrypt";
        assert_eq!(&*hidden(file), expected);
        assert!(matches!(hidden(b"/EncryptMetadata true"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_crypt_filter_is_taken_with_its_parameters() {
        let name = || dictionary! { "Name" => "Other" };
        let flate = || dictionary! { "Columns" => 4 };
        for (dict, expected) in [
            (dictionary! { "Filter" => "Crypt", "DecodeParms" => name() }, dictionary! {}),
            (
                dictionary! {
                    "Filter" => vec!["Crypt".into(), "FlateDecode".into()],
                    "DecodeParms" => vec![Object::Dictionary(name()), Object::Dictionary(flate())]
                },
                dictionary! {
                    "Filter" => vec!["FlateDecode".into()], "DecodeParms" => vec![Object::Dictionary(flate())]
                },
            ),
        ] {
            let mut stream = Stream::new(dict, Vec::new());
            assert_eq!(take_crypt_filter(&mut stream).unwrap(), b"Other");
            stream.dict.remove(b"Length");
            assert_eq!(stream.dict, expected);
        }
        let mut identity = Stream::new(dictionary! { "Filter" => vec!["Crypt".into()] }, Vec::new());
        assert_eq!(take_crypt_filter(&mut identity).unwrap(), b"Identity");
        let mut plain = Stream::new(dictionary! { "Filter" => "FlateDecode" }, Vec::new());
        assert_eq!(take_crypt_filter(&mut plain), None);
    }
}
