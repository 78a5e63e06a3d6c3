//! What the judge of PDF/A misreads, told to it another way.
//!
//! Of each rule the judge names the first fault that it met, so a mistake of its own may hide a fault behind it, and
//! cannot just be struck out. Where it misreads what a document has, it is asked again about a copy that says the same
//! in words which it reads rightly, and the second answer counts on the rules concerned.

use super::normalize_content;
use super::pdfa::{Broken, DEEPEST, for_each_dictionary};
use crate::document::{Budget, SaveOptions, decode, flate_stream, save};
use crate::font::type1::rounded_type_1c;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};
use skrifa::raw::tables::cmap::PlatformId;
use skrifa::raw::{FontRef, TableProvider as _};

/// Rules, by clause and number of the test.
type Rules = &'static [(&'static str, &'static str)];

/// Objects that take the place of others in the copy.
type Told = Vec<(ObjectId, Object)>;

/// What the judge finds wrong of glyphs and widths where it misreads a font, in part 1 and in the others.
const GLYPHS: [Rules; 2] =
    [&[("6.3.5", "1"), ("6.3.6", "1")], &[("6.2.11.4.1", "2"), ("6.2.11.5", "1"), ("6.2.11.8", "1")]];

/// A thing that the judge takes for a fault of parts 2 and 3.
struct Mistake {
    rules: Rules,
    /// What the copy has instead; nothing where the document has nothing of the kind.
    tell: fn(&Document, &Budget) -> Result<Told, EngineError>,
}

const MISTAKES: [Mistake; 2] = [
    // It knows this CMap by its tables of today, which are of supplement 1; in PDF 1.7 it is of supplement 2.
    Mistake { rules: &[("6.2.11.3.1", "1")], tell: korean_supplements },
    // The glyph .notdef of a CID font is that of CID 0 (ISO 32000-1, 9.7.6.3), whatever glyph a map gives to others.
    Mistake { rules: &[("6.2.11.8", "1")], tell: glyph_maps },
];

/// The lists of glyphs that subsets may have in parts 2 and 3.
const LISTS: Rules = &[("6.2.11.4.2", "1"), ("6.2.11.4.2", "2")];

/// The verdict with what the judge says on second thoughts: `again` is asked for another verdict, `lists` for one on the
/// lists of glyphs alone. Where they cannot answer, the first verdict stands.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn reconsidered(
    document: &Document,
    bytes: &[u8],
    part: u8,
    mut broken: Vec<Broken>,
    again: impl Fn(Vec<u8>) -> Answer,
    lists: impl Fn(Vec<u8>) -> Answer,
    job: &Job,
) -> Result<Vec<Broken>, EngineError> {
    let mut copy = Copy::of(document);
    let mut told = normalize_content::readable(document, &Budget::of(job), job)?;
    told.extend(simple_fonts(document, &Budget::of(job))?);
    if let Some(bytes) = copy.with(told)?
        && let Some(second) = again(bytes)?
    {
        let [first, later] = GLYPHS;
        broken.retain(|fault| !is_of(if part == 1 { first } else { later }, fault));
        for fault in second.into_iter().filter(|fault| is_of_contents(part, fault)) {
            if !broken.iter().any(|known| known.clause == fault.clause && known.test == fault.test) {
                broken.push(fault);
            }
        }
    }
    if part == 1 {
        return Ok(broken);
    }
    for Mistake { rules, tell } in MISTAKES {
        if broken.iter().any(|fault| is_of(rules, fault))
            && let Some(bytes) = copy.with(tell(document, &Budget::of(job))?)?
        {
            replace(&mut broken, rules, again(bytes)?);
        }
    }
    // Part 1 wants lists of what is shown, and has the judge's verdict on them; later parts want none, but right ones.
    let answer = if document.objects.values().any(has_list) {
        lists(copy.written.unwrap_or_else(|| bytes.to_vec()))?
    } else {
        Some(Vec::new())
    };
    replace(&mut broken, LISTS, answer);
    Ok(broken)
}

/// The copy that the judge is asked about. It tells anew all that it has been given, so that earlier answers stand.
struct Copy<'a> {
    document: &'a Document,
    told: Option<Document>,
    written: Option<Vec<u8>>,
}

impl<'a> Copy<'a> {
    fn of(document: &'a Document) -> Self {
        Self { document, told: None, written: None }
    }

    /// The file with these objects too; nothing if there are none.
    fn with(&mut self, told: Told) -> Result<Option<Vec<u8>>, EngineError> {
        if told.is_empty() {
            return Ok(None);
        }
        let copy = self.told.get_or_insert_with(|| self.document.clone());
        copy.objects.extend(told);
        let bytes = save(copy, &SaveOptions { object_streams: false, keep_encryption: false })?;
        Ok(Some(self.written.insert(bytes).clone()))
    }
}

/// What the judge says when it is asked again, if it can say something.
type Answer = Result<Option<Vec<Broken>>, EngineError>;

/// Whether a rule is one of graphics, fonts or transparency.
fn is_of_contents(part: u8, broken: &Broken) -> bool {
    let clauses: &[&str] = if part == 1 { &["6.2.", "6.3.", "6.4"] } else { &["6.2."] };
    clauses.iter().any(|clause| broken.clause.starts_with(clause))
}

fn is_of(rules: Rules, broken: &Broken) -> bool {
    rules.iter().any(|(clause, test)| broken.clause == *clause && broken.test == *test)
}

fn replace(broken: &mut Vec<Broken>, rules: Rules, answer: Option<Vec<Broken>>) {
    if let Some(second) = answer {
        broken.retain(|broken| !is_of(rules, broken));
        broken.extend(second.into_iter().filter(|broken| is_of(rules, broken)));
    }
}

fn has_list(object: &Object) -> bool {
    let mut found = false;
    for_each_dictionary(object, DEEPEST, &mut |dict| found |= dict.has(b"CharSet") || dict.has(b"CIDSet"));
    found
}

/// Simple fonts whose programs the judge misreads, in forms that it reads well.
fn simple_fonts(document: &Document, budget: &Budget) -> Result<Told, EngineError> {
    let mut told = Told::new();
    for (id, object) in &document.objects {
        let Ok(dict) = object.as_dict() else { continue };
        told.extend(type_1_program(document, *id, dict, budget)?);
        told.extend(macintosh_font(document, *id, dict, budget)?);
    }
    Ok(told)
}

/// The descriptor of a Type 1 font with its program in Type 1C, which the judge reads by a library.
///
/// In Type 1 it reads no widths that are quotients and no names with a hyphen or underscore, and nothing at all of
/// programs in which the procedure that reads a glyph is called `-|`.
fn type_1_program(
    document: &Document,
    id: ObjectId,
    descriptor: &Dictionary,
    budget: &Budget,
) -> Result<Told, EngineError> {
    let Some((file, data)) = program(document, descriptor, b"FontFile", budget)? else {
        return Ok(Told::new());
    };
    let Some(program) = rounded_type_1c(&data) else { return Ok(Told::new()) };
    let mut dict = Dictionary::new();
    dict.set("Subtype", "Type1C");
    let mut descriptor = descriptor.clone();
    descriptor.remove(b"FontFile");
    descriptor.set("FontFile3", file);
    Ok(vec![(file, flate_stream(dict, program)?.into()), (id, descriptor.into())])
}

/// A TrueType font that has but a map of Macintosh codes and is encoded in just these, as a symbolic font, whose codes
/// are looked up in that map as they are: the judge looks for Unicode characters there.
fn macintosh_font(
    document: &Document,
    id: ObjectId,
    font: &Dictionary,
    budget: &Budget,
) -> Result<Told, EngineError> {
    let mac_encoded = font
        .get_deref(b"Encoding", document)
        .and_then(Object::as_name)
        .is_ok_and(|name| name == b"MacRomanEncoding");
    let descriptor = font.get(b"FontDescriptor").and_then(Object::as_reference).ok();
    let Some((at, descriptor)) =
        descriptor.filter(|_| mac_encoded).and_then(|id| Some((id, document.get_dictionary(id).ok()?)))
    else {
        return Ok(Told::new());
    };
    let Some((_, data)) = program(document, descriptor, b"FontFile2", budget)? else {
        return Ok(Told::new());
    };
    let flags = descriptor.get_deref(b"Flags", document).and_then(Object::as_i64).unwrap_or_default();
    if flags & SYMBOLIC != 0 || !has_only_macintosh_codes(&data) {
        return Ok(Told::new());
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

/// The program of a font, and its object.
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

/// Character collections of supplement 2 under the CMap that reaches it, as of supplement 1.
fn korean_supplements(document: &Document, _: &Budget) -> Result<Told, EngineError> {
    let told = document.objects.values().filter_map(|object| {
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
    Ok(told.collect())
}

/// Maps of CIDs to glyphs in which glyph 0 is that of CID 0 alone: others that have it get glyph 1.
fn glyph_maps(document: &Document, budget: &Budget) -> Result<Told, EngineError> {
    let mut told = Told::new();
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
        told.push((map, flate_stream(Dictionary::new(), glyphs)?.into()));
    }
    Ok(told)
}
