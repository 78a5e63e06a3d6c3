//! Reads TIFF files page by page, and writes them.
//!
//! The `tiff` crate is not used for reading: it does not support CCITT Group 3, samples of 3, 10 or 12 bits, and half
//! of the colour spaces. It also gives no access to the coded data, which we copy into a PDF unchanged where possible.

pub(crate) mod directory;
mod fields;
mod page;
mod samples;
mod segments;
pub(crate) mod write;

use super::picture::Picture;
use crate::{EngineError, Job};
use directory::{Tiff, tag};

/// The bits of the subfile type of images that are not pages: a copy of another image at a reduced size, and a mask for
/// another image.
const REDUCED: u64 = 1;
const MASK: u64 = 4;

/// Reads every page of a TIFF file.
pub(crate) fn read_pages<'a>(
    bytes: &'a [u8],
    job: &Job,
    each: &mut dyn FnMut(Picture<'a>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let tiff =
        Tiff::open(bytes).ok_or_else(|| EngineError::Damaged("the TIFF header is truncated".to_owned()))?;
    let offsets = directories(&tiff, job)?;
    let mut shown = Vec::new();
    for offset in &offsets {
        let kind = tiff.directory(*offset)?.number(tag::NEW_SUBFILE_TYPE).unwrap_or(0);
        if kind & (REDUCED | MASK) == 0 {
            shown.push(*offset);
        }
    }
    if shown.is_empty() {
        // If all images are marked as reduced copies or as masks, the first image is the only page.
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

/// The offsets of the directories, which form a linked list. If an offset occurs a second time, the list ends there.
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
                    "the TIFF file is truncated after page {}",
                    offsets.len()
                )));
            }
        }
        if offsets.len() > job.limits().pages {
            return Err(EngineError::limit("pages", job.limits().pages.to_string()));
        }
    }
    if offsets.is_empty() {
        return Err(EngineError::Damaged("the TIFF file contains no image".to_owned()));
    }
    Ok(offsets)
}

/// Adds the page number to the message of an error if the file has several pages.
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
