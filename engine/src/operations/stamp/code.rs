//! Draws barcodes, Data Matrix and QR codes: dark rectangles on a light background. The requested size includes the
//! quiet zone, which is the light area that scanners need around a symbol.

use super::layout::{DEFAULT_UNIT, Margins, Sizing};
use super::mark::{Content, Mark};
use super::symbol::Symbol;
use super::symbology::{Shape, Symbology};
use crate::EngineError;
use kurbo::{Rect, Size, Vec2};
use lopdf::Dictionary;
use recto_interface::InvalidOption;
use recto_interface::options::{CodeMargin, SquareSize, StampSize, Unit};

const MILLIMETRE: f64 = 72.0 / 25.4;
/// The width of a module (the smallest bar or square of a symbol) when no size is given. `BAR_WIDTH` is the nominal
/// width in EAN barcodes; `SQUARE_WIDTH` is the width on common labels.
const BAR_WIDTH: f64 = 0.33 * MILLIMETRE;
const SQUARE_WIDTH: f64 = 0.6 * MILLIMETRE;
/// The height of bars when no size is given.
const BAR_HEIGHT: f64 = 15.0 * MILLIMETRE;
/// The height of a row of a PDF417 symbol, in modules.
const PDF417_ROW_HEIGHT: f64 = 3.0;
/// The smallest size of a module that is easy to print and to scan.
const SMALLEST_READABLE: f64 = 0.19 * MILLIMETRE;
/// The aspect ratio (width / height) of a PDF417 symbol if the width or the height is not given.
const DEFAULT_ASPECT: f64 = 2.5;

/// The requested size in points. A dimension that was not given is `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestedSize {
    width: Option<f64>,
    height: Option<f64>,
}

impl RequestedSize {
    /// Reads the requested size of a barcode.
    ///
    /// # Errors
    /// The unit is neither `cm` nor `in`. The interface accepts any unit, so the unit is checked here.
    pub(super) fn of_bars(size: Option<&StampSize>) -> Result<Self, InvalidOption> {
        let Some(StampSize { width, height, unit }) = size else { return Ok(Self::default()) };
        Self::new(*width, *height, unit.as_deref())
    }

    /// Reads the requested size of a square symbol.
    ///
    /// # Errors
    /// The errors of [`of_bars`](Self::of_bars).
    pub(super) fn of_square(size: Option<&SquareSize>) -> Result<Self, InvalidOption> {
        let Some(SquareSize { side, unit }) = size else { return Ok(Self::default()) };
        Self::new(*side, *side, unit.as_deref())
    }

    fn new(width: Option<f64>, height: Option<f64>, unit: Option<&str>) -> Result<Self, InvalidOption> {
        let unit = match unit {
            Some(unit) => unit.parse::<Unit>().map_err(|why| InvalidOption::new("stampSize.unit", why))?,
            None => DEFAULT_UNIT,
        };
        let points = |length: Option<f64>| Some(length? * unit.points());
        Ok(Self { width: points(width), height: points(height) })
    }
}

fn invalid_value(reason: String) -> InvalidOption {
    InvalidOption::new("value", reason)
}

/// The value to encode, completed by its check digit.
///
/// # Errors
/// [`InvalidOption`] with the reason why the type cannot encode the value.
pub(super) fn value(symbology: &Symbology, value: &str) -> Result<String, InvalidOption> {
    symbology.value(value).map_err(invalid_value)
}

/// The stamp that shows a value as a barcode.
///
/// # Errors
/// [`EngineError::InvalidOption`] when the barcode type cannot encode the value.
pub(super) fn mark(
    symbology: &Symbology,
    value: &str,
    requested: RequestedSize,
    margin: Option<CodeMargin>,
) -> Result<Mark, EngineError> {
    let aspect =
        requested.width.zip(requested.height).map_or(DEFAULT_ASPECT, |(width, height)| width / height);
    let value = self::value(symbology, value)?;
    let symbol = Symbol::encode(symbology, &value, aspect).map_err(invalid_value)?;
    let plan = Plan::new(symbology, &symbol, requested);

    let mut content = Content::default();
    content.operator("1 g");
    content.numbers([0.0, 0.0, plan.size.width, plan.size.height], "re");
    content.operator("f");
    content.operator("0 g");
    // All rectangles are in one path, so that no seam is visible where two rectangles touch.
    for rect in symbol.rects() {
        let rect = rect.to_points(plan.module) + plan.origin;
        content.numbers([rect.x0, rect.y0, rect.width(), rect.height()], "re");
    }
    content.operator("f");

    let mut notes = Vec::new();
    let smallest = plan.module.width.min(plan.module.height);
    if smallest < SMALLEST_READABLE {
        notes.push(format!(
            "the modules of the symbol are {:.2} mm wide; many scanners fail below {:.2} mm: use a larger stampSize",
            smallest / MILLIMETRE,
            SMALLEST_READABLE / MILLIMETRE
        ));
    }
    let has_size = requested.width.is_some() || requested.height.is_some();
    Ok(Mark {
        size: plan.size,
        sizing: if has_size { Sizing::Exact } else { Sizing::Shrink },
        margins: Margins::from(margin),
        content,
        resources: Dictionary::new(),
        transparent: false,
        notes,
    })
}

/// The sizes of a symbol and of its modules.
#[derive(Debug)]
struct Plan {
    /// The size of the whole stamp, with the quiet zone.
    size: Size,
    /// The size of one module.
    module: Size,
    /// The position of the symbol in the stamp: its bottom left corner, after the quiet zone.
    origin: Vec2,
}

impl Plan {
    fn new(symbology: &Symbology, symbol: &Symbol, requested: RequestedSize) -> Self {
        let (left, right) = (f64::from(symbology.quiet_zone.0), f64::from(symbology.quiet_zone.1));
        let above = if symbology.shape == Shape::Bars { 0.0 } else { left.max(right) };
        // The width of the symbol with its quiet zone, in modules.
        let across = symbol.width() as f64 + left + right;
        let rows = symbol.height() as f64;
        match symbology.shape {
            Shape::Bars => {
                let size = Size::new(
                    requested.width.unwrap_or(BAR_WIDTH * across),
                    requested.height.unwrap_or(BAR_HEIGHT),
                );
                let module = Size::new(size.width / across, size.height);
                Self { size, module, origin: Vec2::new(left * module.width, 0.0) }
            }
            Shape::Squares | Shape::Rows => {
                // The quiet zone above and below the symbol is as wide as the quiet zone on its sides.
                let row = if symbology.shape == Shape::Rows { PDF417_ROW_HEIGHT } else { 1.0 };
                let down = rows * row + 2.0 * above;
                let unit = match (requested.width, requested.height) {
                    (None, None) if symbology.shape == Shape::Rows => BAR_WIDTH,
                    (None, None) => SQUARE_WIDTH,
                    (width, height) => {
                        let fits =
                            |length: Option<f64>, modules: f64| length.map_or(f64::INFINITY, |l| l / modules);
                        fits(width, across).min(fits(height, down))
                    }
                };
                let size = Size::new(
                    requested.width.unwrap_or(unit * across),
                    requested.height.unwrap_or(unit * down),
                );
                let row_height = unit * row;
                let spare = size - Size::new(unit * across, unit * down);
                Self {
                    size,
                    module: Size::new(unit, row_height),
                    origin: Vec2::new(unit * left + spare.width / 2.0, unit * above + spare.height / 2.0),
                }
            }
        }
    }
}

/// Converts a rectangle from modules to points.
trait InModules {
    fn to_points(self, module: Size) -> Rect;
}

impl InModules for Rect {
    fn to_points(self, module: Size) -> Rect {
        Rect::new(
            self.x0 * module.width,
            self.y0 * module.height,
            self.x1 * module.width,
            self.y1 * module.height,
        )
    }
}
