//! Makes colours independent of the device: sets an sRGB output intent, and default colour spaces for CMYK.

use crate::color::cmyk::CMYK_PROFILE;
use crate::content::lexer::Lexer;
use crate::document::{Budget, decode, dictionary_mut, flate_stream, resolved};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, dictionary};
use moxcms::ColorProfile;
use std::collections::HashSet;

/// The maximum number of bytes that are decoded of a Type 3 glyph.
const MAX_GLYPH_BYTES: u64 = 1 << 20;

/// The ICC profile stream of the document's own CMYK output intent.
#[derive(Clone, Copy, Debug)]
pub(super) struct CmykProfile(ObjectId);

/// Sets an sRGB output intent, which defines the document's device gray and RGB colours. Returns the profile of the
/// CMYK output intent that it replaces, if there was one.
///
/// # Errors
/// [`EngineError::Internal`] when the profile cannot be written.
pub(super) fn set_srgb_intent(
    document: &mut Document,
    notes: &mut Vec<String>,
) -> Result<Option<CmykProfile>, EngineError> {
    let cmyk_profile = replaced_intents(document, notes);
    let profile = add_srgb_profile(document)?;
    let name = Object::String(b"sRGB IEC61966-2.1".to_vec(), StringFormat::Literal);
    let intent = document.add_object(dictionary! {
        "Type" => "OutputIntent", "S" => "GTS_PDFA1", "OutputConditionIdentifier" => name.clone(),
        "Info" => name, "DestOutputProfile" => profile
    });
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OutputIntents", vec![intent.into()]);
    }
    Ok(cmyk_profile)
}

/// Adds notes on the output intents that are replaced. Returns the first CMYK profile of these output intents.
fn replaced_intents(document: &Document, notes: &mut Vec<String>) -> Option<CmykProfile> {
    let intents =
        document.catalog().ok()?.get_deref(b"OutputIntents", document).and_then(Object::as_array).ok()?;
    let mut cmyk_profile = None;
    for intent in intents.iter().filter_map(|intent| resolved(document, intent)?.as_dict().ok()) {
        let name = intent
            .get_deref(b"OutputConditionIdentifier", document)
            .and_then(Object::as_str)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default();
        let profile = intent.get(b"DestOutputProfile").and_then(Object::as_reference).ok();
        let own_cmyk_profile = profile.filter(|id| {
            let stream = document.get_object(*id).and_then(Object::as_stream);
            stream.is_ok_and(|stream| stream.dict.get(b"N").and_then(Object::as_i64).is_ok_and(|n| n == 4))
        });
        if own_cmyk_profile.is_some() {
            notes.push(format!(
                "the CMYK output intent {name:?} was replaced by sRGB; CMYK colours are still defined by its profile"
            ));
            cmyk_profile = cmyk_profile.or(own_cmyk_profile.map(CmykProfile));
        } else if !name.starts_with("sRGB") {
            notes.push(format!("the output intent {name:?} was replaced by sRGB"));
        }
    }
    cmyk_profile
}

/// Where the date of creation is in a profile (ICC.1:2022, 7.2.8).
const CREATION_DATE: std::ops::Range<usize> = 24..36;

/// The date of the standard for sRGB, IEC 61966-2-1: 18 October 1999. Six numbers of 16 bits: year, month, day, hours,
/// minutes, seconds (ICC.1:2022, 4.2).
const SRGB_DATE: [u8; 12] = [0x07, 0xCF, 0, 10, 0, 18, 0, 0, 0, 0, 0, 0];

fn add_srgb_profile(document: &mut Document) -> Result<ObjectId, EngineError> {
    let mut profile = ColorProfile::new_srgb()
        .encode()
        .map_err(|error| EngineError::Internal(format!("the sRGB profile cannot be written: {error:?}")))?;
    // The library writes the current time. With it, no two results would be equal.
    if let Some(date) = profile.get_mut(CREATION_DATE) {
        date.copy_from_slice(&SRGB_DATE);
    }
    Ok(document.add_object(flate_stream(dictionary! { "N" => 3 }, profile)?))
}

/// Sets the colour space `DefaultCMYK` in all resources, and sets the same colour space in transparency groups that
/// blend in device CMYK.
///
/// # Errors
/// The job was cancelled.
pub(super) fn set_default_cmyk(
    document: &mut Document,
    cmyk_profile: Option<CmykProfile>,
    job: &Job,
) -> Result<(), EngineError> {
    let profile = match cmyk_profile {
        Some(CmykProfile(profile)) => profile,
        None => document.add_object(flate_stream(dictionary! { "N" => 4 }, CMYK_PROFILE.to_vec())?),
    };
    let space = document.add_object(vec![Object::Name(b"ICCBased".to_vec()), profile.into()]);
    let resources = resources(document);
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        job.proceed()?;
        let Some(mut object) = document.objects.remove(&id) else { continue };
        update_object(document, &mut object, space, resources.contains(&id), 0);
        document.objects.insert(id, object);
    }
    Ok(())
}

/// The objects that are used as resource dictionaries.
fn resources(document: &Document) -> HashSet<ObjectId> {
    let of = |object: &Object| match object {
        Object::Dictionary(dict) => dict.get(b"Resources").and_then(Object::as_reference).ok(),
        Object::Stream(stream) => stream.dict.get(b"Resources").and_then(Object::as_reference).ok(),
        _ => None,
    };
    document.objects.values().filter_map(of).collect()
}

fn update_object(
    document: &Document,
    object: &mut Object,
    space: ObjectId,
    is_resources: bool,
    depth: usize,
) {
    const MAX_DEPTH: usize = 40;
    if depth > MAX_DEPTH {
        return;
    }
    if let Object::Array(items) = object {
        items.iter_mut().for_each(|item| update_object(document, item, space, false, depth + 1));
        return;
    }
    let Some(dict) = dictionary_mut(object) else { return };
    if dict.has(b"CharProcs") && !dict.has(b"Resources") {
        // If a Type 3 font has no resources, its glyphs use the resources of the page, but not the default colour
        // spaces of the page. If the glyphs name no resources, the font can get a resource dictionary of its own, which
        // then gets the default colour space.
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
    // Overprint mode 1 is not allowed with ICC-based CMYK (ISO 19005-2, 6.2.4.2).
    if dict.has(b"OPM") {
        dict.set("OPM", 0);
    }
    for (key, value) in dict.iter_mut() {
        update_object(document, value, space, key == b"Resources", depth + 1);
    }
}

/// Whether the glyphs of a Type 3 font use named resources.
fn names_resources(document: &Document, font: &Dictionary) -> bool {
    let Ok(glyphs) = font.get_deref(b"CharProcs", document).and_then(Object::as_dict) else { return false };
    glyphs.iter().any(|(_, glyph)| {
        let Ok((_, Object::Stream(glyph))) = document.dereference(glyph) else { return false };
        let plain = decode(document, glyph, &Budget::bounded(MAX_GLYPH_BYTES));
        plain.ok().flatten().is_none_or(|plain| {
            Lexer::new(&plain.data).any(|operation| {
                operation.operator == b"BI"
                    || operation.operands.iter().any(|operand| operand.name().is_some())
            })
        })
    })
}
