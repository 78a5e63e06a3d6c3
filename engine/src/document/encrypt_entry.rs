//! Replaces an encryption dictionary that is written directly in the trailer by an indirect object. The standard allows
//! a direct encryption dictionary, but lopdf does not read it.

use super::write::write_object;
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::borrow::Cow;

/// Appends an incremental update that replaces a direct encryption dictionary by an indirect object. Returns the file
/// unchanged if the file has no direct encryption dictionary. `read` reads a file without a password.
pub(super) fn with_referenced_encryption<'a>(
    bytes: &'a [u8],
    read: impl FnOnce(&[u8]) -> Option<Document>,
) -> Cow<'a, [u8]> {
    if !may_be_direct(bytes) {
        return Cow::Borrowed(bytes);
    }
    let Some(document) = read(bytes) else { return Cow::Borrowed(bytes) };
    match document.trailer.get(b"Encrypt") {
        Ok(Object::Dictionary(encryption)) => Cow::Owned(updated(bytes, &document, encryption)),
        _ => Cow::Borrowed(bytes),
    }
}

/// Whether a direct dictionary follows the key `Encrypt` anywhere in the file.
fn may_be_direct(bytes: &[u8]) -> bool {
    const KEY: &[u8] = b"/Encrypt";
    bytes.windows(KEY.len()).enumerate().filter(|(_, window)| *window == KEY).any(|(at, _)| {
        let rest = bytes.get(at + KEY.len()..).unwrap_or_default();
        rest.trim_ascii_start().starts_with(b"<<")
    })
}

fn updated(bytes: &[u8], document: &Document, encryption: &Dictionary) -> Vec<u8> {
    let highest = document.reference_table.entries.keys().next_back().copied();
    let number = highest.unwrap_or(document.max_id).max(document.max_id).saturating_add(1);
    let mut trailer = Dictionary::new();
    for key in [&b"Root"[..], b"Info", b"ID"] {
        if let Ok(value) = document.trailer.get(key) {
            trailer.set(key, value.clone());
        }
    }
    trailer.set("Size", i64::from(number) + 1);
    trailer.set("Encrypt", Object::Reference((number, 0)));
    trailer.set("Prev", i64::try_from(document.xref_start).unwrap_or(0));
    let same_number = |id: ObjectId| Some(id.0);
    let mut file = bytes.to_vec();
    file.push(b'\n');
    let offset = file.len();
    file.extend(format!("{number} 0 obj\n").bytes());
    write_object(&mut file, &Object::Dictionary(encryption.clone()), &same_number);
    file.extend(b"\nendobj\n");
    let table = file.len();
    file.extend(format!("xref\n{number} 1\n{offset:010} 00000 n \ntrailer\n").bytes());
    write_object(&mut file, &Object::Dictionary(trailer), &same_number);
    file.extend(format!("\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}
