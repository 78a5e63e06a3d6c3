//! Finds what a content stream leaves open: graphics states, text objects, marked content, arrays, strings.
//!
//! A stamp that is drawn after content with open elements could be moved, clipped or hidden, or could be read as part
//! of a string. This scanner interprets only the syntax that is needed to find the elements that must be closed, and
//! the unmatched `Q` operators.

use crate::document::{is_regular, is_white_space};

/// How a content stream ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Balance {
    /// The offsets of the `Q` operators without a matching `q`. Viewers ignore these operators.
    pub(super) unmatched: Vec<usize>,
    /// The operators and delimiters that close everything that is open at the end of the content.
    pub(super) closing: Vec<u8>,
}

/// Scans a page's whole content.
pub(super) fn balance(content: &[u8]) -> Balance {
    let mut scanner = Scanner { content, at: 0 };
    let mut states = 0_usize;
    let mut marks = 0_usize;
    let mut in_text = false;
    let mut in_path = false;
    let mut nesting: Vec<&'static [u8]> = Vec::new();
    let mut unmatched = Vec::new();
    let mut unfinished: Vec<u8> = Vec::new();
    while let Some(token) = scanner.next() {
        match token {
            Token::Operator(at, name) => {
                // An operator ends all arrays and dictionaries that are still open.
                nesting.clear();
                match name {
                    b"q" => states += 1,
                    b"Q" if states == 0 => unmatched.push(at),
                    b"Q" => states -= 1,
                    b"BT" => in_text = true,
                    b"ET" => in_text = false,
                    b"BMC" | b"BDC" => marks += 1,
                    b"EMC" => marks = marks.saturating_sub(1),
                    b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re" => in_path = true,
                    b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"n" => in_path = false,
                    b"BI" if !scanner.skip_inline_image() => unfinished = b"\nEI".to_vec(),
                    _ => {}
                }
            }
            Token::Open(closer) => nesting.push(closer),
            Token::Close(closer) => {
                if nesting.last() == Some(&closer) {
                    nesting.pop();
                }
            }
            Token::Unfinished(end) => unfinished = end,
            Token::Operand => {}
        }
    }
    let mut closing = unfinished;
    nesting.iter().rev().for_each(|closer| closing.extend_from_slice(closer));
    let mut operators = |name: &[u8], times: usize| {
        for _ in 0..times {
            closing.push(b'\n');
            closing.extend_from_slice(name);
        }
    };
    operators(b"n", usize::from(in_path));
    operators(b"ET", usize::from(in_text));
    operators(b"EMC", marks);
    operators(b"Q", states);
    Balance { unmatched, closing }
}

enum Token<'a> {
    Operator(usize, &'a [u8]),
    Operand,
    Open(&'static [u8]),
    Close(&'static [u8]),
    /// The content ends inside an operand. These bytes close the operand.
    Unfinished(Vec<u8>),
}

struct Scanner<'a> {
    content: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.content.get(self.at + ahead).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.skip_while(is_white_space);
            if self.peek(0)? != b'%' {
                break;
            }
            self.skip_while(|byte| !matches!(byte, b'\r' | b'\n'));
        }
        let start = self.at;
        let first = self.peek(0)?;
        self.at += 1;
        Some(match first {
            b'(' => self.string(),
            b'<' if self.peek(0) == Some(b'<') => {
                self.at += 1;
                Token::Open(b">>")
            }
            b'<' => {
                self.skip_while(|byte| byte != b'>');
                let finished = self.peek(0).is_some();
                self.at += 1;
                if finished { Token::Operand } else { Token::Unfinished(b">".to_vec()) }
            }
            b'>' if self.peek(0) == Some(b'>') => {
                self.at += 1;
                Token::Close(b">>")
            }
            b'[' => Token::Open(b"]"),
            b']' => Token::Close(b"]"),
            b'/' => {
                self.skip_while(is_regular);
                Token::Operand
            }
            _ if !is_regular(first) => Token::Operand,
            _ => {
                self.skip_while(is_regular);
                match self.content.get(start..self.at).unwrap_or_default() {
                    b"true" | b"false" | b"null" => Token::Operand,
                    _ if matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.') => Token::Operand,
                    name => Token::Operator(start, name),
                }
            }
        })
    }

    /// Reads the rest of a literal string.
    fn string(&mut self) -> Token<'a> {
        let mut depth = 1_usize;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'\\' => {
                    if self.peek(0).is_none() {
                        // The content ends with a backslash. A line feed is added after it, so that the backslash does
                        // not escape the parenthesis that closes the string.
                        return Token::Unfinished([b"\n".as_slice(), &vec![b')'; depth]].concat());
                    }
                    self.at += 1;
                }
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Token::Operand;
            }
        }
        Token::Unfinished(vec![b')'; depth])
    }

    /// Skips an inline image after its `BI`. Returns `false` if the end of the image is missing.
    fn skip_inline_image(&mut self) -> bool {
        while let Some(token) = self.next() {
            if let Token::Operator(_, name) = token
                && name == b"ID"
            {
                return self.skip_image_data();
            }
        }
        false
    }

    /// Skips the data of an inline image, and the operator `EI` that ends the data. Returns `false` if `EI` is missing.
    /// The data may contain the bytes `EI` too: the operator is the first `EI` that is a separate token and is followed
    /// by text, not by binary data.
    fn skip_image_data(&mut self) -> bool {
        self.at += 1;
        let data = self.content.get(self.at..).unwrap_or_default();
        let end = data.windows(2).enumerate().position(|(at, two)| {
            let before = at.checked_sub(1).and_then(|at| data.get(at)).copied();
            let after = data.get(at + 2..).unwrap_or_default();
            two == b"EI"
                && before.is_none_or(is_white_space)
                && after.first().copied().is_none_or(|byte| is_white_space(byte) || !is_regular(byte))
                && after
                    .iter()
                    .take(12)
                    .all(|byte| is_white_space(*byte) && *byte != 0 || matches!(byte, 0x20..=0x7e))
        });
        self.at += end.map_or(data.len(), |end| end + 2);
        end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closing(content: &[u8]) -> String {
        String::from_utf8(balance(content).closing).unwrap()
    }

    #[test]
    fn balanced_content_needs_nothing() {
        for content in [
            &b""[..],
            b"q 1 0 0 1 5 5 cm Q",
            b"q BT /F1 12 Tf (q \\) q (q) q) Tj ET Q",
            b"/Span <</ActualText (q)>> BDC [(q) -20 <71>] TJ EMC",
            b"0 0 10 10 re f % q",
            b"/q gs /Q /BT Do",
        ] {
            assert_eq!(balance(content), Balance::default(), "{}", String::from_utf8_lossy(content));
        }
    }

    #[test]
    fn open_constructs_are_closed_innermost_first() {
        assert_eq!(closing(b"q q /OC /x BDC BT 0 0 m"), "\nn\nET\nEMC\nQ\nQ");
        assert_eq!(closing(b"q(text"), ")\nQ");
        assert_eq!(closing(b"(a(b\\"), "\n))");
        assert_eq!(closing(b"<4142"), ">");
        assert_eq!(closing(b"/Span <</A [1 2"), "]>>");
    }

    #[test]
    fn the_offset_of_an_unmatched_restore_is_found() {
        let found = balance(b"Q q Q /Q Q");
        assert_eq!(found.unmatched, [0, 9]);
        assert_eq!(found.closing, b"");
    }

    #[test]
    fn the_data_of_an_inline_image_is_not_read_as_content() {
        let image = b"q BI /W 4 /H 4 /BPC 8 ID q EI\x80\xff EI q\x01 q (\nEI Q";
        assert_eq!(balance(image), Balance::default());
        assert_eq!(closing(b"BI /W 1 ID q q q"), "\nEI");
        assert_eq!(balance(b"BI /W 1 /H 1 ID \xff EI\nq BI /W 1 ID x EI\nQ"), Balance::default());
    }

    #[test]
    fn any_bytes_are_read_to_their_end() {
        let mut state = 1_u32;
        for _ in 0..2_000 {
            let bytes: Vec<u8> = (0..40)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"qQ()<>[]/%\\ \nBTEMCDI1\xff"[(state >> 16) as usize % 22]
                })
                .collect();
            let once = balance(&bytes);
            // The scanner must also be able to read the content that the stamp code writes: unmatched `Q` operators are
            // replaced by spaces, and the closing operators are appended.
            let mut closed = bytes.clone();
            once.unmatched.iter().for_each(|at| closed[*at] = b' ');
            closed.extend_from_slice(b"\n".as_slice());
            closed.extend_from_slice(&once.closing);
            let _ = balance(&closed);
        }
    }
}
