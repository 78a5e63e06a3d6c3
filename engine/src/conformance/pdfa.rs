//! Checks the rules of PDF/A with the validator.
//!
//! For some real documents the results of the validator are wrong. This module corrects the results. A comment at each
//! correction states the reason.

use super::extra_checks;
use super::finding::Finding;
use super::standard::{Level, Standard};
use super::validator::{GlyphLists, PageValidation, Violation, run};
use super::workarounds::corrected;
use super::{declared, fonts, rules};
use crate::document::for_each_dictionary;
use crate::{EngineError, Job};
use lopdf::xref::XrefRecovery;
use lopdf::{Document, Object};

/// Validates a document and corrects the result.
///
/// # Errors
/// The job was cancelled or is out of time.
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
            corrected(document, bytes, part, violations, again, lists, job)?
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

/// Whether a violation that the validator reports is false. `syntax_findings` are the findings of our own check of the
/// file's syntax.
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
        // If the last byte of the stream's data is a line end, the validator mistakes this line end for the one that
        // must precede `endstream`.
        (1, ("6.1.7", "1")) | (2 | 3, ("6.1.7.1", "1")) => {
            document.xref_recovery != Some(XrefRecovery::Reconstructed) && !is_confirmed()
        }
        // A CFF font has no width for a glyph that the font lacks. The validator takes the width to be zero, and
        // wrongly reports that the width in the font dictionary differs from it.
        (1, ("6.3.6", "1")) | (2 | 3, ("6.2.11.5", "1")) => {
            violation.detail.contains("rendered CID")
                && violation.detail.contains("width 0.000 in its embedded")
        }
        // The role map matters only if it maps the type of a structure element of the document.
        (1, ("6.8.3.4", "2")) | (2 | 3, ("6.7.3.4", "2" | "3")) => !maps_roles_in_use(document),
        // A document that declares a higher level also conforms to the lower levels: level A includes levels B and U,
        // and level U includes level B.
        (1, ("6.7.11", "3")) | (2 | 3, ("6.6.4", "3")) => match declared::of(Some(document), b"") {
            Some(Standard::Archive { part: claimed, level: has }) => {
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
        for_each_dictionary(object, &mut |dict| {
            let kind = dict.get_deref(b"S", document).and_then(Object::as_name);
            is_used |= dict.has(b"P") && kind.is_ok_and(|kind| roles.has(kind));
        });
    }
    is_used
}

/// The embedded files that violate the rules of PDF/A-3 on associated files. Every embedded file must state its
/// relationship to the document, and must be associated with the document or with a part of the document. The validator
/// checks this only for file specifications that are indirect objects. A direct file specification cannot be
/// associated, because an association is a reference.
fn attachments(document: &Document, part: u8) -> Vec<Finding> {
    if part != 3 {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (id, object) in &document.objects {
        let own = object.as_dict().ok();
        for_each_dictionary(object, &mut |dict| {
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

/// The place that a message of the validator names: a page, an annotation on a page, or properties of the metadata.
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
