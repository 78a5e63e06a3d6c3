//! Extra checks of fonts for PDF/A that the validator library lacks.
//!
//! The validator is wrong in three cases. It ignores a font in which a document shows only empty strings, although the
//! document uses this font. It does not compare the number of a font's widths with the number of the font's codes. It
//! compares composite fonts with the current versions of the predefined CMaps, whereas PDF/A-2 and -3 refer to the
//! versions of PDF 1.7.

use super::finding::Finding;
use super::rules;
use crate::content::{Usage, survey};
use crate::document::Budget;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// A fault of a font. The fault is a violation only if text uses the font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The font program is not embedded.
    NotEmbedded,
    /// The character collection of the font has a later supplement than the CMap of the font.
    LaterCollection,
    /// A composite font has no CMap.
    NoEncoding,
    /// The number of widths differs from the number of codes.
    Widths,
}

/// Runs the extra checks on the fonts that pages use.
///
/// # Errors
/// The job was cancelled or is out of time.
pub(super) fn check(document: &Document, part: u8, job: &Job) -> Result<Vec<Finding>, EngineError> {
    let mut faults: Vec<(ObjectId, Fault)> = Vec::new();
    for (id, object) in &document.objects {
        let Ok(font) = object.as_dict() else { continue };
        if lacks_program(document, font) {
            faults.push((*id, Fault::NotEmbedded));
        }
        if subtype(font) == b"Type0" && !font.has(b"Encoding") {
            faults.push((*id, Fault::NoEncoding));
        }
        if widths(document, font).is_some_and(|(codes, widths)| codes != widths) {
            faults.push((*id, Fault::Widths));
        }
        // The supplements that are compared are those of PDF 1.7. PDF/A-1 is based on PDF 1.4.
        if part > 1 && has_later_collection(document, font) {
            faults.push((*id, Fault::LaterCollection));
        }
    }
    if faults.is_empty() {
        return Ok(Vec::new());
    }
    let usage = match survey(document, &Budget::of(job), job) {
        Ok(usage) => usage,
        // If the document is too large or too damaged for the survey, this check reports no findings.
        Err(_) => return job.proceed().map(|()| Vec::new()),
    };
    Ok(faults
        .into_iter()
        .filter(|(font, fault)| match fault {
            Fault::NotEmbedded => usage.painted_fonts.contains(font) && shows_nothing(&usage, *font),
            Fault::LaterCollection => usage.fonts.contains_key(font),
            Fault::NoEncoding | Fault::Widths => {
                usage.fonts.contains_key(font) || usage.painted_fonts.contains(font)
            }
        })
        .map(|(font, fault)| {
            let (clause, test) = match (fault, part) {
                (Fault::NotEmbedded, 1) => ("6.3.4", "1"),
                (Fault::NotEmbedded, _) => ("6.2.11.4.1", "1"),
                (Fault::LaterCollection, _) => ("6.2.11.3.1", "1"),
                (Fault::NoEncoding, 1) => ("6.3.3.3", "1"),
                (Fault::NoEncoding, _) => ("6.2.11.3.3", "1"),
                (Fault::Widths, 1) => ("6.3.2", "6"),
                (Fault::Widths, _) => ("6.2.11.2", "6"),
            };
            Finding::of(rules::sentence(part, clause, test))
                .clause(rules::clause(part, clause))
                .rule(format!("{clause}-{test}"))
                .at(format!("object {}", font.0))
        })
        .collect())
}

/// Whether the document shows only empty strings in a font.
fn shows_nothing(usage: &Usage, font: ObjectId) -> bool {
    usage.fonts.get(&font).is_none_or(|codes| codes.bytes().next().is_none())
}

fn subtype(font: &Dictionary) -> &[u8] {
    font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default()
}

/// The number of codes of a simple font (from FirstChar to LastChar), and the number of the font's widths. `None` for a
/// font that is not simple or lacks one of the entries.
pub(crate) fn widths(document: &Document, font: &Dictionary) -> Option<(i64, i64)> {
    if !matches!(subtype(font), b"Type1" | b"MMType1" | b"TrueType" | b"Type3") {
        return None;
    }
    let code = |key: &[u8]| font.get_deref(key, document).and_then(Object::as_i64).ok();
    let widths = font.get_deref(b"Widths", document).and_then(Object::as_array).ok()?.len();
    let codes = code(b"LastChar")?.checked_sub(code(b"FirstChar")?)?.checked_add(1)?;
    Some((codes, i64::try_from(widths).ok()?))
}

/// The descendant font of a composite font.
fn descendant<'a>(document: &'a Document, font: &'a Dictionary) -> Option<&'a Dictionary> {
    let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
    document.dereference(descendants.first()?).ok()?.1.as_dict().ok()
}

/// Whether a font needs an embedded font program but has none.
fn lacks_program(document: &Document, font: &Dictionary) -> bool {
    let holder = match subtype(font) {
        b"Type1" | b"MMType1" | b"TrueType" => Some(font),
        b"Type0" => descendant(document, font),
        _ => None,
    };
    holder.is_some_and(|holder| {
        let descriptor = holder.get_deref(b"FontDescriptor", document).and_then(Object::as_dict);
        !descriptor.is_ok_and(|descriptor| {
            [&b"FontFile"[..], b"FontFile2", b"FontFile3"]
                .iter()
                .any(|key| descriptor.get_deref(key, document).is_ok_and(|file| file.as_stream().is_ok()))
        })
    })
}

/// Whether the character collection of a composite font has a later supplement than its CMap has in PDF 1.7.
fn has_later_collection(document: &Document, font: &Dictionary) -> bool {
    if subtype(font) != b"Type0" {
        return false;
    }
    let encoding = font.get_deref(b"Encoding", document).and_then(Object::as_name).unwrap_or_default();
    let supplement = descendant(document, font)
        .and_then(|font| font.get_deref(b"CIDSystemInfo", document).and_then(Object::as_dict).ok())
        .and_then(|info| info.get_deref(b"Supplement", document).and_then(Object::as_i64).ok());
    match (latest_supplement(encoding), supplement) {
        (Some(latest), Some(supplement)) => supplement > latest,
        _ => false,
    }
}

/// The supplement number that a predefined CMap has in PDF 1.7 (ISO 32000-1, 9.7.5.2), if the current version of the
/// CMap has a different one. `None` for all other CMaps.
pub(crate) fn latest_supplement(cmap: &[u8]) -> Option<i64> {
    let (name, direction) = cmap.split_at_checked(cmap.len().checked_sub(2)?)?;
    if !matches!(direction, b"-H" | b"-V") {
        return None;
    }
    match name {
        b"HKscs-B5" => Some(3),
        b"GBK2K" | b"UniGB-UTF16" | b"UniCNS-UTF16" => Some(4),
        b"UniJIS-UTF16" => Some(5),
        b"UniKS-UTF16" => Some(2),
        _ => None,
    }
}
