//! Content streams: their operations, and the fonts, characters and images that the pages use.

mod encoding;
mod forms;
mod geometry;
pub(crate) mod lexer;
mod resources;
mod survey;
mod usage;

pub(crate) use encoding::differences;
pub(crate) use forms::hoist_form_fonts;
pub(crate) use geometry::{UNIT, is_empty};
pub(crate) use resources::remove_unused_resources;
pub(crate) use survey::survey;
pub(crate) use usage::Usage;
pub(crate) use usage::{Codes, ImageUse};
