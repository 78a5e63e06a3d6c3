//! Fonts: embedded font files are cut down to the glyphs that the document shows; Type 1 becomes Type 1C before that, and
//! subsets of one font become one after it.
//!
//! Glyph numbers stay what they are, so no content has to change. Which glyph a code means is decided by rules on
//! which readers differ; where that is so, every glyph that a reader could mean is kept. Form fields are filled in later:
//! the fonts that they may use keep every glyph that a code can mean.

use super::cff::Cff;
use super::truetype::TrueType;
use super::{bytes, merge, simple, type1};
use crate::content::{Codes, Usage};
use crate::document::weight;
use crate::document::{Budget, decode, flate_stream, for_each_reference, reachable, resolved};
use crate::font::type1c::subset_tag;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The kinds of font files that are cut down.
const FILES: [&[u8]; 2] = [b"FontFile2", b"FontFile3"];

/// Cuts fonts down to what is shown.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(crate) fn subset(
    document: &mut Document,
    usage: &Usage,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    type1::convert(document, budget, job)?;
    if usage.incomplete || usage.nameless_font {
        return Ok(());
    }
    let files: Vec<(ObjectId, Vec<Face>)> =
        files(document, usage).into_iter().filter_map(|(id, faces)| Some((id, faces?))).collect();
    let smaller: Vec<(ObjectId, Stream, Vec<Face>)> = files
        .into_par_iter()
        .filter_map(|(id, faces)| match job.proceed().and_then(|()| cut(document, id, &faces, budget)) {
            Ok(stream) => stream.map(|stream| Ok((id, stream, faces))),
            Err(error) => Some(Err(error)),
        })
        .collect::<Result<_, EngineError>>()?;
    for (id, stream, faces) in smaller {
        let tag = subset_tag(&stream.content);
        document.objects.insert(id, Object::Stream(stream));
        // Editors do not type in a font that is marked as a subset; this one has all that its codes can mean.
        if faces.iter().any(|face| face.typed) {
            continue;
        }
        for face in faces {
            rename(document, &face, &tag);
        }
    }
    merge::merge(document, usage, budget, job)
}

/// A font that uses a font file, and the codes that it is asked for.
pub(super) struct Face {
    pub(super) font: ObjectId,
    /// The font that the file belongs to, where `font` is composite.
    pub(super) descendant: Option<ObjectId>,
    pub(super) descriptor: ObjectId,
    pub(super) codes: Codes,
    /// Form fields may be filled in with it.
    pub(super) typed: bool,
}

/// All font files with all fonts that use them; nothing for a file that must stay whole.
pub(super) fn files(document: &Document, usage: &Usage) -> BTreeMap<ObjectId, Option<Vec<Face>>> {
    let mut files: BTreeMap<ObjectId, Option<Vec<Face>>> = BTreeMap::new();
    let fonts_of_forms = fonts_of_forms(document);
    let mut descriptors_seen: HashSet<ObjectId> = HashSet::new();
    let order = reachable(document).order;
    for &id in &order {
        let Ok(dict) = document.get_dictionary(id) else { continue };
        if !dict.has_type(b"Font") || is_descendant(dict) {
            continue;
        }
        let descendant = descendant(document, dict);
        let Ok(owner) = descendant.map_or(Ok(dict), |id| document.get_dictionary(id)) else { continue };
        let Ok(descriptor) = owner.get(b"FontDescriptor").and_then(Object::as_reference) else { continue };
        descriptors_seen.insert(descriptor);
        let typed = fonts_of_forms.contains(&id);
        for file in font_files(document, descriptor) {
            let faces = files.entry(file).or_insert_with(|| Some(Vec::new()));
            match faces {
                // All that can be typed in a simple font has one of 256 codes.
                Some(faces) if !typed || descendant.is_none() => {
                    let shown = || usage.fonts.get(&id).cloned().unwrap_or_default();
                    let codes = if typed { Codes::every_byte() } else { shown() };
                    faces.push(Face { font: id, descendant, descriptor, codes, typed });
                }
                _ => *faces = None,
            }
        }
    }
    // A descriptor that belongs to no font that was understood keeps its file whole.
    for &id in &order {
        let is_descriptor = document.get_dictionary(id).is_ok_and(|dict| dict.has_type(b"FontDescriptor"));
        if is_descriptor && !descriptors_seen.contains(&id) {
            for file in font_files(document, id) {
                files.insert(file, None);
            }
        }
    }
    files
}

fn font_files(document: &Document, descriptor: ObjectId) -> Vec<ObjectId> {
    let Ok(dict) = document.get_dictionary(descriptor) else { return Vec::new() };
    FILES.iter().filter_map(|key| dict.get(key).and_then(Object::as_reference).ok()).collect()
}

fn is_descendant(dict: &Dictionary) -> bool {
    dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind.starts_with(b"CIDFont"))
}

fn descendant(document: &Document, dict: &Dictionary) -> Option<ObjectId> {
    dict.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?.first()?.as_reference().ok()
}

/// The fonts among the default resources of form fields.
fn fonts_of_forms(document: &Document) -> HashSet<ObjectId> {
    let mut fonts = HashSet::new();
    let resources = document
        .catalog()
        .and_then(|catalog| catalog.get_deref(b"AcroForm", document))
        .and_then(Object::as_dict)
        .and_then(|form| form.get_deref(b"DR", document))
        .and_then(Object::as_dict)
        .and_then(|resources| resources.get_deref(b"Font", document));
    if let Ok(list) = resources {
        for_each_reference(list, &mut |id| {
            fonts.insert(id);
        });
    }
    fonts
}

/// A font file with only the glyphs that its fonts show, if that is smaller.
fn cut(
    document: &Document,
    id: ObjectId,
    faces: &[Face],
    budget: &Budget,
) -> Result<Option<Stream>, EngineError> {
    let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { return Ok(None) };
    let Some(decoded) = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none()) else {
        return Ok(None);
    };
    let kind = stream.dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
    let mut dict = stream.dict.clone();
    let font = match kind {
        b"" => TrueType::parse(&decoded.data).and_then(|font| {
            let keep = union(faces, |face| truetype_glyphs(document, face, &font))?;
            let with_map = faces.iter().any(|face| face.descendant.is_none());
            font.subset(keep, with_map)
        }),
        b"Type1C" | b"CIDFontType0C" => Cff::parse(&decoded.data).and_then(|font| {
            let keep = union(faces, |face| cff_glyphs(document, face, &font))?;
            font.subset(keep)
        }),
        _ => None,
    };
    let Some(font) = font else { return Ok(None) };
    if kind.is_empty() {
        dict.set("Length1", i64::try_from(font.len()).unwrap_or(i64::MAX));
    }
    let candidate = flate_stream(dict, font)?;
    // A subset must be worth the new name that its fonts get.
    Ok((weight(&candidate) + 64 < weight(stream)).then_some(candidate))
}

fn union(faces: &[Face], glyphs: impl Fn(&Face) -> Option<BTreeSet<u16>>) -> Option<BTreeSet<u16>> {
    faces.iter().try_fold(BTreeSet::new(), |mut all, face| {
        all.extend(glyphs(face)?);
        Some(all)
    })
}

/// The character identifiers that a composite font shows; nothing unless its codes are the identifiers.
pub(super) fn identifiers(document: &Document, face: &Face) -> Option<BTreeSet<u16>> {
    let font = document.get_dictionary(face.font).ok()?;
    let encoding = resolved(document, font.get(b"Encoding").ok()?)?.as_name().ok()?;
    let plain = matches!(encoding, b"Identity-H" | b"Identity-V") && !face.codes.odd;
    plain.then(|| face.codes.words().collect())
}

pub(super) fn truetype_glyphs(
    document: &Document,
    face: &Face,
    font: &TrueType<'_>,
) -> Option<BTreeSet<u16>> {
    let Some(descendant) = face.descendant else {
        return simple::truetype(document, face.font, &face.codes, font);
    };
    let cids = identifiers(document, face)?;
    let descendant = document.get_dictionary(descendant).ok()?;
    match descendant.get(b"CIDToGIDMap").ok().and_then(|map| resolved(document, map)) {
        None => Some(cids),
        Some(Object::Name(name)) if name == b"Identity" => Some(cids),
        Some(Object::Stream(map)) => {
            let map = decode(document, map, &Budget::bounded(1 << 20)).ok()??.data;
            Some(cids.iter().filter_map(|cid| bytes::u16_at(&map, usize::from(*cid) * 2)).collect())
        }
        Some(_) => None,
    }
}

fn cff_glyphs(document: &Document, face: &Face, font: &Cff<'_>) -> Option<BTreeSet<u16>> {
    match face.descendant {
        Some(_) => Some(font.glyph_of_cid(&identifiers(document, face)?)),
        None => simple::cff(document, face.font, &face.codes, font),
    }
}

/// Marks a font as a subset. What listed its glyphs is dropped.
fn rename(document: &mut Document, face: &Face, tag: &[u8]) {
    for (id, key) in [
        (Some(face.font), &b"BaseFont"[..]),
        (face.descendant, b"BaseFont"),
        (Some(face.descriptor), b"FontName"),
    ] {
        let Some(Ok(dict)) = id.map(|id| document.get_dictionary_mut(id)) else { continue };
        if let Ok(Object::Name(name)) = dict.get(key).cloned()
            && !is_tagged(&name)
        {
            dict.set(key, Object::Name([tag, b"+", &name].concat()));
        }
    }
    if let Ok(descriptor) = document.get_dictionary_mut(face.descriptor) {
        descriptor.remove(b"CIDSet");
        descriptor.remove(b"CharSet");
    }
}

pub(super) fn is_tagged(name: &[u8]) -> bool {
    name.get(6) == Some(&b'+') && name.iter().take(6).all(u8::is_ascii_uppercase)
}
