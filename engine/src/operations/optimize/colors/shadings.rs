//! Converts the colours of gradients: the functions of a gradient are replaced by sampled functions that return
//! converted colours. The parts of a stitching function are converted separately, so that sharp edges between colours
//! stay sharp.

use crate::color::{ColorConversion, SourceSpace};
use crate::document::{SaveOptions, dictionary_mut, flate_stream, hoist, number, resolved, save};
use crate::{EngineError, Job};
use hayro_interpret::Function;
use hayro_syntax::Pdf;
use hayro_syntax::object::Array;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximum nesting depth of stitching functions.
const MAX_DEPTH: usize = 8;
/// The minimum and the maximum number of samples of a function.
const SAMPLES: (usize, usize) = (64, 1024);
/// The maximum number of functions that are read.
const MAX_FUNCTIONS: usize = 20_000;

/// A gradient to convert.
struct Gradient {
    id: ObjectId,
    source: SourceSpace,
}

/// Makes each gradient an indirect object.
pub(super) fn hoist_shadings(document: &mut Document) {
    hoist(document, &|dict| dict.has(b"ShadingType"));
}

/// Converts the gradients that pages show. Returns whether all these gradients could be converted.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn convert(
    document: &mut Document,
    conversion: &mut ColorConversion,
    painted: &HashSet<ObjectId>,
    job: &Job,
) -> Result<bool, EngineError> {
    let mut gradients = Vec::new();
    for (id, object) in &document.objects {
        let Some(dict) = dictionary_of(object).filter(|dict| dict.has(b"ShadingType")) else { continue };
        if !painted.contains(id) {
            continue;
        }
        let source = dict.get(b"ColorSpace").ok().and_then(|space| conversion.source(document, space));
        gradients.extend(source.map(|source| Gradient { id: *id, source }));
    }
    if gradients.is_empty() {
        return Ok(true);
    }
    hoist(document, &|dict| dict.has(b"FunctionType"));
    let functions = functions(document, &gradients)?;
    let mut all_converted = true;
    for gradient in &gradients {
        job.proceed()?;
        let converter = FunctionConverter { conversion, functions: &functions, source: gradient.source };
        let Some((function, background)) = converter.gradient(document, gradient.id)? else {
            all_converted = false;
            continue;
        };
        if let Some(dict) = document.objects.get_mut(&gradient.id).and_then(dictionary_mut) {
            dict.set("ColorSpace", Object::Name(conversion.target_space_name().to_vec()));
            dict.set("Function", function);
            if let Some(background) = background {
                dict.set("Background", background);
            }
        }
    }
    Ok(all_converted)
}

fn dictionary_of(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dict) => Some(dict),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// The functions of gradients, including the parts of stitching functions, ready to be evaluated.
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
        if ids.len() < MAX_FUNCTIONS && ids.insert(id) {
            let dict = document.objects.get(&id).and_then(dictionary_of);
            waiting.extend(references(document, dict.and_then(|dict| dict.get(b"Functions").ok())));
        }
    }
    // hayro reads functions only from a file. Therefore a file is made whose only page lists the functions.
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
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let pdf = Pdf::new(bytes).ok()?;
        let page = pdf.pages().first()?;
        let list: Array<'_> = page.raw().get(b"Functions")?;
        let objects = list.iter::<hayro_syntax::object::Object<'_>>();
        Some(objects.map(|object| Function::new(&object)).collect::<Vec<_>>())
    }));
    let parsed = parsed.ok().flatten().filter(|parsed| parsed.len() == ids.len()).unwrap_or_default();
    Ok(ids.into_iter().zip(parsed).filter_map(|(id, function)| Some((id, function?))).collect())
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

/// Converts the functions of a gradient. If the conversion fails, the document contains functions that were added
/// before and that no object refers to.
struct FunctionConverter<'a> {
    conversion: &'a ColorConversion,
    functions: &'a HashMap<ObjectId, Function>,
    source: SourceSpace,
}

impl FunctionConverter<'_> {
    /// The converted function and background of a gradient. `None` if the gradient is not supported.
    fn gradient(
        &self,
        document: &mut Document,
        id: ObjectId,
    ) -> Result<Option<(Object, Option<Object>)>, EngineError> {
        let Some(dict) = document.objects.get(&id).and_then(dictionary_of).cloned() else { return Ok(None) };
        // Functions of two inputs (type 1) and meshes with colours in their data are rare. They are not supported.
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
                let colors = self.conversion.convert(self.source, &bytes_of(&values))?;
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
        if matches!(kind, Ok(3)) && depth < MAX_DEPTH {
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

    /// A sampled function that returns the converted colours of these functions. `None` if the functions cannot be
    /// evaluated.
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
                    == self.conversion.source_channels()
        }) else {
            return Ok(None);
        };
        let mut values = Vec::with_capacity(samples * self.conversion.source_channels());
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand samples")]
        for at in 0..samples {
            let input = domain.0 + (domain.1 - domain.0) * at as f32 / (samples - 1) as f32;
            for function in &functions {
                let mut output = vec![0.0; function.num_outputs()];
                let outcome = catch_unwind(AssertUnwindSafe(|| function.eval(&[input], &mut output)));
                if !matches!(outcome, Ok(Some(()))) {
                    return Ok(None);
                }
                values.extend(output);
            }
        }
        let colors = self.conversion.convert(self.source, &bytes_of(&values))?;
        let range: Vec<Object> =
            [0, 1].repeat(self.conversion.target_channels()).into_iter().map(Object::from).collect();
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

#[expect(clippy::cast_possible_truncation, reason = "functions take f32")]
fn value_of(document: &Document, item: &Object) -> Option<f32> {
    Some(number(document, item)? as f32).filter(|value| value.is_finite())
}

fn interval(document: &Document, value: Option<&Object>) -> Option<(f32, f32)> {
    let Some(Object::Array(ends)) = resolved(document, value?) else { return None };
    let [from, to] = ends.as_slice() else { return None };
    Some((value_of(document, from)?, value_of(document, to)?)).filter(|(from, to)| from < to)
}
