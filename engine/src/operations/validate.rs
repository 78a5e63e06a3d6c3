//! `validate`: checks whether a document conforms to a standard, and reports which rules of the standard it breaks.

use crate::conformance::{self, Finding, Standard};
use crate::{EngineError, Input, Job, Output};
use recto_interface::options::ValidateOptions;
use recto_interface::{InvalidOption, ValidationReport};

/// Validates a document.
///
/// # Errors
/// The standard is unknown, a limit was exceeded, the document cannot be read without its password, or the job was
/// cancelled. Faults of the document are not errors: they are in the report.
pub(super) fn run(options: &ValidateOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let standard = standard(options)?;
    let verdict = conformance::check(input.bytes, standard, job)?;
    Ok(Output::Report(ValidationReport {
        is_conforming: Some(verdict.findings.is_empty()),
        errors: verdict.findings.iter().map(Finding::to_string).collect(),
        conformance: verdict.claim.map(|claim| claim.to_string()),
        ..ValidationReport::default()
    }))
}

/// The standard that the options name, if they name one.
///
/// # Errors
/// As [`parse_standard`].
pub(super) fn standard(options: &ValidateOptions) -> Result<Option<Standard>, InvalidOption> {
    options.conformance.as_deref().map(parse_standard).transpose()
}

/// The standard with this name.
///
/// # Errors
/// [`InvalidOption`] lists the names of the standards.
pub(super) fn parse_standard(name: &str) -> Result<Standard, InvalidOption> {
    Standard::parse(name).ok_or_else(|| InvalidOption {
        allowed: conformance::NAMES,
        ..InvalidOption::new(
            "conformance",
            format!("unknown standard {name:?}; use one of {}", conformance::NAMES.join(", ")),
        )
    })
}
