//! Runs the PDF/A validator, the library page_validation, behind the trait [`Validator`].

use super::standard::Level;
use crate::{EngineError, Job};
use page_validation::{PageError, SafetyLimits, ValidationErrorKind, ValidationOptions, ValidationProfile};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The interval at which a running validation checks whether the job was cancelled or has exceeded its time limit.
const TICK: Duration = Duration::from_millis(20);

/// The size in bytes of the stack of the validator's thread. The validator walks documents recursively and therefore
/// needs a large stack.
const STACK: usize = 64 << 20;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    /// The clause, such as `6.1.9`.
    pub(super) clause: String,
    /// The number of the test of the clause.
    pub(super) test: String,
    /// The message of the validator library.
    pub(super) detail: String,
}

/// A validator of PDF/A.
pub(super) trait Validator: Send + 'static {
    /// The violations of a part and level of PDF/A in the document. The `Err` states why the document cannot be
    /// validated.
    fn validate(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Violation>, String>;
}

/// Validates with the library page_validation.
pub(super) struct PageValidation;

impl Validator for PageValidation {
    fn validate(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Violation>, String> {
        violations(bytes, profile(part, level).ok_or("this part of PDF/A does not have this level")?)
    }
}

/// Validates only the glyph lists of font subsets (CharSet and CIDSet). PDF/A-2 and -3 require that the lists match the
/// font program. In its checks of PDF/A-2 and -3, the library page_validation only checks that the lists contain the
/// glyphs that the text uses. Its check of PDF/UA-1, which has the same rule, is correct and is used here.
pub(super) struct GlyphLists;

impl Validator for GlyphLists {
    fn validate(&self, bytes: &[u8], _: u8, _: Level) -> Result<Vec<Violation>, String> {
        let violations = violations(bytes, ValidationProfile::PdfUa1)?;
        let lists = violations.into_iter().filter(|violation| violation.clause == "7.21.4.2");
        Ok(lists.map(|violation| Violation { clause: "6.2.11.4.2".to_owned(), ..violation }).collect())
    }
}

fn violations(bytes: &[u8], profile: ValidationProfile) -> Result<Vec<Violation>, String> {
    let options = ValidationOptions::default().profile(profile).limits(SafetyLimits::default());
    let report = page_validation::validate_pdf_bytes(bytes, &options).map_err(|error| reason(&error))?;
    Ok(report
        .failures
        .into_iter()
        .filter_map(|failure| {
            let (clause, test) = failure.rule_id.rsplit_once(':')?;
            let clause = clause.rsplit_once(':').map_or(clause, |(_, clause)| clause);
            Some(Violation { clause: clause.to_owned(), test: test.to_owned(), detail: failure.message })
        })
        .collect())
}

fn profile(part: u8, level: Level) -> Option<ValidationProfile> {
    Some(match (part, level) {
        (1, Level::A) => ValidationProfile::PdfA1a,
        (1, Level::B) => ValidationProfile::PdfA1b,
        (2, Level::A) => ValidationProfile::PdfA2a,
        (2, Level::B) => ValidationProfile::PdfA2b,
        (2, Level::U) => ValidationProfile::PdfA2u,
        (3, Level::A) => ValidationProfile::PdfA3a,
        (3, Level::B) => ValidationProfile::PdfA3b,
        (3, Level::U) => ValidationProfile::PdfA3u,
        _ => return None,
    })
}

fn reason(error: &PageError) -> String {
    match error.kind() {
        ValidationErrorKind::SafetyLimit => {
            format!("the document exceeds a limit of the validator ({error})")
        }
        _ => "the structure of the document is damaged".to_owned(),
    }
}

/// Runs a validator on a thread of its own, so that a cancelled job does not wait for the validator. The validator's
/// own limits end the thread. The inner `Err` states why there is no result, for instance because the validator
/// panicked.
pub(super) fn run(
    validator: impl Validator,
    bytes: Vec<u8>,
    part: u8,
    level: Level,
    job: &Job,
) -> Result<Result<Vec<Violation>, String>, EngineError> {
    let (sender, result) = channel();
    thread::Builder::new()
        .name("recto-validator".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let found = validator.validate(&bytes, part, level);
            // Sending fails if the job was cancelled, because the receiver no longer exists.
            let _ = sender.send(found);
        })
        .map_err(|error| {
            EngineError::Internal(format!("cannot start a thread for the validator: {error}"))
        })?;
    loop {
        match result.recv_timeout(TICK) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => job.proceed()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err("the validator crashed on this document; please report it".to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, Limits};

    struct Slow;

    impl Validator for Slow {
        fn validate(&self, _: &[u8], _: u8, _: Level) -> Result<Vec<Violation>, String> {
            thread::sleep(Duration::from_secs(60));
            Ok(Vec::new())
        }
    }

    struct Panics;

    impl Validator for Panics {
        fn validate(&self, bytes: &[u8], _: u8, _: Level) -> Result<Vec<Violation>, String> {
            Ok(vec![Violation { clause: bytes[9].to_string(), test: String::new(), detail: String::new() }])
        }
    }

    #[test]
    fn a_cancelled_job_does_not_wait_for_the_validator() {
        let cancel = Cancel::default();
        let job = Job::new(Limits::default(), cancel.clone());
        cancel.trigger();
        let result = run(Slow, Vec::new(), 2, Level::B, &job);
        assert!(matches!(result, Err(EngineError::Cancelled)));
    }

    #[test]
    fn a_validator_that_panics_gives_a_reason_instead_of_a_result() {
        let result = run(Panics, Vec::new(), 2, Level::B, &Job::default()).unwrap();
        assert!(result.unwrap_err().contains("crashed"));
    }
}
