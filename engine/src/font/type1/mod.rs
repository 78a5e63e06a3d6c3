//! Converts Type 1 font programs (Adobe Type 1 Font Format) to Type 1C. Type 1C programs are smaller and can be subset.
//! Subsets of the same font are merged before they are written.

mod charstring;
#[cfg(any(fuzzing, test))]
pub(super) mod fuzzing;
mod program;

use crate::document::{Budget, decode, flate_stream, reachable, stored_size};
use crate::font::files::untagged;
use crate::font::type1c::{NOTDEF, NamedFont, fixed};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use program::Program;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The maximum number of families with the same font name to which a further font is compared.
const MAX_FAMILIES_OF_A_NAME: usize = 32;

/// Converts all supported Type 1 font files. The files of several subsets of one font become one file.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn convert(document: &mut Document, budget: &Budget, job: &Job) -> Result<(), EngineError> {
    let fonts: Vec<(ObjectId, Vec<ObjectId>, NamedFont)> = descriptors(document)
        .into_par_iter()
        .filter_map(|(file, descriptors)| match job.proceed().and_then(|()| read(document, file, budget)) {
            Ok(font) => font.map(|font| Ok((file, descriptors, font))),
            Err(error) => Some(Err(error)),
        })
        .collect::<Result<_, EngineError>>()?;
    let mut renamed = HashMap::new();
    for family in families(fonts, job)? {
        job.proceed()?;
        let old: usize = family
            .files
            .iter()
            .filter_map(|id| document.get_object(*id).and_then(Object::as_stream).ok())
            .map(stored_size)
            .sum();
        let Some(program) = family.font.write() else { continue };
        let mut dict = Dictionary::new();
        dict.set("Subtype", "Type1C");
        let stream = flate_stream(dict, program)?;
        if stored_size(&stream) < old {
            set_font_file(document, &family, stream, &mut renamed);
        }
    }
    for object in document.objects.values_mut() {
        let Object::Dictionary(dict) = object else { continue };
        let descriptor = dict.get(b"FontDescriptor").and_then(Object::as_reference).ok();
        if let Some(name) = descriptor.and_then(|descriptor| renamed.get(&descriptor)) {
            dict.set("BaseFont", Object::Name(Clone::clone(name)));
        }
    }
    Ok(())
}

/// Converts a Type 1 program to Type 1C, with widths rounded to whole units. `None` if the program is damaged or
/// unsupported.
///
/// The widths are rounded because some readers of Type 1C truncate the nominal width and the differences from the
/// nominal width.
pub(crate) fn rounded_type_1c(program: &[u8]) -> Option<Vec<u8>> {
    let mut font = Program::parse(program)?.to_named_font()?;
    for glyph in font.glyphs.values_mut() {
        glyph.width = fixed(glyph.width.as_f64().round());
    }
    font.write()
}

/// The Type 1 font files that only Type 1 fonts use, each with the font descriptors that refer to the file.
fn descriptors(document: &Document) -> BTreeMap<ObjectId, Vec<ObjectId>> {
    let mut kinds: HashMap<ObjectId, bool> = HashMap::new();
    let order = reachable(document).order;
    for &id in &order {
        let Ok(dict) = document.get_dictionary(id) else { continue };
        let Ok(descriptor) = dict.get(b"FontDescriptor").and_then(Object::as_reference) else { continue };
        let is_type_1 = dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type1");
        *kinds.entry(descriptor).or_insert(true) &= is_type_1;
    }
    let mut files: BTreeMap<ObjectId, Option<Vec<ObjectId>>> = BTreeMap::new();
    for id in order {
        let Ok(dict) = document.get_dictionary(id) else { continue };
        let Ok(file) = dict.get(b"FontFile").and_then(Object::as_reference) else { continue };
        let all = files.entry(file).or_insert_with(|| Some(Vec::new()));
        match all {
            Some(all) if kinds.get(&id) == Some(&true) => all.push(id),
            _ => *all = None,
        }
    }
    files.into_iter().filter_map(|(file, descriptors)| Some((file, descriptors?))).collect()
}

fn read(document: &Document, file: ObjectId, budget: &Budget) -> Result<Option<NamedFont>, EngineError> {
    let Ok(stream) = document.get_object(file).and_then(Object::as_stream) else { return Ok(None) };
    let Some(decoded) = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none()) else {
        return Ok(None);
    };
    budget.take(decoded.data.len())?;
    Ok(Program::parse(&decoded.data).and_then(|program| program.to_named_font()))
}

/// The subsets of one font, merged into one font.
struct Family {
    files: Vec<ObjectId>,
    descriptors: Vec<ObjectId>,
    font: NamedFont,
}

fn families(fonts: Vec<(ObjectId, Vec<ObjectId>, NamedFont)>, job: &Job) -> Result<Vec<Family>, EngineError> {
    let mut families: Vec<Family> = Vec::new();
    let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (file, descriptors, font) in fonts {
        job.proceed()?;
        let same_name = by_name.entry(untagged(&font.name).to_vec()).or_default();
        let compatible_family = same_name.iter().find_map(|at| {
            let family = families.get(*at)?;
            Some((*at, merged(&family.font, &font)?))
        });
        match compatible_family.and_then(|(at, font)| Some((families.get_mut(at)?, font))) {
            Some((family, font)) => {
                family.files.push(file);
                family.descriptors.extend(descriptors);
                family.font = font;
            }
            None => {
                if same_name.len() < MAX_FAMILIES_OF_A_NAME {
                    same_name.push(families.len());
                }
                families.push(Family { files: vec![file], descriptors, font });
            }
        }
    }
    Ok(families)
}

/// Merges two fonts; `None` if the fonts are incompatible.
fn merged(one: &NamedFont, other: &NamedFont) -> Option<NamedFont> {
    let compatible = one.matrix == other.matrix && one.private == other.private && one.notice == other.notice;
    if !compatible {
        return None;
    }
    let mut font = one.clone();
    match (&mut font.encoding, &other.encoding) {
        (None, None) => {}
        (Some(own), Some(others)) => {
            for (code, name) in others {
                if own.entry(*code).or_insert_with(|| name.clone()) != name {
                    return None;
                }
            }
        }
        _ => return None,
    }
    for (name, glyph) in &other.glyphs {
        let own = font.glyphs.entry(name.clone()).or_insert_with(|| glyph.clone());
        // The glyph `.notdef` may differ in the two fonts, because meaningful text does not show `.notdef`.
        if own != glyph && name != NOTDEF {
            return None;
        }
    }
    let [left, bottom, right, top] = &mut font.bounds;
    let [other_left, other_bottom, other_right, other_top] = other.bounds;
    (*left, *bottom) = (left.min(other_left), bottom.min(other_bottom));
    (*right, *top) = (right.max(other_right), top.max(other_top));
    Some(font)
}

/// Sets the merged file in the font descriptors of a family. If the merged file replaces several files, the fonts in
/// the descriptors are renamed, and the new names are added to `renamed`.
fn set_font_file(
    document: &mut Document,
    family: &Family,
    stream: Stream,
    renamed: &mut HashMap<ObjectId, Vec<u8>>,
) {
    let file = crate::document::fresh_id(document);
    document.objects.insert(file, Object::Stream(stream));
    for id in &family.descriptors {
        let Ok(descriptor) = document.get_dictionary_mut(*id) else { continue };
        descriptor.remove(b"FontFile");
        descriptor.set("FontFile3", file);
        if family.files.len() > 1 {
            // Each CharSet listed the glyphs of only one subset.
            descriptor.remove(b"CharSet");
            descriptor.set("FontName", Object::Name(family.font.name.clone()));
            renamed.insert(*id, family.font.name.clone());
        }
    }
}
