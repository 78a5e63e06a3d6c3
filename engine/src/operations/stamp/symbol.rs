//! The dark and light modules of a symbol, encoded by rxing, which holds the rules of every type.

use super::symbology::{Shape, Symbology};
use kurbo::Rect;
use rxing::common::CharacterSet;
use rxing::pdf417::encoder::PDF417;
use rxing::{BarcodeFormat, EncodeHintValue, EncodeHints, MultiFormatWriter, Writer};

/// The most bytes of a value; the largest symbol there is holds fewer.
const MOST_BYTES: usize = 8_000;
/// The error correction of PDF417: enough for a printed page.
const PDF417_CORRECTION: u32 = 3;

/// A symbol without the light space around it: rows of modules from the top, `true` for dark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Modules {
    rows: Vec<Vec<bool>>,
}

impl Modules {
    /// Encodes a value that the type can hold by its alphabet; `aspect` is the width to height that a symbol of rows
    /// should have.
    ///
    /// # Errors
    /// A sentence that says why the type cannot hold it.
    pub(super) fn encode(symbology: &Symbology, value: &str, aspect: f64) -> Result<Self, String> {
        let refuse = |reason: String| format!("{} cannot hold this value: {reason}", symbology.title);
        if value.len() > MOST_BYTES {
            return Err(refuse(format!("it has {} bytes, more than any symbol holds", value.len())));
        }
        // rxing panics on some values that are too long instead of saying so.
        let rows = std::panic::catch_unwind(|| match symbology.format {
            BarcodeFormat::PDF_417 => pdf417(value, aspect),
            _ => encode(symbology, value),
        })
        .map_err(|_| refuse("it does not fit into any size of the symbol".to_owned()))?;
        let modules = Self { rows: rows.map_err(|error| refuse(reason(&error)))? };
        if modules.width() == 0 || modules.rects().is_empty() {
            return Err(refuse("it makes an empty symbol".to_owned()));
        }
        Ok(modules)
    }

    /// How many modules a row has.
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// How many rows there are.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The dark modules as few rectangles, in modules from the bottom left.
    pub(super) fn rects(&self) -> Vec<Rect> {
        let mut done = Vec::new();
        // Runs of the row above, which grow downwards while the rows below have the same run.
        let mut growing: Vec<(usize, usize, usize)> = Vec::new();
        let rect = |(from, to, top): (usize, usize, usize), bottom: usize| {
            let up = |row: usize| (self.height() - row) as f64;
            Rect::new(from as f64, up(bottom), to as f64, up(top))
        };
        for (at, row) in self.rows.iter().enumerate() {
            let runs = runs(row);
            let (kept, ended): (Vec<_>, Vec<_>) =
                growing.into_iter().partition(|(from, to, _)| runs.contains(&(*from, *to)));
            done.extend(ended.into_iter().map(|run| rect(run, at)));
            let fresh =
                runs.into_iter().filter(|(from, to)| !kept.iter().any(|(a, b, _)| a == from && b == to));
            let fresh: Vec<_> = fresh.map(|(from, to)| (from, to, at)).collect();
            growing = kept;
            growing.extend(fresh);
        }
        done.extend(growing.into_iter().map(|run| rect(run, self.height())));
        done
    }
}

/// Where a row is dark: from, to.
fn runs(row: &[bool]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in row.iter().enumerate().filter_map(|(at, dark)| dark.then_some(at)) {
        match runs.last_mut() {
            Some((_, to)) if *to == at => *to += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
}

fn encode(symbology: &Symbology, value: &str) -> Result<Vec<Vec<bool>>, rxing::Exceptions> {
    let mut hints = EncodeHints::default().with(EncodeHintValue::Margin("0".to_owned()));
    match symbology.format {
        BarcodeFormat::QR_CODE => hints = hints.with(EncodeHintValue::ErrorCorrection("M".to_owned())),
        BarcodeFormat::DATA_MATRIX => {
            use rxing::datamatrix::encoder::SymbolShapeHint::FORCE_SQUARE;
            hints = hints.with(EncodeHintValue::DataMatrixShape(FORCE_SQUARE));
            // rxing has two encoders. The one for compact symbols alone can name a character set, but it errs on some
            // values of ASCII.
            hints = hints.with(EncodeHintValue::DataMatrixCompact(!value.is_ascii()));
        }
        _ => {}
    }
    if !value.is_ascii() {
        // Said in the symbol (an ECI), so that no reader has to guess.
        hints = hints.with(EncodeHintValue::CharacterSet("UTF-8".to_owned()));
    }
    let matrix = MultiFormatWriter.encode_with_hints(value, &symbology.format, 0, 0, &hints)?;
    let height = if symbology.shape == Shape::Bars { 1 } else { matrix.getHeight() };
    Ok((0..height).map(|y| (0..matrix.getWidth()).map(|x| matrix.get(x, y)).collect()).collect())
}

/// rxing's writer draws PDF417 with rows of a fixed height, and turns it at its own choice: here are the bare rows.
fn pdf417(value: &str, aspect: f64) -> Result<Vec<Vec<bool>>, rxing::Exceptions> {
    // The shapes that a symbol may have; the one that comes nearest to the aspect asked for, with rows three modules
    // high, wins.
    let mut best: Option<(f64, Vec<Vec<bool>>)> = None;
    let mut failure = None;
    for columns in 1..=30 {
        let mut encoder = PDF417::new();
        encoder.setDimensions(columns, columns, 90, 3);
        if !value.is_ascii() {
            encoder.setEncoding(Some(CharacterSet::UTF8));
        }
        if let Err(error) = encoder.generateBarcodeLogic(value, PDF417_CORRECTION) {
            failure.get_or_insert(error);
            continue;
        }
        let Some(matrix) = encoder.getBarcodeMatrix() else { continue };
        let rows: Vec<Vec<bool>> = matrix
            .getMatrix()
            .iter()
            .rev()
            .map(|row| row.iter().map(|module| *module == 1).collect())
            .collect();
        let (width, height) = (rows.first().map_or(0, Vec::len) as f64, rows.len() as f64 * 3.0);
        let distance = (width / height / aspect).ln().abs();
        if best.as_ref().is_none_or(|(other, _)| distance < *other) {
            best = Some((distance, rows));
        }
    }
    match (best, failure) {
        (Some((_, rows)), _) => Ok(rows),
        (None, failure) => Err(failure.unwrap_or(rxing::Exceptions::WRITER)),
    }
}

/// rxing's words without the name of its error.
fn reason(error: &rxing::Exceptions) -> String {
    let text = error.to_string();
    let text = text.split_once(" - ").map_or(text.as_str(), |(_, reason)| reason).trim().to_owned();
    if text.is_empty() { "the value does not fit".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangles_of_a_symbol_cover_exactly_its_dark_modules() {
        let dark = |text: &[&str]| Modules {
            rows: text.iter().map(|row| row.bytes().map(|byte| byte == b'#').collect()).collect(),
        };
        let modules = dark(&["##.#", "##.#", ".#.#", "####"]);
        let rects = modules.rects();
        for (y, row) in modules.rows.iter().enumerate() {
            for (x, dark) in row.iter().enumerate() {
                let point = kurbo::Point::new(x as f64 + 0.5, (modules.height() - y) as f64 - 0.5);
                let covering = rects.iter().filter(|rect| rect.contains(point)).count();
                assert_eq!(covering, usize::from(*dark), "at {x}, {y}");
            }
        }
        assert_eq!(rects.len(), 4);
    }
}
