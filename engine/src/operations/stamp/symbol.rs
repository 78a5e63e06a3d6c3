//! Encodes a value as a symbol of dark and light modules. The crate `rxing` does the encoding.

use super::symbology::{Shape, Symbology};
use kurbo::Rect;
use rxing::common::CharacterSet;
use rxing::pdf417::encoder::PDF417;
use rxing::{BarcodeFormat, EncodeHintValue, EncodeHints, MultiFormatWriter, Writer};

/// The maximum number of bytes of a value. Symbols of every type encode fewer bytes.
const MAX_BYTES: usize = 8_000;
/// The error correction level of PDF417, which suits printed pages.
const PDF417_CORRECTION: u32 = 3;

/// A symbol without its quiet zone: rows of modules, from the top row on. `true` means dark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    rows: Vec<Vec<bool>>,
}

impl Symbol {
    /// Encodes a value that [`Symbology::value`] has checked. `aspect` is the preferred aspect ratio (width / height)
    /// of a PDF417 symbol.
    ///
    /// # Errors
    /// A sentence with the reason why the type cannot encode the value.
    pub(super) fn encode(symbology: &Symbology, value: &str, aspect: f64) -> Result<Self, String> {
        let cannot_encode =
            |reason: String| format!("{} cannot encode this value: {reason}", symbology.title);
        if value.len() > MAX_BYTES {
            return Err(cannot_encode(format!(
                "it has {} bytes, more than any symbol can encode",
                value.len()
            )));
        }
        // rxing panics on some values that are too long, so the panic is caught here.
        let rows = std::panic::catch_unwind(|| match symbology.format {
            BarcodeFormat::PDF_417 => pdf417(value, aspect),
            _ => encode(symbology, value),
        })
        .map_err(|_| cannot_encode("it does not fit into the largest symbol".to_owned()))?;
        let symbol = Self { rows: rows.map_err(|error| cannot_encode(reason(&error)))? };
        if symbol.width() == 0 || symbol.rects().is_empty() {
            return Err(cannot_encode("the symbol would be empty".to_owned()));
        }
        Ok(symbol)
    }

    /// The number of modules in a row.
    pub(super) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The number of rows of modules.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The dark modules, merged into rectangles. The unit is one module, and the origin is the bottom left corner.
    pub(super) fn rects(&self) -> Vec<Rect> {
        let mut finished = Vec::new();
        // Rectangles that are not finished yet: runs of dark modules, with the row in which they begin. A run grows
        // downwards as long as the next row has the same run.
        let mut growing: Vec<(usize, usize, usize)> = Vec::new();
        let rect = |(from, to, top): (usize, usize, usize), bottom: usize| {
            let up = |row: usize| (self.height() - row) as f64;
            Rect::new(from as f64, up(bottom), to as f64, up(top))
        };
        for (at, row) in self.rows.iter().enumerate() {
            let runs = runs(row);
            let (continued, ended): (Vec<_>, Vec<_>) =
                growing.into_iter().partition(|(from, to, _)| runs.contains(&(*from, *to)));
            finished.extend(ended.into_iter().map(|run| rect(run, at)));
            let new_runs =
                runs.into_iter().filter(|(from, to)| !continued.iter().any(|(a, b, _)| a == from && b == to));
            let new_runs: Vec<_> = new_runs.map(|(from, to)| (from, to, at)).collect();
            growing = continued;
            growing.extend(new_runs);
        }
        finished.extend(growing.into_iter().map(|run| rect(run, self.height())));
        finished
    }
}

/// The start and the end of each run of dark modules in a row.
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
            // rxing has two encoders. Only the compact encoder supports character sets, but it fails on some ASCII
            // values, so it is used only for values that are not ASCII.
            hints = hints.with(EncodeHintValue::DataMatrixCompact(!value.is_ascii()));
        }
        _ => {}
    }
    if !value.is_ascii() {
        // The symbol declares its character set (by an ECI), so that scanners need not guess the character set.
        hints = hints.with(EncodeHintValue::CharacterSet("UTF-8".to_owned()));
    }
    let matrix = MultiFormatWriter.encode_with_hints(value, &symbology.format, 0, 0, &hints)?;
    let height = if symbology.shape == Shape::Bars { 1 } else { matrix.getHeight() };
    Ok((0..height).map(|y| (0..matrix.getWidth()).map(|x| matrix.get(x, y)).collect()).collect())
}

/// The rows of a PDF417 symbol. The PDF417 writer of rxing is not used, because it fixes the height of rows and may
/// rotate the symbol.
fn pdf417(value: &str, aspect: f64) -> Result<Vec<Vec<bool>>, rxing::Exceptions> {
    // Tries every number of columns, and keeps the symbol whose aspect ratio is nearest to `aspect` when each row of
    // the symbol is three modules high.
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

/// The message of an error of rxing, without the name of the error type.
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
        let dark = |text: &[&str]| Symbol {
            rows: text.iter().map(|row| row.bytes().map(|byte| byte == b'#').collect()).collect(),
        };
        let symbol = dark(&["##.#", "##.#", ".#.#", "####"]);
        let rects = symbol.rects();
        for (y, row) in symbol.rows.iter().enumerate() {
            for (x, dark) in row.iter().enumerate() {
                let point = kurbo::Point::new(x as f64 + 0.5, (symbol.height() - y) as f64 - 0.5);
                let covering = rects.iter().filter(|rect| rect.contains(point)).count();
                assert_eq!(covering, usize::from(*dark), "at {x}, {y}");
            }
        }
        assert_eq!(rects.len(), 4);
    }
}
