//! Extra checks for PDF/A that the validator library lacks: long strings within object streams, and device colours in
//! the glyphs of Type 3 fonts.

use super::finding::Finding;
use super::rules;
use crate::content::lexer::Lexer;
use crate::content::survey;
use crate::document::{Budget, decode, reachable};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// The maximum length of a string in bytes: for PDF/A-1 from PDF Reference 1.4, annex C, for PDF/A-2 and -3 from ISO
/// 32000-1, annex C.
const fn longest_string(part: u8) -> usize {
    if part == 1 { 65_535 } else { 32_767 }
}

/// Runs the extra checks on a document. `part` is the part of PDF/A.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn check(document: &Document, part: u8, job: &Job) -> Result<Vec<Finding>, EngineError> {
    let mut findings = Vec::new();
    let budget = Budget::of(job);
    let intent = intent_components(document);
    let mut candidates: Vec<(ObjectId, Finding)> = Vec::new();
    for id in reachable(document).order {
        job.proceed()?;
        let Some(object) = document.objects.get(&id) else { continue };
        if has_string_longer_than(object, longest_string(part)) {
            findings.push(finding(part, if part == 1 { "6.1.12" } else { "6.1.13" }, "3", id));
        }
        let Some(font) = object.as_dict().ok().filter(|font| font.has(b"CharProcs")) else { continue };
        for (test, needed) in [("1", 3), ("2", 4)] {
            if intent != Some(needed) && uses_device_space(document, font, needed, &budget)? {
                let found = match part {
                    1 => finding(1, "6.2.3.3", test, id),
                    _ => finding(part, "6.2.4.3", if needed == 3 { "2" } else { "3" }, id),
                };
                candidates.push((id, found));
            }
        }
    }
    if !candidates.is_empty() {
        match survey(document, &budget, job) {
            Ok(usage) => {
                findings.extend(
                    candidates
                        .into_iter()
                        .filter(|(font, _)| usage.fonts.contains_key(font))
                        .map(|(_, found)| found),
                );
            }
            // If the document is too large or too damaged for the survey, the findings about Type 3 fonts are dropped.
            Err(_) => job.proceed()?,
        }
    }
    Ok(findings)
}

fn finding(part: u8, clause: &str, test: &str, object: ObjectId) -> Finding {
    Finding::of(rules::sentence(part, clause, test))
        .clause(rules::clause(part, clause))
        .rule(format!("{clause}-{test}"))
        .at(format!("object {}", object.0))
}

/// Whether an object contains a string longer than `most` bytes. The recursion is bounded, because the parser limits
/// how deep objects nest.
fn has_string_longer_than(object: &Object, most: usize) -> bool {
    match object {
        Object::String(text, _) => text.len() > most,
        Object::Array(items) => items.iter().any(|item| has_string_longer_than(item, most)),
        Object::Dictionary(dict) => dict.iter().any(|(_, value)| has_string_longer_than(value, most)),
        Object::Stream(stream) => stream.dict.iter().any(|(_, value)| has_string_longer_than(value, most)),
        _ => false,
    }
}

/// The number of colour components of the PDF/A output intent; `None` if the document has no such intent.
fn intent_components(document: &Document) -> Option<i64> {
    let intents = document.catalog().ok()?.get_deref(b"OutputIntents", document).ok()?.as_array().ok()?;
    intents.iter().find_map(|intent| {
        let intent = document.dereference(intent).ok()?.1.as_dict().ok()?;
        let is_archive = intent.get_deref(b"S", document).ok()?.as_name().ok()? == b"GTS_PDFA1";
        let profile = intent.get_deref(b"DestOutputProfile", document).ok()?.as_stream().ok()?;
        let components = profile.dict.get_deref(b"N", document).ok()?.as_i64().ok()?;
        is_archive.then_some(components)
    })
}

/// Whether a glyph of a Type 3 font uses a device colour space for which the font's resources have no default colour
/// space. The device colour space is DeviceRGB if `components` is 3, otherwise DeviceCMYK.
fn uses_device_space(
    document: &Document,
    font: &Dictionary,
    components: i64,
    budget: &Budget,
) -> Result<bool, EngineError> {
    let (operators, space, default): ([&[u8]; 2], &[u8], &[u8]) = match components {
        3 => ([b"rg", b"RG"], b"DeviceRGB", b"DefaultRGB"),
        _ => ([b"k", b"K"], b"DeviceCMYK", b"DefaultCMYK"),
    };
    let spaces = font
        .get_deref(b"Resources", document)
        .and_then(Object::as_dict)
        .and_then(|resources| resources.get_deref(b"ColorSpace", document))
        .and_then(Object::as_dict);
    if spaces.is_ok_and(|spaces| spaces.has(default)) {
        return Ok(false);
    }
    let Ok(glyphs) = font.get_deref(b"CharProcs", document).and_then(Object::as_dict) else {
        return Ok(false);
    };
    for (_, glyph) in glyphs {
        let Ok((_, Object::Stream(glyph))) = document.dereference(glyph) else { continue };
        let Some(plain) = decode(document, glyph, budget)?.filter(|plain| plain.codec.is_none()) else {
            continue;
        };
        let is_space = |name: Option<&[u8]>| name == Some(space);
        let uses_space = Lexer::new(&plain.data).any(|operation| {
            operators.contains(&operation.operator)
                || matches!(operation.operator, b"cs" | b"CS")
                    && is_space(operation.operands.last().and_then(|operand| operand.name()))
        });
        if uses_space {
            return Ok(true);
        }
    }
    Ok(false)
}
