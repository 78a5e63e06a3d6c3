//! Subsets embedded fonts to the glyphs that the document shows. Before subsetting, Type 1 programs are converted to
//! Type 1C. After subsetting, subsets of the same font are merged.
//!
//! Glyph numbers do not change, so content streams need not change. If readers disagree which glyph a code shows, every
//! possible glyph is kept. Fonts of form fields keep the glyphs of all codes, because the fields can be filled in
//! later.

use super::cff::Cff;
use super::files::{FontUse, files, is_tagged};
use super::glyphs::{cff_glyphs, truetype_glyphs};
use super::truetype::TrueType;
use super::{merge, type1};
use crate::content::Usage;
use crate::document::{Budget, decode, flate_stream, stored_size};
use crate::font::type1c::subset_tag;
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId, Stream};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Subsets fonts to the glyphs that are shown.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(crate) fn subset(
    document: &mut Document,
    usage: &Usage,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    type1::convert(document, budget, job)?;
    if usage.incomplete || usage.has_direct_font {
        return Ok(());
    }
    let files: Vec<(ObjectId, Vec<FontUse>)> =
        files(document, usage).into_iter().filter_map(|(id, uses)| Some((id, uses?))).collect();
    let smaller: Vec<(ObjectId, Stream, Vec<FontUse>)> = files
        .into_par_iter()
        .filter_map(|(id, uses)| {
            match job.proceed().and_then(|()| subset_file(document, id, &uses, budget)) {
                Ok(stream) => stream.map(|stream| Ok((id, stream, uses))),
                Err(error) => Some(Err(error)),
            }
        })
        .collect::<Result<_, EngineError>>()?;
    for (id, stream, uses) in smaller {
        let tag = subset_tag(&stream.content);
        document.objects.insert(id, Object::Stream(stream));
        // Editors do not use a font with a subset tag for form fields. This font is used by form fields and has the
        // glyphs of all codes, so it gets no subset tag.
        if uses.iter().any(|font_use| font_use.used_by_forms) {
            continue;
        }
        for font_use in uses {
            add_subset_tag(document, &font_use, &tag);
        }
    }
    merge::merge(document, usage, budget, job)
}

/// Subsets a font file to the glyphs that its fonts show. `None` if the font file is unsupported, or if the subset is
/// not smaller.
fn subset_file(
    document: &Document,
    id: ObjectId,
    uses: &[FontUse],
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
            let keep = union(uses, |font_use| truetype_glyphs(document, font_use, &font))?;
            let with_map = uses.iter().any(|font_use| font_use.descendant.is_none());
            font.subset(keep, with_map)
        }),
        b"Type1C" | b"CIDFontType0C" => Cff::parse(&decoded.data).and_then(|font| {
            let keep = union(uses, |font_use| cff_glyphs(document, font_use, &font))?;
            font.subset(keep)
        }),
        _ => None,
    };
    let Some(font) = font else { return Ok(None) };
    if kind.is_empty() {
        dict.set("Length1", i64::try_from(font.len()).unwrap_or(i64::MAX));
    }
    let candidate = flate_stream(dict, font)?;
    // The subset must be smaller even if its fonts get longer names, with a subset tag.
    Ok((stored_size(&candidate) + 64 < stored_size(stream)).then_some(candidate))
}

fn union(uses: &[FontUse], glyphs: impl Fn(&FontUse) -> Option<BTreeSet<u16>>) -> Option<BTreeSet<u16>> {
    uses.iter().try_fold(BTreeSet::new(), |mut all, font_use| {
        all.extend(glyphs(font_use)?);
        Some(all)
    })
}

/// Adds a subset tag to the names of a font, and removes the lists of the font's glyphs (CIDSet and CharSet).
fn add_subset_tag(document: &mut Document, font_use: &FontUse, tag: &[u8]) {
    for (id, key) in [
        (Some(font_use.font), &b"BaseFont"[..]),
        (font_use.descendant, b"BaseFont"),
        (Some(font_use.descriptor), b"FontName"),
    ] {
        let Some(Ok(dict)) = id.map(|id| document.get_dictionary_mut(id)) else { continue };
        if let Ok(Object::Name(name)) = dict.get(key).cloned()
            && !is_tagged(&name)
        {
            dict.set(key, Object::Name([tag, b"+", &name].concat()));
        }
    }
    if let Ok(descriptor) = document.get_dictionary_mut(font_use.descriptor) {
        descriptor.remove(b"CIDSet");
        descriptor.remove(b"CharSet");
    }
}
