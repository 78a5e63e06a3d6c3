//! Colours of one device made those of another: what text and lines are painted in, palettes, and the spaces that groups
//! blend in. Images are converted where they are recoded.
//!
//! Spot colours and Lab mean the same on every device: they stay. So does what only masks.

mod content;
mod masks;
mod shadings;

use crate::color::{ColorTarget, Process};
use crate::document::{Budget, decode, dictionary_mut, inherited, pages, reachable, resolved};
use crate::{EngineError, Job};
use content::{Names, Painting, rewritten};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};
pub(super) use masks::shown;
use std::collections::{HashMap, HashSet};

/// Why colours stayed.
const DOUBTFUL: &str = "the colours of text and drawings are as they were, because the document does not say clearly which \
     colour spaces they are in";

/// Which gradients stayed.
const KEPT_GRADIENTS: &str =
    "gradients that are meshes, or functions of two values, are in the colours that they were in";

/// Converts all colours but those of images' samples.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn convert(
    document: &mut Document,
    target: ColorTarget,
    notes: &mut Vec<String>,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    let Some(mut process) = Process::to(target) else { return Ok(()) };
    shadings::settle(document);
    let shown = shown(document);
    if !shadings::convert(document, &mut process, &shown, job)? {
        notes.push(KEPT_GRADIENTS.to_owned());
    }
    let Some(contents) = contents(document, &mut process, &shown, budget, job)? else {
        notes.push(DOUBTFUL.to_owned());
        return Ok(());
    };
    for (id, content) in contents {
        let Some(Object::Stream(stream)) = document.objects.get_mut(&id) else { continue };
        stream.dict.remove(b"Filter");
        stream.dict.remove(b"DecodeParms");
        stream.set_content(content);
    }
    palettes(document, &mut process, &shown)?;
    groups(document, &process, &shown);
    Ok(())
}

/// The contents that change; nothing when in one of them it is doubtful what is meant.
fn contents(
    document: &Document,
    process: &mut Process,
    shown: &HashSet<ObjectId>,
    budget: &Budget,
    job: &Job,
) -> Result<Option<HashMap<ObjectId, Vec<u8>>>, EngineError> {
    let mut all: HashMap<ObjectId, Option<Vec<u8>>> = HashMap::new();
    let mut work: Vec<(Vec<ObjectId>, Option<&Dictionary>, Painting)> = Vec::new();
    for page in pages(document, job.limits())? {
        let Ok(dict) = document.get_dictionary(page) else { continue };
        let parts = match dict.get(b"Contents").ok().and_then(|value| resolved(document, value)) {
            Some(Object::Array(parts)) => parts.iter().filter_map(|part| part.as_reference().ok()).collect(),
            Some(_) => dict.get(b"Contents").and_then(Object::as_reference).into_iter().collect(),
            None => Vec::new(),
        };
        let resources = inherited(document, page, b"Resources").and_then(|value| value.as_dict().ok());
        work.push((parts, resources, Painting::of_page()));
    }
    for id in reachable(document).order.into_iter().filter(|id| shown.contains(id)) {
        match document.objects.get(&id) {
            Some(Object::Stream(stream)) => {
                let is_form =
                    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form");
                let is_tiling =
                    stream.dict.get(b"PatternType").and_then(Object::as_i64).is_ok_and(|kind| kind == 1);
                if is_form || is_tiling {
                    work.push((vec![id], resources_of(document, &stream.dict), Painting::inherited()));
                }
            }
            Some(Object::Dictionary(font)) if font.has(b"CharProcs") => {
                let Ok(glyphs) = font.get_deref(b"CharProcs", document).and_then(Object::as_dict) else {
                    continue;
                };
                let resources = resources_of(document, font);
                for (_, glyph) in glyphs {
                    work.extend(
                        glyph.as_reference().ok().map(|id| (vec![id], resources, Painting::inherited())),
                    );
                }
            }
            _ => {}
        }
    }
    for (parts, resources, mut painting) in work {
        for id in parts {
            job.proceed()?;
            let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { continue };
            let plain = match decode(document, stream, budget)? {
                Some(decoded) if decoded.codec.is_none() => decoded.data,
                _ => {
                    painting = Painting::inherited();
                    continue;
                }
            };
            let mut names = Names { process: &mut *process, document, resources };
            let Some(new) = rewritten(&plain, &mut painting, &mut names)? else { return Ok(None) };
            let new = Some(new).filter(|new| *new != plain);
            // Pages that share a content may understand its names in different ways.
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

/// Converts the tables of indexed images.
fn palettes(
    document: &mut Document,
    process: &mut Process,
    shown: &HashSet<ObjectId>,
) -> Result<(), EngineError> {
    let mut changes = Vec::new();
    for id in reachable(document).order.into_iter().filter(|id| shown.contains(id)) {
        let Some(Object::Stream(stream)) = document.objects.get(&id) else { continue };
        // Colour keys are indices: they do not change.
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
        if let Some(source) = process.source(document, base) {
            let table = process.convert(source, &table)?;
            changes.push((
                id,
                vec![
                    Object::Name(b"Indexed".to_vec()),
                    Object::Name(process.space_name().to_vec()),
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

/// Lets groups blend in the new colours what they blended in the old.
fn groups(document: &mut Document, process: &Process, shown: &HashSet<ObjectId>) {
    let shown = document.objects.iter_mut().filter(|(id, _)| shown.contains(id));
    for (_, object) in shown {
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
            && group.get(b"CS").and_then(Object::as_name).is_ok_and(|name| name == process.old_space_name())
        {
            group.set("CS", Object::Name(process.space_name().to_vec()));
        }
    }
}
