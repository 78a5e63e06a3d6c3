//! Tests of `optimize` by its results: size, structure (qpdf) and appearance (poppler).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod cff_font;
mod colors;
mod fonts;
mod forms;
mod images;
mod merge_cff;
mod merge_truetype;
mod oracle;
mod sample;
mod structure;
mod together;
mod type1;
