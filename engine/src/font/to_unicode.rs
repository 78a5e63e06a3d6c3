//! Writes ToUnicode CMaps (ISO 32000-1, 9.10.3). A ToUnicode CMap gives the characters of a font's codes, so that text
//! can be searched and copied.

use crate::EngineError;
use crate::document::flate_stream;
use lopdf::{Dictionary, Stream};
use std::fmt::Write as _;

/// The size of a font's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeSize {
    OneByte,
    TwoBytes,
}

/// The codes from `first` to `last`. The code `first` means the UTF-16 unit `units`, the next code means the next unit,
/// and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: u16,
    pub(crate) last: u16,
    pub(crate) units: u16,
}

/// One operator of a CMap may have at most 100 entries.
const ENTRIES: usize = 100;

/// The ToUnicode CMap of a font: `characters` are single codes with their texts, `ranges` are ranges of codes.
///
/// # Errors
/// [`EngineError::Internal`] if the CMap cannot be compressed.
pub(crate) fn to_unicode(
    size: CodeSize,
    characters: &[(u16, String)],
    ranges: &[Range],
) -> Result<Stream, EngineError> {
    flate_stream(Dictionary::new(), cmap(size, characters, ranges).into_bytes())
}

fn cmap(size: CodeSize, characters: &[(u16, String)], ranges: &[Range]) -> String {
    let (digits, space) = match size {
        CodeSize::OneByte => (2, "<00> <FF>"),
        CodeSize::TwoBytes => (4, "<0000> <FFFF>"),
    };
    let mut map = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n{space}\nendcodespacerange\n"
    );
    // Writing to a string does not fail.
    for group in characters.chunks(ENTRIES) {
        let _ = writeln!(map, "{} beginbfchar", group.len());
        for (code, text) in group {
            let units: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
            let _ = writeln!(map, "<{code:0digits$X}> <{units}>");
        }
        map.push_str("endbfchar\n");
    }
    for group in ranges.chunks(ENTRIES) {
        let _ = writeln!(map, "{} beginbfrange", group.len());
        for Range { first, last, units } in group {
            let _ = writeln!(map, "<{first:0digits$X}> <{last:0digits$X}> <{units:04X}>");
        }
        map.push_str("endbfrange\n");
    }
    map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_size_and_operators_at_most_a_hundred_entries() {
        let characters: Vec<(u16, String)> = (0..101).map(|code| (code, "\u{1f600}".to_owned())).collect();
        let map = cmap(CodeSize::OneByte, &characters, &[]);
        assert!(map.contains("<00> <FF>\nendcodespacerange"), "{map}");
        assert!(
            map.contains("100 beginbfchar\n<00> <D83DDE00>") && map.contains("1 beginbfchar\n<64> "),
            "{map}"
        );
        let map = cmap(CodeSize::TwoBytes, &[], &[Range { first: 1, last: 0xfd, units: 1 }]);
        assert!(map.contains("1 beginbfrange\n<0001> <00FD> <0001>\nendbfrange"), "{map}");
    }
}
