//! Gradients: the colours that their functions give are converted sample by sample, where a stitching function parts
//! them kept apart, so that edges stay sharp.

use crate::color::{Process, Source};
use crate::document::{SaveOptions, dictionary_mut, flate_stream, hoist, number, resolved, save};
use crate::{EngineError, Job};
use hayro_interpret::Function;
use hayro_syntax::Pdf;
use hayro_syntax::object::Array;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How deep stitching functions nest.
const DEPTH: usize = 8;
/// Samples of a function, at least and at most.
const SAMPLES: (usize, usize) = (64, 1024);
/// The most functions that are read.
const FUNCTIONS: usize = 20_000;

/// A gradient to convert.
struct Gradient {
    id: ObjectId,
    source: Source,
}

/// Makes an object of its own of each gradient.
pub(super) fn settle(document: &mut Document) {
    hoist(document, &|dict| dict.has(b"ShadingType"));
}

/// Converts the gradients that are shown; says whether none had to stay as it was.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn convert(
    document: &mut Document,
    process: &mut Process,
    shown: &HashSet<ObjectId>,
    job: &Job,
) -> Result<bool, EngineError> {
    let mut gradients = Vec::new();
    for (id, object) in &document.objects {
        let Some(dict) = dictionary_of(object).filter(|dict| dict.has(b"ShadingType")) else { continue };
        if !shown.contains(id) {
            continue;
        }
        let source = dict.get(b"ColorSpace").ok().and_then(|space| process.source(document, space));
        gradients.extend(source.map(|source| Gradient { id: *id, source }));
    }
    if gradients.is_empty() {
        return Ok(true);
    }
    hoist(document, &|dict| dict.has(b"FunctionType"));
    let functions = functions(document, &gradients)?;
    let mut all = true;
    for gradient in &gradients {
        job.proceed()?;
        let maker = Maker { process, functions: &functions, source: gradient.source };
        let Some((function, background)) = maker.gradient(document, gradient.id)? else {
            all = false;
            continue;
        };
        if let Some(dict) = document.objects.get_mut(&gradient.id).and_then(dictionary_mut) {
            dict.set("ColorSpace", Object::Name(process.space_name().to_vec()));
            dict.set("Function", function);
            if let Some(background) = background {
                dict.set("Background", background);
            }
        }
    }
    Ok(all)
}

fn dictionary_of(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dict) => Some(dict),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// The functions of gradients and those that they are stitched of, ready to be asked.
fn functions(
    document: &mut Document,
    gradients: &[Gradient],
) -> Result<HashMap<ObjectId, Function>, EngineError> {
    let mut ids = BTreeSet::new();
    let mut waiting: Vec<ObjectId> = Vec::new();
    for gradient in gradients {
        let dict = document.objects.get(&gradient.id).and_then(dictionary_of);
        waiting.extend(references(document, dict.and_then(|dict| dict.get(b"Function").ok())));
    }
    while let Some(id) = waiting.pop() {
        if ids.len() < FUNCTIONS && ids.insert(id) {
            let dict = document.objects.get(&id).and_then(dictionary_of);
            waiting.extend(references(document, dict.and_then(|dict| dict.get(b"Functions").ok())));
        }
    }
    // A page of its own carries them to the reader.
    let (trailer, first) = (document.trailer.clone(), document.max_id);
    let list: Vec<Object> = ids.iter().map(|id| Object::Reference(*id)).collect();
    let tree = document.add_object(Object::Null);
    let page = document.add_object(dictionary! { "Type" => "Page", "Parent" => tree, "Functions" => list });
    let pages = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
    document.objects.insert(tree, pages.into());
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", root);
    let bytes = save(document, &SaveOptions { object_streams: false, keep_encryption: false });
    document.trailer = trailer;
    document.objects.retain(|id, _| id.0 <= first);
    document.max_id = first;
    let bytes = bytes?;
    let read = catch_unwind(AssertUnwindSafe(|| {
        let pdf = Pdf::new(bytes).ok()?;
        let page = pdf.pages().first()?;
        let list: Array<'_> = page.raw().get(b"Functions")?;
        let objects = list.iter::<hayro_syntax::object::Object<'_>>();
        Some(objects.map(|object| Function::new(&object)).collect::<Vec<_>>())
    }));
    let read = read.ok().flatten().filter(|read| read.len() == ids.len()).unwrap_or_default();
    Ok(ids.into_iter().zip(read).filter_map(|(id, function)| Some((id, function?))).collect())
}

fn references(document: &Document, value: Option<&Object>) -> Vec<ObjectId> {
    match value {
        Some(Object::Reference(id)) => match document.objects.get(id) {
            Some(Object::Array(items)) => items.iter().filter_map(|item| item.as_reference().ok()).collect(),
            _ => vec![*id],
        },
        Some(Object::Array(items)) => items.iter().filter_map(|item| item.as_reference().ok()).collect(),
        _ => Vec::new(),
    }
}

/// Makes the functions of a gradient anew. What was made for one that then is not understood is reached by nothing.
struct Maker<'a> {
    process: &'a Process,
    functions: &'a HashMap<ObjectId, Function>,
    source: Source,
}

impl Maker<'_> {
    /// The function and the background of a gradient; nothing for one that is not understood.
    fn gradient(
        &self,
        document: &mut Document,
        id: ObjectId,
    ) -> Result<Option<(Object, Option<Object>)>, EngineError> {
        let Some(dict) = document.objects.get(&id).and_then(dictionary_of).cloned() else { return Ok(None) };
        // One of two inputs, and meshes whose data hold colours, are rare.
        if dict.get(b"ShadingType").and_then(Object::as_i64).is_ok_and(|kind| kind == 1) {
            return Ok(None);
        }
        let Ok(value) = dict.get(b"Function") else { return Ok(None) };
        let listed = matches!(resolved(document, value), Some(Object::Array(_)));
        let ids = references(document, Some(value));
        let function = match ids.as_slice() {
            [id] if !listed => self.function(document, *id, 0)?,
            ids => {
                let domain = interval(document, dict.get(b"Domain").ok()).unwrap_or((0.0, 1.0));
                self.sampled(document, ids, domain, SAMPLES.1)?
            }
        };
        let background = dict.get(b"Background").ok().and_then(|value| resolved(document, value));
        let background = match background.and_then(|value| value.as_array().ok()) {
            None => None,
            Some(items) => {
                let values: Vec<f32> = items.iter().filter_map(|item| value_of(document, item)).collect();
                let colors = self.process.convert(self.source, &bytes_of(&values))?;
                let real = |value: &u8| Object::Real(f32::from(*value) / 255.0);
                Some(Object::Array(colors.iter().map(real).collect()))
            }
        };
        Ok(function.map(|function| (function, background)))
    }

    fn function(
        &self,
        document: &mut Document,
        id: ObjectId,
        depth: usize,
    ) -> Result<Option<Object>, EngineError> {
        let Some(dict) = document.objects.get(&id).and_then(dictionary_of).cloned() else { return Ok(None) };
        let kind = dict.get(b"FunctionType").and_then(Object::as_i64);
        if matches!(kind, Ok(3)) && depth < DEPTH {
            let mut parts = Vec::new();
            for part in references(document, dict.get(b"Functions").ok()) {
                let Some(part) = self.function(document, part, depth + 1)? else { return Ok(None) };
                parts.push(part);
            }
            let mut stitched = dict;
            stitched.set("Functions", parts);
            stitched.remove(b"Range");
            return Ok(Some(document.add_object(Object::Dictionary(stitched)).into()));
        }
        let Some(domain) = interval(document, dict.get(b"Domain").ok()) else { return Ok(None) };
        let size =
            dict.get(b"Size").and_then(Object::as_array).ok().and_then(|size| size.first()?.as_i64().ok());
        let samples = match size {
            Some(size) => usize::try_from(size).unwrap_or(0).saturating_mul(2).clamp(SAMPLES.0, SAMPLES.1),
            None if matches!(kind, Ok(2)) => SAMPLES.0,
            None => SAMPLES.1,
        };
        self.sampled(document, &[id], domain, samples)
    }

    /// A sampled function that gives the converted colours of functions.
    fn sampled(
        &self,
        document: &mut Document,
        ids: &[ObjectId],
        domain: (f32, f32),
        samples: usize,
    ) -> Result<Option<Object>, EngineError> {
        let functions: Option<Vec<&Function>> = ids.iter().map(|id| self.functions.get(id)).collect();
        let Some(functions) = functions.filter(|list| {
            list.iter().all(|function| function.num_inputs() == 1)
                && list.iter().map(|function| function.num_outputs()).sum::<usize>()
                    == self.process.old_channels()
        }) else {
            return Ok(None);
        };
        let mut values = Vec::with_capacity(samples * self.process.old_channels());
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand samples")]
        for at in 0..samples {
            let input = domain.0 + (domain.1 - domain.0) * at as f32 / (samples - 1) as f32;
            for function in &functions {
                let mut output = vec![0.0; function.num_outputs()];
                let asked = catch_unwind(AssertUnwindSafe(|| function.eval(&[input], &mut output)));
                if !matches!(asked, Ok(Some(()))) {
                    return Ok(None);
                }
                values.extend(output);
            }
        }
        let colors = self.process.convert(self.source, &bytes_of(&values))?;
        let range: Vec<Object> =
            [0, 1].repeat(self.process.channels()).into_iter().map(Object::from).collect();
        let dict = dictionary! {
            "FunctionType" => 0, "Domain" => vec![domain.0.into(), domain.1.into()], "Range" => range,
            "Size" => vec![i64::try_from(samples).unwrap_or(i64::MAX).into()], "BitsPerSample" => 8
        };
        let stream = flate_stream(dict, colors)?;
        Ok(Some(document.add_object(stream).into()))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "what a function takes")]
fn value_of(document: &Document, item: &Object) -> Option<f32> {
    Some(number(document, item)? as f32).filter(|value| value.is_finite())
}

fn interval(document: &Document, value: Option<&Object>) -> Option<(f32, f32)> {
    let Some(Object::Array(ends)) = resolved(document, value?) else { return None };
    let [from, to] = ends.as_slice() else { return None };
    Some((value_of(document, from)?, value_of(document, to)?)).filter(|(from, to)| from < to)
}
