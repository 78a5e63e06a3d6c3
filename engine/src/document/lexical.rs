//! The character classes of PDF (ISO 32000-1, 7.2.2): white space, delimiters and regular characters.

/// Whether a byte is white space (ISO 32000-1, table 1): NUL, tab, line feed, form feed, carriage return or space.
pub(crate) const fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

/// Whether a byte is a delimiter (ISO 32000-1, table 2).
pub(crate) const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Whether a byte is a regular character: part of a name, number or keyword.
pub(crate) const fn is_regular(byte: u8) -> bool {
    !is_white_space(byte) && !is_delimiter(byte)
}
