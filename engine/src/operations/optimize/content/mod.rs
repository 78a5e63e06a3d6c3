//! Content streams: their operations, and what a document's pages show by them.

mod geometry;
mod lexer;
mod resources;
mod survey;
mod usage;

pub(super) use geometry::Rect;
pub(super) use resources::prune;
pub(super) use survey::survey;
pub(super) use usage::{Codes, Shown, Usage};
