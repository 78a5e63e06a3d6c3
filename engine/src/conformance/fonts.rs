//! What the judge of PDF/A does not see of fonts.
//!
//! It passes over text of no characters, though the font that such text is set in is used, and over widths that are more
//! or fewer than the codes; and it measures composite fonts by the CMaps of today, where PDF/A-2 and -3 mean those of
//! PDF 1.7.

use super::finding::Finding;
use super::rules;
use crate::content::{Usage, survey};
use crate::document::Budget;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// What is wrong with a font as soon as something is set in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It has no program in the document.
    NotEmbedded,
    /// Its character collection is of a later supplement than that of its CMap.
    LaterCollection,
    /// It is a composite font without a CMap.
    NoEncoding,
    /// It has not as many widths as codes.
    Widths,
}

/// What is wrong with the fonts of pages that the judge does not look at.
///
/// # Errors
/// That the job was cancelled or is out of time.
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
        // PDF 1.4, and so part 1, knows none of the CMaps concerned.
        if part > 1 && has_later_collection(document, font) {
            faults.push((*id, Fault::LaterCollection));
        }
    }
    if faults.is_empty() {
        return Ok(Vec::new());
    }
    let usage = match survey(document, &Budget::of(job), job) {
        Ok(usage) => usage,
        // A document too great or too damaged to be walked has the judge's verdict alone.
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

/// Whether all text in a font has no characters.
fn shows_nothing(usage: &Usage, font: ObjectId) -> bool {
    usage.fonts.get(&font).is_none_or(|codes| codes.bytes().next().is_none())
}

fn subtype(font: &Dictionary) -> &[u8] {
    font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default()
}

/// How many codes a simple font says it has, and how many widths there are for them.
pub(crate) fn widths(document: &Document, font: &Dictionary) -> Option<(i64, i64)> {
    if !matches!(subtype(font), b"Type1" | b"MMType1" | b"TrueType" | b"Type3") {
        return None;
    }
    let code = |key: &[u8]| font.get_deref(key, document).and_then(Object::as_i64).ok();
    let widths = font.get_deref(b"Widths", document).and_then(Object::as_array).ok()?.len();
    let codes = code(b"LastChar")?.checked_sub(code(b"FirstChar")?)?.checked_add(1)?;
    Some((codes, i64::try_from(widths).ok()?))
}

/// The font of a composite one's glyphs.
fn descendant<'a>(document: &'a Document, font: &'a Dictionary) -> Option<&'a Dictionary> {
    let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
    document.dereference(descendants.first()?).ok()?.1.as_dict().ok()
}

/// Whether this is a font without a program in the document.
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

/// Whether the collection of a composite font has a later supplement than PDF 1.7 gives its CMap.
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

/// The supplement of a predefined CMap in PDF 1.7 (ISO 32000-1, 9.7.5.2), of those that are of another one today.
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
