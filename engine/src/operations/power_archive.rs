//! `power-archive`: optimized without loss, converted to PDF/A and validated, in one call.

use super::archive::{self, Part};
use super::optimize;
use crate::conformance::Standard;
use crate::{EngineError, Input, Job, Output, OutputFile};
use recto_interface::InvalidOption;
use recto_interface::options::{OptimizeOptions, PowerArchiveOptions, Profile};

/// The levels that it makes.
const LEVELS: &[&str] = &["pdf_a2_b", "pdf_a3_b"];

/// Runs it.
///
/// # Errors
/// An unknown level, and what `optimize` and `archive-pdfa` fail with.
pub(super) fn run(options: &PowerArchiveOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let part = part(options.conformance.as_deref())?;
    let profile = OptimizeOptions { profile: Some(Profile::Archive) };
    let Output::File(small) = optimize::run(&profile, input, job)? else {
        return Err(EngineError::Internal("optimizing made no file".to_owned()));
    };
    let (bytes, notes) = archive::convert(&small.bytes, part, job)?;
    Ok(Output::File(OutputFile { bytes, extension: "pdf", notes }))
}

/// The part of this name; PDF/A-2 if none is given.
fn part(name: Option<&str>) -> Result<Part, InvalidOption> {
    let Some(name) = name else { return Ok(Part::Two) };
    let standard = Standard::parse(name);
    [Part::Two, Part::Three].into_iter().find(|part| Some(part.standard()) == standard).ok_or_else(|| {
        InvalidOption {
            allowed: LEVELS,
            ..InvalidOption::new(
                "conformance",
                format!("{name:?} is not a level made here; give one of {}", LEVELS.join(", ")),
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
