//! Linearization (ISO 32000-1, Annex F): a file whose first page can be shown before the rest has arrived.
//!
//! [`prepare`] makes pages stand for themselves, [`references`] finds who uses each object, [`parts`] orders objects by
//! that, [`hints`] tells a reader where each page's objects are, and [`mod@write`] lays the file out. Object streams are
//! used within each part, so that the file is nearly as small as a plain one.

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

/// Saves a document as a linearized file. Nothing comes back for a document that cannot be linearized: one that shows
/// the same page twice, or whose pages are entangled beyond measure.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(crate) fn linearize(document: &Document, job: &Job) -> Result<Option<Vec<u8>>, EngineError> {
    let pages = pages(document, job.limits())?;
    let distinct: HashSet<_> = pages.iter().collect();
    if distinct.len() != pages.len() || pages.is_empty() {
        return Ok(None);
    }
    let document = prepare::prepare(document, &pages);
    let Some(users) = references::users(&document, &pages, job)? else { return Ok(None) };
    let parts = parts::parts(&document, &pages, &users);
    job.proceed()?;
    write::write(&document, &pages, &users, &parts).map(Some)
}

#[cfg(test)]
mod tests;
