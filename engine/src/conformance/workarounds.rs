//! Works around bugs of the PDF/A validator by validating an equivalent copy of the document.
//!
//! The validator reports only the first violation of each rule. A false violation may therefore hide a real violation
//! of the same rule, and must not simply be removed. If the validator misreads a construct, this module replaces the
//! construct in a copy of the document by an equivalent one, and the validator checks the copy. For the rules
//! concerned, the result for the copy then replaces the result for the document.

use super::normalize_content;
use super::validator::Violation;
use crate::document::{Budget, SaveOptions, decode, flate_stream, for_each_dictionary, save};
use crate::font::type1::rounded_type_1c;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};
use skrifa::raw::tables::cmap::PlatformId;
use skrifa::raw::{FontRef, TableProvider as _};

/// A list of rules. Each rule is a clause and the number of a test of the clause.
type Rules = &'static [(&'static str, &'static str)];

/// Objects that replace objects of the copy that is validated, each with the identifier of the replaced object.
type Replacements = Vec<(ObjectId, Object)>;

/// The rules on glyphs and widths. If the validator misreads a font, it reports false violations of these rules. The
/// first list is for PDF/A-1, the second list for PDF/A-2 and -3.
const GLYPH_RULES: [Rules; 2] =
    [&[("6.3.5", "1"), ("6.3.6", "1")], &[("6.2.11.4.1", "2"), ("6.2.11.5", "1"), ("6.2.11.8", "1")]];

/// A construct for which the validator reports a false violation of PDF/A-2 or -3.
struct Correction {
    rules: Rules,
    /// The objects that replace the construct in the copy; empty if the document does not have the construct.
    replacements: fn(&Document, &Budget) -> Result<Replacements, EngineError>,
}

const CORRECTIONS: [Correction; 2] = [
    // The validator has the current version of the CMap UniKS-UTF16, whose supplement number is 1. In PDF 1.7 the
    // supplement number of this CMap is 2.
    Correction { rules: &[("6.2.11.3.1", "1")], replacements: korean_supplements },
    // The glyph .notdef of a CID font is the glyph of CID 0 (ISO 32000-1, 9.7.6.3). Other CIDs do not show .notdef,
    // even if a CIDToGIDMap gives them glyph 0.
    Correction { rules: &[("6.2.11.8", "1")], replacements: glyph_maps },
];

/// The rules of PDF/A-2 and -3 on the glyph lists of font subsets (CharSet, CIDSet).
const GLYPH_LIST_RULES: Rules = &[("6.2.11.4.2", "1"), ("6.2.11.4.2", "2")];

/// Corrects the violations that the validator reports. `again` validates a copy of the document. `lists` validates only
/// the glyph lists of a document. If `again` or `lists` returns `None`, the violations that it should have replaced are
/// kept.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn corrected(
    document: &Document,
    bytes: &[u8],
    part: u8,
    mut violations: Vec<Violation>,
    again: impl Fn(Vec<u8>) -> SecondResult,
    lists: impl Fn(Vec<u8>) -> SecondResult,
    job: &Job,
) -> Result<Vec<Violation>, EngineError> {
    let mut copy = Copy::of(document);
    let mut replacements = normalize_content::normalized_contents(document, &Budget::of(job), job)?;
    replacements.extend(simple_fonts(document, &Budget::of(job))?);
    if let Some(bytes) = copy.with(replacements)?
        && let Some(second) = again(bytes)?
    {
        let [first, later] = GLYPH_RULES;
        violations.retain(|violation| !is_of(if part == 1 { first } else { later }, violation));
        for violation in second.into_iter().filter(|violation| is_of_contents(part, violation)) {
            if !violations
                .iter()
                .any(|known| known.clause == violation.clause && known.test == violation.test)
            {
                violations.push(violation);
            }
        }
    }
    if part == 1 {
        return Ok(violations);
    }
    for Correction { rules, replacements } in CORRECTIONS {
        if violations.iter().any(|violation| is_of(rules, violation))
            && let Some(bytes) = copy.with(replacements(document, &Budget::of(job))?)?
        {
            replace(&mut violations, rules, again(bytes)?);
        }
    }
    // PDF/A-1 requires glyph lists, and the validator checks these lists correctly. In PDF/A-2 and -3 glyph lists are
    // optional, but if present they must match the font program.
    let result = if document.objects.values().any(has_glyph_list) {
        lists(copy.bytes.unwrap_or_else(|| bytes.to_vec()))?
    } else {
        Some(Vec::new())
    };
    replace(&mut violations, GLYPH_LIST_RULES, result);
    Ok(violations)
}

/// The copy of the document that is validated. The copy keeps all earlier replacements, so that the results for the
/// earlier copies stay valid.
struct Copy<'a> {
    document: &'a Document,
    changed: Option<Document>,
    bytes: Option<Vec<u8>>,
}

impl<'a> Copy<'a> {
    fn of(document: &'a Document) -> Self {
        Self { document, changed: None, bytes: None }
    }

    /// Adds replacements to the copy and returns its bytes; `None` if there are no replacements.
    fn with(&mut self, replacements: Replacements) -> Result<Option<Vec<u8>>, EngineError> {
        if replacements.is_empty() {
            return Ok(None);
        }
        let copy = self.changed.get_or_insert_with(|| self.document.clone());
        copy.objects.extend(replacements);
        let bytes = save(copy, &SaveOptions { object_streams: false, keep_encryption: false })?;
        Ok(Some(self.bytes.insert(bytes).clone()))
    }
}

/// The violations that the validator finds in a copy; `None` if the validator cannot check the copy.
type SecondResult = Result<Option<Vec<Violation>>, EngineError>;

/// Whether a violation is of a rule on graphics, fonts or transparency.
fn is_of_contents(part: u8, violation: &Violation) -> bool {
    let clauses: &[&str] = if part == 1 { &["6.2.", "6.3.", "6.4"] } else { &["6.2."] };
    clauses.iter().any(|clause| violation.clause.starts_with(clause))
}

fn is_of(rules: Rules, violation: &Violation) -> bool {
    rules.iter().any(|(clause, test)| violation.clause == *clause && violation.test == *test)
}

fn replace(violations: &mut Vec<Violation>, rules: Rules, result: Option<Vec<Violation>>) {
    if let Some(second) = result {
        violations.retain(|violation| !is_of(rules, violation));
        violations.extend(second.into_iter().filter(|violation| is_of(rules, violation)));
    }
}

fn has_glyph_list(object: &Object) -> bool {
    let mut found = false;
    for_each_dictionary(object, &mut |dict| found |= dict.has(b"CharSet") || dict.has(b"CIDSet"));
    found
}

/// Objects that replace simple fonts whose font programs the validator misreads.
fn simple_fonts(document: &Document, budget: &Budget) -> Result<Replacements, EngineError> {
    let mut replacements = Replacements::new();
    for (id, object) in &document.objects {
        let Ok(dict) = object.as_dict() else { continue };
        replacements.extend(type_1_program(document, *id, dict, budget)?);
        replacements.extend(macintosh_font(document, *id, dict, budget)?);
    }
    Ok(replacements)
}

/// The font descriptor and the font program of a Type 1 font, with the program converted to Type 1C. The validator
/// reads Type 1C programs correctly, because it reads them with a library.
///
/// In Type 1 programs the validator misses widths that are quotients, and glyph names with a hyphen or an underscore.
/// It reads no glyph at all if the PostScript procedure that reads a glyph is named `-|`.
fn type_1_program(
    document: &Document,
    id: ObjectId,
    descriptor: &Dictionary,
    budget: &Budget,
) -> Result<Replacements, EngineError> {
    let Some((file, data)) = program(document, descriptor, b"FontFile", budget)? else {
        return Ok(Replacements::new());
    };
    let Some(program) = rounded_type_1c(&data) else { return Ok(Replacements::new()) };
    let mut dict = Dictionary::new();
    dict.set("Subtype", "Type1C");
    let mut descriptor = descriptor.clone();
    descriptor.remove(b"FontFile");
    descriptor.set("FontFile3", file);
    Ok(vec![(file, flate_stream(dict, program)?.into()), (id, descriptor.into())])
}

/// A symbolic font that replaces a TrueType font with the encoding MacRomanEncoding, if the only cmap subtable of the
/// TrueType font is for Macintosh. Readers look up the codes of a symbolic font in this subtable directly. For the
/// TrueType font, the validator would look up Unicode characters in the subtable.
fn macintosh_font(
    document: &Document,
    id: ObjectId,
    font: &Dictionary,
    budget: &Budget,
) -> Result<Replacements, EngineError> {
    let mac_encoded = font
        .get_deref(b"Encoding", document)
        .and_then(Object::as_name)
        .is_ok_and(|name| name == b"MacRomanEncoding");
    let descriptor = font.get(b"FontDescriptor").and_then(Object::as_reference).ok();
    let Some((at, descriptor)) =
        descriptor.filter(|_| mac_encoded).and_then(|id| Some((id, document.get_dictionary(id).ok()?)))
    else {
        return Ok(Replacements::new());
    };
    let Some((_, data)) = program(document, descriptor, b"FontFile2", budget)? else {
        return Ok(Replacements::new());
    };
    let flags = descriptor.get_deref(b"Flags", document).and_then(Object::as_i64).unwrap_or_default();
    if flags & SYMBOLIC != 0 || !has_only_macintosh_codes(&data) {
        return Ok(Replacements::new());
    }
    let (mut font, mut descriptor) = (font.clone(), descriptor.clone());
    font.remove(b"Encoding");
    descriptor.set("Flags", flags & !NON_SYMBOLIC | SYMBOLIC);
    Ok(vec![(id, font.into()), (at, descriptor.into())])
}

const SYMBOLIC: i64 = 4;
const NON_SYMBOLIC: i64 = 32;

fn has_only_macintosh_codes(program: &[u8]) -> bool {
    FontRef::new(program).and_then(|font| font.cmap()).is_ok_and(|map| {
        let [record] = map.encoding_records() else { return false };
        record.platform_id() == PlatformId::Macintosh && record.encoding_id() == 0
    })
}

/// The identifier of the object with a font program, and the decoded program. `None` if the descriptor has no such
/// program, or if it cannot be decoded.
fn program(
    document: &Document,
    descriptor: &Dictionary,
    key: &[u8],
    budget: &Budget,
) -> Result<Option<(ObjectId, Vec<u8>)>, EngineError> {
    let Ok(file) = descriptor.get(key).and_then(Object::as_reference) else { return Ok(None) };
    let Ok(stream) = document.get_object(file).and_then(Object::as_stream) else { return Ok(None) };
    let decoded = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none());
    Ok(decoded.map(|decoded| (file, decoded.data)))
}

/// Descendant fonts of the fonts with the CMap UniKS-UTF16, with supplement 1 instead of 2 declared for their character
/// collections.
fn korean_supplements(document: &Document, _: &Budget) -> Result<Replacements, EngineError> {
    let replacements = document.objects.values().filter_map(|object| {
        let font = object.as_dict().ok()?;
        let encoding = font.get_deref(b"Encoding", document).and_then(Object::as_name).ok()?;
        if !matches!(encoding, b"UniKS-UTF16-H" | b"UniKS-UTF16-V") {
            return None;
        }
        let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
        let id = descendants.first()?.as_reference().ok()?;
        let mut descendant = document.get_dictionary(id).ok()?.clone();
        let mut info =
            descendant.get_deref(b"CIDSystemInfo", document).and_then(Object::as_dict).ok()?.clone();
        let supplement = info.get_deref(b"Supplement", document).and_then(Object::as_i64).ok()?;
        info.set("Supplement", supplement.saturating_sub(1));
        descendant.set("CIDSystemInfo", info);
        (supplement == 2).then(|| (id, descendant.into()))
    });
    Ok(replacements.collect())
}

/// Maps from CIDs to glyphs (CIDToGIDMap) in which only CID 0 has glyph 0. Other CIDs that have glyph 0 in the original
/// map get glyph 1.
fn glyph_maps(document: &Document, budget: &Budget) -> Result<Replacements, EngineError> {
    let mut replacements = Replacements::new();
    for font in document.objects.values().filter_map(|object| object.as_dict().ok()) {
        let Ok(map) = font.get(b"CIDToGIDMap").and_then(Object::as_reference) else { continue };
        let Ok(stream) = document.get_object(map).and_then(Object::as_stream) else { continue };
        let Some(decoded) = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none())
        else {
            continue;
        };
        let mut glyphs = decoded.data;
        for glyph in glyphs.as_chunks_mut::<2>().0.iter_mut().skip(1) {
            if *glyph == [0, 0] {
                *glyph = [0, 1];
            }
        }
        replacements.push((map, flate_stream(Dictionary::new(), glyphs)?.into()));
    }
    Ok(replacements)
}
