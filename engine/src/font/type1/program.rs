//! Parses Type 1 font programs. A program has a clear-text part, and an encrypted part with the glyphs. Both parts are
//! PostScript, and are parsed by the patterns that the format prescribes, without an interpreter.
//!
//! skrifa reads Type 1 fonts too, but it exports neither the private dictionary nor the charstrings. Both are needed to
//! write hints in Type 1C.

use super::charstring::{self, Charstrings};
use crate::document::{is_regular, is_white_space};
use crate::font::type1c::{Glyph, NOTDEF, NamedFont};
use std::collections::BTreeMap;

/// The keys with which the encrypted part and the charstrings are decrypted.
pub(super) const EEXEC: u16 = 55_665;
const CHARSTRING: u16 = 4330;
/// The maximum number of subroutines in a font, and the maximum number of glyphs.
const MAX_CHARSTRINGS: usize = 65_000;

/// The entries of the private dictionary that hinting needs, with the operators for the entries in Type 1C.
const PRIVATE: [(&[u8], u16); 14] = [
    (b"BlueValues", 6),
    (b"OtherBlues", 7),
    (b"FamilyBlues", 8),
    (b"FamilyOtherBlues", 9),
    (b"StdHW", 10),
    (b"StdVW", 11),
    (b"BlueScale", 12 << 8 | 9),
    (b"BlueShift", 12 << 8 | 10),
    (b"BlueFuzz", 12 << 8 | 11),
    (b"StemSnapH", 12 << 8 | 12),
    (b"StemSnapV", 12 << 8 | 13),
    (b"ForceBold", 12 << 8 | 14),
    (b"LanguageGroup", 12 << 8 | 17),
    (b"ExpansionFactor", 12 << 8 | 18),
];

/// A parsed font program.
#[derive(Default)]
pub(super) struct Program {
    name: Vec<u8>,
    notice: Option<Vec<u8>>,
    matrix: Option<[f64; 6]>,
    bounds: [f64; 4],
    encoding: Option<BTreeMap<u8, Vec<u8>>>,
    private: BTreeMap<u16, Vec<f64>>,
    glyphs: BTreeMap<Vec<u8>, Vec<u8>>,
    subroutines: Vec<Vec<u8>>,
}

impl Program {
    /// Parses a font program; `None` if the program is damaged or cannot be represented in Type 1C.
    pub(super) fn parse(data: &[u8]) -> Option<Self> {
        let data = without_segments(data);
        let (clear_text, encrypted) = parts(&data)?;
        let mut program = Self::default();
        program.read_clear_text(clear_text)?;
        program.read_private_part(&encrypted)?;
        (!program.name.is_empty() && program.glyphs.contains_key(NOTDEF)).then_some(program)
    }

    /// The font with its glyphs converted to Type 2 charstrings.
    pub(super) fn to_named_font(&self) -> Option<NamedFont> {
        let mut left = charstring::MAX_STEPS_OF_FONT;
        let font = Charstrings { glyphs: &self.glyphs, subroutines: &self.subroutines };
        let glyphs = self
            .glyphs
            .iter()
            .map(|(name, code)| {
                let (width, outline) = charstring::outline(font, code, &mut left)?;
                Some((name.clone(), Glyph { width, code: outline.code()? }))
            })
            .collect::<Option<_>>()?;
        Some(NamedFont {
            name: self.name.clone(),
            notice: self.notice.clone(),
            matrix: self.matrix,
            bounds: self.bounds,
            private: self.private.clone(),
            encoding: self.encoding.clone(),
            glyphs,
        })
    }

    fn read_clear_text(&mut self, data: &[u8]) -> Option<()> {
        let mut scanner = Scanner { data, at: 0 };
        while let Some(token) = scanner.next() {
            let Token::Name(name) = token else { continue };
            match name {
                b"FontName" => {
                    if let Some(Token::Name(name)) = scanner.next() {
                        self.name = name.to_vec();
                    }
                }
                b"Notice" => {
                    if let Some(Token::Text(text)) = scanner.next() {
                        let clear_text = text.iter().copied().filter(|byte| *byte != b'\\').collect();
                        self.notice = Some(clear_text).filter(|text: &Vec<u8>| !text.is_empty());
                    }
                }
                b"FontMatrix" => {
                    let matrix: [f64; 6] = scanner.numbers().try_into().ok()?;
                    self.matrix = Some(matrix).filter(|matrix| *matrix != [0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
                }
                b"FontBBox" => self.bounds = scanner.numbers().try_into().unwrap_or_default(),
                b"Encoding" => self.read_encoding(&mut scanner)?,
                // Stroked outlines and multiple masters are not supported.
                b"PaintType" if scanner.numbers() != [0.0] => return None,
                b"WeightVector" | b"BlendDesignMap" => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// Reads an encoding, which is written as `StandardEncoding def`, or as `256 array … dup CODE /NAME put … def`.
    fn read_encoding(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        match scanner.next()? {
            Token::Word(b"StandardEncoding") => return Some(()),
            Token::Number(_) => {}
            _ => return None,
        }
        let mut names = BTreeMap::new();
        let mut last = [None, None];
        loop {
            match scanner.next()? {
                Token::Word(b"def" | b"readonly") => break,
                Token::Word(b"put") => {
                    if let [Some(Token::Number(code)), Some(Token::Name(name))] = last
                        && name != NOTDEF
                    {
                        names.insert(byte(code)?, name.to_vec());
                    }
                }
                // A code that is not written in base ten is not supported.
                Token::Word(word) if word.contains(&b'#') => return None,
                token => last = [last[1], Some(token)],
            }
        }
        self.encoding = Some(names);
        Some(())
    }

    fn read_private_part(&mut self, data: &[u8]) -> Option<()> {
        let mut scanner = Scanner { data, at: 0 };
        let mut lead_bytes = 4;
        let mut last: [Option<Token<'_>>; 3] = [None; 3];
        let (mut tables, mut subroutines, mut glyphs) = (0, false, false);
        while let Some(token) = scanner.next() {
            match token {
                Token::Name(b"Subrs" | b"CharStrings") => {
                    // Fonts with outlines for two resolutions are not supported. They have each of the two tables
                    // twice, and select one by PostScript code.
                    tables += 1;
                    subroutines = token == Token::Name(b"Subrs");
                    if tables > 2 {
                        return None;
                    }
                }
                Token::Word(b"begin") if tables > 0 && !subroutines => glyphs = true,
                Token::Word(b"end") if !self.glyphs.is_empty() => return Some(()),
                Token::Name(b"lenIV") if !glyphs => {
                    let Token::Number(length) = scanner.next()? else { return None };
                    // A negative lenIV means that charstrings are not encrypted.
                    lead_bytes = if length < 0.0 { usize::MAX } else { usize::from(byte(length)?) };
                }
                Token::Name(name) if !glyphs => {
                    if let Some((_, operator)) = PRIVATE.iter().find(|(key, _)| *key == name) {
                        let numbers = scanner.numbers();
                        if !numbers.is_empty() && numbers.len() <= 48 {
                            self.private.insert(*operator, numbers);
                        }
                    }
                }
                Token::Word(_) => {
                    let length = match last {
                        [_, _, Some(Token::Number(length))] => length,
                        _ => 0.0,
                    };
                    match last {
                        [Some(Token::Word(b"dup")), Some(Token::Number(index)), Some(Token::Number(_))]
                            if subroutines =>
                        {
                            let index = whole(index).filter(|index| *index < MAX_CHARSTRINGS)?;
                            let code = decrypted(scanner.binary(whole(length)?)?, lead_bytes)?;
                            if self.subroutines.len() <= index {
                                self.subroutines.resize_with(index + 1, Vec::new);
                            }
                            *self.subroutines.get_mut(index)? = code;
                        }
                        [_, Some(Token::Name(name)), Some(Token::Number(_))] if glyphs => {
                            let code = decrypted(scanner.binary(whole(length)?)?, lead_bytes)?;
                            self.glyphs.entry(name.to_vec()).or_insert(code);
                            if self.glyphs.len() > MAX_CHARSTRINGS {
                                return None;
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
            last = [last[1], last[2], Some(token)];
        }
        (!self.glyphs.is_empty()).then_some(())
    }
}

/// Removes the segment headers of PFB files.
fn without_segments(data: &[u8]) -> Vec<u8> {
    let mut clear_text = Vec::with_capacity(data.len());
    let mut rest = data;
    while let [0x80, 1 | 2, a, b, c, d, after @ ..] = rest {
        let length = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX);
        let length = length.min(after.len());
        clear_text.extend_from_slice(after.get(..length).unwrap_or_default());
        rest = after.get(length..).unwrap_or_default();
    }
    if clear_text.is_empty() { data.to_vec() } else { clear_text }
}

/// Splits a font program into the clear-text part and the encrypted part, and decrypts the encrypted part.
fn parts(data: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let found = data.windows(5).position(|window| window == b"eexec")?;
    let (clear_text, rest) = data.split_at(found);
    let rest = rest.get(5..)?;
    let start = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))?;
    let rest = rest.get(start..)?;
    let is_text = rest.len() > 4 && rest.iter().take(4).all(u8::is_ascii_hexdigit);
    let encrypted = if is_text { decrypt(&hexadecimal(rest), EEXEC) } else { decrypt(rest, EEXEC) };
    Some((clear_text, encrypted.get(4..)?.to_vec()))
}

fn hexadecimal(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map_while(|byte| u8::try_from(char::from(*byte).to_digit(16)?).ok())
        .collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

fn decrypt(data: &[u8], mut key: u16) -> Vec<u8> {
    data.iter()
        .map(|&cipher| {
            let [high, _] = key.to_be_bytes();
            key = u16::from(cipher).wrapping_add(key).wrapping_mul(52_845).wrapping_add(22_719);
            cipher ^ high
        })
        .collect()
}

fn decrypted(data: &[u8], lead_bytes: usize) -> Option<Vec<u8>> {
    if lead_bytes == usize::MAX {
        return Some(data.to_vec());
    }
    Some(decrypt(data, CHARSTRING).get(lead_bytes..)?.to_vec())
}

fn whole(number: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    (number.fract() == 0.0 && (0.0..1e9).contains(&number)).then_some(number as usize)
}

fn byte(number: f64) -> Option<u8> {
    u8::try_from(whole(number)?).ok()
}

/// A PostScript token.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Name(&'a [u8]),
    Number(f64),
    Word(&'a [u8]),
    Text(&'a [u8]),
    Open,
    Close,
}

/// Splits PostScript into tokens.
struct Scanner<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.data.get(self.at)?;
            if byte == b'%' {
                while self.data.get(self.at).is_some_and(|byte| !matches!(byte, b'\r' | b'\n')) {
                    self.at += 1;
                }
            } else if is_white_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
        let first = *self.data.get(self.at)?;
        Some(match first {
            b'/' => {
                self.at += 1;
                Token::Name(self.regular())
            }
            b'(' => Token::Text(self.text()),
            b'[' | b'{' => {
                self.at += 1;
                Token::Open
            }
            b']' | b'}' => {
                self.at += 1;
                Token::Close
            }
            b')' | b'<' | b'>' => {
                self.at += 1;
                Token::Word(b"")
            }
            _ => {
                let word = self.regular();
                let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
                number.filter(|number| number.is_finite()).map_or(Token::Word(word), Token::Number)
            }
        })
    }

    fn regular(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.data.get(self.at).is_some_and(|byte| is_regular(*byte)) {
            self.at += 1;
        }
        self.data.get(start..self.at).unwrap_or_default()
    }

    fn text(&mut self) -> &'a [u8] {
        let start = self.at + 1;
        let mut open = 0_usize;
        while let Some(byte) = self.data.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        self.data.get(start..self.at.saturating_sub(1)).unwrap_or_default()
    }

    /// Reads a number, a Boolean (as 1 or 0), or an array of numbers. The result is empty if something else follows.
    fn numbers(&mut self) -> Vec<f64> {
        let mut numbers = Vec::new();
        match self.next() {
            Some(Token::Number(number)) => numbers.push(number),
            Some(Token::Word(b"true")) => numbers.push(1.0),
            Some(Token::Word(b"false")) => numbers.push(0.0),
            Some(Token::Open) => {
                while let Some(Token::Number(number)) = self.next() {
                    numbers.push(number);
                }
            }
            _ => {}
        }
        numbers
    }

    /// Reads binary data of this length. A single space separates the data from the word before.
    fn binary(&mut self, length: usize) -> Option<&'a [u8]> {
        let start = self.at.checked_add(1)?;
        let end = start.checked_add(length)?;
        let bytes = self.data.get(start..end)?;
        self.at = end;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_distinguished() {
        let mut scanner = Scanner { data: b"/Blue[-15 0]/x -.5 def (a(b)\\)) {", at: 0 };
        assert_eq!(scanner.next(), Some(Token::Name(b"Blue")));
        assert_eq!(scanner.numbers(), [-15.0, 0.0]);
        assert_eq!(scanner.next(), Some(Token::Name(b"x")));
        assert_eq!(scanner.numbers(), [-0.5]);
        assert_eq!(scanner.next(), Some(Token::Word(b"def")));
        assert_eq!(scanner.next(), Some(Token::Text(b"a(b)\\)")));
        assert_eq!(scanner.next(), Some(Token::Open));
        assert_eq!(scanner.next(), None);
    }

    #[test]
    fn data_that_is_not_a_font_is_refused() {
        for data in [&b""[..], b"eexec", b"%!PS eexec 0000", &[0x80, 1, 255, 255, 255, 255]] {
            assert!(Program::parse(data).is_none());
        }
    }
}
