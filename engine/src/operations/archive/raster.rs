//! Replaces pages by images with invisible text. This is done for pages that no other repair makes conform.

use super::fonts::text_of;
use crate::document::{SaveOptions, flate_stream, inherited, pages, rectangle, save};
use crate::font::{CodeSize, Range, to_unicode};
use crate::render::{PageView, each_page, open};
use crate::{EngineError, Job};
use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};
use hayro::kurbo::{Affine, BezPath, Rect};
use jpeg_encoder::{ColorType, Encoder};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The JPEG quality of the images, from 1 to 100.
const QUALITY: u8 = 88;
/// The maximum number of glyphs of one page whose text is kept.
const MAX_GLYPHS: usize = 200_000;

/// The image of a page, and the text of the page.
struct PageImage {
    width: u16,
    height: u16,
    data: Vec<u8>,
    gray: bool,
    /// Each text with the matrix that maps the unit square of an em to the page.
    texts: Vec<(Affine, String)>,
}

/// Replaces the content of the pages with these indices by images.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn replace(document: &mut Document, indices: &[usize], job: &Job) -> Result<(), EngineError> {
    let requested: BTreeSet<usize> = indices.iter().copied().collect();
    let bytes = save(document, &SaveOptions { object_streams: false, keep_encryption: false })?;
    let opened = open(&bytes, job)?;
    let list = pages(document, job.limits())?;
    let mut images_of_pages: Vec<(ObjectId, PageImage)> = Vec::new();
    let (worker_indices, total) = (requested.clone(), opened.pages().len());
    if total != list.len() {
        return Err(EngineError::Internal("the renderer found a different number of pages".to_owned()));
    }
    let limits = job.limits().clone();
    let render = move |view: &PageView<'_>| {
        let index = view.index();
        if !worker_indices.contains(&index) {
            return Ok(None);
        }
        let scale = view.at_resolution(None, &limits)?;
        let rgba = view.on_white(scale)?;
        let gray = rgba.as_chunks::<4>().0.iter().all(|[r, g, b, _]| r == g && g == b);
        let samples: Vec<u8> = rgba
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|[r, g, b, _]| if gray { vec![*r] } else { vec![*r, *g, *b] })
            .collect();
        let mut data = Vec::new();
        Encoder::new(&mut data, QUALITY)
            .encode(&samples, scale.width, scale.height, if gray { ColorType::Luma } else { ColorType::Rgb })
            .map_err(|error| EngineError::Internal(format!("a page's image cannot be encoded: {error}")))?;
        Ok(Some(PageImage { width: scale.width, height: scale.height, data, gray, texts: texts(view) }))
    };
    each_page(&opened, job, render, |index, image_of_page| {
        if let (Some(image_of_page), Some(page)) = (image_of_page, list.get(index)) {
            images_of_pages.push((*page, image_of_page));
        }
        Ok(())
    })?;
    let font = invisible_font(document)?;
    for (page, image_of_page) in images_of_pages {
        job.proceed()?;
        replace_content(document, page, image_of_page, font)?;
    }
    Ok(())
}

/// The texts of the glyphs of a page, each with the matrix that gives its position.
fn texts(view: &PageView<'_>) -> Vec<(Affine, String)> {
    let page = view.page();
    let cache = InterpreterCache::new();
    let target = Rect::new(-20_000.0, -20_000.0, 20_000.0, 20_000.0);
    let mut context =
        Context::new(Affine::IDENTITY, target, &cache, page.xref(), InterpreterSettings::default());
    let mut collector = TextCollector::default();
    interpret_page(page, &mut context, &mut collector);
    collector.0
}

#[derive(Default)]
struct TextCollector(Vec<(Affine, String)>);

impl<'a> Device<'a> for TextCollector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        // The text of each glyph is stretched until the next glyph begins, so that text extraction finds no gaps within
        // words.
        let mut stretch = 0.5;
        for (index, glyph) in run.glyphs().iter().enumerate() {
            let place = props.transform * glyph.transform() * Affine::scale(1000.0);
            let [a, b, ..] = place.as_coeffs();
            if let Some(next) = run.glyphs().get(index + 1) {
                let there = (props.transform * next.transform()).translation();
                let distance = (there - place.translation()).hypot() / a.hypot(b).max(1e-9);
                if (0.05..5.0).contains(&distance) {
                    stretch = distance;
                }
            }
            let Some(text) = glyph.as_unicode().map(text_of) else { continue };
            let is_valid = place.as_coeffs().iter().all(|part| part.is_finite() && part.abs() < 30_000.0)
                && place.determinant().abs() > 1e-6;
            let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
            let letters = text.encode_utf16().count().max(1);
            let place = place * Affine::scale_non_uniform(stretch / letters as f64, 1.0);
            if is_valid && !text.is_empty() && self.0.len() < MAX_GLYPHS {
                self.0.push((place, text));
            }
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// A font for invisible text. The codes of the font are UTF-16 units. The font is not embedded; PDF/A allows this for
/// invisible text.
fn invisible_font(document: &mut Document) -> Result<ObjectId, EngineError> {
    // Every code is the UTF-16 unit that it represents. The code 0 represents no character, and a range must not end
    // with the byte FE or FF.
    let ranges: Vec<Range> = (0..=0xff_u16)
        .map(|high| {
            let first = high << 8 | u16::from(high == 0);
            Range { first, last: high << 8 | 0xfd, units: first }
        })
        .collect();
    let map = document.add_object(to_unicode(CodeSize::TwoBytes, &[], &ranges)?);
    let descriptor = document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "Invisible", "Flags" => 4,
        "FontBBox" => vec![0.into(), (-200).into(), 1000.into(), 800.into()], "ItalicAngle" => 0, "Ascent" => 800,
        "Descent" => -200, "CapHeight" => 700, "StemV" => 80
    });
    let descendant = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "Invisible",
        "CIDSystemInfo" => dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"),
            "Supplement" => 0
        },
        "FontDescriptor" => descriptor, "DW" => 1000, "CIDToGIDMap" => "Identity"
    });
    Ok(document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Invisible", "Encoding" => "Identity-H",
        "DescendantFonts" => vec![descendant.into()], "ToUnicode" => map
    }))
}

/// Replaces the content of the page by the image and the invisible text. The page keeps its boxes and its links. Other
/// annotations are removed, because the image shows them already.
fn replace_content(
    document: &mut Document,
    page: ObjectId,
    image_of_page: PageImage,
    font: ObjectId,
) -> Result<(), EngineError> {
    let image = document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(image_of_page.width),
            "Height" => i64::from(image_of_page.height), "BitsPerComponent" => 8,
            "ColorSpace" => if image_of_page.gray { "DeviceGray" } else { "DeviceRGB" }, "Filter" => "DCTDecode"
        },
        image_of_page.data,
    ));
    let of = |key: &[u8]| inherited(document, page, key).and_then(|value| rectangle(document, value));
    let media = of(b"MediaBox").unwrap_or(Rect::new(0.0, 0.0, 612.0, 792.0));
    let visible = of(b"CropBox").map_or(media, |crop| crop.intersect(media));
    let rotation = inherited(document, page, b"Rotate")
        .and_then(|rotation| rotation.as_i64().ok())
        .unwrap_or(0)
        .rem_euclid(360);
    // This matrix maps the unit square of the image to the visible area of the rotated page.
    let (width, height, Rect { x0, y0, x1, y1 }) = (visible.width(), visible.height(), visible);
    let [a, b, c, d, e, f] = match rotation {
        90 => [0.0, height, -width, 0.0, x1, y0],
        180 => [-width, 0.0, 0.0, -height, x1, y1],
        270 => [0.0, -height, width, 0.0, x0, y1],
        _ => [width, 0.0, 0.0, height, x0, y0],
    };
    let mut content = format!("q {a:.3} {b:.3} {c:.3} {d:.3} {e:.3} {f:.3} cm /Im Do Q\nBT 3 Tr /F 1 Tf\n");
    for (place, text) in &image_of_page.texts {
        let [a, b, c, d, e, f] = place.as_coeffs();
        let units: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        let _ = writeln!(content, "{a:.4} {b:.4} {c:.4} {d:.4} {e:.3} {f:.3} Tm <{units}> Tj");
    }
    content.push_str("ET\n");
    let content = document.add_object(flate_stream(Dictionary::new(), content.into_bytes())?);
    let annotations: Vec<Object> = match inherited(document, page, b"Annots") {
        Some(Object::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    let mut kept = Vec::new();
    for item in annotations {
        let Ok(id) = item.as_reference() else { continue };
        let Ok(annotation) = document.get_dictionary(id) else { continue };
        if annotation.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Link") {
            if let Ok(annotation) = document.get_dictionary_mut(id) {
                annotation.remove(b"AP");
            }
            kept.push(item);
        }
    }
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Contents", content);
        page.set(
            "Resources",
            dictionary! {
                "XObject" => dictionary! { "Im" => image }, "Font" => dictionary! { "F" => font }
            },
        );
        page.set("Annots", kept);
        for key in [&b"Group"[..], b"StructParents", b"Tabs"] {
            page.remove(key);
        }
    }
    Ok(())
}
