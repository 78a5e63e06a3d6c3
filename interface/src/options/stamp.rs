//! Options of the stamps: text, watermark, barcode, Data Matrix, QR code.

use super::json::{InvalidOption, OperationOptions};
use super::shared::Unit;
use super::shared::{above_zero, finite};
use crate::closed_set::closed_set;
use crate::field::{Field, FieldKind, Need, Object};
use serde::{Deserialize, Serialize};

/// The opacity of a watermark, fixed by the interface.
pub const WATERMARK_OPACITY: f64 = 0.5;
/// The angle of a watermark in degrees, fixed by the interface.
pub const WATERMARK_ANGLE: f64 = 45.0;

closed_set! {
    /// The typeface of a stamp's text.
    exact FontFamily {
        /// A sans-serif typeface.
        Sans = "sans",
        /// A serif typeface.
        Serif = "serif",
    }
}

/// The position of a text: its distances from edges of the page. On an axis without a distance, it is centred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Margin {
    /// The distance from the top edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<f64>,
    /// The distance from the right edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<f64>,
    /// The distance from the left edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// The distance from the bottom edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// The unit of the distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
}

/// The position of a barcode, Data Matrix or QR code: the specification has these two edges only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeMargin {
    /// The distance from the left edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// The distance from the bottom edge, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<f64>,
    /// The unit of the distances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
}

/// The style of a stamp's text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextStyle {
    /// The colour, such as `#c00000` or `red`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// The typeface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font_family: Option<FontFamily>,
    /// Bold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_bold: Option<bool>,
    /// Italic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_italic: Option<bool>,
    /// The font size. The specification defines no unit; the local service uses points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font_size: Option<f64>,
}

/// The size of a barcode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StampSize {
    /// The width, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The height, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// The unit of the size, such as `cm` or `in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// The size of a Data Matrix or QR code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SquareSize {
    /// The length of a side, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<f64>,
    /// The unit of the side, such as `cm` or `in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

macro_rules! text_stamp {
    ($($kind:ident $name:ident),+) => { $(
        #[doc = concat!("Options of [`", stringify!($kind), "`](crate::OperationKind::", stringify!($kind), ").")]
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The text.
            pub text: String,
            /// The position of the text; centred if left out.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub margin: Option<Margin>,
            /// The style of the text.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub text_style: Option<TextStyle>,
        }

        impl OperationOptions for $name {
            const FIELDS: &'static [Field] = TEXT_FIELDS;
            const OBJECTS: &'static [Object] = &[MARGIN, TEXT_STYLE];

            fn check(&self) -> Result<(), InvalidOption> {
                margin(self.margin)?;
                above_zero("textStyle.fontSize", self.text_style.as_ref().and_then(|style| style.font_size))
            }
        }
    )+ };
}

macro_rules! square_stamp {
    ($($kind:ident $name:ident),+) => { $(
        #[doc = concat!("Options of [`", stringify!($kind), "`](crate::OperationKind::", stringify!($kind), ").")]
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The position of the symbol.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub margin: Option<CodeMargin>,
            /// The value to encode.
            pub value: String,
            /// The size of the symbol.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub stamp_size: Option<SquareSize>,
        }

        impl OperationOptions for $name {
            const FIELDS: &'static [Field] = SQUARE_FIELDS;
            const OBJECTS: &'static [Object] = &[CODE_MARGIN, SQUARE_SIZE];

            fn check(&self) -> Result<(), InvalidOption> {
                code_margin(self.margin)?;
                above_zero("stampSize.side", self.stamp_size.as_ref().and_then(|size| size.side))
            }
        }
    )+ };
}

text_stamp!(StampText StampTextOptions, StampWatermark StampWatermarkOptions);
square_stamp!(StampDataMatrix StampDataMatrixOptions, StampQr StampQrOptions);

/// Options of [`StampBarcode`](crate::OperationKind::StampBarcode).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StampBarcodeOptions {
    /// The position of the barcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<CodeMargin>,
    /// The type of barcode, such as `code128`.
    #[serde(rename = "type")]
    pub barcode_type: String,
    /// The value to encode.
    pub value: String,
    /// The size of the barcode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp_size: Option<StampSize>,
}

impl OperationOptions for StampBarcodeOptions {
    const FIELDS: &'static [Field] = &[
        LEFT,
        BOTTOM,
        MARGIN_UNIT,
        Field::new("type", FieldKind::Text, Need::Required, "the type of barcode, such as code128"),
        VALUE,
        Field::new("stampSize.width", FieldKind::Number, Need::Optional, "the width, in the size's unit"),
        Field::new("stampSize.height", FieldKind::Number, Need::Optional, "the height, in the size's unit"),
        SIZE_UNIT,
    ];
    const OBJECTS: &'static [Object] = &[CODE_MARGIN, STAMP_SIZE];

    fn check(&self) -> Result<(), InvalidOption> {
        code_margin(self.margin)?;
        above_zero("stampSize.width", self.stamp_size.as_ref().and_then(|size| size.width))?;
        above_zero("stampSize.height", self.stamp_size.as_ref().and_then(|size| size.height))
    }
}

const MARGIN: Object = Object {
    option: "margin",
    name: "Margin",
    about: "The position of a stamp: its distances from edges of the page; centred on an axis without a distance.",
};
const CODE_MARGIN: Object = Object {
    option: "margin",
    name: "CodeMargin",
    about: "The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge.",
};
const TEXT_STYLE: Object =
    Object { option: "textStyle", name: "TextStyle", about: "The style of a stamp's text." };
const STAMP_SIZE: Object = Object { option: "stampSize", name: "StampSize", about: "The size of a barcode." };
const SQUARE_SIZE: Object =
    Object { option: "stampSize", name: "SquareSize", about: "The size of a Data Matrix or QR code." };

const LEFT: Field = Field::new(
    "margin.left",
    FieldKind::Number,
    Need::Optional,
    "the distance from the left edge, in the margin's unit",
);
const BOTTOM: Field = Field::new(
    "margin.bottom",
    FieldKind::Number,
    Need::Optional,
    "the distance from the bottom edge, in the margin's unit",
);
const MARGIN_UNIT: Field =
    Field::new("margin.unit", FieldKind::Choice(Unit::SET), Need::Optional, "the unit of the distances");
const SIZE_UNIT: Field =
    Field::new("stampSize.unit", FieldKind::Text, Need::Optional, "the unit of the size, such as cm or in");
const VALUE: Field = Field::new("value", FieldKind::Text, Need::Required, "the value to encode");

const TEXT_FIELDS: &[Field] = &[
    Field::new("text", FieldKind::Text, Need::Required, "the text"),
    Field::new(
        "margin.top",
        FieldKind::Number,
        Need::Optional,
        "the distance from the top edge, in the margin's unit",
    ),
    Field::new(
        "margin.right",
        FieldKind::Number,
        Need::Optional,
        "the distance from the right edge, in the margin's unit",
    ),
    LEFT,
    BOTTOM,
    MARGIN_UNIT,
    Field::new("textStyle.textColor", FieldKind::Text, Need::Optional, "the colour, such as #c00000 or red"),
    Field::new("textStyle.fontFamily", FieldKind::Choice(FontFamily::SET), Need::Optional, "the typeface"),
    Field::new("textStyle.isBold", FieldKind::Bool, Need::Optional, "bold"),
    Field::new("textStyle.isItalic", FieldKind::Bool, Need::Optional, "italic"),
    Field::new(
        "textStyle.fontSize",
        FieldKind::Number,
        Need::Optional,
        "the font size; the local service reads it in points",
    ),
];

const SQUARE_FIELDS: &[Field] = &[
    LEFT,
    BOTTOM,
    MARGIN_UNIT,
    VALUE,
    Field::new(
        "stampSize.side",
        FieldKind::Number,
        Need::Optional,
        "the length of a side, in the size's unit",
    ),
    SIZE_UNIT,
];

fn margin(margin: Option<Margin>) -> Result<(), InvalidOption> {
    let margin = margin.unwrap_or_default();
    finite("margin.top", margin.top)?;
    finite("margin.right", margin.right)?;
    finite("margin.left", margin.left)?;
    finite("margin.bottom", margin.bottom)
}

fn code_margin(margin: Option<CodeMargin>) -> Result<(), InvalidOption> {
    let margin = margin.unwrap_or_default();
    finite("margin.left", margin.left)?;
    finite("margin.bottom", margin.bottom)
}
