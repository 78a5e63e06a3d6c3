//! The `Range` header (RFC 9110, section 14): which bytes of a file a response contains. Only one range is supported.

use std::ops::Range;

/// Which bytes of a file to send.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All bytes: the request has no range, or a range that may be ignored.
    Whole,
    /// The bytes of this range, which is a part of the file.
    Part(Range<u64>),
    /// The range is outside the file.
    Unsatisfiable,
}

/// The bytes that `header` selects of a file of `size` bytes. A header with several ranges selects the whole file,
/// which RFC 9110 allows.
pub(crate) fn extent(header: Option<&str>, size: u64) -> Extent {
    let Some(set) = header
        .and_then(|header| header.split_once('='))
        .filter(|(unit, _)| unit.trim().eq_ignore_ascii_case("bytes"))
    else {
        return Extent::Whole;
    };
    let Some((first, last)) = set.1.split_once('-').map(|(first, last)| (first.trim(), last.trim())) else {
        return Extent::Whole;
    };
    let part = match (first, last) {
        ("", suffix) => number(suffix).map(|suffix| size.saturating_sub(suffix)..size),
        (first, "") => number(first).map(|first| first..size),
        (first, last) => match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Some(first..last.saturating_add(1).min(size)),
            _ => None,
        },
    };
    match part {
        None => Extent::Whole,
        Some(part) if part.start >= part.end => Extent::Unsatisfiable,
        Some(part) => Extent::Part(part),
    }
}

/// Parses a number that consists of digits only, so `+1` is invalid. A number that is too large for `u64` becomes
/// `u64::MAX`.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_within_the_file_selects_its_bytes() {
        for (header, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-9", 0..10),
            ("bytes=5-", 5..10),
            ("bytes=-3", 7..10),
            ("bytes=-30", 0..10),
            ("bytes=2-99999999999999999999999", 2..10),
            ("Bytes = 2-3", 2..4),
        ] {
            assert_eq!(extent(Some(header), 10), Extent::Part(part), "{header}");
        }
    }

    #[test]
    fn a_range_outside_the_file_is_unsatisfiable() {
        for header in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(extent(Some(header), 10), Extent::Unsatisfiable, "{header}");
        }
        assert_eq!(extent(Some("bytes=0-"), 0), Extent::Unsatisfiable);
    }

    #[test]
    fn anything_but_a_single_byte_range_is_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=5-2",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=+1-2",
        ] {
            assert_eq!(extent(Some(header), 10), Extent::Whole, "{header}");
        }
        assert_eq!(extent(None, 10), Extent::Whole);
    }
}
