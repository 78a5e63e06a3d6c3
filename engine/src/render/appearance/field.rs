//! Draws the appearances of text fields, choice fields and push buttons.

use super::{AVERAGE_WIDTH, DefaultAppearance, Drawing, border, color, rectangle, show_lines, with_font};
use crate::document::{number, resolved, text};
use kurbo::Rect;
use lopdf::{Dictionary, Document, Object};

const MULTILINE: i64 = 1 << 12;
const PASSWORD: i64 = 1 << 13;
const PUSH_BUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;
const COMB: i64 = 1 << 24;

const LEADING: f64 = 1.15;
/// The operation that sets the background colour of a selected choice. The text of a selected choice is white.
const SELECTED: &str = "0 0.2 0.443 rg";

/// Whether the document requests that viewers draw new appearances for its fields (`NeedAppearances`).
pub(super) fn needs_appearances(document: &Document) -> bool {
    let form = document.catalog().and_then(|root| root.get_deref(b"AcroForm", document));
    let needed = form.and_then(Object::as_dict).and_then(|form| form.get_deref(b"NeedAppearances", document));
    needed.and_then(Object::as_bool).unwrap_or(false)
}

/// Draws a text field, a choice field or a push button. `None` for any other field, because check boxes and signatures
/// have no default appearance.
pub(super) fn draw(document: &Document, widget: &Dictionary, bounds: Rect) -> Option<Drawing> {
    let root = document.catalog().ok()?;
    let form = root.get_deref(b"AcroForm", document).and_then(Object::as_dict).ok();
    let kind = of_field(document, widget, b"FT").and_then(|kind| kind.as_name().ok())?;
    let flags = of_field(document, widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
    let lines = match kind {
        b"Tx" if flags & PASSWORD == 0 => value(document, widget, flags & MULTILINE != 0),
        b"Ch" if flags & COMBO != 0 => value(document, widget, false),
        b"Ch" => Vec::new(),
        b"Btn" if flags & PUSH_BUTTON != 0 => caption(document, widget)?,
        _ => return None,
    };
    let choices = if kind == b"Ch" && flags & COMBO == 0 { options(document, widget) } else { Vec::new() };
    let own = of_field(document, widget, b"DA").or_else(|| form?.get_deref(b"DA", document).ok());
    let default = DefaultAppearance::read(own.and_then(|da| da.as_str().ok()).unwrap_or_default());
    let mut content = frame(document, widget, bounds);
    let Rect { x0, y0, x1, y1 } = bounds;
    let (width, height) = (bounds.width(), bounds.height());
    let is_multiline = lines.len() > 1 || flags & MULTILINE != 0 && kind == b"Tx" || !choices.is_empty();
    let size = match default.size {
        0.0 if is_multiline => 12.0,
        0.0 => (height * 0.66).clamp(4.0, 12.0),
        size => size,
    };
    let (line_width, _) = border(document, widget);
    let inset = 2.0 * line_width.max(1.0);
    let face = form.and_then(|form| font_of(document, form, &default.font));
    let length = |line: &str| line.chars().map(|c| width_of(document, face, c)).sum::<f64>() * size;
    let quadding = of_field(document, widget, b"Q").or_else(|| form?.get_deref(b"Q", document).ok());
    let quadding = if kind == b"Btn" { 1 } else { quadding.and_then(|q| q.as_i64().ok()).unwrap_or(0) };
    let start = |line: &str| match quadding {
        1 => x0 + (width - length(line)) / 2.0,
        2 => x1 - inset - length(line),
        _ => x0 + inset,
    };
    let baseline = |row: usize| y1 - inset - size * (LEADING * row as f64 - 0.25);
    let shown = (height / size).ceil().clamp(1.0, 2000.0) as usize;
    let placed: Vec<(f64, f64, String)> = if flags & COMB != 0 && kind == b"Tx" && !is_multiline {
        let cells = of_field(document, widget, b"MaxLen").and_then(|most| most.as_i64().ok()).unwrap_or(0);
        let cell = width / (cells.clamp(1, 1000) as f64);
        let letters = lines.first().map(String::as_str).unwrap_or_default().chars().enumerate();
        letters
            .map(|(at, c)| {
                (x0 + cell * (at as f64 + 0.5) - size * 0.25, y0 + (height - size * 0.7) / 2.0, c.into())
            })
            .collect()
    } else if is_multiline {
        let wrapped =
            lines.iter().flat_map(|line| wrap(line, (width - 2.0 * inset) / (size * AVERAGE_WIDTH)));
        wrapped.take(shown).zip(1..).map(|(line, row)| (start(&line), baseline(row), line)).collect()
    } else {
        lines.into_iter().map(|line| (start(&line), y0 + (height - size * 0.7) / 2.0, line)).collect()
    };
    content.push_str(&format!("/Tx BMC q {x0:.2} {y0:.2} {width:.2} {height:.2} re W n\n"));
    let font = String::from_utf8_lossy(&default.font).into_owned();
    let mut text = |setting: &str, lines: &[(f64, f64, String)]| {
        content.push_str(&format!("{setting} BT /{font} {size:.2} Tf\n"));
        let outlines = show_lines(&mut content, lines, size);
        content.push_str(&format!("ET\n{outlines}"));
    };
    text(&default.color, &placed);
    for (choice, row) in choices.into_iter().take(shown).zip(1..) {
        let (y, high) = (baseline(row) - size * 0.25, size * LEADING);
        let background = format!(
            "{SELECTED} {:.2} {y:.2} {:.2} {high:.2} re f 1 g ",
            x0 + line_width,
            width - 2.0 * line_width
        );
        let line = [(start(&choice.text), baseline(row), choice.text)];
        text(if choice.selected { &background } else { &default.color }, &line);
    }
    content.push_str("Q EMC\n");
    let resources = form.and_then(|form| form.get_deref(b"DR", document).and_then(Object::as_dict).ok());
    Some(Drawing { content: content.into_bytes(), resources: with_font(document, resources, &default.font) })
}

/// Draws the background and the border of a field.
fn frame(document: &Document, widget: &Dictionary, bounds: Rect) -> String {
    let mut content = String::new();
    let Ok(characteristics) = widget.get_deref(b"MK", document).and_then(Object::as_dict) else {
        return content;
    };
    if let Some(background) = color(document, characteristics, b"BG", false) {
        content.push_str(&format!("q {background}{}f Q\n", rectangle(bounds)));
    }
    let (width, dashes) = border(document, widget);
    if let Some(line) = color(document, characteristics, b"BC", true).filter(|_| width > 0.0) {
        let middle = rectangle(bounds.inset(-width / 2.0));
        content.push_str(&format!("q {line}{dashes}{width:.2} w {middle}S Q\n"));
    }
    content
}

/// The value of a field's attribute: the field's own value, or the value that the field inherits from a parent field.
fn of_field<'a>(document: &'a Document, widget: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let mut node = widget;
    for _ in 0..32 {
        if let Ok(value) = node.get_deref(key, document)
            && !value.is_null()
        {
            return Some(value);
        }
        node = node.get_deref(b"Parent", document).and_then(Object::as_dict).ok()?;
    }
    None
}

fn value(document: &Document, widget: &Dictionary, multiline: bool) -> Vec<String> {
    let text = match of_field(document, widget, b"V") {
        Some(Object::String(bytes, _)) => text(bytes),
        Some(Object::Name(name)) => text(name),
        Some(Object::Integer(number)) => number.to_string(),
        _ => return Vec::new(),
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if multiline { text.split('\n').map(str::to_owned).collect() } else { vec![text.replace('\n', " ")] }
}

/// The font with this name in the default resources (`DR`) of the form.
fn font_of<'a>(document: &'a Document, form: &'a Dictionary, name: &[u8]) -> Option<&'a Dictionary> {
    let resources = form.get_deref(b"DR", document).and_then(Object::as_dict).ok()?;
    let fonts = resources.get_deref(b"Font", document).and_then(Object::as_dict).ok()?;
    fonts.get_deref(name, document).and_then(Object::as_dict).ok()
}

/// The width of a letter in ems, from the font's `Widths`. If there is no such entry, the width is estimated.
fn width_of(document: &Document, font: Option<&Dictionary>, letter: char) -> f64 {
    let from_widths = |font: &Dictionary| {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).ok()?;
        let widths = font.get_deref(b"Widths", document).and_then(Object::as_array).ok()?;
        let at = i64::from(u32::from(letter)).checked_sub(first)?;
        Some(number(document, widths.get(usize::try_from(at).ok()?)?)? / 1000.0)
    };
    let of_courier = |font: &Dictionary| {
        let name = font.get(b"BaseFont").and_then(Object::as_name).ok()?;
        name.windows(7).any(|part| part == b"Courier").then_some(0.6)
    };
    font.and_then(|font| from_widths(font).or_else(|| of_courier(font))).unwrap_or(AVERAGE_WIDTH)
}

/// The lines of a button's caption. `None` if the button has no appearance characteristics (`MK`).
fn caption(document: &Document, widget: &Dictionary) -> Option<Vec<String>> {
    let characteristics = widget.get_deref(b"MK", document).and_then(Object::as_dict).ok()?;
    let caption = characteristics.get_deref(b"CA", document).and_then(Object::as_str).map(text);
    Some(caption.into_iter().collect())
}

/// A choice of a list box.
struct Choice {
    text: String,
    selected: bool,
}

/// The choices of a list box, from the first visible choice (`TI`) on.
fn options(document: &Document, widget: &Dictionary) -> Vec<Choice> {
    let Some(Object::Array(options)) = of_field(document, widget, b"Opt") else { return Vec::new() };
    let top = of_field(document, widget, b"TI").and_then(|top| number(document, top)).unwrap_or(0.0);
    let text = |object: &Object| Some(text(resolved(document, object)?.as_str().ok()?));
    let values: Vec<String> = match of_field(document, widget, b"V") {
        Some(Object::Array(values)) => values.iter().filter_map(text).collect(),
        Some(value) => text(value).into_iter().collect(),
        None => Vec::new(),
    };
    let choice = |option: &Object| {
        let (value, shown) = match resolved(document, option)? {
            // This is the export value and the text that the user sees.
            Object::Array(pair) => (text(pair.first()?)?, text(pair.get(1)?)?),
            one => (text(one)?, text(one)?),
        };
        Some(Choice { selected: values.contains(&value), text: shown })
    };
    options.iter().skip(top.clamp(0.0, 1e6) as usize).take(500).filter_map(choice).collect()
}

/// Wraps a line at spaces into rows of at most `most` letters. A word with more letters is not broken.
fn wrap(line: &str, most: f64) -> Vec<String> {
    let most = most.clamp(1.0, 10_000.0) as usize;
    let mut rows = vec![String::new()];
    for word in line.split(' ') {
        let used = rows.last().map_or(0, |row| row.chars().count());
        if used > 0 && used + 1 + word.chars().count() > most {
            rows.push(String::new());
        }
        if let Some(row) = rows.last_mut() {
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    #[test]
    fn selected_choices_have_a_background_and_the_form_sets_the_alignment() {
        let mut document = Document::new();
        let form = dictionary! { "DA" => Object::string_literal("/F 10 Tf 0 g"), "Q" => 2 };
        let root = document.add_object(dictionary! { "Type" => "Catalog", "AcroForm" => form });
        document.trailer.set("Root", root);
        let text = Object::string_literal;
        let choices = vec![text("five"), Object::Array(vec![text("6"), text("six")])];
        let list = dictionary! { "FT" => "Ch", "Opt" => choices, "V" => text("6") };
        let drawn = draw(&document, &list, Rect::new(0.0, 0.0, 100.0, 50.0)).unwrap();
        let content = String::from_utf8(drawn.content).unwrap();
        let (five, six) = (content.find("<66697665> Tj").unwrap(), content.find("<736978> Tj").unwrap());
        assert!(content.matches(SELECTED).count() == 1);
        assert!((five..six).contains(&content.find(SELECTED).unwrap()), "{content}");
        // The text has three letters, each half an em wide, and ends two units from the right edge.
        assert!(content.contains("1 0 0 1 83.00 "), "{content}");
    }

    #[test]
    fn lines_are_wrapped_at_spaces() {
        assert_eq!(wrap("one two three", 7.0), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible", 3.0), ["incomprehensible"]);
        assert_eq!(wrap("", 3.0), [""]);
    }
}
