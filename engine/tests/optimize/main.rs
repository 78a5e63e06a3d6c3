//! `optimize`, judged by what comes out: sizes, structure (qpdf) and looks (poppler).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod colors;
mod fonts;
mod forms;
mod images;
mod judge;
mod sample;
mod structure;
mod type1;
