//! Checks whether a document conforms to a standard: PDF 1.0 to 2.0, or PDF/A-1, -2 and -3.
//!
//! [`check`] is the entry point. Faults of the document are findings, not errors. Our own code checks the syntax of the
//! file byte by byte, because parsers repair faults silently. The library page_validation, behind the trait
//! [`validator::Validator`], checks the rules of PDF/A. Our own grammar of dictionaries serves to check the versions of
//! PDF.

mod declared;
mod embedded;
mod extra_checks;
mod finding;
mod fonts;
mod grammar;
mod normalize_content;
mod pdfa;
mod rules;
mod scan;
mod standard;
mod syntax;
mod validator;
mod versions;
mod workarounds;

pub(crate) use declared::pdf_a as declared_pdf_a;
pub(crate) use finding::Finding;
pub(crate) use fonts::{latest_supplement, widths};
pub(crate) use standard::{Level, NAMES, Standard};

use crate::document::load_as_written;
use crate::{EngineError, Job};
use standard::Version;

/// The maximum number of findings in a report. More findings would not help the reader.
const MOST_FINDINGS: usize = 500;

/// The result of a check.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// The violations; empty if the document conforms.
    pub(crate) findings: Vec<Finding>,
    /// The standard that the document declares; `None` if the document declares none.
    pub(crate) claim: Option<Standard>,
}

/// Checks a document against a standard. If `standard` is `None`, the document is checked against the standard that it
/// declares, or else against PDF 1.7.
///
/// # Errors
/// [`EngineError::PasswordRequired`] if the standard is a version of PDF and the document requires a password. Other
/// errors: a limit was exceeded, or the job was cancelled.
pub(crate) fn check(bytes: &[u8], standard: Option<Standard>, job: &Job) -> Result<Verdict, EngineError> {
    check_with(bytes, standard, job, true)
}

/// Whether a file that is embedded in a document conforms to level B of a part of PDF/A. Files that are embedded in
/// this file in turn are not checked. A file that cannot be checked does not conform.
fn conforms(bytes: &[u8], part: u8, job: &Job) -> Result<bool, EngineError> {
    match check_with(bytes, Some(Standard::Archive { part, level: Level::B }), job, false) {
        Ok(verdict) => Ok(verdict.findings.is_empty()),
        Err(_) => job.proceed().map(|()| false),
    }
}

fn check_with(
    bytes: &[u8],
    standard: Option<Standard>,
    job: &Job,
    with_embedded: bool,
) -> Result<Verdict, EngineError> {
    let document = match load_as_written(bytes, job) {
        Ok(document) => Ok(document),
        Err(error @ (EngineError::Cancelled | EngineError::Limit { .. })) => return Err(error),
        Err(error) => Err(error),
    };
    let claim = declared::of(document.as_ref().ok(), bytes);
    let standard = standard.or(claim).unwrap_or(Standard::Plain(Version::V17));
    let mut findings = match (&document, standard) {
        (Err(EngineError::PasswordRequired), Standard::Plain(_)) => {
            return Err(EngineError::PasswordRequired);
        }
        (Err(EngineError::PasswordRequired), Standard::Archive { part, .. }) => {
            vec![Finding::of(rules::encryption(part))]
        }
        (Err(error), _) => vec![Finding::of(format!("The document cannot be read: {error}."))],
        (Ok(_), _) => Vec::new(),
    };
    findings.extend(syntax::check(bytes, document.as_ref().ok(), standard, job)?);
    if let Ok(document) = &document {
        match standard {
            Standard::Archive { part, level } => {
                let violations = pdfa::check(bytes, document, (part, level), &findings, job)?;
                findings.extend(violations);
                if part == 2 && with_embedded {
                    findings.extend(embedded::check(
                        document,
                        &|bytes, part| conforms(bytes, part, job),
                        job,
                    )?);
                }
            }
            Standard::Plain(version) => findings.extend(versions::check(document, bytes, version, job)?),
        }
    }
    finding::merge(&mut findings, MOST_FINDINGS);
    Ok(Verdict { findings, claim })
}
