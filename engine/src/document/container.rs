//! Writes the structural parts of a PDF file: header, indirect objects, object streams, cross-reference streams and
//! tables.

use super::encode::deflate;
use super::predictor::{Rows, apply_png};
use super::write::{Numbers, write_dictionary, write_object};
use crate::EngineError;
use lopdf::encryption::encrypt_object;
use lopdf::{Dictionary, EncryptionState, Object, Stream};
use std::borrow::Cow;

/// An object with its number in the file to be written.
pub(crate) type Numbered<'a> = (u32, &'a Object);

/// Whether an object may be stored in an object stream.
pub(crate) fn may_be_packed(object: &Object) -> bool {
    !matches!(object, Object::Stream(_))
}

/// An object in the form in which it is written to the file: encrypted if the document is encrypted.
fn encrypted<'a>(
    number: u32,
    object: &'a Object,
    encryption: Option<&EncryptionState>,
) -> Result<Cow<'a, Object>, EngineError> {
    let Some(state) = encryption else { return Ok(Cow::Borrowed(object)) };
    let mut encrypted = object.clone();
    encrypt_object(state, (number, 0), &mut encrypted)
        .map_err(|error| EngineError::Internal(format!("encrypting an object failed: {error}")))?;
    Ok(Cow::Owned(encrypted))
}

/// Writes an indirect object. PDF/A requires line ends before and after `obj` and `endobj`.
///
/// # Errors
/// [`EngineError::Internal`] if the object cannot be encrypted.
pub(crate) fn write_indirect(
    out: &mut Vec<u8>,
    (number, object): Numbered<'_>,
    numbers: &impl Numbers,
    encryption: Option<&EncryptionState>,
) -> Result<(), EngineError> {
    out.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
    write_object(out, &*encrypted(number, object, encryption)?, numbers);
    out.extend_from_slice(b"\nendobj\n");
    Ok(())
}

/// An object stream with these objects in this order.
///
/// # Errors
/// The same errors as [`deflate`].
pub(crate) fn object_stream(objects: &[Numbered<'_>], numbers: &impl Numbers) -> Result<Object, EngineError> {
    let mut index = Vec::new();
    let mut body = Vec::new();
    for &(number, object) in objects {
        if !body.is_empty() {
            body.push(b'\n');
        }
        index.extend_from_slice(format!("{number} {} ", body.len()).as_bytes());
        let mut text = Vec::new();
        write_object(&mut text, object, numbers);
        body.append(&mut text);
    }
    let first = i64::try_from(index.len()).unwrap_or(i64::MAX);
    index.append(&mut body);
    let mut dict = Dictionary::new();
    dict.set("Type", Object::Name(b"ObjStm".to_vec()));
    dict.set("N", i64::try_from(objects.len()).unwrap_or(i64::MAX));
    dict.set("First", first);
    dict.set("Filter", Object::Name(b"FlateDecode".to_vec()));
    Ok(Object::Stream(Stream::new(dict, deflate(&index)?)))
}

/// A cross-reference entry: the place of an object in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The entry is free: there is no object with this number.
    Free,
    /// The object begins at this offset in the file.
    At(usize),
    /// The object is in an object stream: the number of the object stream, and the index of the object within the
    /// stream.
    In(u32, usize),
}

impl Entry {
    fn fields(self) -> (u8, u64, u64) {
        let wide = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        match self {
            Self::Free => (0, 0, 65_535),
            Self::At(offset) => (1, wide(offset), 0),
            Self::In(stream, index) => (2, u64::from(stream), wide(index)),
        }
    }
}

/// A cross-reference stream for the objects from number `first` on. If `offset_width` is given, the second field of
/// each entry has that many bytes. The size of the stream is then known before the offsets are known.
///
/// # Errors
/// The same errors as [`deflate`].
pub(crate) fn xref_stream(
    entries: &[Entry],
    first: u32,
    mut trailer: Dictionary,
    deflated: bool,
    offset_width: Option<usize>,
) -> Result<Object, EngineError> {
    let bytes_of = |value: u64| (8 - usize::try_from(value.leading_zeros() / 8).unwrap_or(0)).max(1);
    let widest = |pick: fn((u8, u64, u64)) -> u64| {
        entries
            .iter()
            .filter(|entry| **entry != Entry::Free)
            .map(|entry| pick(entry.fields()))
            .max()
            .map_or(1, bytes_of)
    };
    let second = offset_width.unwrap_or_else(|| widest(|fields| fields.1));
    let third = widest(|fields| fields.2);
    let mut rows = Vec::with_capacity(entries.len() * (1 + second + third));
    for entry in entries {
        let (kind, a, b) = entry.fields();
        rows.push(kind);
        rows.extend(a.to_be_bytes().iter().skip(8 - second.min(8)));
        // The generation number 65535 of a free entry may be cut to one byte. Readers ignore this number.
        rows.extend(b.to_be_bytes().iter().skip(8 - third.min(8)));
    }
    let width = 1 + second + third;
    let int = |value: usize| Object::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    trailer.set("Type", Object::Name(b"XRef".to_vec()));
    trailer.set("W", vec![int(1), int(second), int(third)]);
    trailer.set("Index", vec![Object::Integer(first.into()), int(entries.len())]);
    let content = if deflated {
        let shape = Rows { columns: width, colors: 1, bits: 8 };
        let coded = apply_png(&rows, shape)
            .ok_or_else(|| EngineError::Internal("a cross-reference stream without entries".to_owned()))?;
        let mut parameters = Dictionary::new();
        parameters.set("Predictor", 12);
        parameters.set("Columns", int(width));
        trailer.set("Filter", Object::Name(b"FlateDecode".to_vec()));
        trailer.set("DecodeParms", parameters);
        deflate(&coded)?
    } else {
        rows
    };
    Ok(Object::Stream(Stream::new(trailer, content)))
}

/// Writes a cross-reference table for the objects from number `first` on, and the trailer.
pub(crate) fn write_xref_table(
    out: &mut Vec<u8>,
    entries: &[Entry],
    first: u32,
    trailer: &Dictionary,
    numbers: &impl Numbers,
) {
    out.extend_from_slice(format!("xref\n{first} {}\n", entries.len()).as_bytes());
    for entry in entries {
        let line = match entry {
            Entry::At(offset) => format!("{offset:010} 00000 n \n"),
            Entry::Free | Entry::In(..) => "0000000000 65535 f \n".to_owned(),
        };
        out.extend_from_slice(line.as_bytes());
    }
    out.extend_from_slice(b"trailer\n");
    write_dictionary(out, trailer, numbers);
    out.push(b'\n');
}

/// Writes the header and the comment that marks the file as binary.
pub(crate) fn write_header(out: &mut Vec<u8>, (major, minor): (u8, u8)) {
    out.extend_from_slice(format!("%PDF-{major}.{minor}\n").as_bytes());
    out.extend_from_slice(b"%\xE2\xE3\xCF\xD3\n");
}

/// The version of the file to be written: the highest of the document's own version, the version that `encryption`
/// requires, and `at_least`. `encryption` is that of the file to be written; the document may have had another.
pub(crate) fn version(
    document: &lopdf::Document,
    encryption: Option<&EncryptionState>,
    at_least: (u8, u8),
) -> (u8, u8) {
    let own = document
        .version
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let for_encryption = match encryption.map(EncryptionState::revision) {
        Some(6) => (2, 0),
        Some(5) => (1, 7),
        Some(4) => (1, 6),
        _ => (1, 0),
    };
    own.filter(|own| *own <= (2, 0)).unwrap_or((1, 4)).max(at_least).max(for_encryption)
}
