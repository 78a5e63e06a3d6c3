//! Rewrites the colour operators of a content stream.

use crate::EngineError;
use crate::color::{ColorConversion, SourceSpace, Space};
use crate::content::lexer::{Lexer, Operand};
use lopdf::{Dictionary, Document};

/// The maximum number of saved graphics states. Content that nests them deeper is not converted.
const MAX_SAVED: usize = 512;

/// The current colour space for filling and the current colour space for stroking.
#[derive(Clone)]
pub(super) struct CurrentSpaces {
    current: [Space; 2],
    saved: Vec<[Space; 2]>,
}

impl CurrentSpaces {
    /// The colour spaces at the beginning of a page: gray, which is not converted.
    pub(super) fn of_page() -> Self {
        Self { current: [Space::Kept; 2], saved: Vec::new() }
    }

    /// The colour spaces at the beginning of a form: unknown, because a form inherits them from the content that draws
    /// the form.
    pub(super) fn inherited() -> Self {
        Self { current: [Space::Unknown; 2], saved: Vec::new() }
    }

    fn set(&mut self, stroking: bool, space: Space) {
        let [fill, stroke] = &mut self.current;
        *(if stroking { stroke } else { fill }) = space;
    }
}

/// Looks up the colour spaces of a content stream by their names.
pub(super) struct SpaceLookup<'a> {
    pub(super) conversion: &'a mut ColorConversion,
    pub(super) document: &'a Document,
    pub(super) resources: Option<&'a Dictionary>,
}

impl SpaceLookup<'_> {
    /// How the colour space with this name is treated. Without a name: how the colour space of the device operators
    /// (`rg` or `k`) is treated.
    fn space(&mut self, name: Option<&[u8]>) -> Space {
        self.conversion.space(self.document, self.resources, name)
    }
}

/// The content with converted colours. `None` if the colour space of one of its colours is uncertain.
///
/// # Errors
/// The errors of [`ColorConversion::convert`].
pub(super) fn with_converted_colors(
    content: &[u8],
    spaces: &mut CurrentSpaces,
    lookup: &mut SpaceLookup<'_>,
) -> Result<Option<Vec<u8>>, EngineError> {
    let (old_fill, old_stroke): (&[u8], &[u8]) =
        if lookup.conversion.source_channels() == 4 { (b"k", b"K") } else { (b"rg", b"RG") };
    let mut out = Vec::with_capacity(content.len());
    let mut copied = 0;
    for operation in Lexer::new(content) {
        let operands = operation.operands.as_slice();
        let stroking = operation.operator.first().is_some_and(u8::is_ascii_uppercase);
        let new = match operation.operator {
            b"q" => {
                spaces.saved.push(spaces.current);
                if spaces.saved.len() > MAX_SAVED {
                    return Ok(None);
                }
                None
            }
            b"Q" => {
                if let Some(saved) = spaces.saved.pop() {
                    spaces.current = saved;
                }
                None
            }
            operator if operator == old_fill || operator == old_stroke => {
                spaces.set(stroking, Space::Kept);
                match lookup.space(None) {
                    Space::Converted(source) => {
                        converted_operation(lookup.conversion, source, operands, stroking)?
                    }
                    _ => None,
                }
            }
            b"g" | b"G" | b"k" | b"K" | b"rg" | b"RG" => {
                spaces.set(stroking, Space::Kept);
                None
            }
            b"cs" | b"CS" => {
                let Some(name) = operands.last().and_then(Operand::name) else { return Ok(None) };
                let space = lookup.space(Some(name));
                spaces.set(stroking, space);
                let operator: &[u8] = if stroking { b" CS" } else { b" cs" };
                let converted = matches!(space, Space::Converted(_));
                converted.then(|| [b"/", lookup.conversion.target_space_name(), operator].concat())
            }
            b"sc" | b"scn" | b"SC" | b"SCN" => {
                let [fill, stroke] = spaces.current;
                match if stroking { stroke } else { fill } {
                    Space::Kept => None,
                    Space::Converted(source) => {
                        match converted_operation(lookup.conversion, source, operands, stroking)? {
                            Some(color) => Some(color),
                            None => return Ok(None),
                        }
                    }
                    // It is uncertain whether this colour must be converted.
                    Space::Unknown if operands.len() == lookup.conversion.source_channels() => {
                        return Ok(None);
                    }
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

/// The operation that sets the converted colour. `None` if the operands are not a colour of the source space.
fn converted_operation(
    conversion: &ColorConversion,
    source: SourceSpace,
    operands: &[Operand],
    stroking: bool,
) -> Result<Option<Vec<u8>>, EngineError> {
    if operands.len() != conversion.source_channels() {
        return Ok(None);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let values: Option<Vec<u8>> = operands
        .iter()
        .map(|operand| Some((operand.number()?.clamp(0.0, 1.0) * 255.0).round() as u8))
        .collect();
    let Some(values) = values else { return Ok(None) };
    let mut out = Vec::new();
    for value in conversion.convert(source, &values)? {
        let text = format!("{:.3}", f64::from(value) / 255.0);
        out.extend_from_slice(text.trim_end_matches('0').trim_end_matches('.').as_bytes());
        out.push(b' ');
    }
    out.extend_from_slice(match (conversion.target_channels(), stroking) {
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

    fn converted(content: &str, spaces: CurrentSpaces, target: ColorTarget) -> Option<String> {
        let mut conversion = ColorConversion::to(target).unwrap();
        let document = Document::new();
        let mut lookup = SpaceLookup { conversion: &mut conversion, document: &document, resources: None };
        let mut spaces = spaces;
        with_converted_colors(content.as_bytes(), &mut spaces, &mut lookup)
            .unwrap()
            .map(|out| String::from_utf8(out).unwrap())
    }

    #[test]
    fn black_stays_black_in_both_directions() {
        let rgb = converted("0 0 0 1 k 0 0 0 0 K 0.5 g", CurrentSpaces::of_page(), ColorTarget::Rgb).unwrap();
        assert_eq!(rgb, "0 0 0 rg 1 1 1 RG 0.5 g");
        let cmyk = converted("1 1 1 RG (1 0 0 rg) Tj", CurrentSpaces::of_page(), ColorTarget::Cmyk).unwrap();
        assert_eq!(cmyk, "0 0 0 0 K (1 0 0 rg) Tj");
    }

    #[test]
    fn spaces_set_by_name_are_saved_and_restored() {
        let content = "/DeviceCMYK cs q /DeviceGray cs 1 sc Q 0 0 0 1 sc /P scn";
        // A pattern is invalid in a colour space that is not a pattern colour space: the whole content is not
        // converted.
        assert_eq!(converted(content, CurrentSpaces::of_page(), ColorTarget::Rgb), None);
        let content = content.trim_end_matches("/P scn");
        let rgb = converted(content, CurrentSpaces::of_page(), ColorTarget::Rgb).unwrap();
        assert_eq!(rgb, "/DeviceRGB cs q /DeviceGray cs 1 sc Q 0 0 0 rg ");
    }

    #[test]
    fn colours_in_the_space_of_a_caller_are_not_guessed() {
        assert_eq!(converted("0 0 0 1 sc", CurrentSpaces::inherited(), ColorTarget::Rgb), None);
        assert!(converted("0.5 sc", CurrentSpaces::inherited(), ColorTarget::Rgb).is_some());
    }
}
