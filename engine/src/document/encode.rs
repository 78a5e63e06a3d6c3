//! Compresses streams with Flate.

use super::decode::Decoded;
use super::write::write_object;
use crate::EngineError;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Object, ObjectId, Stream};
use std::io::Write;

/// Deflates data at the highest compression level.
///
/// # Errors
/// In practice there is no error, because writing to memory does not fail.
pub(crate) fn deflate(data: &[u8]) -> Result<Vec<u8>, EngineError> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(data.len() / 3 + 64), Compression::best());
    encoder
        .write_all(data)
        .and_then(|()| encoder.finish())
        .map_err(|error| EngineError::Internal(format!("deflating failed: {error}")))
}

/// A stream with this data. The data is deflated if deflating makes the stream smaller.
///
/// # Errors
/// The same errors as [`deflate`].
pub(crate) fn flate_stream(mut dict: Dictionary, plain: Vec<u8>) -> Result<Stream, EngineError> {
    dict.remove(b"Filter");
    dict.remove(b"DecodeParms");
    let packed = deflate(&plain)?;
    // `/Filter/FlateDecode` itself takes 19 bytes.
    if packed.len() + 19 < plain.len() {
        dict.set("Filter", Object::Name(b"FlateDecode".to_vec()));
        Ok(Stream::new(dict, packed))
    } else {
        Ok(Stream::new(dict, plain))
    }
}

/// Compresses a decoded stream with Flate. Data that is encoded with an image codec is not compressed again: the codec
/// becomes the only filter of the stream.
///
/// # Errors
/// The same errors as [`deflate`].
pub(crate) fn recoded(mut dict: Dictionary, decoded: Decoded<'_>) -> Result<Stream, EngineError> {
    let Some((codec, parameters)) = decoded.codec else { return flate_stream(dict, decoded.data) };
    // Streams need the full filter names. The short names are only for inline images (ISO 32000-1, table 94).
    let name: &[u8] = match codec {
        b"DCT" => b"DCTDecode",
        b"CCF" => b"CCITTFaxDecode",
        codec => codec,
    };
    dict.set("Filter", Object::Name(name.to_vec()));
    dict.remove(b"DecodeParms");
    if let Some(parameters) = parameters {
        dict.set("DecodeParms", parameters.clone());
    }
    Ok(Stream::new(dict, decoded.data))
}

/// The number of bytes that a stream takes in a file.
pub(crate) fn stored_size(stream: &Stream) -> usize {
    stream.content.len() + dictionary_size(&stream.dict)
}

fn dictionary_size(dict: &Dictionary) -> usize {
    let mut out = Vec::new();
    write_object(&mut out, &Object::Dictionary(dict.clone()), &|id: ObjectId| Some(id.0));
    out.len()
}
