//! Colours that mean the same everywhere: an output intent for sRGB, and a meaning for colours of four inks.

use crate::color::cmyk::CMYK_PROFILE;
use crate::content::lexer::Lexer;
use crate::document::{Budget, decode, dictionary_mut, flate_stream, resolved};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, dictionary};
use moxcms::ColorProfile;
use std::collections::HashSet;

/// The most bytes that a glyph is read to.
const MOST_OF_A_GLYPH: u64 = 1 << 20;

/// The profile of an output intent that says what the document's colours of four inks are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inks(ObjectId);

/// What the document's device colours of red, green and blue, and of gray, are. What an intent said before of four inks
/// comes back.
///
/// # Errors
/// [`EngineError::Internal`] when the profile cannot be written.
pub(super) fn give_intent(
    document: &mut Document,
    notes: &mut Vec<String>,
) -> Result<Option<Inks>, EngineError> {
    let inks = replaced_intents(document, notes);
    let profile = srgb(document)?;
    let name = Object::String(b"sRGB IEC61966-2.1".to_vec(), StringFormat::Literal);
    let intent = document.add_object(dictionary! {
        "Type" => "OutputIntent", "S" => "GTS_PDFA1", "OutputConditionIdentifier" => name.clone(),
        "Info" => name, "DestOutputProfile" => profile
    });
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OutputIntents", vec![intent.into()]);
    }
    Ok(inks)
}

/// Tells which intents are replaced; gives the profile of four inks that is among theirs.
fn replaced_intents(document: &Document, notes: &mut Vec<String>) -> Option<Inks> {
    let intents =
        document.catalog().ok()?.get_deref(b"OutputIntents", document).and_then(Object::as_array).ok()?;
    let mut inks = None;
    for intent in intents.iter().filter_map(|intent| resolved(document, intent)?.as_dict().ok()) {
        let name = intent
            .get_deref(b"OutputConditionIdentifier", document)
            .and_then(Object::as_str)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default();
        let profile = intent.get(b"DestOutputProfile").and_then(Object::as_reference).ok();
        let of_inks = profile.filter(|id| {
            let stream = document.get_object(*id).and_then(Object::as_stream);
            stream.is_ok_and(|stream| stream.dict.get(b"N").and_then(Object::as_i64).is_ok_and(|n| n == 4))
        });
        if of_inks.is_some() {
            notes.push(format!(
                "the output intent {name:?} for four inks was replaced by sRGB; its profile still says what colours of \
                 four inks are"
            ));
            inks = inks.or(of_inks.map(Inks));
        } else if !name.starts_with("sRGB") {
            notes.push(format!("the output intent {name:?} was replaced by sRGB"));
        }
    }
    inks
}

fn srgb(document: &mut Document) -> Result<ObjectId, EngineError> {
    let profile = ColorProfile::new_srgb()
        .encode()
        .map_err(|error| EngineError::Internal(format!("the sRGB profile cannot be written: {error:?}")))?;
    Ok(document.add_object(flate_stream(dictionary! { "N" => 3 }, profile)?))
}

/// Says what device colours of four inks are, wherever one could be used; and where a group blends in them, too.
///
/// # Errors
/// That the job was cancelled.
pub(super) fn give_defaults(
    document: &mut Document,
    inks: Option<Inks>,
    job: &Job,
) -> Result<(), EngineError> {
    let profile = match inks {
        Some(Inks(profile)) => profile,
        None => document.add_object(flate_stream(dictionary! { "N" => 4 }, CMYK_PROFILE.to_vec())?),
    };
    let space = document.add_object(vec![Object::Name(b"ICCBased".to_vec()), profile.into()]);
    let resources = resources(document);
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        job.proceed()?;
        let Some(mut object) = document.objects.remove(&id) else { continue };
        within(document, &mut object, space, resources.contains(&id), 0);
        document.objects.insert(id, object);
    }
    Ok(())
}

/// The objects that are resources of something.
fn resources(document: &Document) -> HashSet<ObjectId> {
    let of = |object: &Object| match object {
        Object::Dictionary(dict) => dict.get(b"Resources").and_then(Object::as_reference).ok(),
        Object::Stream(stream) => stream.dict.get(b"Resources").and_then(Object::as_reference).ok(),
        _ => None,
    };
    document.objects.values().filter_map(of).collect()
}

fn within(document: &Document, object: &mut Object, space: ObjectId, is_resources: bool, depth: usize) {
    const DEEPEST: usize = 40;
    if depth > DEEPEST {
        return;
    }
    if let Object::Array(items) = object {
        items.iter_mut().for_each(|item| within(document, item, space, false, depth + 1));
        return;
    }
    let Some(dict) = dictionary_mut(object) else { return };
    if dict.has(b"CharProcs") && !dict.has(b"Resources") {
        // Glyphs without resources of their own have those of the page, but not its defaults. Those that name none lose
        // nothing by having some.
        if !names_resources(document, dict) {
            dict.set("Resources", Dictionary::new());
        }
    }
    if is_resources {
        let mut spaces =
            dict.get_deref(b"ColorSpace", document).and_then(Object::as_dict).cloned().unwrap_or_default();
        spaces.set("DefaultCMYK", space);
        dict.set("ColorSpace", spaces);
    }
    if dict.get(b"S").and_then(Object::as_name).is_ok_and(|kind| kind == b"Transparency")
        && dict.get_deref(b"CS", document).and_then(Object::as_name).is_ok_and(|name| name == b"DeviceCMYK")
    {
        dict.set("CS", space);
    }
    // Overprinting of colours by a profile in mode 1 is forbidden.
    if dict.has(b"OPM") {
        dict.set("OPM", 0);
    }
    for (key, value) in dict.iter_mut() {
        within(document, value, space, key == b"Resources", depth + 1);
    }
}

/// Whether the glyphs of a Type 3 font take anything by its name.
fn names_resources(document: &Document, font: &Dictionary) -> bool {
    let Ok(glyphs) = font.get_deref(b"CharProcs", document).and_then(Object::as_dict) else { return false };
    glyphs.iter().any(|(_, glyph)| {
        let Ok((_, Object::Stream(glyph))) = document.dereference(glyph) else { return false };
        let plain = decode(document, glyph, &Budget::bounded(MOST_OF_A_GLYPH));
        plain.ok().flatten().is_none_or(|plain| {
            Lexer::new(&plain.data).any(|operation| {
                operation.operator == b"BI"
                    || operation.operands.iter().any(|operand| operand.name().is_some())
            })
        })
    })
}
