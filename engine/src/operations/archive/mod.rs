//! `archive-pdfa`: the same document as PDF/A-2b or PDF/A-3b.
//!
//! A document is mended in passes, each in a module of its own, then judged by [`conformance`]; what
//! the judge still finds decides which of the costlier passes run. Only a page that fails to the end becomes an image,
//! with its text kept invisibly. What is returned conforms: it was judged as the bytes that are returned.

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
use color::Inks;
use lopdf::Document;
use recto_interface::options::{ArchivePdfAOptions, Conformance};

/// The part of PDF/A to convert to; the level is always b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// PDF/A-2: files may be embedded only if they are PDF/A.
    Two,
    /// PDF/A-3: any file may be embedded.
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
/// [`EngineError`] when the document cannot be read, when something in it could not be mended (which it names), when a
/// limit is met or the job was cancelled.
pub(super) fn run(options: &ArchivePdfAOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let (bytes, notes) = convert(input.bytes, Part::of(options.conformance), job)?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// The document as PDF/A, and what was changed for it.
///
/// # Errors
/// As [`run`].
pub(super) fn convert(bytes: &[u8], part: Part, job: &Job) -> Result<(Vec<u8>, Vec<String>), EngineError> {
    let mut document = load(bytes, job)?;
    let mut notes = Vec::new();
    let inks = mend(&mut document, part, &mut notes, job)?;
    let (mut made, mut findings) = judged(&document, part, job)?;
    let mut measures = [Measure::Inks(inks), Measure::Fonts, Measure::Images].into_iter();
    while !findings.is_empty() {
        let Some(measure) = measures.next() else { return Err(hopeless(part, &findings)) };
        if !measure.helps(&findings) {
            continue;
        }
        measure.take(&mut document, &findings, part, &mut notes, job)?;
        (made, findings) = judged(&document, part, job)?;
    }
    Ok((made, notes))
}

/// What every document gets.
fn mend(
    document: &mut Document,
    part: Part,
    notes: &mut Vec<String>,
    job: &Job,
) -> Result<Option<Inks>, EngineError> {
    let budget = Budget::of(job);
    if document.catalog().is_ok_and(|catalog| catalog.has(b"Metadata")) {
        notes.push("the XMP metadata was written anew, from what the document information says".to_owned());
    }
    forbidden::drop_all(document, notes);
    pages::settle(document, job)?;
    attachments::settle(document, part, notes);
    annotations::mend(document, notes, job)?;
    streams::mend(document, &budget, job)?;
    dictionaries::mend(document);
    fonts::tidy(document);
    metadata::write(document, part.number());
    color::give_intent(document, notes)
}

/// What costs more, and is done only where the judge finds something that it may mend.
#[derive(Clone, Copy, Debug)]
enum Measure {
    /// A meaning for colours of four inks: that of the document's own profile, if it has one.
    Inks(Option<Inks>),
    /// Fonts embedded or drawn anew.
    Fonts,
    /// Pages as images.
    Images,
}

impl Measure {
    fn helps(self, findings: &[Finding]) -> bool {
        let any = |prefix: &str| {
            findings
                .iter()
                .any(|finding| finding.rule.as_deref().is_some_and(|rule| rule.starts_with(prefix)))
        };
        match self {
            Self::Inks(_) => any("6.2.4.3-"),
            Self::Fonts => any("6.2.11."),
            Self::Images => true,
        }
    }

    fn take(
        self,
        document: &mut Document,
        findings: &[Finding],
        part: Part,
        notes: &mut Vec<String>,
        job: &Job,
    ) -> Result<(), EngineError> {
        match self {
            Self::Inks(inks) => color::give_defaults(document, inks, job),
            Self::Fonts => fonts::mend(document, part, notes, job),
            Self::Images => {
                let failing = pages::failing(document, part, job)?;
                if failing.is_empty() {
                    return Err(hopeless(part, findings));
                }
                raster::replace(document, &failing, job)?;
                let numbers: Vec<usize> = failing.iter().map(|index| index + 1).collect();
                notes.push(format!(
                    "{} became an image with invisible text, because something on it cannot be archived as it is",
                    listed_pages(&numbers)
                ));
                Ok(())
            }
        }
    }
}

/// The document as a file, and what is wrong with that.
fn judged(document: &Document, part: Part, job: &Job) -> Result<(Vec<u8>, Vec<Finding>), EngineError> {
    let bytes = save(document, &SaveOptions { keep_encryption: false, ..SaveOptions::default() })?;
    let findings = conformance::check(&bytes, Some(part.standard()), job)?.findings;
    Ok((bytes, findings))
}

fn hopeless(part: Part, findings: &[Finding]) -> EngineError {
    let told: Vec<String> = findings.iter().take(3).map(Finding::to_string).collect();
    let more = findings.len().saturating_sub(told.len());
    let rest = if more > 0 { format!(" And {more} more.") } else { String::new() };
    EngineError::Unsupported(format!(
        "the document cannot be made PDF/A-{}b; what could not be mended: {}{rest}",
        part.number(),
        told.join(" ")
    ))
}
