//! Makes fonts conform to PDF/A: repairs font dictionaries, and replaces fonts that are missing or faulty.
//!
//! A simple font that is not embedded, or whose program contradicts its dictionary, gets a new program. This program
//! contains the outlines that the renderer draws for each code, with the widths that the document uses for its layout.
//! Text remains text, in the same place, and looks the same. A composite font is not replaced, because a new program
//! has only 256 codes, unless the font shows only empty strings. A page with a faulty composite font may therefore
//! still not conform.

use super::{Part, pages};
use crate::conformance;
use crate::content::{Usage, survey};
use crate::document::{Budget, SaveOptions, flate_stream, hoist, save};
use crate::font::type1c::{self, Fixed, NamedFont, Outline, Step, fixed, subset_tag};
use crate::font::{CodeSize, to_unicode};
use crate::{EngineError, Job};
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};
use hayro::hayro_syntax::Pdf;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Repairs common faults of font dictionaries.
pub(super) fn repair_dictionaries(document: &mut Document) {
    hoist(document, &|dict| dict.has_type(b"Font") && dict.has(b"Subtype"));
    for object in document.objects.values_mut() {
        let Object::Dictionary(dict) = object else { continue };
        // The entries CIDSet and CharSet are optional in PDF/A-2, and often wrong.
        dict.remove(b"CIDSet");
        if dict.has_type(b"FontDescriptor") {
            dict.remove(b"CharSet");
        }
        let kind = dict.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        if kind == b"CIDFontType2" && !dict.has(b"CIDToGIDMap") {
            dict.set("CIDToGIDMap", "Identity");
        }
    }
    repair_last_char(document);
}

/// Sets `LastChar` to the last code that has a width in `Widths`.
fn repair_last_char(document: &mut Document) {
    let last = |font: &Dictionary| {
        let (codes, widths) = conformance::widths(document, font)?;
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).ok()?;
        (codes != widths && widths > 0).then_some(first.saturating_add(widths - 1))
    };
    let fonts: Vec<(ObjectId, i64)> = document
        .objects
        .iter()
        .filter_map(|(id, object)| Some((*id, last(object.as_dict().ok()?)?)))
        .collect();
    for (id, last) in fonts {
        if let Ok(font) = document.get_dictionary_mut(id) {
            font.set("LastChar", last);
        }
    }
}

/// Replaces the simple fonts that are not embedded or that do not conform.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn replace_faulty(
    document: &mut Document,
    part: Part,
    notes: &mut Vec<String>,
    job: &Job,
) -> Result<(), EngineError> {
    lower_supplements(document);
    let usage = survey(document, &Budget::of(job), job)?;
    let mut faulty: Vec<(ObjectId, Vec<u8>)> = Vec::new();
    let mut painted: Vec<ObjectId> = usage.painted_fonts.iter().copied().collect();
    painted.sort_unstable();
    for font in painted {
        job.proceed()?;
        let codes = codes(&usage, font);
        let replaceable =
            is_simple(document, font) || codes.is_empty() && is_of_kind(document, font, &[b"Type0"]);
        if !replaceable {
            continue;
        }
        if !is_embedded(document, font) || breaks_rules(document, font, &codes, part, job)? {
            faulty.push((font, codes));
        }
    }
    if faulty.is_empty() {
        return Ok(());
    }
    let rendered = rendered_glyphs(document, &faulty, job)?;
    let blank: Vec<ObjectId> =
        faulty.iter().filter(|(_, codes)| codes.is_empty()).map(|(font, _)| *font).collect();
    keep_fonts_for_fields(document, &blank);
    let mut names = Vec::new();
    for ((font, codes), glyphs) in faulty.iter().zip(rendered) {
        let Some(glyphs) = glyphs else { continue };
        if let Some(replaced) = with_embedded_program(document, *font, codes, &glyphs)? {
            names.extend(name(document, *font));
            document.objects.insert(*font, Object::Dictionary(replaced));
        }
    }
    names.sort();
    names.dedup();
    if !names.is_empty() {
        let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(5);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!(
            "fonts were embedded with the glyphs that Recto renders, because their font files are missing or faulty: \
             {shown}{rest}"
        ));
    }
    Ok(())
}

fn codes(usage: &Usage, font: ObjectId) -> Vec<u8> {
    usage.fonts.get(&font).map(|codes| codes.bytes().collect()).unwrap_or_default()
}

/// If a composite font has a later supplement than its predefined CMap covers, lowers the supplement to the supplement
/// of the CMap. The CMap cannot show characters of later supplements anyway.
fn lower_supplements(document: &mut Document) {
    let mut lowered: Vec<(ObjectId, Dictionary)> = Vec::new();
    for font in document.objects.values().filter_map(|object| object.as_dict().ok()) {
        let latest = font
            .get_deref(b"Encoding", document)
            .and_then(Object::as_name)
            .ok()
            .and_then(conformance::latest_supplement);
        let descendant = font
            .get_deref(b"DescendantFonts", document)
            .and_then(Object::as_array)
            .ok()
            .and_then(|fonts| fonts.first()?.as_reference().ok());
        let (Some(latest), Some(descendant)) = (latest, descendant) else { continue };
        let info = document
            .get_dictionary(descendant)
            .and_then(|font| font.get_deref(b"CIDSystemInfo", document))
            .and_then(Object::as_dict);
        let Ok(info) = info else { continue };
        if info.get_deref(b"Supplement", document).and_then(Object::as_i64).is_ok_and(|own| own > latest) {
            let mut info = info.clone();
            info.set("Supplement", latest);
            lowered.push((descendant, info));
        }
    }
    for (font, info) in lowered {
        if let Ok(font) = document.get_dictionary_mut(font) {
            font.set("CIDSystemInfo", info);
        }
    }
}

/// Some fonts are replaced by blank fonts. Puts copies of the original fonts into the default resources of the form, so
/// that fields can still use them.
fn keep_fonts_for_fields(document: &mut Document, blank: &[ObjectId]) {
    let form = |document: &Document| -> Option<(Option<ObjectId>, Dictionary)> {
        let entry = document.catalog().ok()?.get(b"AcroForm").ok()?;
        let (id, form) = document.dereference(entry).ok()?;
        Some((id, form.as_dict().ok()?.clone()))
    };
    let Some((home, mut form)) = form(document) else { return };
    let resources = form.get_deref(b"DR", document).and_then(Object::as_dict).cloned();
    let Ok(mut resources) = resources else { return };
    let fonts = resources.get_deref(b"Font", document).and_then(Object::as_dict).cloned();
    let Ok(mut fonts) = fonts else { return };
    for (_, entry) in fonts.iter_mut() {
        let Some(id) = entry.as_reference().ok().filter(|id| blank.contains(id)) else { continue };
        if let Ok(font) = document.get_dictionary(id).cloned() {
            *entry = document.add_object(font).into();
        }
    }
    resources.set("Font", fonts);
    form.set("DR", resources);
    match home {
        Some(id) => {
            document.objects.insert(id, form.into());
        }
        None => {
            if let Ok(catalog) = document.catalog_mut() {
                catalog.set("AcroForm", form);
            }
        }
    }
}

fn is_of_kind(document: &Document, font: ObjectId, kinds: &[&[u8]]) -> bool {
    document
        .get_dictionary(font)
        .and_then(|font| font.get(b"Subtype"))
        .and_then(Object::as_name)
        .is_ok_and(|kind| kinds.contains(&kind))
}

fn is_simple(document: &Document, font: ObjectId) -> bool {
    is_of_kind(document, font, &[b"Type1", b"MMType1", b"TrueType"])
}

fn is_embedded(document: &Document, font: ObjectId) -> bool {
    document
        .get_dictionary(font)
        .and_then(|font| font.get_deref(b"FontDescriptor", document))
        .and_then(Object::as_dict)
        .is_ok_and(|descriptor| {
            [&b"FontFile"[..], b"FontFile2", b"FontFile3"]
                .iter()
                .any(|key| descriptor.get_deref(key, document).is_ok_and(|file| file.as_stream().is_ok()))
        })
}

fn name(document: &Document, font: ObjectId) -> Option<String> {
    let name = document
        .get_dictionary(font)
        .ok()?
        .get_deref(b"BaseFont", document)
        .and_then(Object::as_name)
        .ok()?;
    let name = String::from_utf8_lossy(name);
    Some(name.split_once('+').map_or(name.as_ref(), |(_, name)| name).to_owned())
}

/// Whether a page that shows these codes of the font, and nothing else, breaks a rule about fonts (ISO 19005-2,
/// 6.2.11).
fn breaks_rules(
    document: &mut Document,
    font: ObjectId,
    codes: &[u8],
    part: Part,
    job: &Job,
) -> Result<bool, EngineError> {
    let page = sample_page(document, font, codes);
    let bytes = pages::single_page_file(document, page)?;
    document.objects.remove(&page);
    let findings = conformance::check(&bytes, Some(part.standard()), job)?.findings;
    Ok(findings.iter().any(|finding| {
        finding.rule.as_deref().is_some_and(|rule| rule.starts_with("6.2.11.")) || finding.rule.is_none()
    }))
}

/// The font size of sample pages. At this size an outline has 1000 units per em.
const SAMPLE_FONT_SIZE: &str = "1000";

/// A page that shows each code twice, so that the distance between the two glyphs is the width of the glyph.
fn sample_page(document: &mut Document, font: ObjectId, codes: &[u8]) -> ObjectId {
    let mut content = format!("BT /F {SAMPLE_FONT_SIZE} Tf () Tj ");
    for code in codes {
        let _ = write!(content, "1 0 0 1 0 0 Tm <{code:02x}{code:02x}> Tj ");
    }
    content.push_str("ET");
    let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    document.add_object(dictionary! {
        "Type" => "Page", "Contents" => content,
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
        "MediaBox" => vec![0.into(), 0.into(), 1000.into(), 1000.into()]
    })
}

/// A glyph as the renderer draws it.
#[derive(Default)]
struct RenderedGlyph {
    outline: BezPath,
    /// The advance width in thousandths of an em. `None` if it is unknown.
    advance: Option<f64>,
    text: Option<String>,
}

type Glyphs = BTreeMap<u8, RenderedGlyph>;

/// The glyphs of these fonts as the renderer draws them. `None` for a font that the renderer cannot draw.
fn rendered_glyphs(
    document: &mut Document,
    fonts: &[(ObjectId, Vec<u8>)],
    job: &Job,
) -> Result<Vec<Option<Glyphs>>, EngineError> {
    let trailer = document.trailer.clone();
    let first = document.max_id;
    let samples: Vec<Object> =
        fonts.iter().map(|(font, codes)| Object::Reference(sample_page(document, *font, codes))).collect();
    let tree = document.add_object(Object::Null);
    for page in samples.iter().filter_map(|page| page.as_reference().ok()) {
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Parent", tree);
        }
    }
    let count = i64::try_from(samples.len()).unwrap_or(i64::MAX);
    document
        .objects
        .insert(tree, dictionary! { "Type" => "Pages", "Kids" => samples, "Count" => count }.into());
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", root);
    let bytes = save(document, &SaveOptions { object_streams: false, keep_encryption: false });
    document.trailer = trailer;
    document.objects.retain(|id, _| id.0 <= first);
    let bytes = bytes?;

    let Ok(Ok(pdf)) = catch_unwind(AssertUnwindSafe(|| Pdf::new(bytes))) else {
        return Ok(fonts.iter().map(|_| None).collect());
    };
    let mut all = Vec::new();
    for page in pdf.pages().iter() {
        job.proceed()?;
        let glyphs = catch_unwind(AssertUnwindSafe(|| {
            let cache = InterpreterCache::new();
            let target = Rect::new(0.0, 0.0, 1000.0, 1000.0);
            let mut context =
                Context::new(Affine::IDENTITY, target, &cache, page.xref(), InterpreterSettings::default());
            let mut collector = GlyphCollector::default();
            interpret_page(page, &mut context, &mut collector);
            collector.0
        }));
        all.push(glyphs.ok());
    }
    all.resize_with(fonts.len(), || None);
    Ok(all)
}

/// A device that collects the glyphs of a sample page.
#[derive(Default)]
struct GlyphCollector(Glyphs);

impl<'a> Device<'a> for GlyphCollector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {
        let Some(first) = run.glyphs().first() else { return };
        let Ok(code) = u8::try_from(first.char_code()) else { return };
        let Glyph::Outline(glyph) = &**first else { return };
        let [_, _, _, _, x, y] = first.transform().as_coeffs();
        let advance = run.glyphs().get(1).map(|second| second.transform().as_coeffs()[4] - x);
        let text = first.as_unicode().map(text_of);
        self.0.entry(code).or_insert_with(|| RenderedGlyph {
            outline: Affine::translate((-x, -y)) * first.transform() * glyph.outline(),
            advance,
            text: text.filter(|text| !text.is_empty()),
        });
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// The text of a glyph.
pub(super) fn text_of(text: BfString) -> String {
    match text {
        BfString::Char(letter) => letter.to_string(),
        BfString::String(text) => text,
    }
}

/// The font with a new program that draws these glyphs. `None` if Type 1C cannot represent their outlines.
fn with_embedded_program(
    document: &mut Document,
    font: ObjectId,
    codes: &[u8],
    glyphs: &Glyphs,
) -> Result<Option<Dictionary>, EngineError> {
    let old = document.get_dictionary(font).cloned().unwrap_or_default();
    let (first, last) = (codes.first().copied().unwrap_or(0), codes.last().copied().unwrap_or(0));
    let mut widths = vec![Object::Integer(0); usize::from(last - first) + 1];
    let mut differences = Vec::new();
    let mut texts = Vec::new();
    let mut bounds: Option<Rect> = None;
    let mut named = NamedFont::default();
    for &code in codes {
        let blank = RenderedGlyph::default();
        let glyph = glyphs.get(&code).unwrap_or(&blank);
        let advance = glyph.advance.or_else(|| declared_width(document, &old, code)).unwrap_or(0.0);
        let advance = (advance * 100.0).round() / 100.0;
        let name = format!("g{code:02X}").into_bytes();
        differences.extend([Object::Integer(code.into()), Object::Name(name.clone())]);
        if let Some(width) = widths.get_mut(usize::from(code - first)) {
            *width = Object::Real(advance as f32);
        }
        if !glyph.outline.elements().is_empty() {
            let own = glyph.outline.bounding_box();
            bounds = Some(bounds.map_or(own, |all| all.union(own)));
        }
        let Some(program) = outline(&glyph.outline).code() else { return Ok(None) };
        named.glyphs.insert(name.clone(), type1c::Glyph { width: fixed(advance), code: program });
        named.encoding.get_or_insert_default().insert(code, name);
        texts.extend(glyph.text.clone().map(|text| (u16::from(code), text)));
    }
    let bounds = bounds.unwrap_or(Rect::ZERO);
    named.bounds = [bounds.x0.floor(), bounds.y0.floor(), bounds.x1.ceil(), bounds.y1.ceil()];
    let own_name = name(document, font).unwrap_or_default();
    let own_name: String = own_name.chars().filter(char::is_ascii_graphic).collect();
    named.name = own_name.clone().into_bytes();
    let Some(program) = named.write() else { return Ok(None) };
    let full_name = [subset_tag(&program).as_slice(), b"+", own_name.as_bytes()].concat();
    let program = document.add_object(flate_stream(dictionary! { "Subtype" => "Type1C" }, program)?);
    let descriptor = document.add_object(dictionary! {
        "Type" => "FontDescriptor",
        "FontName" => Object::Name(full_name.clone()),
        // Bit 3 means symbolic: the font uses its own encoding.
        "Flags" => 4,
        "FontBBox" => named.bounds.map(|side| Object::Real(side as f32)).to_vec(),
        "ItalicAngle" => 0,
        "Ascent" => Object::Real(named.bounds[3] as f32),
        "Descent" => Object::Real(named.bounds[1].min(0.0) as f32),
        "CapHeight" => Object::Real(named.bounds[3] as f32),
        "StemV" => 80,
        "FontFile3" => program
    });
    let mut dict = dictionary! {
        "Type" => "Font",
        "Subtype" => "Type1",
        "BaseFont" => Object::Name(full_name),
        "FontDescriptor" => descriptor,
        "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => differences },
        "FirstChar" => i64::from(first),
        "LastChar" => i64::from(last),
        "Widths" => widths
    };
    match old.get(b"ToUnicode") {
        Ok(map) if matches!(document.dereference(map), Ok((_, Object::Stream(_)))) => {
            dict.set("ToUnicode", map.clone())
        }
        _ if !texts.is_empty() => {
            let map = to_unicode(CodeSize::OneByte, &texts, &[])?;
            dict.set("ToUnicode", document.add_object(map));
        }
        _ => {}
    }
    Ok(Some(dict))
}

/// The width that the font dictionary states for a code.
fn declared_width(document: &Document, font: &Dictionary, code: u8) -> Option<f64> {
    let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).ok()?;
    let index = usize::try_from(i64::from(code) - first).ok()?;
    let widths = font.get_deref(b"Widths", document).and_then(Object::as_array).ok()?;
    crate::document::number(document, widths.get(index)?)
}

/// The outline as the steps of a charstring. Coordinates are rounded to hundredths of a unit; there are 1000 units per
/// em.
fn outline(path: &BezPath) -> Outline {
    let place = |point: Point| [point.x, point.y].map(|part| fixed((part * 100.0).round() / 100.0));
    let mut steps = Vec::new();
    let mut at = Point::ZERO;
    let by = |from: Point, to: Point| {
        let ([x0, y0], [x1, y1]) = (place(from), place(to));
        [x1 - x0, y1 - y0]
    };
    for element in path.elements() {
        let (step, to) = match *element {
            PathEl::MoveTo(to) => (Step::Move(by(at, to)), to),
            PathEl::LineTo(to) => (Step::Line(by(at, to)), to),
            PathEl::QuadTo(control, to) => {
                let first = at + (control - at) * (2.0 / 3.0);
                let second = to + (control - to) * (2.0 / 3.0);
                (curve(by(at, first), by(first, second), by(second, to)), to)
            }
            PathEl::CurveTo(first, second, to) => {
                (curve(by(at, first), by(first, second), by(second, to)), to)
            }
            PathEl::ClosePath => continue,
        };
        steps.push(step);
        at = to;
    }
    Outline { steps, hints: Vec::new() }
}

fn curve([x1, y1]: [Fixed; 2], [x2, y2]: [Fixed; 2], [x3, y3]: [Fixed; 2]) -> Step {
    Step::Curve([x1, y1, x2, y2, x3, y3])
}
