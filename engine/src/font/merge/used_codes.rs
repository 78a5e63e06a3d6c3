//! The codes of a simple font that text shows, with the names and characters of the codes.

use crate::content::differences;
use crate::document::resolved;
use crate::font::characters::{character_of_code, character_of_name, of_code, of_name};
use crate::font::files::FontUse;
use crate::font::type1c::NOTDEF;
use lopdf::{Document, Object};
use std::collections::{BTreeMap, BTreeSet};

/// A code that text shows.
pub(super) struct UsedCode {
    pub(super) code: u8,
    /// The glyph name that the encoding of the font dictionary gives to the code.
    pub(super) name: Option<Vec<u8>>,
    /// The character that the encoding gives to the code.
    pub(super) character: Option<u32>,
    /// All characters that any reader may choose for the code.
    pub(super) characters: BTreeSet<u32>,
}

impl UsedCode {
    /// Whether the code has a glyph name of unknown meaning, so that readers guess the glyph.
    pub(super) fn has_unknown_name(&self) -> bool {
        self.character.is_none() && self.name.as_ref().is_some_and(|name| name != NOTDEF)
    }
}

/// All codes that text shows in a font; `None` if the encoding of the font is not supported.
pub(super) fn used_codes(document: &Document, font_use: &FontUse) -> Option<Vec<UsedCode>> {
    let font = document.get_dictionary(font_use.font).ok()?;
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
        UsedCode { code, name, character, characters }
    };
    Some(font_use.codes.bytes().map(of).collect())
}

/// Whether readers may ignore the encoding of a font: the font is flagged as symbolic, or is not flagged as
/// nonsymbolic.
pub(super) fn is_symbolic(document: &Document, font_use: &FontUse) -> bool {
    let flags = document
        .get_dictionary(font_use.descriptor)
        .and_then(|descriptor| descriptor.get_deref(b"Flags", document))
        .and_then(Object::as_i64)
        .unwrap_or(0);
    flags & 0x20 == 0 || flags & 0x04 != 0
}
