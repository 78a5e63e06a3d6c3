//! Merges subsets of the same font into one file. Documents that were combined from several sources have such subsets.
//!
//! For each file, [`constraints`] record the content of the file and the parts that text uses. Files with the same font
//! name are merged if their constraints agree: outlines, advances, the glyphs of codes, and codes without a glyph. The
//! font dictionaries, with their widths and encodings, do not change and share the merged file. Only automatic hinting
//! may change, because it depends on all glyphs of a font. It becomes closer to the hinting of the full font.

mod cff;
mod constraints;
mod inline;
mod mergeable;
mod private_dict;
mod truetype;
mod used_codes;

use super::files::{FontUse, files, untagged};
use crate::content::Usage;
use crate::document::{Budget, decode, flate_stream, fresh_id, stored_size};
use crate::font::type1c::subset_tag;
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use mergeable::Mergeable;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The maximum number of families with the same font name to which a further font is compared.
const MAX_FAMILIES_OF_A_NAME: usize = 32;

/// The kinds of font files: TrueType fonts, CFF fonts with glyph names, and CFF fonts with character identifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    TrueType,
    Named,
    Identified,
}

impl Kind {
    const ALL: [Self; 3] = [Self::TrueType, Self::Named, Self::Identified];

    fn key(self) -> &'static [u8] {
        match self {
            Self::TrueType => b"FontFile2",
            Self::Named | Self::Identified => b"FontFile3",
        }
    }

    fn subtype(self) -> &'static [u8] {
        match self {
            Self::TrueType => b"",
            Self::Named => b"Type1C",
            Self::Identified => b"CIDFontType0C",
        }
    }
}

/// The indices of the files that were merged, and the bytes of the merged file.
type Family = (Vec<usize>, Vec<u8>);

/// A font file with the fonts that use it.
struct Member {
    file: ObjectId,
    uses: Vec<FontUse>,
}

/// Merges subsets if the merged file makes the document smaller.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn merge(
    document: &mut Document,
    usage: &Usage,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    let mut by_name: BTreeMap<(Kind, Vec<u8>), Vec<Member>> = BTreeMap::new();
    for (file, uses) in files(document, usage) {
        let Some(uses) = uses else { continue };
        if let Some(name) = family(document, file, &uses) {
            by_name.entry(name).or_default().push(Member { file, uses });
        }
    }
    for ((kind, _), members) in by_name {
        if members.len() < 2 {
            continue;
        }
        let files = decoded(document, members, budget, job)?;
        let merged = match kind {
            Kind::TrueType => {
                families(&files, |data, uses| truetype::Font::parse(document, data, uses, job), budget, job)?
            }
            Kind::Named | Kind::Identified => {
                families(&files, |data, uses| cff::Font::parse(document, data, uses, job), budget, job)?
            }
        };
        for (members, program) in merged {
            let replaced: Vec<&Member> =
                members.iter().filter_map(|at| files.get(*at)).map(|(member, _)| member).collect();
            if let Some((stream, tag)) = candidate(document, kind, &replaced, program)? {
                set_font_file(document, kind, &replaced, stream, &tag);
            }
        }
    }
    Ok(())
}

/// The kind and the font name of a font file; `None` if the file cannot be merged.
fn family(document: &Document, file: ObjectId, uses: &[FontUse]) -> Option<(Kind, Vec<u8>)> {
    let dict = &document.get_object(file).and_then(Object::as_stream).ok()?.dict;
    let subtype = dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
    let kind = Kind::ALL.into_iter().find(|kind| kind.subtype() == subtype)?;
    let mut family = None;
    for font_use in uses {
        // The file cannot be merged, because it is not known which text the form fields will contain.
        if font_use.used_by_forms {
            return None;
        }
        let descriptor = document.get_dictionary(font_use.descriptor).ok()?;
        let own = descriptor.get(kind.key()).and_then(Object::as_reference).ok()?;
        let others = [b"FontFile", &b"FontFile2"[..], b"FontFile3"];
        if own != file || others.iter().filter(|key| descriptor.has(key)).count() != 1 {
            return None;
        }
        let font = document.get_dictionary(font_use.descendant.unwrap_or(font_use.font)).ok()?;
        let allowed_subtypes: &[&[u8]] = match (kind, font_use.descendant.is_some()) {
            (Kind::TrueType, false) => &[b"TrueType"],
            (Kind::TrueType, true) => &[b"CIDFontType2"],
            (Kind::Named, false) => &[b"Type1", b"MMType1"],
            (Kind::Identified, true) => &[b"CIDFontType0"],
            _ => &[],
        };
        let subtype = font.get(b"Subtype").and_then(Object::as_name).ok()?;
        let name = untagged(descriptor.get(b"FontName").and_then(Object::as_name).ok()?);
        if !allowed_subtypes.contains(&subtype) || *family.get_or_insert(name) != name {
            return None;
        }
    }
    Some((kind, family?.to_vec()))
}

/// Decodes font files. Files that cannot be decoded are omitted.
fn decoded(
    document: &Document,
    members: Vec<Member>,
    budget: &Budget,
    job: &Job,
) -> Result<Vec<(Member, Vec<u8>)>, EngineError> {
    let read = |member: Member| -> Result<Option<(Member, Vec<u8>)>, EngineError> {
        job.proceed()?;
        let Ok(stream) = document.get_object(member.file).and_then(Object::as_stream) else {
            return Ok(None);
        };
        let decoded = decode(document, stream, budget)?.filter(|decoded| decoded.codec.is_none());
        Ok(decoded.map(|decoded| (member, decoded.data)))
    };
    members.into_par_iter().filter_map(|member| read(member).transpose()).collect()
}

/// Groups font files into families of files that can be merged, and merges each family of several files.
fn families<'a, F: Mergeable>(
    files: &'a [(Member, Vec<u8>)],
    parse: impl Fn(&'a [u8], &'a [FontUse]) -> Option<F> + Sync,
    budget: &Budget,
    job: &Job,
) -> Result<Vec<Family>, EngineError> {
    let read = |(member, data): &'a (Member, Vec<u8>)| -> Result<Option<F>, EngineError> {
        job.proceed()?;
        let font = parse(data, &member.uses);
        font.iter().try_for_each(|font| budget.take(font.size()))?;
        Ok(font)
    };
    let fonts: Vec<Option<F>> = files.par_iter().map(read).collect::<Result<_, EngineError>>()?;
    let mut families: Vec<(Vec<usize>, F)> = Vec::new();
    for (at, font) in fonts.into_iter().enumerate() {
        job.proceed()?;
        let Some(font) = font else { continue };
        if let Some((members, family)) = families.iter_mut().find(|(_, family)| family.agrees(&font)) {
            members.push(at);
            family.absorb(font);
        } else if families.len() < MAX_FAMILIES_OF_A_NAME {
            families.push((vec![at], font));
        }
    }
    let several = families.into_par_iter().filter(|(members, _)| members.len() > 1);
    Ok(several.filter_map(|(members, font)| Some((members, font.write()?))).collect())
}

/// The stream of a merged file, and its subset tag. `None` if the stream is not smaller than the files that it
/// replaces.
fn candidate(
    document: &Document,
    kind: Kind,
    replaced: &[&Member],
    program: Vec<u8>,
) -> Result<Option<(Stream, Vec<u8>)>, EngineError> {
    let old = replaced
        .iter()
        .filter_map(|member| document.get_object(member.file).and_then(Object::as_stream).ok());
    let old: usize = old.map(stored_size).sum();
    let mut dict = Dictionary::new();
    match kind {
        Kind::TrueType => dict.set("Length1", i64::try_from(program.len()).unwrap_or(i64::MAX)),
        Kind::Named | Kind::Identified => dict.set("Subtype", Object::Name(kind.subtype().to_vec())),
    }
    let tag = subset_tag(&program);
    let stream = flate_stream(dict, program)?;
    Ok((stored_size(&stream) < old).then_some((stream, tag)))
}

/// Sets the merged file and its subset tag in all fonts that used the replaced files, and removes the lists of the
/// fonts' glyphs (CIDSet and CharSet).
fn set_font_file(document: &mut Document, kind: Kind, replaced: &[&Member], stream: Stream, tag: &[u8]) {
    let file = fresh_id(document);
    document.objects.insert(file, Object::Stream(stream));
    for font_use in replaced.iter().flat_map(|member| &member.uses) {
        for (id, key) in [
            (Some(font_use.font), &b"BaseFont"[..]),
            (font_use.descendant, b"BaseFont"),
            (Some(font_use.descriptor), b"FontName"),
        ] {
            let Some(Ok(dict)) = id.map(|id| document.get_dictionary_mut(id)) else { continue };
            if let Ok(Object::Name(name)) = dict.get(key) {
                let name = [tag, b"+", untagged(name)].concat();
                dict.set(key, Object::Name(name));
            }
        }
        if let Ok(descriptor) = document.get_dictionary_mut(font_use.descriptor) {
            descriptor.set(kind.key(), file);
            descriptor.remove(b"CIDSet");
            descriptor.remove(b"CharSet");
        }
    }
}
