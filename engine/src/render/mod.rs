//! Renders the pages of a PDF to pixels, with hayro.

mod appearance;
mod cost;
mod document;
mod interrupt;
mod interrupt_points;
mod page_color;
mod pages;
mod size;

pub(crate) use appearance::complete as complete_appearances;
pub(crate) use document::open;
pub(crate) use page_color::{PageColor, color_of_page};
pub(crate) use pages::{PageView, each_page};
pub(crate) use size::{RESOLUTION, Scale};
