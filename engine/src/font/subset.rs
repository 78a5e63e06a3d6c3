//! Fonts: embedded font files are cut down to the glyphs that the document shows; Type 1 becomes Type 1C before that, and
//! subsets of one font become one after it.
//!
//! Glyph numbers stay what they are, so no content has to change. Which glyph a code means is decided by rules on
//! which readers differ; where that is so, every glyph that a reader could mean is kept. Form fields are filled in later:
//! the fonts that they may use keep every glyph that a code can mean.

use super::cff::Cff;
use super::files::{FontUse, files, is_tagged};
use super::glyphs::{cff_glyphs, truetype_glyphs};
use super::truetype::TrueType;
use super::{merge, type1};
use crate::content::Usage;
use crate::document::{Budget, decode, flate_stream, weight};
use crate::font::type1c::subset_tag;
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId, Stream};
use rayon::prelude::*;
use std::collections::BTreeSet;

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
    let files: Vec<(ObjectId, Vec<FontUse>)> =
        files(document, usage).into_iter().filter_map(|(id, faces)| Some((id, faces?))).collect();
    let smaller: Vec<(ObjectId, Stream, Vec<FontUse>)> = files
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

/// A font file with only the glyphs that its fonts show, if that is smaller.
fn cut(
    document: &Document,
    id: ObjectId,
    faces: &[FontUse],
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

fn union(faces: &[FontUse], glyphs: impl Fn(&FontUse) -> Option<BTreeSet<u16>>) -> Option<BTreeSet<u16>> {
    faces.iter().try_fold(BTreeSet::new(), |mut all, face| {
        all.extend(glyphs(face)?);
        Some(all)
    })
}

/// Marks a font as a subset. What listed its glyphs is dropped.
fn rename(document: &mut Document, face: &FontUse, tag: &[u8]) {
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
