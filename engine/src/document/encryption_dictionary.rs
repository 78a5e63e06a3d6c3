//! Corrects encryption dictionaries (ISO 32000-2, 7.6.2): converts what other readers accept into what lopdf accepts.
//!
//! References are resolved, missing entries get their defaults, strings get their exact length, and crypt filters with
//! unusual names or methods are replaced by equivalent ones. If readers disagree on the meaning, several corrected
//! dictionaries are returned. The right one is the one that the password opens.

use crate::EngineError;
use lopdf::{Dictionary, Document, Object, StringFormat, dictionary};

/// A corrected encryption dictionary.
#[derive(Clone, Debug)]
pub(super) struct Crypt {
    /// The dictionary.
    pub(super) dictionary: Dictionary,
    /// The crypt filter of embedded files, if it is not that of other streams.
    pub(super) attachments: Option<Vec<u8>>,
}

/// The name of the crypt filter that does not encrypt.
const IDENTITY: &[u8] = b"Identity";

impl Crypt {
    /// The crypt filter `name` if the dictionary defines it, or else the filter that does not encrypt.
    pub(super) fn known(&self, name: &[u8]) -> Vec<u8> {
        let filters = self.dictionary.get(b"CF").and_then(Object::as_dict);
        if filters.is_ok_and(|filters| filters.has(name)) { name.to_vec() } else { IDENTITY.to_vec() }
    }

    /// The crypt filter of streams, or else of strings, or else of embedded files; `None` if nothing is encrypted, or
    /// if the version of the encryption has no crypt filters.
    pub(super) fn encrypting_filter(&self) -> Option<Vec<u8>> {
        let named = |key: &[u8]| self.dictionary.get(key).and_then(Object::as_name).ok().map(<[u8]>::to_vec);
        let filters = [named(b"StmF"), named(b"StrF"), self.attachments.clone()];
        filters.into_iter().flatten().find(|name| name != IDENTITY)
    }

    /// Whether neither strings nor streams other than embedded files are encrypted.
    pub(super) fn leaves_pages_readable(&self) -> bool {
        [&b"StmF"[..], b"StrF"].iter().all(|key| {
            let version = self.dictionary.get(b"V").and_then(Object::as_i64).unwrap_or(0);
            let name = self.dictionary.get(key).and_then(Object::as_name);
            version >= 4 && name.is_ok_and(|name| name == IDENTITY)
        })
    }
}

/// The corrected forms of an encryption dictionary, the most probable first.
///
/// # Errors
/// [`EngineError::Unsupported`] if the document is not encrypted with passwords, or the algorithm is unknown.
pub(super) fn corrected(document: &Document, dictionary: &Dictionary) -> Result<Vec<Crypt>, EngineError> {
    let source = Source { document, dictionary };
    let handler = source.name(b"Filter").unwrap_or(b"Standard");
    if handler != b"Standard" {
        return Err(EngineError::Unsupported(format!(
            "the document is encrypted with the security handler {}, which is not supported; remove the encryption with the software that encrypted it",
            String::from_utf8_lossy(handler)
        )));
    }
    let revision = source.integer(b"R");
    let version = source.integer(b"V").filter(|version| *version != 0);
    let (version, revision) = match (version, revision) {
        (Some(version), Some(revision)) => (version, revision),
        (Some(version), None) => {
            (version, [2, 2, 3, 3, 4, 6].get(usize::try_from(version).unwrap_or(9)).copied().unwrap_or(0))
        }
        (None, revision) => {
            let revision = revision.unwrap_or(2);
            (
                [1, 1, 1, 2, 4, 5, 5].get(usize::try_from(revision).unwrap_or(9)).copied().unwrap_or(0),
                revision,
            )
        }
    };
    if !matches!((version, revision), (1 | 2, 2 | 3) | (1 | 2 | 4, 4) | (4, 2 | 3) | (5, 5 | 6)) {
        return Err(EngineError::Unsupported(format!(
            "the document is encrypted with an unknown algorithm (version {version}, revision {revision}); remove the encryption with the software that encrypted it"
        )));
    }
    let mut common = dictionary! {
        "Filter" => "Standard", "V" => version, "R" => revision,
        "P" => source.permissions()
    };
    let long = revision >= 5;
    for (key, length) in [("O", if long { 48 } else { 32 }), ("U", if long { 48 } else { 32 })] {
        common.set(key, source.string(key.as_bytes(), length));
    }
    if long {
        for (key, length) in [("OE", 32), ("UE", 32), ("Perms", 16)] {
            common.set(key, source.string(key.as_bytes(), length));
        }
    }
    let metadata = source.boolean(b"EncryptMetadata").unwrap_or(true);
    let bits = source.key_bits();
    let mut forms = Vec::new();
    if version >= 4 {
        let (filters, attachments) = crypt_filters(&source, version, &mut common);
        common.set("CF", filters);
        common.set("Length", if long { 256 } else { 128 });
        for metadata in [metadata, !metadata] {
            let mut dictionary = common.clone();
            dictionary.set("EncryptMetadata", metadata);
            forms.push(Crypt { dictionary, attachments: attachments.clone() });
        }
        // RC4 with a short key, which is the algorithm of version 2.
        if version == 4 && bits.is_some_and(|bits| bits < 128) {
            forms.push(Crypt { dictionary: of_version_2(&common, bits), attachments: None });
        }
    } else {
        let mut dictionary = common;
        if version == 1 || revision == 2 {
            dictionary.set("V", 1);
        }
        if version == 2 && revision >= 3 {
            // Readers differ on an invalid length; the two lengths that occur are tried too.
            for bits in [bits.unwrap_or(40), 128, 40] {
                forms.push(Crypt { dictionary: of_version_2(&dictionary, Some(bits)), attachments: None });
            }
        } else {
            forms.push(Crypt { dictionary, attachments: None });
        }
    }
    Ok(forms)
}

fn of_version_2(dictionary: &Dictionary, bits: Option<i64>) -> Dictionary {
    let mut dictionary = dictionary.clone();
    for key in [&b"CF"[..], b"StmF", b"StrF", b"EncryptMetadata"] {
        dictionary.remove(key);
    }
    dictionary.set("V", 2);
    dictionary.set("R", 3);
    dictionary.set("Length", bits.unwrap_or(40));
    dictionary
}

/// The crypt filters with methods that lopdf supports, and the crypt filter of embedded files if it differs from that
/// of other streams. Sets the entries `StmF` and `StrF`.
fn crypt_filters(
    source: &Source<'_>,
    version: i64,
    common: &mut Dictionary,
) -> (Dictionary, Option<Vec<u8>>) {
    let usual: &[u8] = if version == 5 { b"AESV3" } else { b"AESV2" };
    let filter = |method: &[u8]| dictionary! { "CFM" => Object::Name(method.to_vec()) };
    let mut filters = Dictionary::new();
    let listed = source.get(b"CF").and_then(|listed| listed.as_dict().ok()).cloned().unwrap_or_default();
    for (name, value) in &listed {
        let value = source.document.dereference(value).ok().and_then(|(_, value)| value.as_dict().ok());
        let Some(value) = value.filter(|_| name != IDENTITY) else { continue };
        let method = Source { dictionary: value, ..*source }.name(b"CFM").unwrap_or(b"None");
        filters.set(
            name.clone(),
            match method {
                b"None" | b"Identity" => filter(IDENTITY),
                b"V2" if version == 4 => filter(b"V2"),
                b"AESV2" | b"AESV3" | b"V2" => filter(usual),
                // Other readers treat an unknown method as AES.
                _ => filter(usual),
            },
        );
    }
    let mut chosen = |key: &[u8]| {
        let name = source.name(key).unwrap_or(IDENTITY).to_vec();
        if name != IDENTITY && !filters.has(&name) {
            filters.set(name.clone(), filter(usual));
        }
        let encrypts = filters.get(&name).and_then(Object::as_dict).is_ok_and(|filter| {
            filter.get(b"CFM").and_then(Object::as_name).is_ok_and(|method| method != IDENTITY)
        });
        if encrypts { name } else { IDENTITY.to_vec() }
    };
    let (streams, strings) = (chosen(b"StmF"), chosen(b"StrF"));
    let attachments = source.name(b"EFF").map(|_| chosen(b"EFF")).filter(|name| *name != streams);
    common.set("StmF", Object::Name(streams));
    common.set("StrF", Object::Name(strings));
    filters = filters
        .into_iter()
        .filter(|(_, filter)| {
            let method = filter.as_dict().and_then(|filter| filter.get(b"CFM")).and_then(Object::as_name);
            method.is_ok_and(|method| method != IDENTITY)
        })
        .collect();
    (filters, attachments)
}

/// An encryption dictionary as it was read. Its values may be references.
#[derive(Clone, Copy)]
struct Source<'a> {
    document: &'a Document,
    dictionary: &'a Dictionary,
}

impl<'a> Source<'a> {
    fn get(&self, key: &[u8]) -> Option<&'a Object> {
        let value = self.dictionary.get(key).ok()?;
        self.document.dereference(value).ok().map(|(_, value)| value).filter(|value| !value.is_null())
    }

    fn name(&self, key: &[u8]) -> Option<&'a [u8]> {
        self.get(key)?.as_name().ok()
    }

    fn boolean(&self, key: &[u8]) -> Option<bool> {
        self.get(key)?.as_bool().ok()
    }

    fn integer(&self, key: &[u8]) -> Option<i64> {
        match self.get(key)? {
            Object::Integer(value) => Some(*value),
            #[expect(clippy::cast_possible_truncation, reason = "out of range saturates")]
            Object::Real(value) => Some(*value as i64),
            _ => None,
        }
    }

    /// The permissions: 32 bits, which some writers write as an unsigned number.
    fn permissions(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
        self.integer(b"P").map_or(-1, |bits| i64::from(bits as i32))
    }

    /// A string, truncated or padded with zeros to this length, as in other readers.
    fn string(&self, key: &[u8], length: usize) -> Object {
        let mut bytes = self.get(key).and_then(|value| value.as_str().ok()).unwrap_or_default().to_vec();
        bytes.resize(length, 0);
        Object::String(bytes, StringFormat::Hexadecimal)
    }

    /// The length of the key in bits. Some writers give it in bytes.
    fn key_bits(&self) -> Option<i64> {
        let length = self.integer(b"Length")?;
        let bits = if (5..=16).contains(&length) { length * 8 } else { length };
        Some(bits).filter(|bits| bits % 8 == 0 && (40..=128).contains(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dictionary: Dictionary) -> Vec<Crypt> {
        corrected(&Document::new(), &dictionary).unwrap()
    }

    #[test]
    fn crypt_filters_may_be_indirect_objects() {
        let mut document = Document::new();
        let method = document.add_object(Object::Name(b"AESV2".to_vec()));
        let filter = document.add_object(dictionary! { "CFM" => method, "Length" => 16 });
        let filters = document.add_object(dictionary! { "My" => filter });
        let found =
            corrected(&document, &dictionary! { "V" => 4, "R" => 4, "CF" => filters, "StmF" => "My" })
                .unwrap();
        let filters = found[0].dictionary.get(b"CF").and_then(Object::as_dict).unwrap();
        let filter = filters.get(b"My").and_then(Object::as_dict).unwrap();
        assert_eq!(filter.get(b"CFM").and_then(Object::as_name).unwrap(), b"AESV2");
        assert_eq!(found[0].dictionary.get(b"StrF").and_then(Object::as_name).unwrap(), IDENTITY);
    }

    #[test]
    fn filters_without_encryption_are_the_identity() {
        for (method, readable) in [("None", true), ("Identity", true), ("V2", false), ("Unknown", false)] {
            let filters = dictionary! { "My" => dictionary! { "CFM" => method } };
            let found = of(
                dictionary! { "V" => 4, "R" => 4, "CF" => filters, "StmF" => "My", "StrF" => "My", "EFF" => "My" },
            );
            assert_eq!(found[0].leaves_pages_readable(), readable, "{method}");
            assert_eq!(found[0].attachments, None);
        }
    }

    #[test]
    fn only_attachments_may_be_encrypted() {
        let filters = dictionary! { "StdCF" => dictionary! { "CFM" => "AESV3" } };
        let found = of(dictionary! { "V" => 5, "R" => 6, "CF" => filters, "EFF" => "StdCF" });
        assert!(found[0].leaves_pages_readable());
        assert_eq!(found[0].attachments.as_deref(), Some(&b"StdCF"[..]));
        assert_eq!(found[0].encrypting_filter().as_deref(), Some(&b"StdCF"[..]));
    }

    #[test]
    fn lengths_in_bytes_and_missing_versions_are_understood() {
        let found = of(dictionary! { "V" => 2, "R" => 3, "Length" => 16 });
        assert_eq!(found[0].dictionary.get(b"Length").and_then(Object::as_i64).unwrap(), 128);
        let found = of(dictionary! { "R" => 3, "O" => Object::string_literal("short") });
        assert_eq!(found[0].dictionary.get(b"V").and_then(Object::as_i64).unwrap(), 2);
        assert_eq!(found[0].dictionary.get(b"O").and_then(Object::as_str).unwrap().len(), 32);
    }

    #[test]
    fn other_handlers_and_unknown_algorithms_are_named() {
        for (dictionary, word) in [
            (dictionary! { "Filter" => "Adobe.PubSec", "V" => 4 }, "Adobe.PubSec"),
            (dictionary! { "Filter" => "Standard", "V" => 9, "R" => 9 }, "version 9"),
        ] {
            let error = corrected(&Document::new(), &dictionary).unwrap_err();
            assert!(
                matches!(error, EngineError::Unsupported(_)) && error.to_string().contains(word),
                "{error}"
            );
        }
    }
}
