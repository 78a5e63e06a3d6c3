//! A lexer for content streams: an iterator over the operations, each operation with its position in the stream.

use crate::document::{is_regular, is_white_space};
use std::ops::Range;

/// The maximum nesting of arrays and dictionaries in operands.
const MAX_DEPTH: usize = 24;
/// The maximum number of operands that are kept for one operation. No operator of the standard has more than 33.
const MAX_OPERANDS: usize = 64;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Number(f64),
    Name(Vec<u8>),
    String(Vec<u8>),
    Array(Vec<Operand>),
    Dictionary(Vec<(Vec<u8>, Operand)>),
    /// `true`, `false` or `null`.
    Other,
}

impl Operand {
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// An operation: an operator with its operands. The span reaches from the first operand to the end of the operator. An
/// inline image is one operation `BI`: its operand is the dictionary of the image, and its span reaches to the end of
/// `EI`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operation<'a> {
    pub(crate) operator: &'a [u8],
    pub(crate) operands: Vec<Operand>,
    pub(crate) span: Range<usize>,
}

/// Reads the operations of a content stream, and skips bytes that it cannot read.
pub(crate) struct Lexer<'a> {
    data: &'a [u8],
    at: usize,
}

enum Token<'a> {
    Operand(Operand),
    Keyword(&'a [u8]),
    /// A delimiter in the wrong place, such as `]` or `>>` without an opening bracket.
    Stray,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| !matches!(byte, b'\r' | b'\n')) {
                    self.at += 1;
                }
            } else if is_white_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn regular(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        self.data.get(start..self.at).unwrap_or_default()
    }

    fn token(&mut self, depth: usize) -> Option<Token<'a>> {
        self.skip_space();
        let first = self.peek()?;
        Some(match first {
            b'/' => {
                self.at += 1;
                Token::Operand(Operand::Name(unescaped(self.regular())))
            }
            b'(' => Token::Operand(Operand::String(self.literal())),
            b'<' if self.data.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                Token::Operand(self.dictionary(depth))
            }
            b'<' => Token::Operand(Operand::String(self.hexadecimal())),
            b'[' => {
                self.at += 1;
                Token::Operand(self.array(depth))
            }
            _ if is_regular(first) => {
                let word = self.regular();
                match word {
                    b"true" | b"false" | b"null" => Token::Operand(Operand::Other),
                    _ => number(word)
                        .map_or(Token::Keyword(word), |value| Token::Operand(Operand::Number(value))),
                }
            }
            b'>' if self.data.get(self.at + 1) == Some(&b'>') => {
                self.at += 2;
                Token::Stray
            }
            _ => {
                self.at += 1;
                Token::Stray
            }
        })
    }

    fn array(&mut self, depth: usize) -> Operand {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                _ if depth >= MAX_DEPTH => break,
                _ => match self.token(depth + 1) {
                    Some(Token::Operand(item)) => items.push(item),
                    Some(_) => {}
                    None => break,
                },
            }
        }
        Operand::Array(items)
    }

    fn dictionary(&mut self, depth: usize) -> Operand {
        let mut entries = Vec::new();
        let mut key = None;
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b'>') => {
                    self.at += if self.data.get(self.at + 1) == Some(&b'>') { 2 } else { 1 };
                    break;
                }
                _ if depth >= MAX_DEPTH => break,
                _ => match (self.token(depth + 1), key.take()) {
                    (Some(Token::Operand(Operand::Name(name))), None) => key = Some(name),
                    (Some(Token::Operand(value)), Some(name)) => entries.push((name, value)),
                    (None, _) => break,
                    _ => {}
                },
            }
        }
        Operand::Dictionary(entries)
    }

    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => {
                    open += 1;
                    if open > 1 {
                        text.push(byte);
                    }
                }
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                    text.push(byte);
                }
                b'\\' => self.escape(&mut text),
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    text.push(b'\n');
                }
                _ => text.push(byte),
            }
        }
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    match self.peek() {
                        Some(digit @ b'0'..=b'7') => {
                            value = value * 8 + u32::from(digit - b'0');
                            self.at += 1;
                        }
                        _ => break,
                    }
                }
                text.push(value.to_le_bytes()[0]);
            }
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            _ => text.push(byte),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()) else {
                continue;
            };
            match high.take() {
                None => high = Some(digit),
                Some(high) => text.push(high * 16 + digit),
            }
        }
        text.extend(high.map(|high| high * 16));
        text
    }

    /// Reads an inline image from the token after `BI` to the end of `EI`. Returns the dictionary of the image.
    fn inline_image(&mut self) -> Operand {
        let mut entries = Vec::new();
        let mut key = None;
        loop {
            match (self.token(0), key.take()) {
                (Some(Token::Operand(Operand::Name(name))), None) => key = Some(name),
                (Some(Token::Operand(value)), Some(name)) => entries.push((name, value)),
                (Some(Token::Keyword(b"ID")), _) => break,
                (None, _) => return Operand::Dictionary(entries),
                _ => {}
            }
        }
        // One white-space byte separates `ID` from the data.
        self.at += 1;
        let filtered = entries.iter().any(|(key, _)| matches!(key.as_slice(), b"F" | b"Filter"));
        if !filtered {
            self.at = self.at.saturating_add(plain_size(&entries).unwrap_or(0)).min(self.data.len());
        }
        self.skip_to_end_of_image();
        Operand::Dictionary(entries)
    }

    /// Moves to the byte after the next `EI` that is a separate token and is followed by printable characters or white
    /// space, as in content streams.
    fn skip_to_end_of_image(&mut self) {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let mut from = 0;
        while let Some(found) =
            rest.get(from..).and_then(|rest| rest.windows(2).position(|pair| pair == b"EI"))
        {
            let at = from + found;
            let before = at
                .checked_sub(1)
                .and_then(|before| rest.get(before))
                .is_none_or(|byte| is_white_space(*byte) || from == 0 && found == 0);
            let after = rest.get(at + 2..).unwrap_or_default();
            let alone = after.first().is_none_or(|byte| is_white_space(*byte));
            let text =
                after.iter().take(16).all(|&byte| is_white_space(byte) || (0x20..0x7f).contains(&byte));
            if before && alone && text {
                self.at += at + 2;
                return;
            }
            from = at + 2;
        }
        self.at = self.data.len();
    }
}

/// The size in bytes of the data of an inline image without a filter; `None` if the size is not known.
fn plain_size(entries: &[(Vec<u8>, Operand)]) -> Option<usize> {
    let get = |short: &[u8], long: &[u8]| {
        entries.iter().find(|(key, _)| key == short || key == long).map(|(_, value)| value)
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    let size = |value: Option<&Operand>| {
        value.and_then(Operand::number).filter(|value| (0.0..1e6).contains(value)).map(|value| value as usize)
    };
    let mask = matches!(get(b"IM", b"ImageMask"), Some(Operand::Other));
    let bits = if mask { 1 } else { size(get(b"BPC", b"BitsPerComponent")).unwrap_or(1) };
    let components = match get(b"CS", b"ColorSpace").and_then(Operand::name) {
        Some(b"RGB" | b"DeviceRGB" | b"CalRGB") => 3,
        Some(b"CMYK" | b"DeviceCMYK") => 4,
        Some(b"G" | b"DeviceGray" | b"CalGray" | b"I" | b"Indexed") => 1,
        None if matches!(get(b"CS", b"ColorSpace"), Some(Operand::Array(_))) || mask => 1,
        // The colour space is a named resource, so the size is not known. The lexer then searches for the end of the
        // data.
        _ => return None,
    };
    let row = size(get(b"W", b"Width"))?.checked_mul(bits)?.checked_mul(components)?.div_ceil(8);
    row.checked_mul(size(get(b"H", b"Height"))?)
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Operation<'a>;

    fn next(&mut self) -> Option<Operation<'a>> {
        let mut operands = Vec::new();
        let mut start = None;
        loop {
            self.skip_space();
            let here = self.at;
            match self.token(0)? {
                Token::Operand(operand) => {
                    start.get_or_insert(here);
                    if operands.len() < MAX_OPERANDS {
                        operands.push(operand);
                    }
                }
                Token::Keyword(b"BI") => {
                    let image = self.inline_image();
                    return Some(Operation { operator: b"BI", operands: vec![image], span: here..self.at });
                }
                Token::Keyword(operator) => {
                    return Some(Operation { operator, operands, span: start.unwrap_or(here)..self.at });
                }
                Token::Stray => {}
            }
        }
    }
}

/// Parses a number. Malformed numbers get the value that most readers give them: further signs at the start are ignored
/// (`--5.0` is -5 in PDFium, poppler, Ghostscript and pdf.js), a number ends at a sign inside it (`5-3` is 5 in PDFium
/// and Ghostscript), and a number without digits is 0 (`-`, `.` and `-.` in all of them).
fn number(word: &[u8]) -> Option<f64> {
    let first = *word.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let text = std::str::from_utf8(word).ok()?;
    let unsigned = text.trim_start_matches(['+', '-']);
    let is_negative = text[..text.len() - unsigned.len()].contains('-');
    let digits = unsigned.split(['+', '-']).next().unwrap_or_default();
    // `f64` also accepts exponents, `inf` and `nan`, which PDF does not have.
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let value: f64 = if matches!(digits, "" | ".") { 0.0 } else { digits.parse().ok()? };
    value.is_finite().then_some(if is_negative { -value } else { value })
}

fn unescaped(name: &[u8]) -> Vec<u8> {
    let digit = |at: usize| {
        name.get(at)
            .and_then(|&byte| char::from(byte).to_digit(16))
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut plain = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(&byte) = name.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                plain.push(high * 16 + low);
                at += 3;
            }
            _ => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operators(data: &[u8]) -> Vec<String> {
        Lexer::new(data).map(|operation| String::from_utf8_lossy(operation.operator).into_owned()).collect()
    }

    #[test]
    fn operations_have_operands_and_spans() {
        let data = b"q 1 0 0 -1.5 .5 0 cm % comment\n/Im#31 Do [(a\\)b) -20 <4a4>] TJ Q";
        let all: Vec<_> = Lexer::new(data).collect();
        assert_eq!(
            all.iter().map(|o| o.operator).collect::<Vec<_>>(),
            [&b"q"[..], b"cm", b"Do", b"TJ", b"Q"]
        );
        assert_eq!(all[1].operands[3], Operand::Number(-1.5));
        assert_eq!(all[2].operands, [Operand::Name(b"Im1".to_vec())]);
        let strings =
            vec![Operand::String(b"a)b".to_vec()), Operand::Number(-20.0), Operand::String(b"J@".to_vec())];
        assert_eq!(all[3].operands, [Operand::Array(strings)]);
        assert_eq!(&data[all[3].span.clone()], b"[(a\\)b) -20 <4a4>] TJ");
    }

    #[test]
    fn malformed_numbers_have_the_value_that_other_readers_give_them() {
        for (text, value) in [
            ("--5", -5.0),
            ("--5.5", -5.5),
            ("-5-3", -5.0),
            ("-5.5-3", -5.5),
            ("5-3", 5.0),
            ("5+3", 5.0),
            ("++5", 5.0),
            ("+-5", -5.0),
            ("50.", 50.0),
            ("--.5", -0.5),
            ("-", 0.0),
            (".", 0.0),
            ("-.", 0.0),
        ] {
            assert_eq!(number(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["", "5e3", "-inf", "+nan", "5..5", "-x", "d0"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn inline_images_end_at_their_own_end() {
        assert_eq!(operators(b"BI /W 2 /H 1 /BPC 8 /CS /RGB ID EI EI \nEI Q"), ["BI", "Q"]);
        assert_eq!(operators(b"BI /W 9 /H 9 /F /Fl ID x\x9c EI \x80\x01 more\nEI\nQ"), ["BI", "Q"]);
        assert_eq!(operators(b"BI /W 9 /H 9 ID no end"), ["BI"]);
    }

    #[test]
    fn broken_content_ends_without_a_panic() {
        for data in [
            &b"((("[..],
            b"<<",
            b"[[[[",
            b"<< /A",
            b"BI",
            b"BI ID",
            b"> ) } ] 5 m",
            b"\\ <zz>",
            b"--5 m",
            b"/",
            b"1 2 3",
        ] {
            let _ = operators(data);
        }
        let deep = vec![b'['; 100_000];
        let _ = operators(&deep);
        let deep = b"<</A ".repeat(50_000);
        let _ = operators(&deep);
    }
}
