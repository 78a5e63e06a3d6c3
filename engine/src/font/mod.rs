//! Fonts that Recto brings along: faces, text set in them, and how they get into a document.

mod embed;
mod faces;
mod text;
pub(crate) mod type1c;

pub(crate) use embed::Embedded;
pub(crate) use faces::{Face, Style};
pub(crate) use text::{Glyph, Text, Unsettable};
