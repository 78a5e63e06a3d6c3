//! `optimize`: reduces the size of a document.
//!
//! Each pass over the loaded document has its own module. [`Settings`] defines which passes a profile runs. The result
//! is never larger than the input: if it would not be smaller, the input itself is returned.

mod colors;
mod dedupe;
mod images;
mod recompress;
mod settings;
pub(crate) mod shorten;
mod strip;

use crate::color::ColorTarget;
use crate::content;
use crate::document::{Budget, SaveOptions, is_signed, load, save};
use crate::font;
use crate::linearize::linearize;
use crate::{EngineError, Input, Job, Output, OutputFile};
use lopdf::Document;
use recto_interface::options::{OptimizeOptions, Profile};
use settings::Settings;

/// Files of at most this many bytes are also written with a classic cross-reference table, because the result can be
/// smaller.
const SMALL_FILE: usize = 64 << 10;

/// Optimizes a document.
///
/// # Errors
/// [`EngineError`] when the document cannot be read, a limit was exceeded or the job was cancelled.
pub(super) fn run(options: &OptimizeOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let settings = Settings::of(options.profile.unwrap_or(Profile::MinimalFileSize));
    let document = load(input.bytes, job)?;
    if is_signed(&document) {
        return Ok(unchanged(
            input,
            "the document is signed; it was left unchanged, because any change would invalidate the signature",
        ));
    }
    let (mut bytes, mut notes) = optimized(document, input, &settings, job)?;
    if bytes.len() >= input.bytes.len() && settings.colors != ColorTarget::Keep {
        // Colours in CMYK take more bytes than in RGB. Without the colour conversion, the other passes may still make
        // the document smaller.
        let keep_colors = Settings { colors: ColorTarget::Keep, ..settings };
        (bytes, notes) = optimized(load(input.bytes, job)?, input, &keep_colors, job)?;
        notes.push("the colours were not converted, because that would make the document larger".to_owned());
    }
    if bytes.len() >= input.bytes.len() {
        return Ok(unchanged(
            input,
            match settings.colors {
                ColorTarget::Keep => "the document cannot be made smaller; it was left unchanged",
                _ => {
                    "the document cannot be made smaller; it was left unchanged, and its colours were not converted"
                }
            },
        ));
    }
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// Applies the settings to the document. Returns the resulting file, even if it is larger than the input, and the notes
/// for the user.
fn optimized(
    mut document: Document,
    input: Input<'_>,
    settings: &Settings,
    job: &Job,
) -> Result<(Vec<u8>, Vec<String>), EngineError> {
    let mut notes = reduce(&mut document, settings, job)?;
    let linearized = if settings.linearize { linearize(&document, job)? } else { None };
    if settings.linearize && linearized.is_none() {
        notes.push("the document was not linearized, because its pages share too many objects".to_owned());
    }
    let mut bytes = match linearized {
        Some(bytes) => bytes,
        None => smallest(&document, job)?,
    };
    if settings.linearize && bytes.len() >= input.bytes.len() {
        bytes = smallest(&document, job)?;
        notes.push("the document was not linearized, because that would make it larger".to_owned());
    }
    Ok((bytes, notes))
}

/// Runs the passes, and returns the notes for the user.
fn reduce(document: &mut Document, settings: &Settings, job: &Job) -> Result<Vec<String>, EngineError> {
    let budget = Budget::of(job);
    strip::strip(document, settings);
    dedupe::dedupe(document, job)?;
    let mut notes = Vec::new();
    colors::convert(document, settings.colors, &mut notes, &Budget::of(job), job)?;
    content::hoist_form_fonts(document);
    let usage = content::survey(document, &budget, job)?;
    content::remove_unused_resources(document, &usage);
    font::subset(document, &usage, &budget, job)?;
    images::reduce(document, &usage, settings, &budget, job)?;
    recompress::recompress(document, &usage, settings, &budget, job)?;
    dedupe::dedupe(document, job)?;
    Ok(notes)
}

fn smallest(document: &Document, job: &Job) -> Result<Vec<u8>, EngineError> {
    job.proceed()?;
    let packed = save(document, &SaveOptions::default())?;
    if packed.len() > SMALL_FILE {
        return Ok(packed);
    }
    let plain = save(document, &SaveOptions { object_streams: false, ..SaveOptions::default() })?;
    Ok(if plain.len() < packed.len() { plain } else { packed })
}

fn unchanged(input: Input<'_>, note: &str) -> Output {
    Output::File(OutputFile { bytes: input.bytes.to_vec(), extension: "pdf", notes: vec![note.to_owned()] })
}
