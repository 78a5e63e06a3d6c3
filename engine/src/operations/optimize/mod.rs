//! `optimize`: the same document in fewer bytes.
//!
//! A run is a chain of passes over the loaded document, each in a module of its own; [`Settings`] says which passes a
//! profile has. Whatever they do, the result is never larger than the input: if nothing is gained, the input itself
//! comes back.

mod colors;
mod dedupe;
mod images;
mod recompress;
mod settings;
mod shorten;
mod signed;
mod strip;

use crate::color::ColorTarget;
use crate::content;
use crate::document::{Budget, SaveOptions, load, save};
use crate::font;
use crate::linearize::linearize;
use crate::{EngineError, Input, Job, Output, OutputFile};
use lopdf::Document;
use recto_interface::options::{OptimizeOptions, Profile};
use settings::Settings;

/// Files up to this size are tried with a plain cross-reference table too, which is smaller for the smallest.
const SMALL_FILE: usize = 64 << 10;

/// Optimizes a document.
///
/// # Errors
/// [`EngineError`] when the document cannot be read, a limit is met or the job was cancelled.
pub(super) fn run(options: &OptimizeOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let settings = Settings::of(options.profile.unwrap_or(Profile::MinimalFileSize));
    let document = load(input.bytes, job)?;
    if signed::is_signed(&document) {
        return Ok(unchanged(
            input,
            "the document is signed; it is left unchanged, because any change breaks the signature",
        ));
    }
    let (mut bytes, mut notes) = made(document, input, &settings, job)?;
    if bytes.len() >= input.bytes.len() && settings.colors != ColorTarget::Keep {
        // Inks take more room than the colours of screens; what the profile does besides is still worth having.
        let keeping = Settings { colors: ColorTarget::Keep, ..settings };
        (bytes, notes) = made(load(input.bytes, job)?, input, &keeping, job)?;
        notes.push("the colours are as they were, because others would make the document larger".to_owned());
    }
    if bytes.len() >= input.bytes.len() {
        return Ok(unchanged(
            input,
            match settings.colors {
                ColorTarget::Keep => "the document is as small as it gets; it is left unchanged",
                _ => "the document is as small as it gets; it is left unchanged, in the colours that it has",
            },
        ));
    }
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// The document as its settings want it, larger than it was or not, with what a user should know.
fn made(
    mut document: Document,
    input: Input<'_>,
    settings: &Settings,
    job: &Job,
) -> Result<(Vec<u8>, Vec<String>), EngineError> {
    let mut notes = reduce(&mut document, settings, job)?;
    let linearized = if settings.linearize { linearize(&document, job)? } else { None };
    if settings.linearize && linearized.is_none() {
        notes.push("the document's pages are entangled; it is not linearized".to_owned());
    }
    let mut bytes = match linearized {
        Some(bytes) => bytes,
        None => smallest(&document, job)?,
    };
    if settings.linearize && bytes.len() >= input.bytes.len() {
        bytes = smallest(&document, job)?;
        notes.push("the document is not linearized, because that would make it larger".to_owned());
    }
    Ok((bytes, notes))
}

/// Runs the passes; says what a user should know of them.
fn reduce(document: &mut Document, settings: &Settings, job: &Job) -> Result<Vec<String>, EngineError> {
    let budget = Budget::of(job);
    strip::strip(document, settings);
    dedupe::dedupe(document, job)?;
    let mut notes = Vec::new();
    colors::convert(document, settings.colors, &mut notes, &Budget::of(job), job)?;
    content::settle(document);
    let usage = content::survey(document, &budget, job)?;
    content::prune(document, &usage);
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

fn unchanged(input: Input<'_>, why: &str) -> Output {
    Output::File(OutputFile { bytes: input.bytes.to_vec(), extension: "pdf", notes: vec![why.to_owned()] })
}
