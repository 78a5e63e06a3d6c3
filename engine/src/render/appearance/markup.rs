//! Draws the appearances of markup annotations: highlights, underlines, figures, strokes, notes and free text.

use super::{
    AVERAGE_WIDTH, DefaultAppearance, Drawing, border, color, numbers, rectangle, show_lines, with_font,
};
use crate::document::{number, text};
use kurbo::{Insets, Rect};
use lopdf::{Dictionary, Document, Object, dictionary};

/// The distance between a control point of a Bézier curve that approximates a quarter circle and the nearest end of the
/// curve, in radii.
const QUARTER_CIRCLE: f64 = 0.5523;

/// The maximum number of coordinates of one annotation. Annotations with more coordinates are not drawn.
const MAX_POINTS: usize = 200_000;

pub(super) fn draw(
    document: &Document,
    annotation: &Dictionary,
    subtype: &[u8],
    bounds: Rect,
) -> Option<Drawing> {
    let mut resources = Dictionary::new();
    let shape = match subtype {
        b"Highlight" => highlight(document, annotation)?,
        b"Underline" | b"Squiggly" => lines_along(document, annotation, 0.08)?,
        b"StrikeOut" => lines_along(document, annotation, 0.45)?,
        b"Square" => figure(document, annotation, bounds, rectangle)?,
        b"Circle" => figure(document, annotation, bounds, ellipse)?,
        b"Line" => strokes(document, annotation, &[numbers(document, annotation, b"L")?], false)?,
        b"PolyLine" => strokes(document, annotation, &[numbers(document, annotation, b"Vertices")?], false)?,
        b"Polygon" => strokes(document, annotation, &[numbers(document, annotation, b"Vertices")?], true)?,
        b"Ink" => strokes(document, annotation, &ink(document, annotation)?, false)?,
        b"Text" => note(bounds),
        b"FreeText" => {
            let (content, of_text) = free_text(document, annotation, bounds)?;
            resources = of_text;
            content
        }
        _ => return None,
    };
    let opacity = annotation.get(b"CA").ok().and_then(|value| number(document, value)).unwrap_or(1.0) as f32;
    let blend = if subtype == b"Highlight" { "Multiply" } else { "Normal" };
    let state = dictionary! { "CA" => opacity, "ca" => opacity, "BM" => blend };
    resources.set("ExtGState", dictionary! { "Look" => state });
    Some(Drawing { content: format!("q /Look gs {shape} Q\n").into_bytes(), resources })
}

/// The quadrilaterals of the marked text. Each is given by the coordinates of its corners in this order: upper left,
/// upper right, lower left, lower right.
fn quads(document: &Document, annotation: &Dictionary) -> Option<Vec<[f64; 8]>> {
    let points = numbers(document, annotation, b"QuadPoints")?;
    (points.len() <= MAX_POINTS).then(|| points.as_chunks::<8>().0.to_vec())
}

fn highlight(document: &Document, annotation: &Dictionary) -> Option<String> {
    let mut content = color(document, annotation, b"C", false).unwrap_or_else(|| "1 1 0 rg ".to_owned());
    for [x1, y1, x2, y2, x3, y3, x4, y4] in quads(document, annotation)? {
        content.push_str(&format!(
            "{x1:.2} {y1:.2} m {x2:.2} {y2:.2} l {x4:.2} {y4:.2} l {x3:.2} {y3:.2} l h f\n"
        ));
    }
    Some(content)
}

/// Draws a line along each quadrilateral. `share` is the height of the line above the lower edge, as a fraction of the
/// quadrilateral's height.
fn lines_along(document: &Document, annotation: &Dictionary, share: f64) -> Option<String> {
    let mut content = color(document, annotation, b"C", true).unwrap_or_else(|| "0 G ".to_owned());
    content.push_str("1 w\n");
    for [x1, y1, x2, y2, x3, y3, x4, y4] in quads(document, annotation)? {
        let between = |low: f64, high: f64| low + (high - low) * share;
        let (ax, ay, bx, by) = (between(x3, x1), between(y3, y1), between(x4, x2), between(y4, y2));
        content.push_str(&format!("{ax:.2} {ay:.2} m {bx:.2} {by:.2} l S\n"));
    }
    Some(content)
}

/// The operations that set the colours and the line style of a figure, the operator that paints the figure, and the
/// line width. `None` if the figure would be invisible.
fn painting(
    document: &Document,
    annotation: &Dictionary,
    closed: bool,
) -> Option<(String, &'static str, f64)> {
    let (width, dashes) = border(document, annotation);
    let line = color(document, annotation, b"C", true).filter(|_| width > 0.0);
    let background = color(document, annotation, b"IC", false).filter(|_| closed);
    let operator = match (&line, &background) {
        (Some(_), Some(_)) => "B",
        (Some(_), None) => "S",
        (None, Some(_)) => "f",
        (None, None) => return None,
    };
    Some((
        format!("{}{}{dashes}{width:.2} w\n", line.unwrap_or_default(), background.unwrap_or_default()),
        operator,
        width,
    ))
}

fn figure(
    document: &Document,
    annotation: &Dictionary,
    bounds: Rect,
    path: fn(Rect) -> String,
) -> Option<String> {
    let (setting, operator, width) = painting(document, annotation, true)?;
    let differences = numbers(document, annotation, b"RD").unwrap_or_default();
    let [left, bottom, right, top] = <[f64; 4]>::try_from(differences).unwrap_or_default();
    let inner = bounds.inset(Insets::new(-left, -bottom, -right, -top)).inset(-width / 2.0);
    Some(format!("{setting}{}{operator}", path(inner)))
}

fn ellipse(bounds: Rect) -> String {
    let (center, radii) = (bounds.center(), bounds.size() * 0.5);
    let point =
        |x: f64, y: f64| format!("{:.2} {:.2} ", center.x + x * radii.width, center.y + y * radii.height);
    let quarter = |(ax, ay): (f64, f64), (bx, by): (f64, f64)| {
        format!(
            "{}{}{}c ",
            point(ax + bx * QUARTER_CIRCLE, ay + by * QUARTER_CIRCLE),
            point(bx + ax * QUARTER_CIRCLE, by + ay * QUARTER_CIRCLE),
            point(bx, by)
        )
    };
    let ends = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];
    let quarters: String =
        ends.windows(2).filter_map(|pair| Some(quarter(*pair.first()?, *pair.last()?))).collect();
    format!("{}m {quarters}h ", point(1.0, 0.0))
}

fn ink(document: &Document, annotation: &Dictionary) -> Option<Vec<Vec<f64>>> {
    let strokes = annotation.get_deref(b"InkList", document).and_then(Object::as_array).ok()?;
    let points = |stroke: &Object| {
        let stroke = crate::document::resolved(document, stroke)?.as_array().ok()?;
        stroke.iter().map(|value| number(document, value)).collect()
    };
    strokes.iter().map(points).collect()
}

fn strokes(document: &Document, annotation: &Dictionary, lines: &[Vec<f64>], closed: bool) -> Option<String> {
    let (mut content, operator, _) = painting(document, annotation, closed)?;
    if lines.iter().map(Vec::len).sum::<usize>() > MAX_POINTS {
        return None;
    }
    for line in lines {
        for (at, [x, y]) in line.as_chunks::<2>().0.iter().enumerate() {
            content.push_str(&format!("{x:.2} {y:.2} {} ", if at == 0 { "m" } else { "l" }));
        }
        content.push_str(if closed { "h " } else { "" });
        content.push_str(&format!("{operator}\n"));
    }
    Some(content)
}

/// The icon of a text annotation: a note with lines, in the lower left corner of the annotation's rectangle. The
/// standard does not define how the icon looks; most viewers draw a similar one.
fn note(bounds: Rect) -> String {
    const SIDE: f64 = 20.0;
    const TIP: f64 = 4.0;
    let Rect { x0, y0, .. } = bounds;
    let (left, right, top, bottom) = (x0 + 0.5, x0 + SIDE - 0.5, y0 + SIDE - 0.5, y0 + TIP + 0.5);
    let mut content = format!(
        "1 1 0 rg 0 G 1 w {left:.2} {bottom:.2} m {left:.2} {top:.2} l {right:.2} {top:.2} l {right:.2} {bottom:.2} l \
         {:.2} {bottom:.2} l {:.2} {:.2} l {:.2} {bottom:.2} l b\n",
        left + 2.0 * TIP,
        left + 1.5 * TIP,
        bottom - TIP,
        left + TIP,
    );
    for line in 1..=3 {
        let y = top - (top - bottom) / 4.0 * f64::from(line);
        content.push_str(&format!("{:.2} {y:.2} m {:.2} {y:.2} l S\n", left + TIP / 2.0, right - TIP / 2.0));
    }
    content
}

fn free_text(document: &Document, annotation: &Dictionary, bounds: Rect) -> Option<(String, Dictionary)> {
    let text = text(annotation.get_deref(b"Contents", document).and_then(Object::as_str).ok()?);
    let default = annotation.get_deref(b"DA", document).and_then(Object::as_str).unwrap_or_default();
    let default = DefaultAppearance::read(default);
    let (width, dashes) = border(document, annotation);
    let mut content = String::new();
    if let Some(background) = color(document, annotation, b"C", false) {
        content.push_str(&format!("{background}{}f\n", rectangle(bounds)));
    }
    if width > 0.0 {
        let line = rectangle(bounds.inset(-width / 2.0));
        let color = default.color.replace(" rg", " RG").replace(" g", " G").replace(" k", " K");
        content.push_str(&format!("{color}{dashes}{width:.2} w {line}S\n"));
    }
    // 10 is the font size that viewers use if the annotation gives no font size.
    let size = if default.size > 0.0 { default.size } else { 10.0 };
    let font = String::from_utf8_lossy(&default.font).into_owned();
    content.push_str(&format!("BT {}/{font} {size:.2} Tf\n", default.color));
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let rows = text.split('\n').take(2000).zip(1..);
    let quadding = annotation.get_deref(b"Q", document).and_then(Object::as_i64).unwrap_or(0);
    let start = |line: &str| {
        let length = line.chars().count() as f64 * size * AVERAGE_WIDTH;
        match quadding {
            1 => bounds.center().x - length / 2.0,
            2 => bounds.x1 - width - 2.0 - length,
            _ => bounds.x0 + width + 2.0,
        }
    };
    let lines: Vec<(f64, f64, String)> = rows
        .map(|(line, row)| (start(line), bounds.y1 - width - size * f64::from(row), line.to_owned()))
        .collect();
    let outlines = show_lines(&mut content, &lines, size);
    content.push_str(&format!("ET\n{outlines}"));
    Some((content, with_font(document, None, &default.font)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_has_four_quarters_within_its_box() {
        let path = ellipse(Rect::new(0.0, 0.0, 20.0, 10.0));
        assert_eq!(path.matches('c').count(), 4);
        assert!(path.starts_with("20.00 5.00 m ") && path.contains("10.00 10.00 c"), "{path}");
    }
}
