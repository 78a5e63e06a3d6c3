//! Maps glyph names and the codes of simple fonts to Unicode characters.

use lopdf::{Dictionary, Document, Object};
use skrifa::raw::ps::string::STANDARD_STRINGS;
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Pairs of characters that are treated as equal: the two characters share a name in the Adobe Glyph List or in
/// encodings, or readers treat their names as equal.
const EQUIVALENT: [(u32, u32); 13] = [
    (0x20, 0xa0),
    (0x2d, 0xad),
    (0x2d, 0x2212),
    (0xaf, 0x2c9),
    (0xb5, 0x3bc),
    (0xb7, 0x2219),
    (0x27, 0x2019),
    (0x60, 0x2018),
    (0x162, 0x21a),
    (0x163, 0x21b),
    (0x394, 0x2206),
    (0x3a9, 0x2126),
    (0x2044, 0x2215),
];

/// The codes of the Macintosh OS encoding that MacRomanEncoding omits (ISO 32000-1, 9.6.6.4).
const MACINTOSH: [(u8, u32); 16] = [
    (0xad, 0x2260),
    (0xb0, 0x221e),
    (0xb2, 0x2264),
    (0xb3, 0x2265),
    (0xb6, 0x2202),
    (0xb7, 0x2211),
    (0xb8, 0x220f),
    (0xb9, 0x3c0),
    (0xba, 0x222b),
    (0xbd, 0x3a9),
    (0xc3, 0x221a),
    (0xc5, 0x2248),
    (0xc6, 0x394),
    (0xd7, 0x25ca),
    (0xdb, 0x20ac),
    (0xf0, 0xf8ff),
];

/// Glyph names of the standard encodings that are neither CFF standard strings nor in the Macintosh glyph order.
const OTHER_NAMES: [&str; 5] = ["Euro", "sfthyphen", "nbspace", "middot", "mu1"];

/// The glyph names of the characters of the standard encodings, with the characters that they may mean.
static KNOWN: LazyLock<HashMap<&'static [u8], BTreeSet<u32>>> = LazyLock::new(|| {
    let names = STANDARD_STRINGS.iter().copied().chain(DEFAULT_GLYPH_NAMES).chain(OTHER_NAMES);
    names.map(|name| (name.as_bytes(), of_name(name.as_bytes()))).collect()
});

/// The primary character of each name in [`KNOWN`].
static PRIMARY: LazyLock<HashMap<&'static [u8], u32>> =
    LazyLock::new(|| KNOWN.keys().filter_map(|name| Some((*name, character_of_name(name)?))).collect());

/// The characters of the 256 codes of an encoding; `None` for a code without a character.
type Table = Vec<Option<u32>>;

const NAMES: [&str; 3] = ["StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding"];

static ENCODINGS: LazyLock<[Table; 3]> = LazyLock::new(|| NAMES.map(table));

fn table(encoding: &str) -> Table {
    (0..=u8::MAX).map(|code| decoded(&Object::Name(encoding.as_bytes().to_vec()), code)).collect()
}

/// The character of a code in a font with this encoding.
fn decoded(encoding: &Object, code: u8) -> Option<u32> {
    let mut font = Dictionary::new();
    font.set("Type", "Font");
    font.set("Encoding", encoding.clone());
    let document = Document::new();
    let text = font.get_font_encoding(&document).ok()?.bytes_to_string(&[code]).ok()?;
    text.chars().next().map(u32::from)
}

/// The primary character of a glyph name; `None` if the name means no known character.
pub(super) fn character_of_name(name: &[u8]) -> Option<u32> {
    // A suffix after a period in a glyph name distinguishes variants of one character.
    let base_name = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let listed = || {
        let mut encoding = Dictionary::new();
        let differences = vec![Object::Integer(0), Object::Name(base_name.to_vec())];
        encoding.set("Differences", Object::Array(differences));
        // If lopdf does not know the name, it falls back to the standard encoding, which has no character for code 0.
        decoded(&Object::Dictionary(encoding), 0)
    };
    from_code_point_name(base_name).or_else(listed)
}

/// The primary character of a glyph name in the standard encodings; `None` for other names.
pub(super) fn character_of_known_name(name: &[u8]) -> Option<u32> {
    PRIMARY.get(name).copied()
}

/// The character of a code in a standard encoding; `None` for other encodings.
pub(super) fn character_of_code(encoding: &[u8], code: u8) -> Option<u32> {
    let at = NAMES.iter().position(|name| name.as_bytes() == encoding)?;
    ENCODINGS.get(at)?.get(usize::from(code)).copied().flatten()
}

/// The characters that a glyph name may mean; empty for a name that means no known character.
pub(super) fn of_name(name: &[u8]) -> BTreeSet<u32> {
    with_equivalents(character_of_name(name))
}

/// The characters that a glyph name in the standard encodings may mean; `None` for other names.
pub(super) fn of_known_name(name: &[u8]) -> Option<&'static BTreeSet<u32>> {
    KNOWN.get(name)
}

/// The character of a glyph name that contains its code point: `uni20AC`, `u1F600`.
fn from_code_point_name(name: &[u8]) -> Option<u32> {
    let digits = match name.strip_prefix(b"uni") {
        Some(digits) if digits.len() == 4 => digits,
        Some(_) => return None,
        None => name.strip_prefix(b"u").filter(|digits| (4..=6).contains(&digits.len()))?,
    };
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The characters that a code may mean in any of the standard encodings.
pub(super) fn of_code(code: u8) -> BTreeSet<u32> {
    let tables = ENCODINGS.iter().filter_map(|table| table.get(usize::from(code)).copied().flatten());
    // Unused codes of WinAnsiEncoding mean a bullet (ISO 32000-1, D.2, note 3).
    let bullet = (code > 0x7f).then_some(0x2022);
    with_equivalents(tables.chain([u32::from(code)]).chain(bullet))
}

fn with_equivalents(characters: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    let mut all: BTreeSet<u32> = characters.into_iter().collect();
    for (one, other) in EQUIVALENT {
        if all.contains(&one) || all.contains(&other) {
            all.extend([one, other]);
        }
    }
    all
}

/// The codes of these characters in the Macintosh OS encoding.
pub(super) fn macintosh_codes(characters: &BTreeSet<u32>) -> BTreeSet<u8> {
    let [_, _, roman] = &*ENCODINGS;
    let roman = (0..=u8::MAX).zip(roman).filter_map(|(code, character)| Some((code, (*character)?)));
    roman
        .chain(MACINTOSH)
        .filter(|(_, character)| characters.contains(character))
        .map(|(code, _)| code)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_the_glyph_list_says() {
        assert!(of_name(b"A").contains(&0x41));
        assert!(of_name(b"afii10017").contains(&0x410));
        assert!(of_name(b"Euro").contains(&0x20ac));
        assert_eq!(of_name(b"uni20AC"), BTreeSet::from([0x20ac]));
        assert_eq!(of_name(b"u1F600"), BTreeSet::from([0x1f600]));
        assert!(of_name(b"a.sc").contains(&0x61));
        assert_eq!(of_name(b"Omega"), BTreeSet::from([0x3a9, 0x2126]));
        for unknown in [&b"g123"[..], b".notdef", b"", b"uniXYZW", b"uni1F600", b"u12", b"\xff\xff"] {
            assert!(of_name(unknown).is_empty(), "{unknown:?}");
        }
    }

    #[test]
    fn codes_mean_the_characters_of_all_encodings() {
        assert!(of_code(b'A').contains(&0x41));
        // Euro in WinAnsi, A with dieresis in MacRoman.
        assert!(of_code(0x80).is_superset(&BTreeSet::from([0x20ac, 0xc4])));
        assert!(of_code(b'\'').is_superset(&BTreeSet::from([0x27, 0x2019])));
        assert!(of_code(0x81).contains(&0x2022));
    }

    #[test]
    fn macintosh_codes_include_those_of_macintosh_os() {
        assert_eq!(macintosh_codes(&BTreeSet::from([0xc4])), BTreeSet::from([0x80]));
        assert_eq!(macintosh_codes(&BTreeSet::from([0x3a9])), BTreeSet::from([0xbd]));
        assert!(macintosh_codes(&BTreeSet::from([0x41, 0x2260])).is_superset(&BTreeSet::from([0x41, 0xad])));
    }
}
