//! What text asks of a simple font, code by code.

use crate::document::resolved;
use crate::font::characters::{character_of_code, character_of_name, of_code, of_name};
use crate::font::encoding::differences;
use crate::font::files::FontUse;
use crate::font::type1c::NOTDEF;
use lopdf::{Document, Object};
use std::collections::{BTreeMap, BTreeSet};

/// A code that text shows.
pub(super) struct Asked {
    pub(super) code: u8,
    /// The name that the font dictionary itself gives it.
    pub(super) name: Option<Vec<u8>>,
    /// The character that it means to every reader which goes by the encoding.
    pub(super) character: Option<u32>,
    /// All characters that any reader may take it for.
    pub(super) characters: BTreeSet<u32>,
}

impl Asked {
    /// Whether the code has a name that means nothing to anybody: readers guess.
    pub(super) fn is_riddle(&self) -> bool {
        self.character.is_none() && self.name.as_ref().is_some_and(|name| name != NOTDEF)
    }
}

/// All codes that a font is asked for; nothing for an encoding that is not understood.
pub(super) fn asked(document: &Document, face: &FontUse) -> Option<Vec<Asked>> {
    let font = document.get_dictionary(face.font).ok()?;
    let (base, differences) = match font.get(b"Encoding") {
        Err(_) => (None, BTreeMap::new()),
        Ok(encoding) => match resolved(document, encoding)? {
            Object::Name(name) => (Some(name.as_slice()), BTreeMap::new()),
            Object::Dictionary(encoding) => {
                let base = encoding.get_deref(b"BaseEncoding", document).and_then(Object::as_name).ok();
                (base, differences(document, encoding)?)
            }
            _ => return None,
        },
    };
    if base.is_some_and(|name| character_of_code(name, b'A').is_none()) {
        return None;
    }
    let of = |code: u8| {
        let name = differences.get(&code).cloned();
        let character = match &name {
            Some(name) => character_of_name(name),
            None => base.and_then(|base| character_of_code(base, code)),
        };
        let mut characters = of_code(code);
        characters.extend(name.iter().flat_map(|name| of_name(name)));
        characters.extend(name.as_ref().filter(|name| *name == NOTDEF).map(|_| u32::from(b' ')));
        Asked { code, name, character, characters }
    };
    Some(face.codes.bytes().map(of).collect())
}

/// Whether readers may leave the encoding aside, because the font says that its characters are its own.
pub(super) fn is_symbolic(document: &Document, face: &FontUse) -> bool {
    let flags = document
        .get_dictionary(face.descriptor)
        .and_then(|descriptor| descriptor.get_deref(b"Flags", document))
        .and_then(Object::as_i64)
        .unwrap_or(0);
    flags & 0x20 == 0 || flags & 0x04 != 0
}
