//! Pages as images, with their text laid invisibly over them: the last resort.

use super::fonts::text_of;
use crate::document::{SaveOptions, flate_stream, inherited, pages, rectangle, save};
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

/// The quality of the images, on the scale of JPEG encoders.
const QUALITY: u8 = 88;
/// The most glyphs of one page whose text is kept.
const MOST_GLYPHS: usize = 200_000;

/// A page as an image and its text.
struct Shot {
    width: u16,
    height: u16,
    data: Vec<u8>,
    gray: bool,
    /// Where each text is, in the coordinates of the page: the matrix of an em, and what it says.
    texts: Vec<([f64; 6], String)>,
}

/// Replaces these pages, counted from 0.
///
/// # Errors
/// A limit, or that the job was cancelled.
pub(super) fn replace(document: &mut Document, failing: &[usize], job: &Job) -> Result<(), EngineError> {
    let wanted: BTreeSet<usize> = failing.iter().copied().collect();
    let bytes = save(document, &SaveOptions { object_streams: false, keep_encryption: false })?;
    let opened = open(&bytes, job)?;
    let list = pages(document, job.limits())?;
    let mut shots: Vec<(ObjectId, Shot)> = Vec::new();
    let (of_worker, total) = (wanted.clone(), opened.pages().len());
    if total != list.len() {
        return Err(EngineError::Internal("the pages to be rendered are others".to_owned()));
    }
    let limits = job.limits().clone();
    let make = move |view: &PageView<'_>| {
        let index = view.index();
        if !of_worker.contains(&index) {
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
            .map_err(|error| EngineError::Internal(format!("a page's image cannot be written: {error}")))?;
        Ok(Some(Shot { width: scale.width, height: scale.height, data, gray, texts: texts(view) }))
    };
    each_page(&opened, job, make, |index, shot| {
        if let (Some(shot), Some(page)) = (shot, list.get(index)) {
            shots.push((*page, shot));
        }
        Ok(())
    })?;
    let font = invisible_font(document)?;
    for (page, shot) in shots {
        job.proceed()?;
        put(document, page, shot, font)?;
    }
    Ok(())
}

/// The texts of a page, where they are.
fn texts(view: &PageView<'_>) -> Vec<([f64; 6], String)> {
    let page = view.page();
    let cache = InterpreterCache::new();
    let target = Rect::new(-20_000.0, -20_000.0, 20_000.0, 20_000.0);
    let mut context =
        Context::new(Affine::IDENTITY, target, &cache, page.xref(), InterpreterSettings::default());
    let mut seen = Texts::default();
    interpret_page(page, &mut context, &mut seen);
    seen.0
}

#[derive(Default)]
struct Texts(Vec<([f64; 6], String)>);

impl<'a> Device<'a> for Texts {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        // As wide as the way to the next glyph, so that readers see no gaps between the letters of a word.
        let mut stretch = 0.5;
        for (index, glyph) in run.glyphs().iter().enumerate() {
            let place = (props.transform * glyph.transform() * Affine::scale(1000.0)).as_coeffs();
            if let Some(next) = run.glyphs().get(index + 1) {
                let there = (props.transform * next.transform()).as_coeffs();
                let way =
                    (there[4] - place[4]).hypot(there[5] - place[5]) / place[0].hypot(place[1]).max(1e-9);
                if (0.05..5.0).contains(&way) {
                    stretch = way;
                }
            }
            let Some(text) = glyph.as_unicode().map(text_of) else { continue };
            let sane = place.iter().all(|part| part.is_finite() && part.abs() < 30_000.0)
                && (place[0] * place[3] - place[1] * place[2]).abs() > 1e-6;
            let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
            let letters = text.encode_utf16().count().max(1);
            let [a, b, c, d, e, f] = place;
            let wide = stretch / letters as f64;
            let place = [a * wide, b * wide, c, d, e, f];
            if sane && !text.is_empty() && self.0.len() < MOST_GLYPHS {
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

/// A font for text that is not painted, which need not be embedded: its codes are UTF-16.
fn invisible_font(document: &mut Document) -> Result<ObjectId, EngineError> {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    for block in (0..=0xFF_u32).collect::<Vec<_>>().chunks(100) {
        let _ = writeln!(map, "{} beginbfrange", block.len());
        for high in block {
            let first = u32::from(*high == 0);
            let _ = writeln!(map, "<{high:02X}{first:02X}> <{high:02X}FD> <{high:02X}{first:02X}>");
        }
        map.push_str("endbfrange\n");
    }
    map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    let map = document.add_object(flate_stream(Dictionary::new(), map.into_bytes())?);
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

/// Makes the page the image with the text. Its boxes, its links and its fields stay; what is painted of other annotations
/// is in the image.
fn put(document: &mut Document, page: ObjectId, shot: Shot, font: ObjectId) -> Result<(), EngineError> {
    let image = document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(shot.width),
            "Height" => i64::from(shot.height), "BitsPerComponent" => 8,
            "ColorSpace" => if shot.gray { "DeviceGray" } else { "DeviceRGB" }, "Filter" => "DCTDecode"
        },
        shot.data,
    ));
    let of = |key: &[u8]| inherited(document, page, key).and_then(|value| rectangle(document, value));
    let media = of(b"MediaBox").unwrap_or([0.0, 0.0, 612.0, 792.0]);
    let [x0, y0, x1, y1] = match of(b"CropBox") {
        Some(crop) => {
            [crop[0].max(media[0]), crop[1].max(media[1]), crop[2].min(media[2]), crop[3].min(media[3])]
        }
        None => media,
    };
    let turn =
        inherited(document, page, b"Rotate").and_then(|turn| turn.as_i64().ok()).unwrap_or(0).rem_euclid(360);
    // The unit square of the image on the page as it is turned when it is shown.
    let (width, height) = (x1 - x0, y1 - y0);
    let [a, b, c, d, e, f] = match turn {
        90 => [0.0, height, -width, 0.0, x1, y0],
        180 => [-width, 0.0, 0.0, -height, x1, y1],
        270 => [0.0, -height, width, 0.0, x0, y1],
        _ => [width, 0.0, 0.0, height, x0, y0],
    };
    let mut content = format!("q {a:.3} {b:.3} {c:.3} {d:.3} {e:.3} {f:.3} cm /Im Do Q\nBT 3 Tr /F 1 Tf\n");
    for ([a, b, c, d, e, f], text) in &shot.texts {
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
