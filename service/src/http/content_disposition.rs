//! The `Content-Disposition` header (RFC 6266), which contains the name of the file in the body.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The header value `attachment` with the file name `name`, which may contain any characters.
pub(crate) fn attachment(name: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name, KEPT))
}

/// The file name in a header value: the parameter `filename*` (RFC 8187, UTF-8), or `filename` if there is no
/// `filename*`.
pub(crate) fn file_name(value: &str) -> Option<String> {
    let parameter = |wanted: &str| {
        value.split(';').skip(1).filter_map(|part| part.split_once('=')).find_map(|(name, value)| {
            name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"'))
        })
    };
    let extended = parameter("filename*").and_then(|value| {
        let (charset, rest) = value.split_once('\'')?;
        let (_, encoded) = rest.split_once('\'')?;
        let name = percent_decode_str(encoded).decode_utf8().ok()?;
        charset.eq_ignore_ascii_case("utf-8").then(|| name.into_owned())
    });
    extended.or_else(|| parameter("filename").map(str::to_owned))
}
