//! The stamps, on documents made here, judged by other people's programs: qpdf, poppler, zbar, libdmtx.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests state what they expect"
)]

mod codes;
mod documents;
mod judges;
mod notices;
mod pages;
mod sweep;
mod text;

use recto_engine::{EngineError, Input, Job, Output, OutputFile};
use recto_interface::Options;

/// Runs a stamp.
fn stamp(options: impl Into<Options>, bytes: &[u8]) -> Result<OutputFile, EngineError> {
    match recto_engine::run(&options.into(), Input { bytes, name: "sample.pdf" }, &Job::default())? {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a stamp gives a file"),
    }
}

/// Runs a stamp that must work.
fn stamped(options: impl Into<Options>, bytes: &[u8]) -> Vec<u8> {
    let file = stamp(options, bytes).expect("the stamp works");
    assert_eq!(file.extension, "pdf");
    file.bytes
}
