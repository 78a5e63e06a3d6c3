//! The name of a fetched file, found in the response and in the address of the file.

use crate::http::{content_disposition, file_name as names};
use http::HeaderMap;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use percent_encoding::percent_decode_str;
use url::Url;

/// The file name in the response, or the last segment of the address if the response has no file name. If the name has
/// no extension, the extension for the media type is added.
pub(super) fn file_name(url: &Url, headers: &HeaderMap) -> String {
    let given = header(headers, &CONTENT_DISPOSITION).and_then(content_disposition::file_name);
    let segment = url
        .path_segments()
        .and_then(|mut segments| segments.next_back())
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy());
    let name =
        given.as_deref().and_then(names::base_name).or_else(|| segment.as_deref().and_then(names::base_name));
    let name = name.unwrap_or_else(|| "download".to_owned());
    if !names::extension(&name).is_empty() {
        return name;
    }
    let media_type =
        header(headers, &CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    let extension = match media_type.to_ascii_lowercase().as_str() {
        "application/pdf" => "pdf",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/tiff" => "tif",
        "text/plain" => "txt",
        "text/csv" => "csv",
        _ => return name,
    };
    names::with_extension(&name, extension)
}

pub(super) fn header<'h>(headers: &'h HeaderMap, name: &http::HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_comes_from_the_response_or_from_the_address() {
        let name = |url: &str, fields: &[(&'static str, &'static str)]| {
            let fields = fields.iter().map(|(name, value)| {
                (http::HeaderName::from_static(name), http::HeaderValue::from_static(value))
            });
            file_name(&Url::parse(url).unwrap(), &fields.collect())
        };
        assert_eq!(name("http://h/a/b%20c.pdf?x=y.txt", &[]), "b c.pdf");
        assert_eq!(name("http://h/", &[("content-type", "application/pdf; v=1")]), "download.pdf");
        assert_eq!(
            name("http://h/get", &[("content-disposition", "attachment; filename=\"../../r.pdf\"")]),
            "r.pdf"
        );
        assert_eq!(
            name(
                "http://h/get",
                &[("content-disposition", "inline; filename=x.pdf; filename*=UTF-8''%C3%A9.pdf")]
            ),
            "é.pdf"
        );
        assert_eq!(name("http://h/..%2f..%2fetc%2fpasswd", &[]), "passwd");
    }
}
