//! Objects that a damaged file still has, though lopdf does not find them.
//!
//! lopdf rebuilds a cross-reference table that leads to no page tree. One that is wrong for some objects only, or an
//! object that it cannot parse, costs these objects without a word. What a document refers to and lopdf did not read is
//! therefore asked of hayro, which repairs in other ways.

use super::decode::{Budget, decode};
use super::graph::reachable;
use crate::{EngineError, Job};
use hayro_syntax::Pdf;
use hayro_syntax::object::dict::Dict;
use hayro_syntax::object::{MaybeRef, Object as Found, ObjectIdentifier};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};

/// How deep arrays and dictionaries of a salvaged object may nest.
const DEEPEST: usize = 100;

/// Adds the objects that the document refers to, lacks and that its file has; how many they are.
///
/// # Errors
/// [`EngineError::Limit`] for object streams that inflate without measure, and [`Job::proceed`]'s.
pub(super) fn salvage(
    document: &mut Document,
    bytes: &[u8],
    password: Option<&str>,
    job: &Job,
) -> Result<usize, EngineError> {
    let emptied =
        document.objects.iter().filter(|(_, object)| is_emptied(document, object)).map(|(id, _)| *id);
    let mut missing: Vec<ObjectId> = emptied.chain(reachable(document).missing).collect();
    if missing.is_empty() {
        return Ok(0);
    }
    check_object_streams(document, job)?;
    let Ok(pdf) = Pdf::new_with_password(bytes.to_vec(), password.unwrap_or_default()) else { return Ok(0) };
    let mut count = 0;
    while !missing.is_empty() {
        job.proceed()?;
        let before = count;
        for id in missing {
            let Some(identifier) = identifier(id) else { continue };
            let found = pdf.xref().get::<Found<'_>>(identifier).and_then(|found| converted(&found, DEEPEST));
            if let Some(object) = found.filter(|object| !object.is_null()) {
                document.objects.insert(id, object);
                count += 1;
            }
        }
        if count == before || document.objects.len() > job.limits().objects {
            break;
        }
        missing = reachable(document).missing;
    }
    document.max_id =
        document.objects.keys().next_back().map_or(document.max_id, |id| id.0.max(document.max_id));
    Ok(count)
}

/// Whether an object is a stream that lopdf read nothing of, as its length is not to be found.
fn is_emptied(document: &Document, object: &Object) -> bool {
    let Object::Stream(stream) = object else { return false };
    let length = stream.dict.get_deref(b"Length", document).and_then(Object::as_i64);
    stream.content.is_empty() && !matches!(length, Ok(0))
}

fn identifier((number, generation): ObjectId) -> Option<ObjectIdentifier> {
    Some(ObjectIdentifier::new(number, generation.into())).filter(|_| number > 0)
}

/// hayro inflates object streams without bounds.
fn check_object_streams(document: &Document, job: &Job) -> Result<(), EngineError> {
    let budget = Budget::of(job);
    let streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    for stream in streams.filter(|stream| stream.dict.has_type(b"ObjStm")) {
        decode(document, stream, &budget)?;
    }
    Ok(())
}

/// An object of hayro's as one of lopdf's; nothing for one that nests too deep.
fn converted(object: &Found<'_>, depth: usize) -> Option<Object> {
    let depth = depth.checked_sub(1)?;
    Some(match object {
        Found::Null(_) => Object::Null,
        Found::Boolean(value) => Object::Boolean(*value),
        Found::Number(number) if number.as_f64().fract() == 0.0 => Object::Integer(number.as_i64()),
        Found::Number(number) => Object::Real(number.as_f32()),
        Found::String(text) => Object::String(text.as_bytes().to_vec(), StringFormat::Literal),
        Found::Name(name) => Object::Name(name.to_vec()),
        Found::Dict(dict) => Object::Dictionary(dictionary(dict, depth)?),
        Found::Array(items) => {
            Object::Array(items.raw_iter().map(|item| item_of(item, depth)).collect::<Option<_>>()?)
        }
        Found::Stream(stream) => {
            let mut dict = dictionary(stream.dict(), depth)?;
            let data = stream.raw_data().into_owned();
            dict.set("Length", i64::try_from(data.len()).ok()?);
            Object::Stream(Stream::new(dict, data))
        }
    })
}

fn item_of(item: MaybeRef<Found<'_>>, depth: usize) -> Option<Object> {
    match item {
        MaybeRef::Ref(to) => {
            let generation = u16::try_from(to.gen_number).ok()?;
            Some(Object::Reference((to.obj_number, generation)))
        }
        MaybeRef::NotRef(object) => converted(&object, depth),
    }
}

fn dictionary(dict: &Dict<'_>, depth: usize) -> Option<Dictionary> {
    let mut entries = Dictionary::new();
    for (key, value) in dict.entries() {
        entries.set(key.to_vec(), item_of(value, depth)?);
    }
    Some(entries)
}
