//! Linearization (ISO 32000-1, Annex F): writes a file whose first page can be shown before the rest of the file has
//! been received.
//!
//! [`prepare`] copies inherited attributes into the pages, [`references`] finds the pages that use each object,
//! [`parts`] orders the objects by the pages that use them, [`hints`] writes the tables that locate each page's
//! objects, and [`mod@write`] writes the file. Each part has its own object streams, so that the linearized file is
//! nearly as small as a file that is not linearized.

mod bits;
mod hints;
mod parts;
mod prepare;
mod references;
mod write;

use crate::document::pages;
use crate::{EngineError, Job};
use lopdf::Document;
use std::collections::HashSet;

/// Saves a document as a linearized file. Returns `None` if the document cannot be linearized, because it contains a
/// page twice or its pages share too many objects.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(crate) fn linearize(document: &Document, job: &Job) -> Result<Option<Vec<u8>>, EngineError> {
    let pages = pages(document, job.limits())?;
    let distinct: HashSet<_> = pages.iter().collect();
    if distinct.len() != pages.len() || pages.is_empty() {
        return Ok(None);
    }
    let document = prepare::prepare(document, &pages);
    let Some(references) = references::find_users(&document, &pages, job)? else { return Ok(None) };
    let parts = parts::parts(&document, &pages, &references);
    job.proceed()?;
    write::write(&document, &pages, &references, &parts).map(Some)
}

#[cfg(test)]
mod tests;
