//! Whether a document keeps a standard: PDF 1.0 to 2.0, or PDF/A-1, -2 and -3.
//!
//! [`check`] is the one door. It never fails for what is wrong with a document: that is its finding. The syntax of the
//! file is read by us, byte by byte, because parsers that repair hide what they repaired; the rules of PDF/A are judged
//! by page_validation behind [`pdfa::Judge`]; the plain versions by our own grammar of dictionaries.

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
mod versions;
mod workarounds;

pub(crate) use finding::Finding;
pub(crate) use fonts::{latest_supplement, widths};
pub(crate) use standard::{Level, NAMES, Standard};

use crate::document::load;
use crate::{EngineError, Job};
use standard::Version;

/// The most findings of a report: what comes after them says the same again.
const MOST_FINDINGS: usize = 500;

/// What a check found.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// What is wrong; empty when the document conforms.
    pub(crate) findings: Vec<Finding>,
    /// What the document claims to be, if it can be told.
    pub(crate) claim: Option<Standard>,
}

/// Checks a document against a standard, or without one against what it claims to be.
///
/// # Errors
/// [`EngineError::PasswordRequired`] for a plain version when nothing can be read without a password, a limit, or that
/// the job was cancelled.
pub(crate) fn check(bytes: &[u8], standard: Option<Standard>, job: &Job) -> Result<Verdict, EngineError> {
    judge(bytes, standard, job, true)
}

/// As [`check`], but for the files that are embedded in the document: what is embedded in them is not asked for again.
fn alone(bytes: &[u8], standard: Option<Standard>, job: &Job) -> Result<Verdict, EngineError> {
    judge(bytes, standard, job, false)
}

fn judge(
    bytes: &[u8],
    standard: Option<Standard>,
    job: &Job,
    with_embedded: bool,
) -> Result<Verdict, EngineError> {
    let document = match load(bytes, job) {
        Ok(document) => Ok(document),
        Err(error @ (EngineError::Cancelled | EngineError::Limit { .. })) => return Err(error),
        Err(error) => Err(error),
    };
    let claim = declared::of(document.as_ref().ok(), bytes);
    let asked = standard.or(claim).unwrap_or(Standard::Plain(Version::V17));
    let mut findings = match (&document, asked) {
        (Err(EngineError::PasswordRequired), Standard::Plain(_)) => {
            return Err(EngineError::PasswordRequired);
        }
        (Err(EngineError::PasswordRequired), Standard::Archive { part, .. }) => {
            vec![Finding::of(rules::encryption(part))]
        }
        (Err(error), _) => vec![Finding::of(format!("The document cannot be read: {error}."))],
        (Ok(_), _) => Vec::new(),
    };
    findings.extend(syntax::check(bytes, document.as_ref().ok(), asked, job)?);
    if let Ok(document) = &document {
        match asked {
            Standard::Archive { part, level } => {
                let judged = pdfa::check(bytes, document, (part, level), &findings, job)?;
                findings.extend(judged);
                if part == 2 && with_embedded {
                    findings.extend(embedded::check(document, job)?);
                }
            }
            Standard::Plain(version) => findings.extend(versions::check(document, bytes, version, job)?),
        }
    }
    finding::tidy(&mut findings, MOST_FINDINGS);
    Ok(Verdict { findings, claim })
}
