//! Shortens content streams without changing operations and operands: removes comments, and white space and zeros that
//! are not needed, and replaces hexadecimal strings by literal strings if these are shorter (ISO 32000-1, 7.2 and 7.3).

use crate::content::lexer::Lexer;
use crate::document::{is_regular, is_white_space};

/// The content in fewer bytes. `None` if the content does not become shorter, or if the result would not be equivalent
/// to the content.
pub(crate) fn shortened(content: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(content.len());
    let mut copied = 0;
    for image in Lexer::new(content).filter(|operation| operation.operator == b"BI") {
        shorten(content.get(copied..image.span.start)?, &mut out);
        separate(&mut out);
        out.extend_from_slice(content.get(image.span.clone())?);
        copied = image.span.end;
    }
    shorten(content.get(copied..)?, &mut out);
    // The next token may be in the next content stream, so a separator is kept at the end.
    if content.last().is_some_and(|byte| is_white_space(*byte)) {
        out.push(b'\n');
    }
    (out.len() < content.len() && is_equivalent(content, &out)).then_some(out)
}

fn is_equivalent(one: &[u8], other: &[u8]) -> bool {
    let operations = |content| Lexer::new(content).map(|operation| (operation.operator, operation.operands));
    operations(one).eq(operations(other))
}

/// Adds a space if the last token must be separated from the next token.
fn separate(out: &mut Vec<u8>) {
    if out.last().is_some_and(|byte| is_regular(*byte)) {
        out.push(b' ');
    }
}

/// Shortens a piece of content that contains no inline image, and adds it to `out`.
fn shorten(piece: &[u8], out: &mut Vec<u8>) {
    let mut rest = piece;
    while let Some(&first) = rest.first() {
        let length = match first {
            _ if is_white_space(first) => {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            b'%' => {
                let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
                continue;
            }
            b'(' => literal_length(rest),
            b'<' if rest.get(1) != Some(&b'<') => {
                rest.iter().position(|byte| *byte == b'>').map_or(rest.len(), |end| end + 1)
            }
            b'<' | b'>' if rest.get(1) == Some(&first) => 2,
            b'/' => 1 + regular_length(rest.get(1..).unwrap_or_default()),
            _ if is_regular(first) => regular_length(rest),
            _ => 1,
        };
        let (token, remainder) = rest.split_at(length.min(rest.len()));
        rest = remainder;
        match first {
            b'<' if length > 2 => out.extend_from_slice(&hexadecimal(token)),
            _ if is_regular(first) => {
                separate(out);
                match number(token) {
                    Some((minus, whole, fraction)) => write_number(minus, whole, fraction, out),
                    None => out.extend_from_slice(token),
                }
            }
            _ => out.extend_from_slice(token),
        }
    }
}

fn regular_length(text: &[u8]) -> usize {
    text.iter().position(|byte| !is_regular(*byte)).unwrap_or(text.len())
}

/// The length of the literal string at the start of `text`, with its parentheses. If the string does not end, the
/// length of the whole text.
fn literal_length(text: &[u8]) -> usize {
    let mut open = 0_usize;
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => open += 1,
            b')' => {
                open -= 1;
                if open == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The maximum number of digits before the decimal point. Readers read longer numbers differently, so longer numbers
/// are kept as they are.
const MAX_WHOLE_DIGITS: usize = 9;

/// Whether a number is negative, its digits before the decimal point, and its digits after the decimal point. `None` if
/// `word` is not a number that all readers read in the same way.
fn number(word: &[u8]) -> Option<(bool, &[u8], &[u8])> {
    let (minus, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole, fraction) = digits.split_at(point);
    let fraction = fraction.get(1..).unwrap_or_default();
    let plain = [whole, fraction].concat();
    let is_unambiguous =
        !plain.is_empty() && plain.iter().all(u8::is_ascii_digit) && whole.len() <= MAX_WHOLE_DIGITS;
    is_unambiguous.then_some((minus, whole, fraction))
}

fn write_number(minus: bool, whole: &[u8], fraction: &[u8], out: &mut Vec<u8>) {
    let first = whole.iter().position(|digit| *digit != b'0').unwrap_or(whole.len());
    let last = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |at| at + 1);
    let (whole, fraction) =
        (whole.get(first..).unwrap_or_default(), fraction.get(..last).unwrap_or_default());
    if whole.is_empty() && fraction.is_empty() {
        out.push(b'0');
        return;
    }
    if minus {
        out.push(b'-');
    }
    out.extend_from_slice(whole);
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
}

/// A hexadecimal string as a literal string. If the literal string is not shorter, the hexadecimal string itself,
/// without white space. A string that is not valid is returned unchanged.
fn hexadecimal(token: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = token.iter().copied().filter(|byte| !is_white_space(*byte)).collect();
    let inner = digits.get(1..digits.len().saturating_sub(1)).unwrap_or_default();
    if digits.last() != Some(&b'>') || !inner.iter().all(u8::is_ascii_hexdigit) {
        return token.to_vec();
    }
    let value = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut literal = vec![b'('];
    for pair in inner.chunks(2) {
        let high = pair.first().and_then(value).unwrap_or(0);
        let low = pair.get(1).and_then(value).unwrap_or(0);
        match high * 16 + low {
            // Readers would read a carriage return that is not escaped as a line feed.
            b'\r' => literal.extend_from_slice(b"\\r"),
            byte @ (b'(' | b')' | b'\\') => literal.extend_from_slice(&[b'\\', byte]),
            byte => literal.push(byte),
        }
    }
    literal.push(b')');
    if literal.len() < digits.len() { literal } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(content: &str) -> String {
        let out = shortened(content.as_bytes()).unwrap_or_else(|| content.as_bytes().to_vec());
        out.iter().map(|byte| char::from(*byte)).collect()
    }

    #[test]
    fn superfluous_bytes_are_removed() {
        assert_eq!(
            short("q  0.750 0 0\t-00.500 +5. -0.0 cm % a comment (\n/Im1   Do\r\nQ\n"),
            "q .75 0 0 -.5 5 0 cm/Im1 Do Q\n"
        );
        assert_eq!(
            short("BT /F1 12.00 Tf [ (a  b) -20.0 <41 42> ] TJ ET"),
            "BT/F1 12 Tf[(a  b)-20(AB)]TJ ET"
        );
        assert_eq!(short("/P << /MCID 0 /B [ 1 2 ] >> BDC"), "/P<</MCID 0/B[1 2]>>BDC");
    }

    #[test]
    fn strings_keep_their_bytes() {
        assert_eq!(short("<28410d425c432944> Tj"), "(\\(A\\rB\\\\C\\)D)Tj");
        assert_eq!(short("<414> Tj <> Tj"), "(A@)Tj<>Tj");
        assert_eq!(short("(a\\)  % no comment (b) ) Tj"), "(a\\)  % no comment (b) )Tj");
        // Readers read this invalid string differently, so it is kept as it is.
        assert_eq!(short("<4g1> Tj"), "<4g1>Tj");
    }

    #[test]
    fn what_only_some_readers_read_as_numbers_is_kept() {
        for word in ["--5", "1.2.3", "5-3", "1e5", "-", ".", "+-1", "34028234663.0"] {
            assert_eq!(short(&format!("{word}  0.0 m")), format!("{word} 0 m"));
        }
    }

    #[test]
    fn inline_images_are_kept_byte_for_byte() {
        let image = "BI /W 2  /H 1 /BPC 8 /CS /G ID 0.00  % EI";
        assert_eq!(
            short(&format!("q  1.0 0 0 1 0 0 cm {image}  Q  q 0.50 w Q")),
            format!("q 1 0 0 1 0 0 cm {image} Q q .5 w Q")
        );
        let image = "BI /W 2  /H 1 /BPC 8 /CS /G ID \n\n\nEI";
        assert_eq!(short(&format!("q  1.0 w {image}\n0.50 w  Q")), format!("q 1 w {image} .5 w Q"));
    }

    #[test]
    fn operands_may_continue_in_the_next_stream() {
        assert_eq!(short("q 1.0  0 0 "), "q 1 0 0\n");
        assert_eq!(short("1.0 cm  (unended  "), "1 cm(unended  \n");
    }

    #[test]
    fn random_content_keeps_its_operations() {
        let pieces = [
            "0.10", "-.0", "(", ")", "(a)", "<41>", "<", ">", "<<", ">>", "[", "]", "/N", "/", "%c\n", "\r",
            " ", "Tj", "BI", "ID", "EI", "\\", "{", "}", "5", "\0",
        ];
        let mut seed = 1_u32;
        for _ in 0..20_000 {
            let mut content = Vec::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                content.extend_from_slice(pieces[seed as usize / 7919 % pieces.len()].as_bytes());
            }
            if let Some(out) = shortened(&content) {
                assert!(is_equivalent(&content, &out));
            }
        }
    }
}
