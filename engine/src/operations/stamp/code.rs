//! Barcodes, Data Matrices and QR codes: dark rectangles on light ground, of exactly the size asked for, with the light
//! space around them that readers need inside of it.

use super::layout::{DEFAULT_UNIT, Margins, Sizing};
use super::mark::{Content, Mark};
use super::symbol::Modules;
use super::symbology::{Shape, Symbology};
use crate::EngineError;
use kurbo::{Rect, Size, Vec2};
use lopdf::Dictionary;
use recto_interface::InvalidOption;
use recto_interface::options::{CodeMargin, SquareSize, StampSize};

const MILLIMETRE: f64 = 72.0 / 25.4;
/// The width of a module where no size is given: bars by the nominal size of EAN, squares by that of common labels.
const BAR: f64 = 0.33 * MILLIMETRE;
const SQUARE: f64 = 0.6 * MILLIMETRE;
/// The height of bars where none is given.
const BAR_HEIGHT: f64 = 15.0 * MILLIMETRE;
/// The height of a row of PDF417 in modules.
const ROW: f64 = 3.0;
/// Modules below this are hard to print and to read.
const READABLE: f64 = 0.19 * MILLIMETRE;
/// The width to height of a symbol of rows that has a size for one of them only.
const ASPECT: f64 = 2.5;

/// The size asked for, in points; nothing where it was left open.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    width: Option<f64>,
    height: Option<f64>,
}

impl From<Option<StampSize>> for Wanted {
    fn from(size: Option<StampSize>) -> Self {
        let StampSize { width, height, unit } = size.unwrap_or_default();
        let points = |length: Option<f64>| Some(length? * unit.unwrap_or(DEFAULT_UNIT).points());
        Self { width: points(width), height: points(height) }
    }
}

impl From<Option<SquareSize>> for Wanted {
    fn from(size: Option<SquareSize>) -> Self {
        let SquareSize { side, unit } = size.unwrap_or_default();
        Some(StampSize { width: side, height: side, unit }).into()
    }
}

/// The stamp of a value.
///
/// # Errors
/// [`EngineError::InvalidOption`] when the type cannot hold the value.
pub(super) fn mark(
    symbology: &Symbology,
    value: &str,
    wanted: Wanted,
    margin: Option<CodeMargin>,
) -> Result<Mark, EngineError> {
    let refuse = |reason: String| InvalidOption::new("value", reason);
    let aspect = wanted.width.zip(wanted.height).map_or(ASPECT, |(width, height)| width / height);
    let value = symbology.value(value).map_err(refuse)?;
    let modules = Modules::encode(symbology, &value, aspect).map_err(refuse)?;
    let plan = Plan::new(symbology, &modules, wanted);

    let mut content = Content::default();
    content.operator("1 g");
    content.numbers([0.0, 0.0, plan.size.width, plan.size.height], "re");
    content.operator("f");
    content.operator("0 g");
    // One path for all, so that no seam shows where rectangles meet.
    for rect in modules.rects() {
        let rect = rect.scale_from_origin_to(plan.module) + plan.origin;
        content.numbers([rect.x0, rect.y0, rect.width(), rect.height()], "re");
    }
    content.operator("f");

    let mut notes = Vec::new();
    let narrow = plan.module.width.min(plan.module.height);
    if narrow < READABLE {
        notes.push(format!(
            "the smallest part of the symbol is {:.2} mm wide; below {:.2} mm many readers fail, so give it a larger stampSize",
            narrow / MILLIMETRE,
            READABLE / MILLIMETRE
        ));
    }
    let exact = wanted.width.is_some() || wanted.height.is_some();
    Ok(Mark {
        size: plan.size,
        sizing: if exact { Sizing::Exact } else { Sizing::Shrink },
        margins: Margins::from(margin),
        content,
        resources: Dictionary::new(),
        transparent: false,
        notes,
    })
}

/// How large a symbol and its modules are.
#[derive(Debug)]
struct Plan {
    /// The whole stamp.
    size: Size,
    /// One module.
    module: Size,
    /// Where the symbol begins, within the light space around it.
    origin: Vec2,
}

impl Plan {
    fn new(symbology: &Symbology, modules: &Modules, wanted: Wanted) -> Self {
        let (left, right) = (f64::from(symbology.quiet.0), f64::from(symbology.quiet.1));
        let above = if symbology.shape == Shape::Bars { 0.0 } else { left.max(right) };
        // In modules, with the light space.
        let across = modules.width() as f64 + left + right;
        let rows = modules.height() as f64;
        match symbology.shape {
            Shape::Bars => {
                let size =
                    Size::new(wanted.width.unwrap_or(BAR * across), wanted.height.unwrap_or(BAR_HEIGHT));
                let module = Size::new(size.width / across, size.height);
                Self { size, module, origin: Vec2::new(left * module.width, 0.0) }
            }
            Shape::Squares | Shape::Rows => {
                // The light space above and below is as wide as the one beside.
                let row = if symbology.shape == Shape::Rows { ROW } else { 1.0 };
                let down = rows * row + 2.0 * above;
                let unit = match (wanted.width, wanted.height) {
                    (None, None) if symbology.shape == Shape::Rows => BAR,
                    (None, None) => SQUARE,
                    (width, height) => {
                        let fits =
                            |length: Option<f64>, modules: f64| length.map_or(f64::INFINITY, |l| l / modules);
                        fits(width, across).min(fits(height, down))
                    }
                };
                let size =
                    Size::new(wanted.width.unwrap_or(unit * across), wanted.height.unwrap_or(unit * down));
                let symbol = Size::new(unit * modules.width() as f64, unit * rows * row);
                let spare = size - Size::new(unit * across, unit * down);
                Self {
                    size,
                    module: Size::new(unit, symbol.height / rows),
                    origin: Vec2::new(unit * left + spare.width / 2.0, unit * above + spare.height / 2.0),
                }
            }
        }
    }
}

/// A rectangle of modules made one of points.
trait InModules {
    fn scale_from_origin_to(self, module: Size) -> Rect;
}

impl InModules for Rect {
    fn scale_from_origin_to(self, module: Size) -> Rect {
        Rect::new(
            self.x0 * module.width,
            self.y0 * module.height,
            self.x1 * module.width,
            self.y1 * module.height,
        )
    }
}
