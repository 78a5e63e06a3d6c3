//! Content codings of responses (RFC 9110, 8.4.1): decodes gzip, deflate, br and zstd. The size of the result is
//! limited.
//!
//! Requests accept only `identity`, but some proxies compress responses nevertheless.

use bytes::Bytes;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use ruzstd::decoding::StreamingDecoder;
use std::io::{self, BufRead, Read};

/// How many codings may have been applied to one response, one after another.
const MOST_CODINGS: usize = 4;
/// The largest window that zstd may use as a content coding (RFC 9659, 3).
const ZSTD_WINDOW: u64 = 8 << 20;

/// A decoded body of at most `limit` bytes.
pub(crate) struct Decoded {
    pub(crate) body: Bytes,
    /// Whether the decoded body was longer than the limit.
    pub(crate) cut: bool,
}

/// Decodes `body` into at most `limit` bytes. The error describes what is wrong with the content coding.
pub(crate) fn decode(headers: &HeaderMap, body: Bytes, limit: usize) -> Result<Decoded, String> {
    let mut decoded = Decoded { body, cut: false };
    let codings = codings(headers);
    if codings.len() > MOST_CODINGS {
        return Err(format!("its body has more than {MOST_CODINGS} content codings"));
    }
    // The header lists the codings in the order in which they were applied, so they are removed in reverse order.
    for coding in codings.iter().rev() {
        let mut plain = Vec::new();
        let read = match coding.as_str() {
            "gzip" | "x-gzip" => read_up_to(MultiGzDecoder::new(&*decoded.body), limit, &mut plain),
            "deflate" => read_deflate(&decoded.body, limit, &mut plain),
            "br" => read_brotli(&decoded.body, limit, &mut plain),
            "zstd" => read_zstd(&decoded.body, limit, &mut plain),
            _ => return Err(format!("its content coding {coding:?} is not known")),
        };
        read.map_err(|error| format!("its {coding} content coding is damaged: {error}"))?;
        let cut = plain.len() > limit;
        plain.truncate(limit);
        decoded = Decoded { body: plain.into(), cut };
        if cut {
            break;
        }
    }
    Ok(decoded)
}

/// Whether a response with these headers has a body without content coding.
pub(crate) fn is_identity(headers: &HeaderMap) -> bool {
    codings(headers).is_empty()
}

/// The content codings that change the bytes of the body, in lower case.
fn codings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONTENT_ENCODING).iter();
    let names = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    let names = names.map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase());
    // S3 keeps `aws-chunked` for objects that were uploaded with this coding; the bytes in the response are not
    // encoded.
    names.filter(|name| !matches!(name.as_str(), "" | "identity" | "aws-chunked")).collect()
}

/// Decodes until the end, or until `plain` has one byte more than `limit`.
fn read_up_to(decoder: impl Read, limit: usize, plain: &mut Vec<u8>) -> io::Result<()> {
    decoder.take(limit as u64 + 1).read_to_end(plain).map(drop)
}

/// `deflate` is the zlib format (RFC 9110, 8.4.1.2), but some servers send DEFLATE data without the zlib header.
fn read_deflate(body: &[u8], limit: usize, plain: &mut Vec<u8>) -> io::Result<()> {
    // The zlib header (RFC 1950, 2.2): the method is 8, and the two bytes as a number are a multiple of 31.
    let is_zlib = matches!(body, [method, flags, ..]
        if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0);
    if is_zlib {
        read_up_to(ZlibDecoder::new(body), limit, plain)
    } else {
        read_up_to(DeflateDecoder::new(body), limit, plain)
    }
}

fn read_brotli(body: &[u8], limit: usize, plain: &mut Vec<u8>) -> io::Result<()> {
    // RFC 7932 (9.1) reserves this first byte. The decoder accepts it, and after it windows of up to 1 GiB.
    if body.first().is_some_and(|first| first & 0x7f == 0x11) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its window is too large"));
    }
    read_up_to(brotli_decompressor::Decompressor::new(body, 4096), limit, plain)
}

/// A zstd body may consist of several frames (RFC 8878, 3).
fn read_zstd(mut body: &[u8], limit: usize, plain: &mut Vec<u8>) -> io::Result<()> {
    while !body.fill_buf()?.is_empty() && plain.len() <= limit {
        let decoder = StreamingDecoder::new_with_max_window_size(&mut body, ZSTD_WINDOW)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        read_up_to(decoder, limit - plain.len(), plain)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use http::HeaderValue;
    use std::io::Write;

    const TEXT: &[u8] = br#"{"id": "1", "name": "report.pdf"}"#;
    /// `TEXT` as the reference programs `brotli` and `zstd` compress this text.
    const BROTLI: &[u8] = include_bytes!("testdata/record.json.br");
    const ZSTD: &[u8] = include_bytes!("testdata/record.json.zst");

    fn coded(coding: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(coding))])
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decoded(coding: &'static str, body: impl Into<Bytes>) -> Result<Decoded, String> {
        decode(&coded(coding), body.into(), 1000)
    }

    #[test]
    fn every_coding_of_the_registry_is_decoded() {
        for (coding, body) in [
            ("gzip", gzip(TEXT)),
            ("X-GZIP", gzip(TEXT)),
            ("deflate", zlib(TEXT)),
            ("deflate", bare_deflate(TEXT)),
            ("br", BROTLI.to_vec()),
            ("zstd", ZSTD.to_vec()),
            ("zstd", [ZSTD, ZSTD].concat()),
            ("deflate, gzip", gzip(&zlib(TEXT))),
            ("identity", TEXT.to_vec()),
            ("aws-chunked, gzip", gzip(TEXT)),
        ] {
            let two = body.len() == 2 * ZSTD.len();
            let expected = if two { [TEXT, TEXT].concat() } else { TEXT.to_vec() };
            let decoded = decoded(coding, body).unwrap_or_else(|why| panic!("{coding}: {why}"));
            assert!(decoded.body == expected && !decoded.cut, "{coding}");
        }
    }

    #[test]
    fn a_body_that_grows_past_the_limit_is_cut_there() {
        let zeros = vec![0; 10 << 20];
        let cut = decode(&coded("gzip"), gzip(&zeros).into(), 1000).unwrap();
        assert_eq!((cut.body.len(), cut.cut), (1000, true));
        let nested = decode(&coded("gzip, gzip"), gzip(&gzip(&zeros)).into(), 1 << 16).unwrap();
        assert_eq!((nested.body.len(), nested.cut), (1 << 16, true));
        let whole = decode(&coded("gzip"), gzip(&zeros[..1000]).into(), 1000).unwrap();
        assert_eq!((whole.body.len(), whole.cut), (1000, false));
    }

    #[test]
    fn damaged_and_unknown_codings_are_refused_by_name() {
        let (brotli_window, zstd_window) =
            (vec![0x11, 0x1e, 0, 0], vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 0, 0]);
        for (coding, body) in [
            ("gzip", TEXT.to_vec()),
            ("gzip", gzip(TEXT)[..20].to_vec()),
            ("deflate", zlib(TEXT)[..12].to_vec()),
            ("br", BROTLI[..BROTLI.len() / 2].to_vec()),
            ("br", brotli_window),
            ("zstd", ZSTD[..ZSTD.len() / 2].to_vec()),
            ("zstd", zstd_window),
            ("compress", TEXT.to_vec()),
        ] {
            let why = decoded(coding, body).err().unwrap_or_else(|| panic!("{coding} was taken"));
            assert!(why.contains(coding), "{why}");
        }
        assert!(decoded("gzip,gzip,gzip,gzip,gzip", TEXT.to_vec()).is_err());
    }
}
