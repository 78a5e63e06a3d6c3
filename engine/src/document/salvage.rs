//! Recovers objects of a damaged file that lopdf does not find.
//!
//! lopdf rebuilds the cross-reference table of a file only if it finds no page tree through the table. If only some
//! entries are wrong, or if an object cannot be parsed, lopdf leaves out the objects concerned without an error.
//! Missing objects that the document refers to are therefore read with the library hayro, which repairs files in other
//! ways.

use super::decode::{Budget, decode};
use super::graph::reachable;
use crate::{EngineError, Job};
use hayro_syntax::Pdf;
use hayro_syntax::object::dict::Dict;
use hayro_syntax::object::{MaybeRef, Object as Found, ObjectIdentifier};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};

/// The maximum nesting of arrays and dictionaries in a recovered object.
const DEEPEST: usize = 100;

/// Adds the missing objects that the document refers to and that hayro finds in the file, and replaces the objects
/// `unread`. Returns the number of added objects.
///
/// # Errors
/// [`EngineError::Limit`] if the object streams inflate to too many bytes, and the errors of [`Job::proceed`].
pub(super) fn salvage(
    document: &mut Document,
    bytes: &[u8],
    password: Option<&str>,
    unread: &[ObjectId],
    job: &Job,
) -> Result<usize, EngineError> {
    let empty_streams =
        document.objects.iter().filter(|(_, object)| is_unread_stream(document, object)).map(|(id, _)| *id);
    let mut missing: Vec<ObjectId> =
        empty_streams.chain(unread.iter().copied()).chain(reachable(document).missing).collect();
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

/// Whether an object is a stream whose data lopdf did not read, because the length of the stream is missing.
fn is_unread_stream(document: &Document, object: &Object) -> bool {
    let Object::Stream(stream) = object else { return false };
    let length = stream.dict.get_deref(b"Length", document).and_then(Object::as_i64);
    stream.content.is_empty() && !matches!(length, Ok(0))
}

fn identifier((number, generation): ObjectId) -> Option<ObjectIdentifier> {
    Some(ObjectIdentifier::new(number, generation.into())).filter(|_| number > 0)
}

/// Checks that the object streams inflate within the limit of the job, because hayro inflates them without a limit.
fn check_object_streams(document: &Document, job: &Job) -> Result<(), EngineError> {
    let budget = Budget::of(job);
    let streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    for stream in streams.filter(|stream| stream.dict.has_type(b"ObjStm")) {
        decode(document, stream, &budget)?;
    }
    Ok(())
}

/// Converts an object of hayro to an object of lopdf; `None` if the object nests too deep or cannot be represented in
/// lopdf.
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
