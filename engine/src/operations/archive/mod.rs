//! `archive-pdfa`: converts a document to PDF/A-2b or PDF/A-3b.
//!
//! The document is repaired in several passes, and each pass has its own module. Then [`conformance`] validates the
//! document. Its findings decide which of the more expensive repairs run. A page is converted to an image with
//! invisible text only if the page still does not conform after all other repairs. The bytes that are returned have
//! been validated, so the result conforms.

mod annotations;
mod attachments;
mod color;
mod dictionaries;
mod fonts;
mod forbidden;
mod metadata;
mod pages;
mod raster;
mod streams;

use crate::conformance::{self, Finding, Standard};
use crate::document::{Budget, SaveOptions, load, save};
use crate::notes::listed_pages;
use crate::{EngineError, Input, Job, Output, OutputFile};
use color::CmykProfile;
use lopdf::Document;
use recto_interface::options::{ArchivePdfAOptions, Conformance};

/// The part of PDF/A that the document is converted to. The conformance level is always b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// PDF/A-2, which allows embedded files only if they are PDF/A files.
    Two,
    /// PDF/A-3, which allows embedded files of any kind.
    Three,
}

impl Part {
    pub(super) fn of(conformance: Conformance) -> Self {
        match conformance {
            Conformance::PdfA2b => Self::Two,
            Conformance::PdfA3b => Self::Three,
        }
    }

    const fn number(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    pub(super) const fn standard(self) -> Standard {
        Standard::Archive { part: self.number(), level: conformance::Level::B }
    }
}

/// Converts a document.
///
/// # Errors
/// [`EngineError`] when the document cannot be read, when a limit was exceeded, when the job was cancelled, or when a
/// finding could not be repaired. In the last case the message names the finding.
pub(super) fn run(options: &ArchivePdfAOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let (bytes, notes) = convert(input.bytes, Part::of(options.conformance), job)?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// Converts a document to PDF/A. Returns the converted document, and notes on the changes.
///
/// # Errors
/// The errors of [`run`].
pub(super) fn convert(bytes: &[u8], part: Part, job: &Job) -> Result<(Vec<u8>, Vec<String>), EngineError> {
    let mut document = load(bytes, job)?;
    let mut notes = Vec::new();
    let cmyk_profile = repair_always(&mut document, part, &mut notes, job)?;
    let (mut bytes, mut findings) = save_and_validate(&document, part, job)?;
    let mut repairs = [Repair::DeviceCmyk(cmyk_profile), Repair::Fonts, Repair::PagesToImages].into_iter();
    while !findings.is_empty() {
        let Some(repair) = repairs.next() else { return Err(not_convertible(part, &findings)) };
        if !repair.applies_to(&findings) {
            continue;
        }
        repair.apply(&mut document, &findings, part, &mut notes, job)?;
        (bytes, findings) = save_and_validate(&document, part, job)?;
    }
    Ok((bytes, notes))
}

/// Makes the repairs that every document needs. Returns the profile of the document's own CMYK output intent.
fn repair_always(
    document: &mut Document,
    part: Part,
    notes: &mut Vec<String>,
    job: &Job,
) -> Result<Option<CmykProfile>, EngineError> {
    let budget = Budget::of(job);
    if document.catalog().is_ok_and(|catalog| catalog.has(b"Metadata")) {
        notes.push("the XMP metadata was rewritten from the document information".to_owned());
    }
    forbidden::remove_forbidden(document, notes);
    pages::set_resources(document, job)?;
    attachments::keep_or_remove(document, part, notes);
    annotations::repair(document, notes, job)?;
    streams::repair(document, &budget, job)?;
    dictionaries::repair(document);
    fonts::repair_dictionaries(document);
    metadata::write(document, part.number());
    color::set_srgb_intent(document, notes)
}

/// A more expensive repair, which runs only if the findings require it.
#[derive(Clone, Copy, Debug)]
enum Repair {
    /// Defines device CMYK colours by the document's own CMYK profile, or by the built-in CMYK profile if this is
    /// `None`.
    DeviceCmyk(Option<CmykProfile>),
    /// Embeds or replaces fonts.
    Fonts,
    /// Converts pages to images.
    PagesToImages,
}

impl Repair {
    fn applies_to(self, findings: &[Finding]) -> bool {
        let any = |prefix: &str| {
            findings
                .iter()
                .any(|finding| finding.rule.as_deref().is_some_and(|rule| rule.starts_with(prefix)))
        };
        match self {
            Self::DeviceCmyk(_) => any("6.2.4.3-"),
            Self::Fonts => any("6.2.11."),
            Self::PagesToImages => true,
        }
    }

    fn apply(
        self,
        document: &mut Document,
        findings: &[Finding],
        part: Part,
        notes: &mut Vec<String>,
        job: &Job,
    ) -> Result<(), EngineError> {
        match self {
            Self::DeviceCmyk(profile) => color::set_default_cmyk(document, profile, job),
            Self::Fonts => fonts::replace_faulty(document, part, notes, job),
            Self::PagesToImages => {
                let nonconforming = pages::nonconforming(document, part, job)?;
                if nonconforming.is_empty() {
                    return Err(not_convertible(part, findings));
                }
                raster::replace(document, &nonconforming, job)?;
                let numbers: Vec<usize> = nonconforming.iter().map(|index| index + 1).collect();
                notes.push(format!(
                    "{} {} converted to {} with invisible text, because the content could not be made conforming",
                    listed_pages(&numbers),
                    if numbers.len() == 1 { "was" } else { "were" },
                    if numbers.len() == 1 { "an image" } else { "images" }
                ));
                Ok(())
            }
        }
    }
}

/// Saves and validates the document. Returns the file and the findings.
fn save_and_validate(
    document: &Document,
    part: Part,
    job: &Job,
) -> Result<(Vec<u8>, Vec<Finding>), EngineError> {
    let bytes = save(document, &SaveOptions { keep_encryption: false, ..SaveOptions::default() })?;
    let findings = conformance::check(&bytes, Some(part.standard()), job)?.findings;
    Ok((bytes, findings))
}

fn not_convertible(part: Part, findings: &[Finding]) -> EngineError {
    let shown: Vec<String> = findings.iter().take(3).map(Finding::to_string).collect();
    let more = findings.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" And {more} more.") } else { String::new() };
    EngineError::Unsupported(format!(
        "the document cannot be converted to PDF/A-{}b; it still has these findings: {}{rest}",
        part.number(),
        shown.join(" ")
    ))
}
