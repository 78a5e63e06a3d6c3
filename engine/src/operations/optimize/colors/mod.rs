//! Converts colours between RGB and CMYK: the colours of text, drawings, gradients and palettes, and the blending
//! spaces of groups. The samples of images are converted by the module that recodes images.
//!
//! Spot colours and Lab colours are kept, because they do not depend on the device. Soft masks are kept too.

mod content;
mod masks;
mod shadings;

use crate::color::{ColorConversion, ColorTarget};
use crate::document::{Budget, decode, dictionary_mut, inherited, page_contents, pages, reachable, resolved};
use crate::{EngineError, Job};
use content::{CurrentSpaces, SpaceLookup, with_converted_colors};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};
pub(super) use masks::objects_outside_soft_masks;
use std::collections::{HashMap, HashSet};

/// The note for colours that were not converted.
const UNCERTAIN_SPACES: &str = "the colours of text and drawings were not converted, because it is uncertain which colour spaces they \
     are in";

/// The note for gradients that were not converted.
const UNSUPPORTED_GRADIENTS: &str = "the colours of some gradients were not converted: meshes, and functions of two values, are not supported";

/// Converts all colours except the samples of images.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn convert(
    document: &mut Document,
    target: ColorTarget,
    notes: &mut Vec<String>,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    let Some(mut conversion) = ColorConversion::to(target) else { return Ok(()) };
    shadings::hoist_shadings(document);
    let painted = objects_outside_soft_masks(document);
    if !shadings::convert(document, &mut conversion, &painted, job)? {
        notes.push(UNSUPPORTED_GRADIENTS.to_owned());
    }
    let Some(contents) = converted_contents(document, &mut conversion, &painted, budget, job)? else {
        notes.push(UNCERTAIN_SPACES.to_owned());
        return Ok(());
    };
    for (id, content) in contents {
        let Some(Object::Stream(stream)) = document.objects.get_mut(&id) else { continue };
        stream.dict.remove(b"Filter");
        stream.dict.remove(b"DecodeParms");
        stream.set_content(content);
    }
    convert_palettes(document, &mut conversion, &painted)?;
    convert_groups(document, &conversion, &painted);
    Ok(())
}

/// The new content of each content stream that changes. `None` if the colour space of a colour in any content stream is
/// uncertain.
fn converted_contents(
    document: &Document,
    conversion: &mut ColorConversion,
    painted: &HashSet<ObjectId>,
    budget: &Budget,
    job: &Job,
) -> Result<Option<HashMap<ObjectId, Vec<u8>>>, EngineError> {
    let mut all: HashMap<ObjectId, Option<Vec<u8>>> = HashMap::new();
    let mut tasks: Vec<(Vec<ObjectId>, Option<&Dictionary>, CurrentSpaces)> = Vec::new();
    for page in pages(document, job.limits())? {
        let resources = inherited(document, page, b"Resources").and_then(|value| value.as_dict().ok());
        tasks.push((page_contents(document, page), resources, CurrentSpaces::of_page()));
    }
    for id in reachable(document).order.into_iter().filter(|id| painted.contains(id)) {
        match document.objects.get(&id) {
            Some(Object::Stream(stream)) => {
                let is_form =
                    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
                let is_tiling =
                    stream.dict.get(b"PatternType").and_then(Object::as_i64).is_ok_and(|kind| kind == 1);
                if is_form || is_tiling {
                    tasks.push((vec![id], resources_of(document, &stream.dict), CurrentSpaces::inherited()));
                }
            }
            Some(Object::Dictionary(font)) if font.has(b"CharProcs") => {
                let Ok(glyphs) = font.get_deref(b"CharProcs", document).and_then(Object::as_dict) else {
                    continue;
                };
                let resources = resources_of(document, font);
                for (_, glyph) in glyphs {
                    tasks.extend(
                        glyph.as_reference().ok().map(|id| (vec![id], resources, CurrentSpaces::inherited())),
                    );
                }
            }
            _ => {}
        }
    }
    for (parts, resources, mut spaces) in tasks {
        for id in parts {
            job.proceed()?;
            let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { continue };
            let decoded = match decode(document, stream, budget)? {
                Some(decoded) if decoded.codec.is_none() => decoded.data,
                _ => {
                    spaces = CurrentSpaces::inherited();
                    continue;
                }
            };
            let mut lookup = SpaceLookup { conversion: &mut *conversion, document, resources };
            let Some(new) = with_converted_colors(&decoded, &mut spaces, &mut lookup)? else {
                return Ok(None);
            };
            let new = Some(new).filter(|new| *new != decoded);
            // Pages that share a content stream may have different colour spaces under the same name.
            if all.insert(id, new.clone()).is_some_and(|before| before != new) {
                return Ok(None);
            }
        }
    }
    Ok(Some(all.into_iter().filter_map(|(id, new)| Some((id, new?))).collect()))
}

fn resources_of<'a>(document: &'a Document, dict: &'a Dictionary) -> Option<&'a Dictionary> {
    dict.get_deref(b"Resources", document).and_then(Object::as_dict).ok()
}

/// Converts the palettes of indexed images.
fn convert_palettes(
    document: &mut Document,
    conversion: &mut ColorConversion,
    painted: &HashSet<ObjectId>,
) -> Result<(), EngineError> {
    let mut changes = Vec::new();
    for id in reachable(document).order.into_iter().filter(|id| painted.contains(id)) {
        let Some(Object::Stream(stream)) = document.objects.get(&id) else { continue };
        // The colour key mask of an indexed image lists indices. Indices do not change when the palette is converted.
        let Ok(space) = stream.dict.get_deref(b"ColorSpace", document).and_then(Object::as_array) else {
            continue;
        };
        let item = |at: usize| space.get(at).and_then(|item| resolved(document, item));
        if !item(0).and_then(|name| name.as_name().ok()).is_some_and(|name| matches!(name, b"Indexed" | b"I"))
        {
            continue;
        }
        let table = match item(3) {
            Some(Object::String(table, _)) => table.clone(),
            Some(Object::Stream(stream)) => match decode(document, stream, &Budget::bounded(1 << 16)) {
                Ok(Some(decoded)) => decoded.data,
                _ => continue,
            },
            _ => continue,
        };
        let (Some(base), Some(last)) = (space.get(1), item(2)) else { continue };
        if let Some(source) = conversion.source(document, base) {
            let table = conversion.convert(source, &table)?;
            changes.push((
                id,
                vec![
                    Object::Name(b"Indexed".to_vec()),
                    Object::Name(conversion.target_space_name().to_vec()),
                    last.clone(),
                    Object::String(table, StringFormat::Hexadecimal),
                ],
            ));
        }
    }
    for (id, space) in changes {
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id) {
            stream.dict.set("ColorSpace", space);
        }
    }
    Ok(())
}

/// Changes the blending space of groups that blend in the source space to the target space.
fn convert_groups(document: &mut Document, conversion: &ColorConversion, painted: &HashSet<ObjectId>) {
    let painted = document.objects.iter_mut().filter(|(id, _)| painted.contains(id));
    for (_, object) in painted {
        let Some(dict) = dictionary_mut(object) else { continue };
        let is_group = |dict: &Dictionary| {
            dict.get(b"S").and_then(Object::as_name).is_ok_and(|kind| kind == b"Transparency")
        };
        let group = if is_group(dict) {
            Some(dict)
        } else {
            dict.get_mut(b"Group").and_then(Object::as_dict_mut).ok().filter(|group| is_group(group))
        };
        if let Some(group) = group
            && group
                .get(b"CS")
                .and_then(Object::as_name)
                .is_ok_and(|name| name == conversion.source_space_name())
        {
            group.set("CS", Object::Name(conversion.target_space_name().to_vec()));
        }
    }
}
