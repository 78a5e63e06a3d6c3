//! Adds appearances to annotations and form fields that have no appearance. hayro paints only existing appearances, but
//! viewers draw missing appearances themselves.
//!
//! Each added appearance is a form XObject in the coordinates of the page. The bounding box of the form is the
//! annotation's rectangle, so that the form is shown without a transformation.

mod field;
mod markup;

use crate::document::{inherited, pages};
use crate::font::{Face, Style};
use crate::{EngineError, Job};
use kurbo::{Affine, PathEl, Point, Rect};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use recto_interface::options::FontFamily;

/// The average width of a letter, in ems. It is small, because most fonts in forms are narrow sans-serif typefaces.
const AVERAGE_WIDTH: f64 = 0.5;

/// The appearance of an annotation: the operators that draw it, and the resources that these operators use.
struct Drawing {
    content: Vec<u8>,
    resources: Dictionary,
}

/// Adds an appearance to every visible annotation that has no appearance. Returns whether an appearance was added.
///
/// # Errors
/// The errors of [`Job::proceed`].
pub(crate) fn complete(document: &mut Document, job: &Job) -> Result<bool, EngineError> {
    let mut added: Vec<(ObjectId, Stream)> = Vec::new();
    for page in pages(document, job.limits())? {
        job.proceed()?;
        let Some(Object::Array(annotations)) = inherited(document, page, b"Annots") else { continue };
        for id in annotations.iter().filter_map(|annotation| annotation.as_reference().ok()) {
            if let Ok(annotation) = document.get_dictionary(id)
                && let Some(form) = appearance(document, annotation)
            {
                added.push((id, form));
            }
        }
    }
    let any = !added.is_empty();
    for (id, form) in added {
        let form = document.add_object(form);
        if let Ok(annotation) = document.get_dictionary_mut(id) {
            annotation.set("AP", dictionary! { "N" => form });
        }
    }
    Ok(any)
}

fn appearance(document: &Document, annotation: &Dictionary) -> Option<Stream> {
    const HIDDEN: i64 = 2;
    const NO_VIEW: i64 = 32;
    let has_one = annotation
        .get_deref(b"AP", document)
        .and_then(Object::as_dict)
        .and_then(|states| states.get_deref(b"N", document))
        .is_ok_and(|normal| !normal.is_null());
    let subtype = annotation.get_deref(b"Subtype", document).and_then(Object::as_name).ok()?;
    let is_outdated = subtype == b"Widget" && field::needs_appearances(document);
    let flags = annotation.get_deref(b"F", document).and_then(Object::as_i64).unwrap_or(0);
    if has_one && !is_outdated || flags & (HIDDEN | NO_VIEW) != 0 {
        return None;
    }
    let bounds = crate::document::rectangle(document, annotation.get(b"Rect").ok()?)?;
    let drawing = match subtype {
        b"Widget" => field::draw(document, annotation, bounds),
        other => markup::draw(document, annotation, other, bounds),
    }?;
    let [x0, y0, x1, y1] = [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(|side| Object::Real(side as f32));
    Some(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![x0, y0, x1, y1],
            "Resources" => drawing.resources
        },
        drawing.content,
    ))
}

/// The operation that adds a rectangle to the path.
fn rectangle(rect: Rect) -> String {
    format!("{:.2} {:.2} {:.2} {:.2} re ", rect.x0, rect.y0, rect.width(), rect.height())
}

/// The numbers in the array that a dictionary has under `key`.
fn numbers(document: &Document, dict: &Dictionary, key: &[u8]) -> Option<Vec<f64>> {
    let items = dict.get_deref(key, document).and_then(Object::as_array).ok()?;
    items.iter().map(|item| crate::document::number(document, item)).collect()
}

/// The operation that sets the colour in the array `key` for filling, or for lines if `stroking` is true. `None` if the
/// colour does not have 1, 3 or 4 components.
fn color(document: &Document, dict: &Dictionary, key: &[u8], stroking: bool) -> Option<String> {
    let parts = numbers(document, dict, key)?;
    let operator = match (parts.len(), stroking) {
        (1, false) => "g",
        (3, false) => "rg",
        (4, false) => "k",
        (1, true) => "G",
        (3, true) => "RG",
        (4, true) => "K",
        _ => return None,
    };
    let parts: Vec<String> = parts.iter().map(|part| format!("{:.4}", part.clamp(0.0, 1.0))).collect();
    Some(format!("{} {operator} ", parts.join(" ")))
}

/// The width of an annotation's border, and the operation that sets the dashes of the border.
fn border(document: &Document, annotation: &Dictionary) -> (f64, String) {
    let number_of = |value: &Object| crate::document::number(document, value);
    let style = annotation.get_deref(b"BS", document).and_then(Object::as_dict).ok();
    let old = numbers(document, annotation, b"Border").and_then(|border| border.get(2).copied());
    let width = style.and_then(|style| number_of(style.get(b"W").ok()?)).or(old).unwrap_or(1.0);
    let is_dashed =
        style.is_some_and(|style| style.get(b"S").and_then(Object::as_name).is_ok_and(|s| s == b"D"));
    let dashes = style.filter(|_| is_dashed).map(|style| numbers(document, style, b"D").unwrap_or(vec![3.0]));
    let sane = |dashes: &Vec<f64>| dashes.iter().all(|dash| *dash > 0.1) && dashes.len() < 10;
    let operator = dashes.filter(sane).map_or_else(String::new, |dashes| {
        let dashes: Vec<String> = dashes.iter().map(|dash| format!("{dash:.2}")).collect();
        format!("[{}] 0 d ", dashes.join(" "))
    });
    (width.clamp(0.0, 100.0), operator)
}

/// Shows lines of text in the font of a default appearance (`DA`). Each line starts at the point given with the line. A
/// line with non-Latin letters is drawn as outlines of a typeface of this crate, because the codes of such letters in
/// the font are unknown. Returns the operations that draw the outlines; the caller adds them after the text object.
fn show_lines(content: &mut String, lines: &[(f64, f64, String)], size: f64) -> String {
    let mut outlines = String::new();
    for (x, y, line) in lines {
        let codes: Option<Vec<u8>> = line.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
        if let Some(codes) = codes {
            let hex: String = codes.iter().map(|byte| format!("{byte:02x}")).collect();
            content.push_str(&format!("1 0 0 1 {x:.2} {y:.2} Tm <{hex}> Tj\n"));
        } else {
            outline(&mut outlines, (*x, *y), line, size);
        }
    }
    outlines
}

/// Draws the letters of a line as filled paths. Where the typeface lacks a letter, there is a gap.
fn outline(content: &mut String, (x, y): (f64, f64), line: &str, size: f64) {
    let style = Style { family: FontFamily::Sans, bold: false, italic: false };
    let Ok(face) = Face::of(style) else { return };
    let mut pen = x;
    for letter in line.chars() {
        let Some(glyph) = face.glyph(letter) else {
            pen += size * AVERAGE_WIDTH;
            continue;
        };
        let place = Affine::translate((pen, y)) * Affine::scale(size);
        let mut last = Point::ZERO;
        for element in (place * face.outline(glyph)).elements() {
            let operation = match *element {
                PathEl::MoveTo(to) | PathEl::LineTo(to) => {
                    let operator = if matches!(element, PathEl::MoveTo(_)) { "m" } else { "l" };
                    last = to;
                    format!("{:.3} {:.3} {operator} ", to.x, to.y)
                }
                PathEl::QuadTo(by, to) => {
                    let (a, b) = (last.lerp(by, 2.0 / 3.0), to.lerp(by, 2.0 / 3.0));
                    last = to;
                    format!("{:.3} {:.3} {:.3} {:.3} {:.3} {:.3} c ", a.x, a.y, b.x, b.y, to.x, to.y)
                }
                PathEl::CurveTo(a, b, to) => {
                    last = to;
                    format!("{:.3} {:.3} {:.3} {:.3} {:.3} {:.3} c ", a.x, a.y, b.x, b.y, to.x, to.y)
                }
                PathEl::ClosePath => "h ".to_owned(),
            };
            content.push_str(&operation);
        }
        content.push_str("f\n");
        pen += size * face.advance(glyph);
    }
}

/// A default appearance (`DA`): the operation that sets the colour, the name of the font, and the font size.
struct DefaultAppearance {
    color: String,
    font: Vec<u8>,
    size: f64,
}

impl DefaultAppearance {
    fn read(operators: &[u8]) -> Self {
        let text: String = operators.iter().map(|byte| char::from(*byte)).collect();
        let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
        let at = tokens.iter().position(|token| *token == "Tf");
        let before = |back: usize| at.and_then(|at| tokens.get(at.checked_sub(back)?)).copied();
        let size = before(1).and_then(|size| size.parse().ok()).unwrap_or(0.0);
        let font = before(2).and_then(|name| name.strip_prefix('/')).unwrap_or("Helv");
        // If there are several operators that set the colour, the last one applies.
        let setter = tokens.iter().rposition(|token| matches!(*token, "g" | "rg" | "k"));
        let color = setter.and_then(|at| {
            let count = match tokens.get(at).copied() {
                Some("g") => 1,
                Some("rg") => 3,
                _ => 4,
            };
            let parts = tokens.get(at.checked_sub(count)?..at)?;
            let good = parts.iter().all(|part| part.parse::<f64>().is_ok_and(f64::is_finite));
            good.then(|| format!("{} {} ", parts.join(" "), tokens.get(at).copied().unwrap_or("g")))
        });
        let font = font.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect();
        Self { color: color.unwrap_or_else(|| "0 g ".to_owned()), font, size: f64::clamp(size, 0.0, 500.0) }
    }
}

/// Adds Helvetica under this name to the resources, if they have no font of this name.
fn with_font(document: &Document, resources: Option<&Dictionary>, name: &[u8]) -> Dictionary {
    let mut resources = resources.cloned().unwrap_or_default();
    let mut fonts =
        resources.get_deref(b"Font", document).and_then(Object::as_dict).cloned().unwrap_or_default();
    if !fonts.has(name) {
        let helvetica = dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding"
        };
        fonts.set(name.to_vec(), helvetica);
    }
    resources.set("Font", fonts);
    resources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_the_font_of_a_field_has_no_code_for_are_drawn() {
        let mut content = String::new();
        let lines = [(1.0, 2.0, "Zoë".to_owned()), (3.0, 4.0, "Дж".to_owned())];
        let outlines = show_lines(&mut content, &lines, 10.0);
        assert_eq!(content, "1 0 0 1 1.00 2.00 Tm <5a6feb> Tj\n");
        assert!(outlines.matches("f\n").count() == 2 && outlines.contains(" m "), "{outlines}");
    }
}
