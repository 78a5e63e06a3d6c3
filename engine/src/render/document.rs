//! Opening a document for rendering: the engine's checks first, then hayro's own reading of the same bytes.

use crate::document::{Budget, decode, load};
use crate::{EngineError, Job};
use hayro::hayro_syntax::{LoadPdfError, Pdf};
use lopdf::Object;
use std::sync::Arc;

/// A document whose pages can be rendered from any thread.
pub(crate) type Document = Arc<Pdf>;

/// The most that deflating can gain, which is what a bomb does.
const MOST_INFLATION: u64 = 1032;

/// Opens a document that needs no password.
///
/// # Errors
/// What [`load`] refuses, a document whose streams inflate beyond the limit, an image beyond the limit of pixels.
pub(crate) fn open(bytes: &[u8], job: &Job) -> Result<Document, EngineError> {
    let document = load(bytes, job)?;
    check_streams(&document, job)?;
    drop(document);
    job.proceed()?;
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => EngineError::PasswordRequired,
        LoadPdfError::Invalid => EngineError::Damaged("its pages cannot be read".to_owned()),
    })?;
    if pdf.pages().is_empty() {
        return Err(EngineError::Damaged("it has no page that can be read".to_owned()));
    }
    Ok(Arc::new(pdf))
}

/// hayro inflates without bounds: what could be a bomb is inflated here first, under the budget.
fn check_streams(document: &lopdf::Document, job: &Job) -> Result<(), EngineError> {
    let streams = || document.objects.values().filter_map(|object| object.as_stream().ok());
    let most = job.limits().pixels;
    for stream in streams() {
        let side = |key: &[u8]| {
            let value = stream.dict.get_deref(key, document).and_then(Object::as_i64).unwrap_or(0);
            u64::try_from(value).unwrap_or(0)
        };
        if side(b"Width").saturating_mul(side(b"Height")) > most {
            return Err(EngineError::limit("image size", format!("{most} pixels")));
        }
    }
    let coded: u64 = streams().map(|stream| stream.content.len() as u64).sum();
    if coded.saturating_mul(MOST_INFLATION) > job.limits().decoded_bytes {
        let budget = Budget::of(job);
        for stream in streams() {
            job.proceed()?;
            decode(document, stream, &budget)?;
        }
    }
    Ok(())
}
