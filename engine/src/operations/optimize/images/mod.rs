//! Reduces images to the resolution that their size on the page requires, crops them to the visible part, and recodes
//! them.
//!
//! [`read`] decodes filters and colour spaces, [`resample`] and [`crop`] change pixels, and [`encode`] encodes them.
//! This file decides which of these steps an image gets. Unsupported images are kept unchanged (JPX, JBIG2, colour key
//! masks, unusual colour spaces).

mod content;
mod crop;
mod encode;
mod jpeg;
mod picture;
mod read;
mod resample;

use super::colors;
use super::settings::{ImageSettings, Settings};
use crate::color::{ColorConversion, SourceSpace};
use crate::content::{ImageUse, UNIT, Usage};
use crate::document::stored_size;
use crate::document::{Budget, fresh_id, reachable, resolved};
use crate::{EngineError, Job};
use encode::Encoded;
use kurbo::Rect;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use picture::{Kind, Model, Picture};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// If an image is not resampled, a lossy encoding is used only if it is smaller than this share of the original size.
const MAX_LOSSY_SHARE: f64 = 0.75;

/// Reduces all images that pages show.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn reduce(
    document: &mut Document,
    usage: &Usage,
    settings: &Settings,
    budget: &Budget,
    job: &Job,
) -> Result<(), EngineError> {
    let mut tasks = tasks(document, usage);
    let mut conversion = ColorConversion::to(settings.colors);
    let shown = conversion.as_ref().map(|_| colors::objects_outside_soft_masks(document)).unwrap_or_default();
    for task in tasks.iter_mut().filter(|task| shown.contains(&task.id)) {
        task.source = conversion.as_mut().and_then(|conversion| {
            let stream = document.get_object(task.id).and_then(Object::as_stream).ok()?;
            conversion.source(document, stream.dict.get(b"ColorSpace").ok()?)
        });
    }
    let done = AtomicUsize::new(0);
    let reduced: Vec<(ObjectId, Reduced)> = tasks
        .par_iter()
        .filter_map(|task| {
            let outcome = job
                .proceed()
                .and_then(|()| reduced(document, task, settings, conversion.as_ref(), budget, job));
            job.progress(done.fetch_add(1, Ordering::Relaxed), tasks.len());
            match outcome {
                Ok(reduced) => reduced.map(|reduced| Ok((task.id, reduced))),
                Err(error) => Some(Err(error)),
            }
        })
        .collect::<Result<_, EngineError>>()?;
    for (id, reduced) in reduced {
        match reduced.frame {
            None => document.objects.insert(id, Object::Stream(reduced.image)),
            // A cropped image is replaced by a form that draws the cropped image at the original place.
            Some(frame) => {
                let image = fresh_id(document);
                document.objects.insert(image, Object::Stream(reduced.image));
                document.objects.insert(id, Object::Stream(crop::form(frame, image)))
            }
        };
    }
    Ok(())
}

/// An image to reduce.
struct Task {
    id: ObjectId,
    /// How pages show the image. `None` if this is unknown; all pixels are then kept.
    shown: Option<ImageUse>,
    /// Whether the image masks another image. If so, it is not cropped, and it stays gray.
    mask: bool,
    /// The colour space of the image, if the samples must be converted.
    source: Option<SourceSpace>,
}

/// An image that has become smaller.
struct Reduced {
    image: Stream,
    /// The part of the unit square that the cropped image covers. `None` if the image was not cropped.
    frame: Option<Rect>,
}

fn tasks(document: &Document, usage: &Usage) -> Vec<Task> {
    let mut tasks: HashMap<ObjectId, Task> = HashMap::new();
    for id in reachable(document).order {
        let Some(Object::Stream(stream)) = document.objects.get(&id) else { continue };
        if !stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image") {
            continue;
        }
        let shown = usage.images.get(&id).copied().filter(|_| !usage.incomplete);
        let own = tasks.entry(id).or_insert(Task { id, shown, mask: false, source: None });
        own.shown = larger(own.shown, shown);
        for key in [&b"SMask"[..], b"Mask"] {
            let mask = stream.dict.get(key).and_then(Object::as_reference);
            if let Ok(mask) = mask {
                let entry =
                    tasks.entry(mask).or_insert(Task { id: mask, shown: None, mask: true, source: None });
                entry.mask = true;
                // A mask that is also shown as an image needs the larger of the two sizes at which it is shown.
                entry.shown = larger(entry.shown, shown);
            }
        }
    }
    let mut tasks: Vec<Task> = tasks.into_values().collect();
    tasks.sort_by_key(|task| task.id);
    tasks
}

fn larger(a: Option<ImageUse>, b: Option<ImageUse>) -> Option<ImageUse> {
    match (a, b) {
        (Some(a), Some(b)) => Some(ImageUse {
            width: a.width.max(b.width),
            height: a.height.max(b.height),
            visible: a.visible.union(b.visible),
        }),
        (one, None) | (None, one) => one,
    }
}

/// The image in its smallest encoding. `None` if it does not become smaller than the original.
fn reduced(
    document: &Document,
    task: &Task,
    settings: &Settings,
    conversion: Option<&ColorConversion>,
    budget: &Budget,
    job: &Job,
) -> Result<Option<Reduced>, EngineError> {
    let Ok(stream) = document.get_object(task.id).and_then(Object::as_stream) else { return Ok(None) };
    let Some(mut picture) = read::read(document, stream, budget, job.limits())? else { return Ok(None) };
    let exact = needs_exact_samples(document, stream);
    let lossy = settings.images.filter(|_| !exact);

    let mut dict = stream.dict.clone();
    let colors_converted = match (conversion, task.source) {
        (Some(conversion), Some(source)) if !exact => {
            convert_colors(&mut picture, &mut dict, conversion, source)?
        }
        _ => false,
    };

    let mut frame = None;
    let mut resampled = false;
    if let (Some(images), Some(shown)) = (lossy, task.shown) {
        if settings.clip && !task.mask && crop::may_be_cropped(&stream.dict) {
            frame = crop::crop(&mut picture, shown.visible);
        }
        if let Some((width, height)) = target(&picture, shown, frame, &images) {
            resampled = resample::resample(&mut picture, width, height);
        }
    }
    job.proceed()?;
    let changed = resampled || colors_converted || frame.is_some();
    if !changed && picture.only_if_resampled {
        return Ok(None);
    }
    let plain_decode = !dict.has(b"Decode");
    let Some(encoded) = encode::smallest(&picture, lossy.as_ref(), plain_decode, task.mask)? else {
        return Ok(None);
    };
    let image = assembled(&dict, &picture, &encoded);
    let (new, old) = (stored_size(&image), stored_size(stream));
    #[expect(clippy::cast_precision_loss, reason = "a ratio of sizes")]
    let small_enough =
        if encoded.lossy && !changed { (new as f64) < old as f64 * MAX_LOSSY_SHARE } else { new < old };
    Ok((small_enough || colors_converted).then_some(Reduced { image, frame }))
}

/// Converts the colours of the samples, and returns whether they were converted. If there is a `Decode` array that is
/// neither the identity nor the inversion, the colours are not converted.
fn convert_colors(
    picture: &mut Picture,
    dict: &mut Dictionary,
    conversion: &ColorConversion,
    source: SourceSpace,
) -> Result<bool, EngineError> {
    if picture.kind != Kind::Bytes || picture.channels != conversion.source_channels() {
        return Ok(false);
    }
    match dict.get(b"Decode").and_then(Object::as_array) {
        Err(_) => {}
        Ok(range) => {
            let numbers: Vec<f32> = range.iter().filter_map(|number| number.as_float().ok()).collect();
            let is_range = |of: [f32; 2]| {
                numbers.len() == picture.channels * 2 && numbers.chunks(2).all(|pair| *pair == of)
            };
            if is_range([1.0, 0.0]) {
                picture.data.iter_mut().for_each(|sample| *sample = !*sample);
            } else if !is_range([0.0, 1.0]) {
                return Ok(false);
            }
            dict.remove(b"Decode");
        }
    }
    picture.data = conversion.convert(source, &picture.data)?;
    picture.channels = conversion.target_channels();
    picture.model = if picture.channels == 4 { Model::Cmyk } else { Model::Rgb };
    picture.space = Object::Name(conversion.target_space_name().to_vec());
    Ok(true)
}

/// Whether the exact samples matter, so that they must not be averaged: for an image with a colour key mask, because
/// this mask lists exact values; and for an image whose mask has a matte, and for such a mask, because each sample of
/// the mask belongs to one pixel of the image.
fn needs_exact_samples(document: &Document, stream: &Stream) -> bool {
    let has_matte = |dict: &Dictionary| dict.has(b"Matte");
    let has_color_key = stream
        .dict
        .get(b"Mask")
        .ok()
        .and_then(|mask| resolved(document, mask))
        .is_some_and(|mask| matches!(mask, Object::Array(_)));
    let has_matte_mask = stream
        .dict
        .get_deref(b"SMask", document)
        .and_then(Object::as_stream)
        .is_ok_and(|mask| has_matte(&mask.dict));
    has_color_key || has_matte_mask || has_matte(&stream.dict)
}

/// The size in pixels that an image needs. `None` if this size is not clearly smaller than the size of the image.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes of images"
)]
fn target(
    picture: &Picture,
    shown: ImageUse,
    frame: Option<Rect>,
    images: &ImageSettings,
) -> Option<(usize, usize)> {
    let frame = frame.unwrap_or(UNIT);
    let resolution = if picture.kind == Kind::Bits { images.bilevel_resolution } else { images.resolution };
    let needed = |points: f64, share: f64, have: usize| {
        let needed = (points * share / 72.0 * resolution).ceil().max(1.0);
        if have as f64 > needed * images.threshold { (needed as usize).min(have) } else { have }
    };
    let width = needed(shown.width, frame.width(), picture.width);
    let height = needed(shown.height, frame.height(), picture.height);
    (width < picture.width || height < picture.height).then_some((width, height))
}

/// The image stream with the encoded data, and with the dictionary entries that have changed.
fn assembled(old: &Dictionary, picture: &Picture, encoded: &Encoded) -> Stream {
    let mut dict = old.clone();
    for key in [&b"Filter"[..], b"DecodeParms", b"Length"] {
        dict.remove(key);
    }
    let int = |value: usize| Object::Integer(i64::try_from(value).unwrap_or(i64::MAX));
    dict.set("Width", int(picture.width));
    dict.set("Height", int(picture.height));
    if !picture.stencil {
        dict.set("BitsPerComponent", int(encoded.bits));
        dict.set("ColorSpace", encoded.space.clone().unwrap_or_else(|| picture.space.clone()));
    }
    if let Some(filter) = encoded.filter {
        dict.set("Filter", Object::Name(filter.as_bytes().to_vec()));
    }
    if let Some(parameters) = &encoded.parameters {
        dict.set("DecodeParms", parameters.clone());
    }
    Stream::new(dict, encoded.data.clone())
}
