//! The colour operators of a content, written anew.

use crate::EngineError;
use crate::color::{Process, Source, Space};
use crate::content::lexer::{Lexer, Operand};
use lopdf::{Dictionary, Document};

/// The most states that are saved; contents that nest deeper are not known well enough.
const SAVED: usize = 512;

/// The spaces that painting is done in: for areas, and for lines.
#[derive(Clone)]
pub(super) struct Painting {
    now: [Space; 2],
    saved: Vec<[Space; 2]>,
}

impl Painting {
    /// How a page begins: in gray.
    pub(super) fn of_page() -> Self {
        Self { now: [Space::Kept; 2], saved: Vec::new() }
    }

    /// How a form begins: as its caller left it.
    pub(super) fn inherited() -> Self {
        Self { now: [Space::Unknown; 2], saved: Vec::new() }
    }

    fn set(&mut self, lines: bool, space: Space) {
        let [areas, strokes] = &mut self.now;
        *(if lines { strokes } else { areas }) = space;
    }
}

/// What the names of spaces mean in a content.
pub(super) struct Names<'a> {
    pub(super) process: &'a mut Process,
    pub(super) document: &'a Document,
    pub(super) resources: Option<&'a Dictionary>,
}

impl Names<'_> {
    /// The space of a name; that of the old device's own operators without one.
    fn space(&mut self, name: Option<&[u8]>) -> Space {
        self.process.space(self.document, self.resources, name)
    }
}

/// The content with its colours converted; nothing when it is doubtful what a colour is.
///
/// # Errors
/// As [`Process::convert`].
pub(super) fn rewritten(
    content: &[u8],
    painting: &mut Painting,
    names: &mut Names<'_>,
) -> Result<Option<Vec<u8>>, EngineError> {
    let (old_fill, old_stroke): (&[u8], &[u8]) =
        if names.process.old_channels() == 4 { (b"k", b"K") } else { (b"rg", b"RG") };
    let mut out = Vec::with_capacity(content.len());
    let mut copied = 0;
    for operation in Lexer::new(content) {
        let operands = operation.operands.as_slice();
        let lines = operation.operator.first().is_some_and(u8::is_ascii_uppercase);
        let new = match operation.operator {
            b"q" => {
                painting.saved.push(painting.now);
                if painting.saved.len() > SAVED {
                    return Ok(None);
                }
                None
            }
            b"Q" => {
                if let Some(saved) = painting.saved.pop() {
                    painting.now = saved;
                }
                None
            }
            operator if operator == old_fill || operator == old_stroke => {
                painting.set(lines, Space::Kept);
                match names.space(None) {
                    Space::Converted(source) => color(names.process, source, operands, lines)?,
                    _ => None,
                }
            }
            b"g" | b"G" | b"k" | b"K" | b"rg" | b"RG" => {
                painting.set(lines, Space::Kept);
                None
            }
            b"cs" | b"CS" => {
                let Some(name) = operands.last().and_then(Operand::name) else { return Ok(None) };
                let space = names.space(Some(name));
                painting.set(lines, space);
                let operator: &[u8] = if lines { b" CS" } else { b" cs" };
                let converted = matches!(space, Space::Converted(_));
                converted.then(|| [b"/", names.process.space_name(), operator].concat())
            }
            b"sc" | b"scn" | b"SC" | b"SCN" => {
                let [areas, strokes] = painting.now;
                match if lines { strokes } else { areas } {
                    Space::Kept => None,
                    Space::Converted(source) => match color(names.process, source, operands, lines)? {
                        Some(color) => Some(color),
                        None => return Ok(None),
                    },
                    // Where this is a colour of the old device, it would have to be converted; it may be of inks, too.
                    Space::Unknown if operands.len() == names.process.old_channels() => return Ok(None),
                    Space::Unknown => None,
                }
            }
            _ => None,
        };
        if let Some(new) = new {
            out.extend_from_slice(content.get(copied..operation.span.start).unwrap_or_default());
            out.extend_from_slice(&new);
            copied = operation.span.end;
        }
    }
    out.extend_from_slice(content.get(copied..).unwrap_or_default());
    Ok(Some(out))
}

/// The operation that sets a converted colour; nothing unless the operands are a colour of the old device.
fn color(
    process: &Process,
    source: Source,
    operands: &[Operand],
    lines: bool,
) -> Result<Option<Vec<u8>>, EngineError> {
    if operands.len() != process.old_channels() {
        return Ok(None);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let values: Option<Vec<u8>> = operands
        .iter()
        .map(|operand| Some((operand.number()?.clamp(0.0, 1.0) * 255.0).round() as u8))
        .collect();
    let Some(values) = values else { return Ok(None) };
    let mut out = Vec::new();
    for value in process.convert(source, &values)? {
        let text = format!("{:.3}", f64::from(value) / 255.0);
        out.extend_from_slice(text.trim_end_matches('0').trim_end_matches('.').as_bytes());
        out.push(b' ');
    }
    out.extend_from_slice(match (process.channels(), lines) {
        (4, false) => b"k",
        (4, true) => b"K",
        (_, false) => b"rg",
        (_, true) => b"RG",
    });
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::ColorTarget;

    fn converted(content: &str, painting: Painting, target: ColorTarget) -> Option<String> {
        let mut process = Process::to(target).unwrap();
        let document = Document::new();
        let mut names = Names { process: &mut process, document: &document, resources: None };
        let mut painting = painting;
        rewritten(content.as_bytes(), &mut painting, &mut names)
            .unwrap()
            .map(|out| String::from_utf8(out).unwrap())
    }

    #[test]
    fn black_ink_is_black_on_screens_and_back() {
        let rgb = converted("0 0 0 1 k 0 0 0 0 K 0.5 g", Painting::of_page(), ColorTarget::Rgb).unwrap();
        assert_eq!(rgb, "0 0 0 rg 1 1 1 RG 0.5 g");
        let cmyk = converted("1 1 1 RG (1 0 0 rg) Tj", Painting::of_page(), ColorTarget::Cmyk).unwrap();
        assert_eq!(cmyk, "0 0 0 0 K (1 0 0 rg) Tj");
    }

    #[test]
    fn spaces_that_are_set_by_name_are_followed_through_saved_states() {
        let content = "/DeviceCMYK cs q /DeviceGray cs 1 sc Q 0 0 0 1 sc /P scn";
        // A pattern in a space without one means nothing: then nothing is touched.
        assert_eq!(converted(content, Painting::of_page(), ColorTarget::Rgb), None);
        let content = content.trim_end_matches("/P scn");
        let rgb = converted(content, Painting::of_page(), ColorTarget::Rgb).unwrap();
        assert_eq!(rgb, "/DeviceRGB cs q /DeviceGray cs 1 sc Q 0 0 0 rg ");
    }

    #[test]
    fn colours_in_the_space_of_a_caller_are_not_guessed() {
        assert_eq!(converted("0 0 0 1 sc", Painting::inherited(), ColorTarget::Rgb), None);
        assert!(converted("0.5 sc", Painting::inherited(), ColorTarget::Rgb).is_some());
    }
}
