//! TIFF: read page by page into pictures, and written for the operations that make it.
//!
//! Read here and not by the `tiff` crate, which knows neither CCITT Group 3 nor samples of 3, 10 or 12 bits nor half of
//! the colour spaces, and cannot hand out coded data for passing through.

pub(crate) mod directory;
mod page;
mod samples;
mod segments;
pub(crate) mod write;

use super::Picture;
use crate::{EngineError, Job};
use directory::{Tiff, tag};

/// Subfile types: a smaller copy of another image, and a mask of one. Neither is a page of its own.
const REDUCED: u64 = 1;
const MASK: u64 = 4;

/// Reads every page of a TIFF file.
pub(crate) fn read_pages<'a>(
    bytes: &'a [u8],
    job: &Job,
    each: &mut dyn FnMut(Picture<'a>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let tiff =
        Tiff::open(bytes).ok_or_else(|| EngineError::Damaged("the TIFF header is cut off".to_owned()))?;
    let offsets = directories(&tiff, job)?;
    let mut shown = Vec::new();
    for offset in &offsets {
        let kind = tiff.directory(*offset)?.number(tag::NEW_SUBFILE_TYPE).unwrap_or(0);
        if kind & (REDUCED | MASK) == 0 {
            shown.push(*offset);
        }
    }
    if shown.is_empty() {
        // A file that calls its only image a thumbnail still shows something.
        shown.extend(offsets.first());
    }
    let total = shown.len();
    for (index, offset) in shown.into_iter().enumerate() {
        job.proceed()?;
        let directory = tiff.directory(offset)?;
        let picture = page::read(&tiff, &directory, job).map_err(|error| on_page(error, index + 1, total))?;
        each(picture)?;
        job.progress(index + 1, total);
    }
    Ok(())
}

/// The offsets of the directories in their chain, which may be broken at its end and must not be a circle.
fn directories(tiff: &Tiff<'_>, job: &Job) -> Result<Vec<u64>, EngineError> {
    let mut offsets = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut next = tiff.first;
    while next != 0 {
        if !seen.insert(next) {
            break;
        }
        match tiff.directory(next) {
            Ok(directory) => {
                offsets.push(next);
                next = directory.next;
            }
            Err(error) if offsets.is_empty() => return Err(error),
            Err(_) => {
                return Err(EngineError::Damaged(format!(
                    "the TIFF file is cut off after its page {}",
                    offsets.len()
                )));
            }
        }
        if offsets.len() > job.limits().pages {
            return Err(EngineError::limit("pages", job.limits().pages.to_string()));
        }
    }
    if offsets.is_empty() {
        return Err(EngineError::Damaged("the TIFF file holds no image".to_owned()));
    }
    Ok(offsets)
}

/// Says of which page an error speaks, where there are several.
fn on_page(error: EngineError, page: usize, pages: usize) -> EngineError {
    if pages < 2 {
        return error;
    }
    match error {
        EngineError::Damaged(what) => EngineError::Damaged(format!("page {page}: {what}")),
        EngineError::Unsupported(what) => EngineError::Unsupported(format!("page {page}: {what}")),
        other => other,
    }
}
