//! Decodes streams, within a budget of decoded bytes for the whole document.

use super::predictor::{Rows, undo_png, undo_tiff};
use crate::{EngineError, Job};
use flate2::read::ZlibDecoder;
use lopdf::{Dictionary, Document, Object, Stream};
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes to which the streams of a document may still inflate. The threads of a job share one budget.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicU64,
    limit: u64,
}

impl Budget {
    /// The budget of a job.
    pub(crate) fn of(job: &Job) -> Self {
        Self::bounded(job.limits().decoded_bytes)
    }

    /// A budget that is separate from the budget of the job, for data that is expected to be small.
    pub(crate) fn bounded(limit: u64) -> Self {
        Self { left: AtomicU64::new(limit), limit }
    }

    /// The number of bytes that are left in the budget.
    fn available(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes `bytes` from the budget.
    ///
    /// # Errors
    /// [`EngineError::Limit`] if fewer bytes are left.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), EngineError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| ())
            .map_err(|_| EngineError::limit("decompressed size", format!("{} bytes", self.limit)))
    }
}

/// The object that a reference leads to, also through several references. `None` if the reference leads to no object.
/// An object that is not a reference is returned as it is.
pub(crate) fn resolved<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Object> {
    document.dereference(object).ok().map(|(_, object)| object)
}

/// The filters of a stream with their parameters, in the order of decoding; `None` if the entries are invalid.
pub(crate) fn filters<'a>(
    document: &'a Document,
    dict: &'a Dictionary,
) -> Option<Vec<(&'a [u8], Option<&'a Dictionary>)>> {
    let get = |key: &[u8], short: &[u8]| {
        let value = dict.get(key).or_else(|_| dict.get(short)).ok()?;
        resolved(document, value).filter(|value| !value.is_null())
    };
    let names: Vec<&[u8]> = match get(b"Filter", b"F") {
        None => return Some(Vec::new()),
        Some(Object::Name(name)) => vec![name],
        Some(Object::Array(items)) => {
            items.iter().map(|item| resolved(document, item)?.as_name().ok()).collect::<Option<_>>()?
        }
        Some(_) => return None,
    };
    let parameters: Vec<Option<&Dictionary>> = match get(b"DecodeParms", b"DP") {
        None => Vec::new(),
        Some(Object::Dictionary(one)) => vec![Some(one)],
        Some(Object::Array(items)) => {
            items.iter().map(|item| resolved(document, item).and_then(|item| item.as_dict().ok())).collect()
        }
        Some(_) => return None,
    };
    Some(
        names
            .into_iter()
            .enumerate()
            .map(|(at, name)| (name, parameters.get(at).copied().flatten()))
            .collect(),
    )
}

/// The data of a stream after all lossless filters have been decoded.
pub(crate) struct Decoded<'a> {
    /// The data.
    pub(crate) data: Vec<u8>,
    /// The image codec with which the data is still encoded, and the parameters of the codec. The codec is always the
    /// last filter. `None` if the data is fully decoded.
    pub(crate) codec: Option<(&'a [u8], Option<&'a Dictionary>)>,
}

/// Decodes a stream to plain bytes, or to the data of an image codec such as `DCTDecode`.
///
/// Returns `None` if the stream is damaged, has an unknown filter, or has an image codec that is not the last filter.
/// The caller should then leave the stream unchanged.
///
/// # Errors
/// [`EngineError::Limit`] if the budget is used up.
pub(crate) fn decode<'a>(
    document: &'a Document,
    stream: &'a Stream,
    budget: &Budget,
) -> Result<Option<Decoded<'a>>, EngineError> {
    let Some(chain) = filters(document, &stream.dict) else { return Ok(None) };
    // More than 8 filters occur only in attacks: each filter costs a pass over the data.
    if chain.len() > 8 || stream.dict.has(b"F") && !stream.dict.has(b"Filter") {
        return Ok(None);
    }
    let mut data: Option<Vec<u8>> = None;
    let last = chain.len().saturating_sub(1);
    for (at, (name, parameters)) in chain.iter().copied().enumerate() {
        let input = data.as_deref().unwrap_or(&stream.content);
        if is_codec(name) {
            if at != last {
                return Ok(None);
            }
            let data = data.unwrap_or_else(|| stream.content.clone());
            return Ok(Some(Decoded { data, codec: Some((name, parameters)) }));
        }
        let output = match name {
            b"FlateDecode" | b"Fl" => {
                inflate(input, budget)?.and_then(|plain| undo_predictor(document, plain, parameters))
            }
            b"LZWDecode" | b"LZW" => {
                let early_change = parameters.and_then(|dict| dict.get(b"EarlyChange").ok()).cloned();
                through_lopdf("LZWDecode", input, early_change, budget)?
                    .and_then(|plain| undo_predictor(document, plain, parameters))
            }
            b"ASCII85Decode" | b"A85" => through_lopdf("ASCII85Decode", input, None, budget)?,
            b"ASCIIHexDecode" | b"AHx" => through_lopdf("ASCIIHexDecode", input, None, budget)?,
            b"RunLengthDecode" | b"RL" => through_lopdf("RunLengthDecode", input, None, budget)?,
            _ => None,
        };
        match output {
            Some(output) => {
                budget.take(output.len())?;
                data = Some(output);
            }
            None => return Ok(None),
        }
    }
    Ok(Some(Decoded { data: data.unwrap_or_else(|| stream.content.clone()), codec: None }))
}

fn is_codec(name: &[u8]) -> bool {
    matches!(name, b"DCTDecode" | b"DCT" | b"JPXDecode" | b"JBIG2Decode" | b"CCITTFaxDecode" | b"CCF")
}

/// Inflates zlib data; `None` if the data is damaged or cut off.
fn inflate(input: &[u8], budget: &Budget) -> Result<Option<Vec<u8>>, EngineError> {
    let available = budget.available();
    let mut plain = Vec::with_capacity(input.len().saturating_mul(3).min(1 << 24));
    let outcome = ZlibDecoder::new(input).take(available.saturating_add(1)).read_to_end(&mut plain);
    // The bytes before the damage count too, because the renderer shows them, as viewers do.
    if outcome.is_err() || u64::try_from(plain.len()).unwrap_or(u64::MAX) > available {
        budget.take(plain.len())?;
    }
    Ok(outcome.is_ok().then_some(plain))
}

/// Decodes data with the decoders of lopdf. The decoders do not resolve references in filter parameters. They therefore
/// get new parameters, with only the entry that they need.
fn through_lopdf(
    name: &str,
    input: &[u8],
    early_change: Option<Object>,
    budget: &Budget,
) -> Result<Option<Vec<u8>>, EngineError> {
    let mut dict = Dictionary::new();
    dict.set("Filter", Object::Name(name.as_bytes().to_vec()));
    if let Some(early_change) = early_change {
        let mut parameters = Dictionary::new();
        parameters.set("EarlyChange", early_change);
        dict.set("DecodeParms", parameters);
    }
    let available = budget.available();
    let stream = Stream::new(dict, input.to_vec());
    match stream.decompressed_content_with_limit(usize::try_from(available).unwrap_or(usize::MAX)) {
        Ok(plain) => Ok(Some(plain)),
        Err(lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => {
            budget.take(usize::MAX)?;
            Ok(None)
        }
        Err(_) => Ok(None),
    }
}

fn undo_predictor(document: &Document, plain: Vec<u8>, parameters: Option<&Dictionary>) -> Option<Vec<u8>> {
    let Some(parameters) = parameters else { return Some(plain) };
    let value = |key: &[u8], default: usize| match parameters.get(key) {
        Err(_) => Some(default),
        Ok(value) => usize::try_from(resolved(document, value)?.as_i64().ok()?).ok(),
    };
    let predictor = value(b"Predictor", 1)?;
    let rows = Rows {
        columns: value(b"Columns", 1)?,
        colors: value(b"Colors", 1)?,
        bits: value(b"BitsPerComponent", 8)?,
    };
    match predictor {
        1 => Some(plain),
        2 => undo_tiff(plain, rows),
        10..=15 => undo_png(&plain, rows),
        _ => None,
    }
}
