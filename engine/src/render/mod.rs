//! Rendering: the pages of a PDF as pixels, by hayro.

mod appearance;
mod checkpoints;
mod color;
mod document;
mod pages;
mod size;
mod watch;
mod weight;

pub(crate) use appearance::complete as complete_appearances;
pub(crate) use color::{PageColor, color_of_page};
pub(crate) use document::open;
pub(crate) use pages::{PageView, each_page};
pub(crate) use size::{RESOLUTION, Scale};
