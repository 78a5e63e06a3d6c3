//! Colours: ICC profiles, and conversion between colour spaces.

pub(crate) mod cmyk;
mod conversion;
pub(crate) mod gray;

pub(crate) use conversion::{ColorConversion, ColorTarget, SourceSpace, Space};
