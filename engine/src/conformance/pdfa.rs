//! The rules of PDF/A, by page_validation behind a trait of our own.
//!
//! Its author checks one library against one corpus; where it is wrong on documents of the field it is corrected here,
//! each correction with its reason.

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

/// How often a job is asked whether the verdict is still wanted.
const TICK: Duration = Duration::from_millis(20);

/// The stack that a judge gets: it walks documents by recursion.
const STACK: usize = 64 << 20;

/// A rule that a document breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The clause: `6.1.9`.
    pub(super) clause: String,
    /// The number of the test in that clause.
    pub(super) test: String,
    /// What was seen, in the judge's words.
    pub(super) detail: String,
}

/// Who says which rules a document breaks.
pub(super) trait Judge: Send + 'static {
    /// The rules that the document breaks; an error says why it cannot be judged.
    fn judge(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Broken>, String>;
}

/// The judge that we have.
struct PageValidation;

impl Judge for PageValidation {
    fn judge(&self, bytes: &[u8], part: u8, level: Level) -> Result<Vec<Broken>, String> {
        validated(bytes, profile(part, level).ok_or("there is no such level")?)
    }
}

/// The judge that we have of the lists of glyphs that subsets of fonts may bring along. For PDF/A-2 and -3 it looks only
/// whether they have what is shown; the same rule of PDF/UA-1 it judges as it is: they have what the program has.
struct GlyphLists;

impl Judge for GlyphLists {
    fn judge(&self, bytes: &[u8], _: u8, _: Level) -> Result<Vec<Broken>, String> {
        let broken = validated(bytes, ValidationProfile::PdfUa1)?;
        let lists = broken.into_iter().filter(|broken| broken.clause == "7.21.4.2");
        Ok(lists.map(|broken| Broken { clause: "6.2.11.4.2".to_owned(), ..broken }).collect())
    }
}

fn validated(bytes: &[u8], profile: ValidationProfile) -> Result<Vec<Broken>, String> {
    let options = ValidationOptions::default().profile(profile).limits(SafetyLimits::default());
    let report = page_validation::validate_pdf_bytes(bytes, &options).map_err(|error| reason(&error))?;
    Ok(report
        .failures
        .into_iter()
        .filter_map(|failure| {
            let (clause, test) = failure.rule_id.rsplit_once(':')?;
            let clause = clause.rsplit_once(':').map_or(clause, |(_, clause)| clause);
            Some(Broken { clause: clause.to_owned(), test: test.to_owned(), detail: failure.message })
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
        ValidationErrorKind::SafetyLimit => format!("it is beyond a limit ({error})"),
        _ => "its structure is damaged".to_owned(),
    }
}

/// The findings of the judge on this document.
///
/// # Errors
/// That the job was cancelled or is out of time.
pub(super) fn check(
    bytes: &[u8],
    document: &Document,
    (part, level): (u8, Level),
    seen: &[Finding],
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    let broken = match judged(PageValidation, bytes.to_vec(), part, level, job)? {
        Ok(broken) => {
            let again = |bytes| Ok(judged(PageValidation, bytes, part, level, job)?.ok());
            let lists = |bytes| Ok(judged(GlyphLists, bytes, part, level, job)?.ok());
            reconsidered(document, bytes, part, broken, again, lists, job)?
        }
        Err(reason) => {
            return Ok(vec![Finding::of(format!(
                "The document cannot be checked against PDF/A-{part}: {reason}"
            ))]);
        }
    };
    Ok(broken
        .into_iter()
        .filter(|broken| !is_mistaken(document, (part, level), seen, broken))
        .map(|broken| described(part, &broken))
        .chain(attachments(document, part))
        .chain(fonts::check(document, part, job)?)
        .chain(extra_checks::check(document, part, job)?)
        .collect())
}

/// A judgement on a thread of its own, so that a cancelled job need not wait for it. A judge is bounded by its limits
/// and ends by itself; its panic is no verdict.
fn judged(
    judge: impl Judge,
    bytes: Vec<u8>,
    part: u8,
    level: Level,
    job: &Job,
) -> Result<Result<Vec<Broken>, String>, EngineError> {
    let (sender, verdict) = channel();
    thread::Builder::new()
        .name("recto-judge".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let found = judge.judge(&bytes, part, level);
            // Nobody listens any more when the job was cancelled.
            let _ = sender.send(found);
        })
        .map_err(|error| EngineError::Internal(format!("no thread to validate on: {error}")))?;
    loop {
        match verdict.recv_timeout(TICK) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => job.proceed()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err("its structure confuses the validator".to_owned()));
            }
        }
    }
}

/// Whether the judge errs; `seen` is what our own look at the file's syntax found.
fn is_mistaken(document: &Document, (part, level): (u8, Level), seen: &[Finding], broken: &Broken) -> bool {
    let rule = (broken.clause.as_str(), broken.test.as_str());
    let agreed = || {
        let name = format!("{}-{}", broken.clause, broken.test);
        seen.iter().any(|finding| finding.rule.as_deref() == Some(name.as_str()))
    };
    match (part, rule) {
        // It takes a line end that is the last byte of the data for the one before the keyword.
        (1, ("6.1.7", "1")) | (2 | 3, ("6.1.7.1", "1")) => {
            document.xref_recovery != Some(XrefRecovery::Reconstructed) && !agreed()
        }
        // A glyph that a CFF font lacks has no width to differ from.
        (1, ("6.3.6", "1")) | (2 | 3, ("6.2.11.5", "1")) => {
            broken.detail.contains("rendered CID") && broken.detail.contains("width 0.000 in its embedded")
        }
        // A role map is looked up for the structure elements that there are.
        (1, ("6.8.3.4", "2")) | (2 | 3, ("6.7.3.4", "2" | "3")) => !maps_roles_in_use(document),
        // A document of a higher level keeps the lower ones: level A is B and U too.
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

/// Whether a structure element has a type that the role map maps.
fn maps_roles_in_use(document: &Document) -> bool {
    let roles = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"StructTreeRoot", document))
        .and_then(Object::as_dict)
        .and_then(|root| root.get_deref(b"RoleMap", document))
        .and_then(Object::as_dict);
    let Ok(roles) = roles else { return false };
    let mut used = false;
    for object in document.objects.values() {
        for_each_dictionary(object, DEEPEST, &mut |dict| {
            let kind = dict.get_deref(b"S", document).and_then(Object::as_name);
            used |= dict.has(b"P") && kind.is_ok_and(|kind| roles.has(kind));
        });
    }
    used
}

/// Part 3: every embedded file says how it relates to the document, and something is associated with it. The judge
/// looks at file specifications only that are objects of their own; others cannot be associated, which is to be
/// referred to.
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
            let broken: &[&str] = if dict.has(b"AFRelationship") { &["4"] } else { &["3", "4"] };
            for test in broken {
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

/// How deep dictionaries are looked for within an object.
pub(super) const DEEPEST: usize = 50;

/// Shows `visit` every dictionary within an object.
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

fn described(part: u8, broken: &Broken) -> Finding {
    let finding = Finding::of(rules::sentence(part, &broken.clause, &broken.test))
        .clause(rules::clause(part, &broken.clause))
        .rule(format!("{}-{}", broken.clause, broken.test));
    match place(&broken.detail) {
        Some(place) => finding.at(place),
        None => finding,
    }
}

/// The page or annotation that the judge's words name, and the names of what is wrong there.
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

    impl Judge for Slow {
        fn judge(&self, _: &[u8], _: u8, _: Level) -> Result<Vec<Broken>, String> {
            thread::sleep(Duration::from_secs(60));
            Ok(Vec::new())
        }
    }

    struct Confused;

    impl Judge for Confused {
        fn judge(&self, bytes: &[u8], _: u8, _: Level) -> Result<Vec<Broken>, String> {
            Ok(vec![Broken { clause: bytes[9].to_string(), test: String::new(), detail: String::new() }])
        }
    }

    #[test]
    fn a_cancelled_job_waits_for_no_judge() {
        let cancel = Cancel::default();
        let job = Job::new(Limits::default(), cancel.clone());
        cancel.trigger();
        let verdict = judged(Slow, Vec::new(), 2, Level::B, &job);
        assert!(matches!(verdict, Err(EngineError::Cancelled)));
    }

    #[test]
    fn a_judge_that_panics_gives_a_reason_instead_of_a_verdict() {
        let verdict = judged(Confused, Vec::new(), 2, Level::B, &Job::default()).unwrap();
        assert!(verdict.unwrap_err().contains("confuses"));
    }

    #[test]
    fn places_are_read_from_what_the_judge_says() {
        assert_eq!(place("annotation 0 on page 3 has no /AP").as_deref(), Some("page 3, annotation 1"));
        assert_eq!(place("DeviceRGB is selected in page 12/Group").as_deref(), Some("page 12"));
        assert_eq!(
            place("x: {http://ns/}Company (undefined), {http://ns/}Count").as_deref(),
            Some("Company, Count")
        );
        assert_eq!(place("the header is wrong"), None);
    }
}
