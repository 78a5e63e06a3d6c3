//! Colours that mean the same everywhere: an output intent for sRGB, and a meaning for colours of four inks.

use super::forbidden::dictionary_mut;
use crate::document::flate_stream;
use crate::raster::cmyk::CMYK_PROFILE;
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId, StringFormat, dictionary};
use moxcms::ColorProfile;

/// What the document's device colours of red, green and blue, and of gray, are.
///
/// # Errors
/// [`EngineError::Internal`] when the profile cannot be written.
pub(super) fn give_intent(document: &mut Document) -> Result<(), EngineError> {
    let profile = srgb(document)?;
    let name = Object::String(b"sRGB IEC61966-2.1".to_vec(), StringFormat::Literal);
    let intent = document.add_object(dictionary! {
        "Type" => "OutputIntent", "S" => "GTS_PDFA1", "OutputConditionIdentifier" => name.clone(),
        "Info" => name, "DestOutputProfile" => profile
    });
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OutputIntents", vec![intent.into()]);
    }
    Ok(())
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
pub(super) fn give_defaults(document: &mut Document, job: &Job) -> Result<(), EngineError> {
    let profile = document.add_object(flate_stream(dictionary! { "N" => 4 }, CMYK_PROFILE.to_vec())?);
    let space = document.add_object(vec![Object::Name(b"ICCBased".to_vec()), profile.into()]);
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        job.proceed()?;
        let Some(mut object) = document.objects.remove(&id) else { continue };
        within(document, &mut object, space, 0);
        document.objects.insert(id, object);
    }
    Ok(())
}

fn within(document: &Document, object: &mut Object, space: ObjectId, depth: usize) {
    const DEEPEST: usize = 40;
    if depth > DEEPEST {
        return;
    }
    if let Object::Array(items) = object {
        items.iter_mut().for_each(|item| within(document, item, space, depth + 1));
        return;
    }
    let Some(dict) = dictionary_mut(object) else { return };
    let is_resources =
        [&b"ProcSet"[..], b"ExtGState", b"Font", b"XObject", b"Pattern", b"Shading", b"ColorSpace"]
            .iter()
            .any(|key| {
                dict.get(key).is_ok_and(|value| !matches!(value, Object::Name(_) | Object::Stream(_)))
            })
            && !dict.has(b"Type")
            && !dict.has(b"Subtype")
            && !dict.has(b"ShadingType");
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
    for (_, value) in dict.iter_mut() {
        within(document, value, space, depth + 1);
    }
}
