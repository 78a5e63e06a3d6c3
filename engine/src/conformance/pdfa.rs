//! Checks the rules of PDF/A with the library page_validation, behind the trait [`Validator`].
//!
//! The library is wrong on some real documents. Its results are corrected here, each correction with its reason.

use super::extra_checks;
use super::finding::Finding;
use super::standard::Level;
use super::workarounds::reconsidered;
use super::{fonts, rules};
use crate::{EngineError, Job};
use lopdf::xref::XrefRecovery;
use lopdf::{Dictionary, Document, Object};
use page_validation::{PageError, SafetyLimits, ValidationErrorKind, ValidationOptions, ValidationProfile};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often the job is checked for a cancel or its time limit during a validation.
const TICK: Duration = Duration::from_millis(20);

/// The stack size of the validator's thread: the validator walks documents recursively.
const STACK: usize = 64 << 20;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation {
    /// The clause: `6.1.9`.
    pub(super) clause: String,
    /// The number of the test in that clause.
    pub(super) test: String,
    /// The validator's own message.
    pub(super) detail: String,
}

/// A validator of PDF/A.
pub(super) trait Validator: Send + 'static {
    /// The document's violations of a part and level. The error is the reason why the document cannot be validated.
    fn validate(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Violation>, String>;
}

/// The library page_validation.
struct PageValidation;

impl Validator for PageValidation {
    fn validate(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Violation>, String> {
        violations(bytes, profile(part, level).ok_or("this part of PDF/A does not have this level")?)
    }
}

/// Validates only the glyph lists of font subsets (CharSet and CIDSet). For PDF/A-2 and -3 the library checks only that
/// the lists contain the glyphs that the text uses. Its check of the same rule in PDF/UA-1 is right: the lists must match
/// the font program.
struct GlyphLists;

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

/// Validates a document and corrects the result.
///
/// # Errors
/// That the job was cancelled or is out of time.
pub(super) fn check(
    bytes: &[u8],
    document: &Document,
    (part, level): (u8, Level),
    syntax_findings: &[Finding],
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    let violations = match run(PageValidation, bytes.to_vec(), part, level, job)? {
        Ok(violations) => {
            let again = |bytes| Ok(run(PageValidation, bytes, part, level, job)?.ok());
            let lists = |bytes| Ok(run(GlyphLists, bytes, part, level, job)?.ok());
            reconsidered(document, bytes, part, violations, again, lists, job)?
        }
        Err(reason) => {
            return Ok(vec![Finding::of(format!(
                "The document cannot be checked against PDF/A-{part}: {reason}"
            ))]);
        }
    };
    Ok(violations
        .into_iter()
        .filter(|violation| !is_false(document, (part, level), syntax_findings, violation))
        .map(|violation| described(part, &violation))
        .chain(attachments(document, part))
        .chain(fonts::check(document, part, job)?)
        .chain(extra_checks::check(document, part, job)?)
        .collect())
}

/// Runs a validator on a thread of its own, so that a cancelled job does not wait for it. The validator's own limits end
/// it; if it panics, there is no result.
fn run(
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
            // The receiver is gone if the job was cancelled.
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

/// Whether a violation is false. `syntax_findings` are those of our own check of the file's syntax.
fn is_false(
    document: &Document,
    (part, level): (u8, Level),
    syntax_findings: &[Finding],
    violation: &Violation,
) -> bool {
    let rule = (violation.clause.as_str(), violation.test.as_str());
    let is_confirmed = || {
        let name = format!("{}-{}", violation.clause, violation.test);
        syntax_findings.iter().any(|finding| finding.rule.as_deref() == Some(name.as_str()))
    };
    match (part, rule) {
        // The validator takes a line end that is the last byte of the data for the one before `endstream`.
        (1, ("6.1.7", "1")) | (2 | 3, ("6.1.7.1", "1")) => {
            document.xref_recovery != Some(XrefRecovery::Reconstructed) && !is_confirmed()
        }
        // A glyph that a CFF font lacks has no width, so that no width can differ from it.
        (1, ("6.3.6", "1")) | (2 | 3, ("6.2.11.5", "1")) => {
            violation.detail.contains("rendered CID")
                && violation.detail.contains("width 0.000 in its embedded")
        }
        // A role map matters only if a structure element has one of its types.
        (1, ("6.8.3.4", "2")) | (2 | 3, ("6.7.3.4", "2" | "3")) => !maps_roles_in_use(document),
        // A document that declares a higher level conforms to the lower ones: level A includes B and U.
        (1, ("6.7.11", "3")) | (2 | 3, ("6.6.4", "3")) => match super::declared::of(Some(document), b"") {
            Some(super::Standard::Archive { part: claimed, level: has }) => {
                claimed == part
                    && match level {
                        Level::B => true,
                        Level::U => matches!(has, Level::A | Level::U),
                        Level::A => has == Level::A,
                    }
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the role map maps the type of any structure element.
fn maps_roles_in_use(document: &Document) -> bool {
    let roles = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"StructTreeRoot", document))
        .and_then(Object::as_dict)
        .and_then(|root| root.get_deref(b"RoleMap", document))
        .and_then(Object::as_dict);
    let Ok(roles) = roles else { return false };
    let mut is_used = false;
    for object in document.objects.values() {
        for_each_dictionary(object, DEEPEST, &mut |dict| {
            let kind = dict.get_deref(b"S", document).and_then(Object::as_name);
            is_used |= dict.has(b"P") && kind.is_ok_and(|kind| roles.has(kind));
        });
    }
    is_used
}

/// Part 3: every embedded file states its relationship to the document, and is associated with the document or a part of
/// it. The validator checks only file specifications that are indirect objects. A direct one cannot be associated,
/// because an association is a reference.
fn attachments(document: &Document, part: u8) -> Vec<Finding> {
    if part != 3 {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (id, object) in &document.objects {
        let own = object.as_dict().ok();
        for_each_dictionary(object, DEEPEST, &mut |dict| {
            if !dict.has(b"EF") || own.is_some_and(|own| std::ptr::eq(own, dict)) {
                return;
            }
            let tests: &[&str] = if dict.has(b"AFRelationship") { &["4"] } else { &["3", "4"] };
            for test in tests {
                findings.push(
                    Finding::of(rules::sentence(3, "6.8", test))
                        .clause(rules::clause(3, "6.8"))
                        .rule(format!("6.8-{test}"))
                        .at(format!("object {}", id.0)),
                );
            }
        });
    }
    findings
}

/// The maximum depth at which dictionaries are searched within an object.
pub(super) const DEEPEST: usize = 50;

/// Calls `visit` with every dictionary within an object.
pub(super) fn for_each_dictionary(object: &Object, depth: usize, visit: &mut impl FnMut(&Dictionary)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match object {
        Object::Array(items) => items.iter().for_each(|item| for_each_dictionary(item, depth, visit)),
        Object::Dictionary(dict) => {
            visit(dict);
            dict.iter().for_each(|(_, value)| for_each_dictionary(value, depth, visit));
        }
        Object::Stream(stream) => {
            visit(&stream.dict);
            stream.dict.iter().for_each(|(_, value)| for_each_dictionary(value, depth, visit));
        }
        _ => {}
    }
}

/// The finding that describes a violation.
fn described(part: u8, violation: &Violation) -> Finding {
    let finding = Finding::of(rules::sentence(part, &violation.clause, &violation.test))
        .clause(rules::clause(part, &violation.clause))
        .rule(format!("{}-{}", violation.clause, violation.test));
    match place(&violation.detail) {
        Some(place) => finding.at(place),
        None => finding,
    }
}

/// The page, annotation or metadata properties that a message of the validator names.
fn place(detail: &str) -> Option<String> {
    let number = |after: &str| {
        let rest = detail.split_once(after)?.1;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then_some(digits)
    };
    let page = number("page ").map(|page| format!("page {page}"));
    let annotation = number("annotation ").and_then(|index| Some(index.parse::<usize>().ok()? + 1));
    let properties: Vec<&str> = detail
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}')?.1.split([' ', ',', ';']).next())
        .filter(|name| !name.is_empty())
        .take(8)
        .collect();
    match (page, annotation) {
        (Some(page), Some(annotation)) => Some(format!("{page}, annotation {annotation}")),
        (Some(page), None) => Some(page),
        (None, _) if !properties.is_empty() => Some(properties.join(", ")),
        _ => None,
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

    #[test]
    fn places_are_read_from_the_messages_of_the_validator() {
        assert_eq!(place("annotation 0 on page 3 has no /AP").as_deref(), Some("page 3, annotation 1"));
        assert_eq!(place("DeviceRGB is selected in page 12/Group").as_deref(), Some("page 12"));
        assert_eq!(
            place("x: {http://ns/}Company (undefined), {http://ns/}Count").as_deref(),
            Some("Company, Count")
        );
        assert_eq!(place("the header is wrong"), None);
    }
}
