//! Tests of the stamps on generated documents. The results are checked with qpdf, poppler, zbar and libdmtx.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests state what they expect"
)]

mod codes;
mod documents;
mod notices;
mod oracles;
mod pages;
mod sweep;
mod text;

use recto_engine::{EngineError, Input, Job, Output, OutputFile};
use recto_interface::Options;

/// Runs a stamp operation.
fn stamp(options: impl Into<Options>, bytes: &[u8]) -> Result<OutputFile, EngineError> {
    match recto_engine::run(&options.into(), Input { bytes, name: "sample.pdf" }, &Job::default())? {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("expected a file"),
    }
}

/// Runs a stamp operation that must succeed, and returns the stamped document.
fn stamped(options: impl Into<Options>, bytes: &[u8]) -> Vec<u8> {
    let file = stamp(options, bytes).expect("the stamp works");
    assert_eq!(file.extension, "pdf");
    file.bytes
}
