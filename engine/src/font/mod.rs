//! Fonts: reading, subsetting and merging font programs, and setting text in the bundled faces.

mod bytes;
mod cff;
mod characters;
mod charstring;
mod cmap;
mod embed;
mod faces;
mod files;
#[cfg(any(fuzzing, test))]
pub(crate) mod fuzzing;
mod glyphs;
mod merge;
mod simple;
mod subset;
mod text;
mod to_unicode;
mod truetype;
pub(crate) mod type1;
pub(crate) mod type1c;

pub(crate) use embed::Embedded;
pub(crate) use faces::{Face, Style};
pub(crate) use subset::subset;
pub(crate) use text::{LayoutError, Text};
pub(crate) use to_unicode::{CodeSize, Range, to_unicode};
