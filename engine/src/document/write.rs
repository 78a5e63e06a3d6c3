//! Writes PDF objects in the shortest syntax that the standard permits.

use lopdf::{Dictionary, Object, ObjectId};
use std::io::Write;

/// Gives objects their numbers in the file to be written.
pub(crate) trait Numbers {
    /// The number of an object; `None` if the object does not exist.
    fn number(&self, id: ObjectId) -> Option<u32>;
}

impl<F: Fn(ObjectId) -> Option<u32>> Numbers for F {
    fn number(&self, id: ObjectId) -> Option<u32> {
        self(id)
    }
}

/// Writes an object. A reference to an object that does not exist means null (ISO 32000-1, 7.3.10) and is written as
/// `null`.
pub(crate) fn write_object(out: &mut Vec<u8>, object: &Object, numbers: &impl Numbers) {
    match object {
        Object::Null => token(out, b"null"),
        Object::Boolean(true) => token(out, b"true"),
        Object::Boolean(false) => token(out, b"false"),
        Object::Integer(value) => token(out, value.to_string().as_bytes()),
        Object::Real(value) => token(out, real(*value).as_bytes()),
        Object::Name(name) => write_name(out, name),
        Object::String(bytes, _) => write_string(out, bytes),
        Object::Array(items) => {
            out.push(b'[');
            items.iter().for_each(|item| write_object(out, item, numbers));
            out.push(b']');
        }
        Object::Dictionary(entries) => write_dictionary(out, entries, numbers),
        Object::Stream(stream) => {
            let mut dict = stream.dict.clone();
            dict.set("Length", i64::try_from(stream.content.len()).unwrap_or(i64::MAX));
            write_dictionary(out, &dict, numbers);
            out.extend_from_slice(b"stream\n");
            out.extend_from_slice(&stream.content);
            out.extend_from_slice(b"\nendstream");
        }
        Object::Reference(id) => match numbers.number(*id) {
            Some(number) => token(out, format!("{number} 0 R").as_bytes()),
            None => token(out, b"null"),
        },
    }
}

/// Writes a dictionary. An entry whose value is null is left out, because it is equivalent to an absent entry.
pub(crate) fn write_dictionary(out: &mut Vec<u8>, entries: &Dictionary, numbers: &impl Numbers) {
    out.extend_from_slice(b"<<");
    for (key, value) in entries {
        let absent = match value {
            Object::Null => true,
            Object::Reference(id) => numbers.number(*id).is_none(),
            _ => false,
        };
        if !absent {
            write_name(out, key);
            write_object(out, value, numbers);
        }
    }
    out.extend_from_slice(b">>");
}

/// Writes a token, with a space before the token if it would otherwise run together with the previous token.
fn token(out: &mut Vec<u8>, text: &[u8]) {
    if out.last().copied().is_some_and(is_regular) {
        out.push(b' ');
    }
    out.extend_from_slice(text);
}

/// Whether a byte is neither white space nor a delimiter.
pub(crate) fn is_regular(byte: u8) -> bool {
    !matches!(
        byte,
        0 | 9 | 10 | 12 | 13 | 32 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for &byte in name {
        if is_regular(byte) && byte != b'#' && (0x21..=0x7e).contains(&byte) {
            out.push(byte);
        } else {
            // Writing to a vector does not fail.
            let _ = write!(out, "#{byte:02X}");
        }
    }
}

/// Writes a string in literal form, which is never longer than the hexadecimal form.
fn write_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'(');
    for &byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            // Readers would read a carriage return that is not escaped as a line feed.
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
    out.push(b')');
}

/// A real number without insignificant zeros.
pub(crate) fn real(value: f32) -> String {
    if !value.is_finite() || value == 0.0 {
        return "0".to_owned();
    }
    let text = value.to_string();
    match text.strip_prefix("0.") {
        Some(rest) => format!(".{rest}"),
        None => text.strip_prefix("-0.").map_or_else(|| text.clone(), |rest| format!("-.{rest}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::{StringFormat, dictionary};

    fn written(object: impl Into<Object>) -> String {
        let mut out = Vec::new();
        write_object(&mut out, &object.into(), &|id: ObjectId| (id.0 < 100).then_some(id.0));
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn tokens_are_separated_only_where_they_would_run_together() {
        let array: Vec<Object> = vec![
            1.into(),
            Object::Real(-0.5),
            "Name".into(),
            2.into(),
            Object::Null,
            (7, 0).into(),
            Object::Boolean(true),
        ];
        assert_eq!(written(array), "[1 -.5/Name 2 null 7 0 R true]");
        assert_eq!(
            written(dictionary! { "A" => 1, "B" => vec![2.into()], "C" => dictionary!{} }),
            "<</A 1/B[2]/C<<>>>>"
        );
    }

    #[test]
    fn entries_with_null_or_a_dangling_reference_are_left_out() {
        assert_eq!(written(dictionary! { "A" => Object::Null, "B" => (200, 0), "C" => 1 }), "<</C 1>>");
        assert_eq!(written(vec![(200, 0).into()]), "[null]");
    }

    #[test]
    fn names_and_strings_are_escaped() {
        assert_eq!(written(Object::Name(b"A B#/\xe9".to_vec())), "/A#20B#23#2F#E9");
        assert_eq!(
            written(Object::String(b"a(b)\\\r\n".to_vec(), StringFormat::Hexadecimal)),
            "(a\\(b\\)\\\\\\r\n)"
        );
    }

    #[test]
    fn reals_are_short_and_finite() {
        for (value, text) in [
            (1.0, "1"),
            (0.25, ".25"),
            (-0.25, "-.25"),
            (1e-7, ".0000001"),
            (f32::NAN, "0"),
            (-0.0, "0"),
            (1234.5, "1234.5"),
        ] {
            assert_eq!(real(value), text);
        }
    }
}
