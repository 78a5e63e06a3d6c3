//! Repairs streams: replaces forbidden filters, and removes references to external files, and forbidden entries of
//! images and forms.

use crate::document::{self, Budget, decode, filters};
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId, Stream};

/// The filters that PDF/A-2 allows (ISO 19005-2, 6.1.7.2), by their names in stream dictionaries (inline images use
/// abbreviated names).
const ALLOWED: [&[u8]; 8] = [
    b"ASCIIHexDecode",
    b"ASCII85Decode",
    b"FlateDecode",
    b"RunLengthDecode",
    b"CCITTFaxDecode",
    b"JBIG2Decode",
    b"DCTDecode",
    b"JPXDecode",
];

/// Repairs all streams.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn repair(document: &mut Document, budget: &Budget, job: &Job) -> Result<(), EngineError> {
    let ids: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| matches!(object, Object::Stream(_)))
        .map(|(id, _)| *id)
        .collect();
    for id in ids {
        job.proceed()?;
        if let Some(recoded) = recoded(document, id, budget)? {
            document.objects.insert(id, Object::Stream(recoded));
        }
        let Ok(Object::Stream(stream)) = document.get_object_mut(id) else { continue };
        let dict = &mut stream.dict;
        // In a stream dictionary, `F`, `FFilter` and `FDecodeParms` refer to an external file.
        for key in [&b"F"[..], b"FFilter", b"FDecodeParms"] {
            dict.remove(key);
        }
        let kind = dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default().to_vec();
        match kind.as_slice() {
            b"Image" => {
                dict.remove(b"Alternates");
                dict.remove(b"OPI");
                if dict.get(b"Interpolate").is_ok() {
                    dict.remove(b"Interpolate");
                }
                remove_unknown_intent(dict);
            }
            b"Form" => {
                for key in [&b"OPI"[..], b"PS", b"Ref", b"Subtype2"] {
                    dict.remove(key);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes the rendering intent if its name is not one of the standard names.
fn remove_unknown_intent(dict: &mut lopdf::Dictionary) {
    const KNOWN: [&[u8]; 4] =
        [b"RelativeColorimetric", b"AbsoluteColorimetric", b"Perceptual", b"Saturation"];
    if dict.get(b"Intent").and_then(Object::as_name).is_ok_and(|intent| !KNOWN.contains(&intent)) {
        dict.remove(b"Intent");
    }
}

/// The stream, compressed again by Flate. `None` if all its filters are allowed, or if it cannot be decoded.
fn recoded(document: &Document, id: ObjectId, budget: &Budget) -> Result<Option<Stream>, EngineError> {
    let Ok(Object::Stream(stream)) = document.get_object(id) else { return Ok(None) };
    let chain = filters(document, &stream.dict).unwrap_or_default();
    if chain.iter().all(|(name, _)| ALLOWED.contains(name)) {
        return Ok(None);
    }
    let Some(decoded) = decode(document, stream, budget)? else { return Ok(None) };
    Ok(Some(document::recoded(stream.dict.clone(), decoded)?))
}
