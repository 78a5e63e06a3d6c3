//! Content streams: their operations, and what a document's pages show by them.

mod forms;
mod geometry;
mod resources;
mod shorten;
mod survey;
mod usage;

use crate::document::lexer;
pub(super) use forms::settle;
pub(super) use geometry::Rect;
pub(super) use resources::prune;
pub(super) use shorten::shortened;
pub(crate) use survey::survey;
pub(crate) use usage::Usage;
pub(super) use usage::{Codes, Shown};
