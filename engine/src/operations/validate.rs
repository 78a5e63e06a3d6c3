//! `validate`: whether a document keeps a standard, and what is wrong where it does not.

use crate::conformance::{self, Finding, Standard};
use crate::{EngineError, Input, Job, Output};
use recto_interface::options::ValidateOptions;
use recto_interface::{InvalidOption, ValidationReport};

/// Validates a document.
///
/// # Errors
/// An unknown standard, a limit, a document that nothing can be said of without its password, or that the job was
/// cancelled; never what is wrong with the document.
pub(super) fn run(options: &ValidateOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let asked = options.conformance.as_deref().map(standard).transpose()?;
    let verdict = conformance::check(input.bytes, asked, job)?;
    Ok(Output::Report(ValidationReport {
        is_conforming: Some(verdict.findings.is_empty()),
        errors: verdict.findings.iter().map(Finding::to_string).collect(),
        conformance: verdict.claim.map(|claim| claim.to_string()),
        ..ValidationReport::default()
    }))
}

/// The standard of this name.
///
/// # Errors
/// [`InvalidOption`] names the ones there are.
pub(super) fn standard(name: &str) -> Result<Standard, InvalidOption> {
    Standard::parse(name).ok_or_else(|| InvalidOption {
        allowed: conformance::NAMES,
        ..InvalidOption::new(
            "conformance",
            format!("there is no standard {name:?} here; give one of {}", conformance::NAMES.join(", ")),
        )
    })
}
