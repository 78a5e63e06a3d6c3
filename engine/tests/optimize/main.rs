//! Tests of `optimize`. They check the results: the size, the structure (with qpdf) and the appearance (with poppler).
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
