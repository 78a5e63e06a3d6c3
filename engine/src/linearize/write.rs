//! Writes a linearized file. The file has two cross-reference sections. The section for the first page comes first.
//!
//! Numbers before the hint stream are padded to a fixed number of digits, and the hint tables count offsets as if there
//! were no hint stream. Therefore the sizes of all parts of the file can be computed in one pass.

use super::hints::{Hints, OutlineHint, PageHint, tables};
use super::parts::{Parts, Unit};
use super::references::References;
use crate::EngineError;
use crate::document::{
    Entry, deflate, encryption_dictionary, fresh_id, object_stream, trailer, version, write_header,
    write_indirect, xref_stream,
};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ops::Range;

/// The number of digits to which an offset in a dictionary is padded.
const DIGITS: usize = 10;
/// The largest offset that has [`DIGITS`] digits.
const WIDEST: i64 = 9_999_999_999;
/// The width in bytes of an offset in the first cross-reference stream. The width is fixed, because the size of this
/// stream must be known before the offsets in the stream are known.
const OFFSET_BYTES: usize = 4;

/// A written unit: its object number and its bytes.
struct Written {
    number: u32,
    bytes: Vec<u8>,
}

/// All written units, in the order of the file.
struct Units {
    opening: Vec<Written>,
    first_page: Vec<Written>,
    /// The units of parts 7, 8 and 9.
    others: Vec<Written>,
}

impl Units {
    fn write(document: &Document, plan: &Plan<'_>, encrypt: Option<ObjectId>) -> Result<Self, EngineError> {
        let written = |units: &[&Unit]| {
            units.iter().map(|unit| plan.written(document, unit, encrypt)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            opening: written(&plan.opening)?,
            first_page: written(&plan.first_page)?,
            others: written(&plan.others)?,
        })
    }

    /// The trailer of the file. The file identifier in the trailer is a digest of all units.
    fn trailer(&self, document: &Document, plan: &Plan<'_>, encrypt: Option<ObjectId>) -> Dictionary {
        let mut digest = Sha256::new();
        let all = self.opening.iter().chain(&self.first_page).chain(&self.others);
        all.for_each(|unit| digest.update(&unit.bytes));
        let mut trailer = trailer(document, &digest.finalize(), encrypt.is_some());
        trailer.set("Size", i64::from(plan.size));
        if let Some(encrypt) = encrypt {
            trailer.set("Encrypt", Object::Reference(encrypt));
        }
        trailer
    }
}

/// The offsets of the parts of the file before the hint stream. These offsets do not depend on the hint stream.
struct Front {
    parameters: usize,
    first_xref: usize,
    opening: usize,
    hints: usize,
}

impl Front {
    fn of(
        header: usize,
        plan: &Plan<'_>,
        units: &Units,
        file_trailer: &Dictionary,
    ) -> Result<Self, EngineError> {
        let first_xref = header + parameters(plan.parameters, &Parameters::default()).len();
        let widest = plan.first_xref(file_trailer, &vec![Entry::At(0); plan.first_count()], WIDEST)?;
        let opening = first_xref + widest.len();
        Ok(Self { parameters: header, first_xref, opening, hints: opening + total(&units.opening) })
    }
}

/// Writes the file.
///
/// # Errors
/// [`EngineError::Internal`] if an object cannot be written, [`EngineError::Limit`] if the file is too large.
pub(super) fn write(
    document: &Document,
    pages: &[ObjectId],
    references: &References,
    parts: &Parts,
) -> Result<Vec<u8>, EngineError> {
    let mut document = std::borrow::Cow::Borrowed(document);
    let encrypt = match document.encryption_state.as_ref().map(encryption_dictionary).transpose()? {
        Some(dictionary) => {
            let id = fresh_id(&document);
            document.to_mut().objects.insert(id, dictionary);
            Some(id)
        }
        None => None,
    };
    let mut parts = parts.clone();
    parts.opening.extend(encrypt.map(Unit::Single));
    let plan = Plan::of(&parts);
    let units = Units::write(&document, &plan, encrypt)?;
    let file_trailer = units.trailer(&document, &plan, encrypt);
    let mut out = Vec::new();
    write_header(&mut out, version(&document, document.encryption_state.as_ref(), (1, 5)));
    let front = Front::of(out.len(), &plan, &units, &file_trailer)?;
    let hints = hint_stream(&document, (pages, references, &parts), &plan, &units, front.hints)?;

    let end_of_first_page = front.hints + hints.len() + total(&units.first_page);
    let main_xref_at = end_of_first_page + total(&units.others);
    if main_xref_at >= 1 << (8 * OFFSET_BYTES) {
        return Err(EngineError::limit("size of a linearized file", "4 GiB"));
    }
    let main_xref = main_xref(&plan, &units, end_of_first_page, main_xref_at)?;
    let file_tail = format!("startxref\n{}\n%%EOF\n", front.first_xref);
    out.extend_from_slice(&parameters(
        plan.parameters,
        &Parameters {
            length: main_xref_at + main_xref.len() + file_tail.len(),
            hints: (front.hints, hints.len()),
            first_page: units.first_page.first().map_or(0, |unit| unit.number),
            end_of_first_page,
            pages: pages.len(),
            // This is the offset of the white space before the main cross-reference section.
            main_xref: main_xref_at - 1,
        },
    ));
    out.extend_from_slice(&first_xref(&plan, &units, &file_trailer, &front, hints.len(), main_xref_at)?);
    units.opening.iter().for_each(|unit| out.extend_from_slice(&unit.bytes));
    out.extend_from_slice(&hints);
    units.first_page.iter().chain(&units.others).for_each(|unit| out.extend_from_slice(&unit.bytes));
    out.extend_from_slice(&main_xref);
    out.extend_from_slice(file_tail.as_bytes());
    Ok(out)
}

/// The hint stream as an indirect object. The hint tables count offsets as if there were no hint stream:
/// `first_page_at` is the offset that the first page would then have.
fn hint_stream(
    document: &Document,
    (pages, references, parts): (&[ObjectId], &References, &Parts),
    plan: &Plan<'_>,
    units: &Units,
    first_page_at: usize,
) -> Result<Vec<u8>, EngineError> {
    let Units { first_page, others, .. } = units;
    let others_at = first_page_at + total(first_page);
    let shared_at = others_at + total(others.get(..plan.shared.start).unwrap_or_default());
    let shared = others.get(plan.shared.clone()).unwrap_or_default();
    let tables = tables(&Hints {
        pages: page_hints(pages, references, parts, plan, first_page, others),
        first_page_offset: first_page_at,
        shared_lengths: first_page.iter().chain(shared).map(|unit| unit.bytes.len()).collect(),
        shared_first_page: first_page.len(),
        first_shared: shared.first().map(|unit| (unit.number, shared_at)),
        outlines: outline_hint(parts, plan, first_page, first_page_at, others, others_at),
    });
    let mut dict = Dictionary::new();
    dict.set("S", integer(tables.shared_at));
    if let Some(at) = tables.outlines_at {
        dict.set("O", integer(at));
    }
    dict.set("Filter", Object::Name(b"FlateDecode".to_vec()));
    let stream = Object::Stream(Stream::new(dict, deflate(&tables.data)?));
    let number = |id: ObjectId| plan.numbers.get(&id).copied();
    let mut bytes = Vec::new();
    write_indirect(&mut bytes, (plan.hints, &stream), &number, document.encryption_state.as_ref())?;
    Ok(bytes)
}

/// The main cross-reference stream, which locates the objects of parts 7 to 9. These parts begin at the offset
/// `others_at`.
fn main_xref(plan: &Plan<'_>, units: &Units, others_at: usize, at: usize) -> Result<Vec<u8>, EngineError> {
    let mut entries = vec![Entry::Free];
    push_entries(&mut entries, &units.others, others_at);
    entries.push(Entry::At(at));
    entries.extend(plan.packed_entries(&plan.others));
    let mut trailer = Dictionary::new();
    trailer.set("Size", integer(entries.len()));
    let number = |id: ObjectId| plan.numbers.get(&id).copied();
    let mut bytes = Vec::new();
    let stream = xref_stream(&entries, 0, trailer, true, None)?;
    write_indirect(&mut bytes, (plan.main_xref, &stream), &number, None)?;
    Ok(bytes)
}

/// The first cross-reference stream, which locates the objects before part 7, among them the first page. The stream is
/// padded to the size that `front` leaves for it.
fn first_xref(
    plan: &Plan<'_>,
    units: &Units,
    file_trailer: &Dictionary,
    front: &Front,
    hints: usize,
    main_xref_at: usize,
) -> Result<Vec<u8>, EngineError> {
    let mut entries = vec![Entry::At(front.parameters), Entry::At(front.first_xref)];
    push_entries(&mut entries, &units.opening, front.opening);
    entries.push(Entry::At(front.hints));
    push_entries(&mut entries, &units.first_page, front.hints + hints);
    entries.extend(plan.packed_entries(&plan.opening));
    entries.extend(plan.packed_entries(&plan.first_page));
    let mut bytes = plan.first_xref(file_trailer, &entries, i64::try_from(main_xref_at).unwrap_or(WIDEST))?;
    let tail = bytes.split_off(bytes.len() - FIRST_XREF_TAIL.len());
    bytes.resize(front.opening - front.first_xref - tail.len(), b' ');
    bytes.extend_from_slice(&tail);
    Ok(bytes)
}

/// Adds the entries of consecutive units. The first unit begins at the offset `at`.
fn push_entries(entries: &mut Vec<Entry>, units: &[Written], mut at: usize) {
    for unit in units {
        entries.push(Entry::At(at));
        at += unit.bytes.len();
    }
}

fn integer(value: usize) -> Object {
    Object::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The end of the first cross-reference section. The offset after this `startxref` is 0, because readers ignore it
/// (F.3.4).
const FIRST_XREF_TAIL: &str = "startxref\n0\n%%EOF\n";

fn total(units: &[Written]) -> usize {
    units.iter().map(|unit| unit.bytes.len()).sum()
}

/// The values of the linearization parameter dictionary (F.3.2).
#[derive(Default)]
struct Parameters {
    length: usize,
    hints: (usize, usize),
    first_page: u32,
    end_of_first_page: usize,
    pages: usize,
    main_xref: usize,
}

/// The linearization parameter dictionary. It is padded, so that its size does not depend on its values.
fn parameters(number: u32, values: &Parameters) -> Vec<u8> {
    let Parameters { length, hints: (at, size), first_page, end_of_first_page, pages, main_xref } = values;
    let text = format!(
        "{number} 0 obj\n<</Linearized 1/L {length}/H[{at} {size}]/O {first_page}/E {end_of_first_page}/N {pages}/T {main_xref}>>"
    );
    let widest = format!("{number} 0 obj\n<</Linearized 1/L /H[ ]/O /E /N /T >>").len() + 7 * DIGITS;
    format!("{text:<widest$}\nendobj\n").into_bytes()
}

/// The object numbers of all objects. In each cross-reference section, the objects that are packed into object streams
/// come last.
struct Plan<'a> {
    opening: Vec<&'a Unit>,
    first_page: Vec<&'a Unit>,
    /// The units of parts 7, 8 and 9.
    others: Vec<&'a Unit>,
    /// The indices of the units of part 8 in `others`.
    shared: Range<usize>,
    numbers: HashMap<ObjectId, u32>,
    /// The object number of each unit. The key is the first object of the unit.
    unit_numbers: HashMap<ObjectId, u32>,
    main_xref: u32,
    parameters: u32,
    hints: u32,
    size: u32,
}

impl<'a> Plan<'a> {
    fn of(parts: &'a Parts) -> Self {
        let mut numbers = HashMap::new();
        let mut unit_numbers = HashMap::new();
        let mut next = 1_u32;
        let mut assign = |units: &[&Unit], next: &mut u32| {
            for unit in units {
                if let Some(first) = unit.objects().first() {
                    unit_numbers.insert(*first, *next);
                }
                if let Unit::Single(id) = unit {
                    numbers.insert(*id, *next);
                }
                *next += 1;
            }
        };
        let others: Vec<&Unit> =
            parts.pages.iter().flatten().chain(&parts.shared).chain(&parts.rest).collect();
        let shared_start = parts.pages.iter().map(Vec::len).sum();
        assign(&others, &mut next);
        let main_xref = next;
        next += 1;
        let packed = |units: &[&Unit]| -> Vec<ObjectId> {
            units
                .iter()
                .filter_map(|unit| match unit {
                    Unit::Packed(ids) => Some(ids.clone()),
                    Unit::Single(_) => None,
                })
                .flatten()
                .collect()
        };
        let mut packed_numbers = Vec::new();
        for id in packed(&others) {
            packed_numbers.push((id, next));
            next += 1;
        }
        let parameters = next;
        // The parameter dictionary and the first cross-reference stream get the next two numbers, in this order.
        next += 2;
        let opening: Vec<&Unit> = parts.opening.iter().collect();
        assign(&opening, &mut next);
        let hints = next;
        next += 1;
        let first_page: Vec<&Unit> = parts.first_page.iter().collect();
        assign(&first_page, &mut next);
        for id in packed(&opening).into_iter().chain(packed(&first_page)) {
            packed_numbers.push((id, next));
            next += 1;
        }
        numbers.extend(packed_numbers);
        let shared = shared_start..shared_start + parts.shared.len();
        Self {
            opening,
            first_page,
            others,
            shared,
            numbers,
            unit_numbers,
            main_xref,
            parameters,
            hints,
            size: next,
        }
    }

    /// The number of entries in the first cross-reference section.
    fn first_count(&self) -> usize {
        usize::try_from(self.size - self.parameters).unwrap_or(usize::MAX)
    }

    fn unit_number(&self, unit: &Unit) -> u32 {
        unit.objects().first().and_then(|first| self.unit_numbers.get(first)).copied().unwrap_or(0)
    }

    fn written(
        &self,
        document: &Document,
        unit: &Unit,
        encrypt: Option<ObjectId>,
    ) -> Result<Written, EngineError> {
        let number = |id: ObjectId| self.numbers.get(&id).copied();
        let own = self.unit_number(unit);
        let missing = || EngineError::Internal("an object is missing during linearization".to_owned());
        let mut bytes = Vec::new();
        let encryption = document.encryption_state.as_ref();
        match unit {
            Unit::Single(id) => {
                let object = document.objects.get(id).ok_or_else(missing)?;
                write_indirect(
                    &mut bytes,
                    (own, object),
                    &number,
                    encryption.filter(|_| Some(*id) != encrypt),
                )?;
            }
            Unit::Packed(ids) => {
                let objects = ids
                    .iter()
                    .map(|id| {
                        Ok((number(*id).ok_or_else(missing)?, document.objects.get(id).ok_or_else(missing)?))
                    })
                    .collect::<Result<Vec<_>, EngineError>>()?;
                write_indirect(&mut bytes, (own, &object_stream(&objects, &number)?), &number, encryption)?;
            }
        }
        Ok(Written { number: own, bytes })
    }

    fn packed_entries<'b>(&'b self, units: &'b [&'b Unit]) -> impl Iterator<Item = Entry> + 'b {
        units.iter().flat_map(|unit| {
            let count = if matches!(unit, Unit::Packed(_)) { unit.objects().len() } else { 0 };
            (0..count).map(|index| Entry::In(self.unit_number(unit), index))
        })
    }

    /// The first cross-reference section, followed by [`FIRST_XREF_TAIL`].
    fn first_xref(
        &self,
        trailer: &Dictionary,
        entries: &[Entry],
        previous: i64,
    ) -> Result<Vec<u8>, EngineError> {
        let number = |id: ObjectId| self.numbers.get(&id).copied();
        let mut trailer = trailer.clone();
        trailer.set("Prev", previous);
        let mut out = Vec::new();
        let stream = xref_stream(entries, self.parameters, trailer, false, Some(OFFSET_BYTES))?;
        write_indirect(&mut out, (self.parameters + 1, &stream), &number, None)?;
        out.extend_from_slice(FIRST_XREF_TAIL.as_bytes());
        Ok(out)
    }
}

/// The entries of the page offset hint table.
fn page_hints(
    pages: &[ObjectId],
    references: &References,
    parts: &Parts,
    plan: &Plan<'_>,
    first_page: &[Written],
    others: &[Written],
) -> Vec<PageHint> {
    // For each object in parts 6 and 8: the index of the shared object that this object is, or that contains this
    // object.
    let shared_units = parts.first_page.iter().chain(&parts.shared);
    let index: HashMap<ObjectId, usize> = shared_units
        .enumerate()
        .flat_map(|(at, unit)| unit.objects().iter().map(move |id| (*id, at)))
        .collect();
    let mut hints =
        vec![PageHint { objects: first_page.len(), length: total(first_page), shared: Vec::new() }];
    let mut from = 0;
    for (at, _) in pages.iter().enumerate().skip(1) {
        let count = parts.pages.get(at - 1).map_or(0, Vec::len);
        let length = total(others.get(from..from + count).unwrap_or_default());
        from += count;
        let mut shared: Vec<usize> = references
            .by_page
            .get(at)
            .into_iter()
            .flatten()
            .filter_map(|id| index.get(id).copied())
            .collect();
        shared.sort_unstable();
        shared.dedup();
        hints.push(PageHint { objects: count, length, shared });
    }
    debug_assert!(from <= plan.shared.start);
    hints
}

fn outline_hint(
    parts: &Parts,
    plan: &Plan<'_>,
    first_page: &[Written],
    first_page_at: usize,
    others: &[Written],
    others_at: usize,
) -> Option<OutlineHint> {
    let (at, count) = parts.outlines?;
    let (units, base, at) = if parts.outlines_first {
        (first_page, first_page_at, at)
    } else {
        (others, others_at, plan.shared.end + at)
    };
    let before = total(units.get(..at)?);
    let outlines = units.get(at..at + count)?;
    Some(OutlineHint {
        first_object: outlines.first()?.number,
        offset: base + before,
        objects: count,
        length: total(outlines),
    })
}
