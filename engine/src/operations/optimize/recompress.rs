//! Recompresses every stream, and shortens content streams. A stream is replaced only if it becomes smaller.

use super::settings::Settings;
use super::shorten::shortened;
use crate::content::Usage;
use crate::document::{Budget, decode, reachable, recoded, stored_size};
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId, Stream};
use rayon::prelude::*;

/// Recompresses all streams. Data in an image codec is kept; only the filters applied on top of the image codec are
/// removed.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn recompress(
    document: &mut Document,
    usage: &Usage,
    settings: &Settings,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    let ids: Vec<ObjectId> = reachable(document).order;
    let better: Vec<(ObjectId, Stream)> = ids
        .par_iter()
        .filter_map(|&id| {
            let Some(Object::Stream(stream)) = document.objects.get(&id) else { return None };
            if settings.plain_metadata && stream.dict.has_type(b"Metadata") {
                return None;
            }
            match job
                .proceed()
                .and_then(|()| recompressed(document, stream, usage.contents.contains(&id), budget))
            {
                Ok(better) => better.map(|stream| Ok((id, stream))),
                Err(error) => Some(Err(error)),
            }
        })
        .collect::<Result<_, EngineError>>()?;
    for (id, stream) in better {
        document.objects.insert(id, Object::Stream(stream));
    }
    Ok(())
}

/// The stream, recompressed. `None` if it does not become smaller.
fn recompressed(
    document: &Document,
    stream: &Stream,
    is_content: bool,
    budget: &Budget,
) -> Result<Option<Stream>, EngineError> {
    let Some(mut decoded) = decode(document, stream, budget)? else { return Ok(None) };
    if is_content && decoded.codec.is_none() {
        budget.take(decoded.data.len())?;
        decoded.data = shortened(&decoded.data).unwrap_or(decoded.data);
    }
    let candidate = recoded(stream.dict.clone(), decoded)?;
    Ok((stored_size(&candidate) < stored_size(stream)).then_some(candidate))
}
