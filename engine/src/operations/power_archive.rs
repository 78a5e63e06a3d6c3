//! `power-archive`: optimizes a document without loss, converts it to PDF/A and validates the result.

use super::archive::{self, Part};
use super::optimize;
use crate::conformance::Standard;
use crate::{EngineError, Input, Job, Output, OutputFile};
use recto_interface::InvalidOption;
use recto_interface::options::{OptimizeOptions, PowerArchiveOptions, Profile};

/// The conformance levels to which `power-archive` can convert a document.
const LEVELS: &[&str] = &["pdf_a2_b", "pdf_a3_b"];

/// Runs the operation.
///
/// # Errors
/// [`InvalidOption`] if the level is not supported, and the errors of `optimize` and `archive-pdfa`.
pub(super) fn run(options: &PowerArchiveOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let part = part(options.conformance.as_deref())?;
    let profile = OptimizeOptions { profile: Some(Profile::Archive) };
    let Output::File(small) = optimize::run(&profile, input, job)? else {
        return Err(EngineError::Internal("optimize returned no file".to_owned()));
    };
    let (bytes, notes) = archive::convert(&small.bytes, part, job)?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// The part of PDF/A that a conformance level names. PDF/A-2 if no level is given.
///
/// # Errors
/// [`InvalidOption`] lists the levels that it can convert to.
pub(super) fn part(name: Option<&str>) -> Result<Part, InvalidOption> {
    let Some(name) = name else { return Ok(Part::Two) };
    let standard = Standard::parse(name);
    [Part::Two, Part::Three].into_iter().find(|part| Some(part.standard()) == standard).ok_or_else(|| {
        InvalidOption {
            allowed: LEVELS,
            ..InvalidOption::new(
                "conformance",
                format!("{name:?} is not supported; use one of {}", LEVELS.join(", ")),
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_named_as_the_interface_has_them_and_others_refused() {
        assert_eq!(part(None).unwrap(), Part::Two);
        assert_eq!(part(Some("pdf_a2_b")).unwrap(), Part::Two);
        assert_eq!(part(Some("PDF/A-3b")).unwrap(), Part::Three);
        for name in ["pdf_a1_b", "pdf_a2_u", "pdf17", ""] {
            assert!(part(Some(name)).unwrap_err().reason.contains("pdf_a3_b"), "{name}");
        }
    }
}
