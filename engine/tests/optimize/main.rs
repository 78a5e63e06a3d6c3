//! `optimize`, judged by what comes out: sizes, structure (qpdf) and looks (poppler).

mod fonts;
mod images;
mod judge;
mod sample;
mod structure;
