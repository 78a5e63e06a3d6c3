//! Scans one object of a file byte by byte, to find faults that parsers silently accept.

use crate::document::{is_delimiter, is_white_space};
use lopdf::ObjectId;

/// The nesting depth of dictionaries is counted only up to this maximum. The depth shows whether a key belongs to the
/// object's own dictionary.
const DEEPEST: usize = 1000;

/// The result of scanning an object from `obj` to `endobj` or `stream`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scanned {
    /// A hexadecimal string has an odd number of digits.
    pub(super) odd_hex: bool,
    /// A hexadecimal string contains a character that is neither a hexadecimal digit nor white space.
    pub(super) bad_hex: bool,
    /// The value of the entry `Length` of the object's own dictionary.
    pub(super) length: Option<Length>,
    /// The keyword that ends the object's value, and the offset of the keyword in the file. `None` if the keyword is
    /// missing.
    pub(super) end: Option<(End, usize)>,
}

/// The keyword that ends an object's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// `endobj`.
    Object,
    /// `stream`.
    Stream,
}

/// The length of a stream, in the form in which the dictionary states the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// The dictionary contains the length itself.
    Direct(usize),
    /// The dictionary refers to an object that contains the length.
    In(ObjectId),
}

/// Scans the value of an object. `at` is the offset of the value in the file.
pub(super) fn object(bytes: &[u8], at: usize) -> Scanned {
    let mut scanned = Scanned::default();
    let (mut at, mut depth) = (at, 0_usize);
    // `key` is true while the value of the key `Length` of the object's own dictionary is read. `numbers` are the
    // numbers of this value: one number in `/Length 5`, two numbers in `/Length 5 0 R`.
    let mut key = false;
    let mut numbers: Vec<usize> = Vec::new();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            _ if is_white_space(byte) => at += 1,
            b'%' => at = line_end(bytes, at),
            b'(' => at = string_end(bytes, at),
            b'<' if bytes.get(at + 1) == Some(&b'<') => {
                depth = (depth + 1).min(DEEPEST);
                at += 2;
            }
            b'>' if bytes.get(at + 1) == Some(&b'>') => {
                store_direct_length(&mut scanned, &mut key, &mut numbers);
                depth = depth.saturating_sub(1);
                at += 2;
            }
            b'<' => at = hexadecimal_end(bytes, at, &mut scanned),
            b'/' => {
                store_direct_length(&mut scanned, &mut key, &mut numbers);
                let end = token_end(bytes, at + 1);
                key = depth == 1 && bytes.get(at + 1..end) == Some(b"Length") && scanned.length.is_none();
                at = end;
            }
            _ if is_delimiter(byte) => at += 1,
            _ => {
                let end = token_end(bytes, at);
                match bytes.get(at..end).unwrap_or_default() {
                    b"endobj" => {
                        scanned.end = Some((End::Object, at));
                        return scanned;
                    }
                    b"stream" => {
                        scanned.end = Some((End::Stream, at));
                        return scanned;
                    }
                    // The next object begins, so the object that is scanned has no `endobj`.
                    b"obj" => return scanned,
                    b"R" if key => {
                        if let [number, generation] = numbers.as_slice()
                            && let (Ok(number), Ok(generation)) =
                                (u32::try_from(*number), u16::try_from(*generation))
                        {
                            scanned.length = Some(Length::In((number, generation)));
                        }
                        (key, numbers) = (false, Vec::new());
                    }
                    token if key => {
                        let number: Option<usize> =
                            std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
                        numbers.extend(number.filter(|_| numbers.len() < 3));
                    }
                    _ => {}
                }
                at = end.max(at + 1);
            }
        }
    }
    scanned
}

/// Stores the number after `/Length` as the length, if exactly one number follows `/Length`.
fn store_direct_length(scanned: &mut Scanned, key: &mut bool, numbers: &mut Vec<usize>) {
    if *key && let [length] = numbers.as_slice() {
        scanned.length = Some(Length::Direct(*length));
    }
    *key = false;
    numbers.clear();
}

fn token_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|&byte| is_white_space(byte) || is_delimiter(byte)).unwrap_or(rest.len())
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len())
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    at
}

fn hexadecimal_end(bytes: &[u8], from: usize, scanned: &mut Scanned) -> usize {
    let (mut at, mut digits) = (from + 1, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'>' => break,
            _ if is_white_space(byte) => {}
            _ => {
                digits += 1;
                scanned.bad_hex |= !byte.is_ascii_hexdigit();
            }
        }
    }
    scanned.odd_hex |= digits % 2 == 1;
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_that_of_the_objects_own_dictionary() {
        let inner = object(b"<</A<</Length 5>>/Length 7 /B(>>/Length 9)>>stream", 0);
        assert_eq!(inner.length, Some(Length::Direct(7)));
        assert_eq!(inner.end, Some((End::Stream, 44)));
        let indirect = object(b"<</Length 12 0 R>>\nstream", 0);
        assert_eq!(indirect.length, Some(Length::In((12, 0))));
        assert_eq!(object(b"<</Length 12>> endobj", 0).length, Some(Length::Direct(12)));
    }

    #[test]
    fn hexadecimal_strings_are_checked_at_every_depth() {
        assert!(object(b"[<</A<ABC>>>] endobj", 0).odd_hex);
        assert!(object(b"[<AB CG>] endobj", 0).bad_hex);
        let clean = object(b"<</A<AB CD>/B(<ABC>)/C %<AXX>\n 1>> endobj", 0);
        assert!(!clean.odd_hex && !clean.bad_hex);
    }

    #[test]
    fn truncated_objects_do_not_panic() {
        let text = b"<</Length 4 0 R/A[<</B(\\)>>>]/C<0>>>\nstream";
        for end in 0..text.len() {
            let _ = object(&text[..end], 0);
        }
        for from in 0..text.len() {
            let _ = object(text, from);
        }
    }
}
