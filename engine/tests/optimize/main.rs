//! `optimize`, judged by what comes out: sizes, structure (qpdf) and looks (poppler).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod cff_font;
mod colors;
mod fonts;
mod forms;
mod images;
mod judge;
mod merge_cff;
mod merge_truetype;
mod sample;
mod structure;
mod together;
mod type1;
