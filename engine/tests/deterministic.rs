//! The same document and options give the same bytes, on any number of threads. Only encryption differs: its keys are
//! random.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use recto_engine::{Input, Job, Output, run};
use recto_interface::{OperationKind, Options};
use serde_json::{Value, json};

/// Every operation whose result must not depend on chance, with options that use most of its code.
fn operations() -> Vec<(Options, &'static [&'static str])> {
    const PDF: &[&str] = &["report.pdf", "form.pdf", "scan.pdf"];
    const PICTURES: &[&str] = &["scan.jpg", "scan.png", "scan.tiff"];
    let of = |kind, options: Value, files| (Options::from_json(kind, &options).unwrap(), files);
    let mut all = vec![
        of(OperationKind::ImageToPdf, json!({}), PICTURES),
        of(OperationKind::PdfToPng, json!({}), PDF),
        of(OperationKind::PdfToJpeg, json!({}), PDF),
        of(OperationKind::PdfToTiff, json!({}), PDF),
        of(OperationKind::PdfToTiffFax, json!({}), PDF),
        of(OperationKind::Validate, json!({ "conformance": "pdf_a2_b" }), PDF),
        of(OperationKind::Decrypt, json!({}), PDF),
        of(OperationKind::StampText, json!({ "text": "Größe" }), PDF),
        of(OperationKind::StampWatermark, json!({ "text": "Copy" }), PDF),
        of(OperationKind::StampBarcode, json!({ "type": "code128", "value": "x" }), PDF),
        of(OperationKind::StampDataMatrix, json!({ "value": "x" }), PDF),
        of(OperationKind::StampQr, json!({ "value": "x" }), PDF),
        of(OperationKind::PowerArchive, json!({}), PDF),
    ];
    for profile in ["web", "print", "archive", "minimalFileSize"] {
        all.push(of(OperationKind::Optimize, json!({ "profile": profile }), PDF));
    }
    for conformance in ["pdf_a2_b", "pdf_a3_b"] {
        all.push(of(OperationKind::ArchivePdfA, json!({ "conformance": conformance }), PDF));
    }
    all
}

/// The result of an operation on `threads` threads, as bytes.
fn result(options: &Options, name: &str, bytes: &[u8], threads: usize) -> Result<Vec<u8>, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(8 << 20).build().unwrap();
    match pool.install(|| run(options, Input { bytes, name }, &Job::default())) {
        Ok(Output::File(file)) => Ok(file.bytes),
        Ok(Output::Report(report)) => Ok(serde_json::to_vec(&report).unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/");
    for (options, names) in operations() {
        for name in names {
            let bytes = std::fs::read(format!("{examples}{name}")).unwrap();
            let first = result(&options, name, &bytes, 1);
            for threads in [2, 8] {
                let again = result(&options, name, &bytes, threads);
                assert!(first == again, "{} of {name} on {threads} threads", options.kind());
            }
        }
    }
}
