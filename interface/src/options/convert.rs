//! Options of the conversions: images to PDF, PDF to images, Office to PDF.

use super::json::{InvalidOption, OperationOptions};
use super::shared::Unit;
use super::shared::{at_least_zero, maybe_whole, whole};
use crate::closed_set::closed_set;
use crate::field::{Field, FieldKind, Need, Object};
use serde::{Deserialize, Serialize};

/// The JPEG quality that the service uses when none is given.
pub const DEFAULT_JPEG_QUALITY: u8 = 85;

closed_set! {
    /// The size of a page made from an image.
    exact PageSize {
        /// 210 x 297 mm (ISO 216).
        A4 = "a4",
        /// 8.5 x 11 in.
        Letter = "letter",
    }
}

closed_set! {
    /// The orientation of the page. An image that is larger than the page is shrunk; a smaller image is not enlarged.
    /// The specification is not consistent about upper and lower case: both are read, and the case below is written.
    ignore_case Strategy {
        /// The page is landscape for every image that is wider than high, even if the image would fit on a portrait
        /// page.
        Auto = "Auto",
        /// The page is landscape only if the image must be shrunk, and stays larger on a landscape page.
        ShrinkToPage = "ShrinkToPage",
        /// The page is always portrait.
        ShrinkToPortrait = "ShrinkToPortrait",
    }
}

closed_set! {
    /// The colour space of an image; a PNG cannot be CMYK.
    exact ColorSpace {
        /// Red, green, blue.
        Rgb = "rgb",
        /// Shades of gray.
        Gray = "gray",
        /// Cyan, magenta, yellow, black.
        Cmyk = "cmyk",
    }
}

closed_set! {
    /// The colour space of a PNG image.
    exact PngColorSpace {
        /// Red, green, blue.
        Rgb = "rgb",
        /// Shades of gray.
        Gray = "gray",
    }
}

/// A margin applied equally on all four sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageMargin {
    /// Its width, in `unit`.
    pub margin: f64,
    /// The unit of `margin`.
    pub unit: Unit,
}

/// The maximum size of an image in pixels; its aspect ratio is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PixelSize {
    /// The maximum width in pixels.
    #[serde(deserialize_with = "whole")]
    pub width: u32,
    /// The maximum height in pixels.
    #[serde(deserialize_with = "whole")]
    pub height: u32,
}

/// Options of [`ImageToPdf`](crate::OperationKind::ImageToPdf).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageToPdfOptions {
    /// The size of the page; the service's default is [`PageSize::A4`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<PageSize>,
    /// The page's margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_margin: Option<PageMargin>,
    /// The orientation of the page; the service's default is [`Strategy::Auto`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
}

/// Options of [`PdfToJpeg`](crate::OperationKind::PdfToJpeg).
///
/// The specification lists `color_space` and `jpeg_quality` as required together: when any option is set, both are
/// sent, with the documented defaults (rgb, 85) for one that is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PdfToJpegOptions {
    /// The image's colour space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_space: Option<ColorSpace>,
    /// The quality of compression, 0 to 100.
    #[serde(default, deserialize_with = "maybe_whole", skip_serializing_if = "Option::is_none")]
    pub jpeg_quality: Option<u8>,
    /// The maximum size of the image in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size_in_pixels: Option<PixelSize>,
}

/// Options of [`PdfToPng`](crate::OperationKind::PdfToPng).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PdfToPngOptions {
    /// The image's colour space; the service's default is [`PngColorSpace::Rgb`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color_space: Option<PngColorSpace>,
    /// `true`: an alpha channel and no background; `false`, the default: a white background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_background: Option<bool>,
    /// The maximum size of the image in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size_in_pixels: Option<PixelSize>,
}

macro_rules! without_options {
    ($($kind:ident $name:ident),+ $(,)?) => { $(
        #[doc = concat!("[`", stringify!($kind), "`](crate::OperationKind::", stringify!($kind), ") takes no options.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {}

        impl OperationOptions for $name {
            const FIELDS: &'static [Field] = &[];
        }
    )+ };
}

without_options! {
    PdfToTiff PdfToTiffOptions,
    PdfToTiffFax PdfToTiffFaxOptions,
    DocToPdf DocToPdfOptions,
    PresentationToPdf PresentationToPdfOptions,
    SpreadsheetToPdf SpreadsheetToPdfOptions,
}

const MAX_SIZE: Object = Object {
    option: "maxSizeInPixels",
    name: "PixelSize",
    about: "The maximum size of an image in pixels; its aspect ratio is kept.",
};
const MAX_WIDTH: Field =
    Field::new("maxSizeInPixels.width", PIXELS, Need::WithParent, "the maximum width in pixels");
const MAX_HEIGHT: Field =
    Field::new("maxSizeInPixels.height", PIXELS, Need::WithParent, "the maximum height in pixels");
const PIXELS: FieldKind = FieldKind::Integer { min: 1, max: u32::MAX };

impl OperationOptions for ImageToPdfOptions {
    const FIELDS: &'static [Field] = &[
        Field::new("pageSize", FieldKind::Choice(PageSize::SET), Need::Optional, "the page's size").or("a4"),
        Field::new(
            "pageMargin.margin",
            FieldKind::Number,
            Need::WithParent,
            "the width of the margin, in its unit",
        ),
        Field::new(
            "pageMargin.unit",
            FieldKind::Choice(Unit::SET),
            Need::WithParent,
            "the unit of the margin",
        ),
        Field::new(
            "strategy",
            FieldKind::Choice(Strategy::SET),
            Need::Optional,
            "when the page is landscape; an image larger than the page is shrunk, a smaller image keeps its size",
        )
        .or("Auto"),
    ];

    const OBJECTS: &'static [Object] = &[Object {
        option: "pageMargin",
        name: "PageMargin",
        about: "A margin of the page, equal on all four sides.",
    }];

    fn check(&self) -> Result<(), InvalidOption> {
        at_least_zero("pageMargin.margin", self.page_margin.map(|page_margin| page_margin.margin))
    }
}

impl OperationOptions for PdfToJpegOptions {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "colorSpace",
            FieldKind::Choice(ColorSpace::SET),
            Need::Optional,
            "the image's colour space",
        )
        .or("rgb"),
        Field::new(
            "jpegQuality",
            FieldKind::Integer { min: 0, max: 100 },
            Need::Optional,
            "the quality of compression, 0 (smallest) to 100 (best)",
        )
        .or("85"),
        MAX_WIDTH,
        MAX_HEIGHT,
    ];

    const OBJECTS: &'static [Object] = &[MAX_SIZE];

    fn check(&self) -> Result<(), InvalidOption> {
        if let Some(quality) = self.jpeg_quality.filter(|quality| *quality > 100) {
            return Err(InvalidOption::new(
                "jpegQuality",
                format!("{quality} is out of range; give 0 to 100"),
            ));
        }
        some_pixels(self.max_size_in_pixels)
    }

    fn completed(&self) -> Self {
        if *self == Self::default() {
            return self.clone();
        }
        Self {
            color_space: self.color_space.or(Some(ColorSpace::Rgb)),
            jpeg_quality: self.jpeg_quality.or(Some(DEFAULT_JPEG_QUALITY)),
            max_size_in_pixels: self.max_size_in_pixels,
        }
    }
}

impl OperationOptions for PdfToPngOptions {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "colorSpace",
            FieldKind::Choice(PngColorSpace::SET),
            Need::Optional,
            "the image's colour space",
        )
        .or("rgb"),
        Field::new(
            "transparentBackground",
            FieldKind::Bool,
            Need::Optional,
            "whether the image has an alpha channel instead of a white background",
        )
        .or("false"),
        MAX_WIDTH,
        MAX_HEIGHT,
    ];

    const OBJECTS: &'static [Object] = &[MAX_SIZE];

    fn check(&self) -> Result<(), InvalidOption> {
        some_pixels(self.max_size_in_pixels)
    }
}

fn some_pixels(size: Option<PixelSize>) -> Result<(), InvalidOption> {
    let Some(PixelSize { width, height }) = size else { return Ok(()) };
    let empty = [("maxSizeInPixels.width", width), ("maxSizeInPixels.height", height)]
        .into_iter()
        .find(|(_, pixels)| *pixels == 0);
    empty.map_or(Ok(()), |(path, _)| Err(InvalidOption::new(path, "0 is not a size; give 1 or more")))
}
