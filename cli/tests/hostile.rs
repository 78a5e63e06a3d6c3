//! Malicious documents are processed by a service with worker processes. Each operation must end within its limits, and
//! the service must work as before afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // tests state what they expect
#![cfg(all(target_os = "linux", feature = "local"))]

#[path = "../../engine/tests/documents/mod.rs"]
mod documents;
#[path = "../../service/tests/support/mod.rs"]
mod support;

use documents::{document, file, stream};
use recto_engine::Limits;
use recto_interface::OperationKind;
use recto_service::{Isolation, LocalService, WorkerProgram};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};
use support::{Api, send};

/// The time limit of an operation.
const TIME: Duration = Duration::from_secs(3);

/// How long after the time limit [`TIME`] a failure must be reported. Either the worker reports the failure, or the
/// service ends the worker.
const GRACE: Duration = Duration::from_secs(7);

/// The memory limit of a worker.
const MEMORY: u64 = 512 << 20;

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn objects(parts: &[&str]) -> Vec<Vec<u8>> {
    parts.iter().map(|part| part.as_bytes().to_vec()).collect()
}

fn catalog_and(pages: &str, rest: &[&str]) -> Vec<u8> {
    file(&objects(&[&["<</Type/Catalog/Pages 2 0 R>>", pages], rest].concat()), "")
}

/// A document of one page. `content` is the content of the page, compressed `layers` times.
fn bomb(content: &[u8], layers: usize) -> Vec<u8> {
    let filters = vec!["/FlateDecode"; layers].join(" ");
    let mut bytes = content.to_vec();
    for _ in 0..layers {
        bytes = deflated(&bytes);
    }
    let mut all = objects(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R>>",
    ]);
    all.push(stream(&format!("/Filter[{filters}]"), &bytes));
    file(&all, "")
}

fn image_page(image: Vec<u8>) -> Vec<u8> {
    let mut all = objects(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
    ]);
    all.push(stream("", b"200 0 0 300 0 0 cm /I Do"));
    all.push(image);
    file(&all, "")
}

/// The malicious documents. Each document has a name.
fn hostile() -> Vec<(String, Vec<u8>)> {
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let page = "<</Type/Pages/Count 1/Kids[3 0 R]>>";
    let deep_tree: Vec<String> = (0..20_000)
        .map(|level| format!("<</Type/Pages/Count 1/Parent {} 0 R/Kids[{} 0 R]>>", level + 2, level + 4))
        .collect();
    let deep_tree: Vec<&str> = deep_tree.iter().map(String::as_str).collect();
    let form_loop = {
        let mut all = objects(&[
            "<</Type/Catalog/Pages 2 0 R>>",
            page,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        ]);
        all.push(stream("", b"/F Do"));
        all.push(stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>",
            b"/F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do",
        ));
        file(&all, "")
    };
    let billion_laughs = {
        let mut all = objects(&[
            "<</Type/Catalog/Pages 2 0 R>>",
            page,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>",
        ]);
        all.push(stream("", b"/F Do"));
        for next in 6..26 {
            let entries = format!(
                "/Type/XObject/Subtype/Form/BBox[0 0 200 300]/Resources<</XObject<</F {next} 0 R>>>>"
            );
            all.push(stream(&entries, &b"/F Do ".repeat(10)));
        }
        all.push(stream("/Type/XObject/Subtype/Form/BBox[0 0 200 300]", b"0 0 200 300 re f"));
        file(&all, "")
    };
    let one = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R>>";
    let huge_image = |entries: &str| {
        image_page(stream(
            &format!("/Type/XObject/Subtype/Image/BitsPerComponent 8{entries}"),
            &deflated(b"x"),
        ))
    };
    let mut documents: Vec<(&str, Vec<u8>)> = vec![
        ("nothing.pdf", Vec::new()),
        ("a header.pdf", b"%PDF-1.7\n".to_vec()),
        ("no PDF.pdf", b"MZ\x90\0".repeat(1000)),
        ("a page tree that holds itself.pdf", catalog_and("<</Type/Pages/Count 1/Kids[2 0 R]>>", &[])),
        ("a page tree without end.pdf", catalog_and(page, &deep_tree)),
        ("a page that is its own parent.pdf", catalog_and(page, &["<</Type/Page/Parent 3 0 R/MediaBox 3 0 R>>"])),
        ("deep arrays.pdf", catalog_and(page, &[one, &nested("[", "]", 200_000)])),
        ("deep dictionaries.pdf", catalog_and(page, &[one, &nested("<</a", ">>", 100_000)])),
        ("a reference to itself.pdf", catalog_and(page, &[one, "4 0 R"])),
        ("huge page.pdf", document(&[("/MediaBox[0 0 1e9 1e9]", "0 0 1 1 re f")])),
        ("page of no size.pdf", document(&[("/MediaBox[0 0 0 0]", "0 0 1 1 re f")])),
        ("page of odd numbers.pdf", document(&[("/MediaBox[-1e38 nan 99999999999999999999 1e400]", "")])),
        ("deep graphics states.pdf", document(&[("/MediaBox[0 0 20 20]", &"q ".repeat(500_000))])),
        ("many paths.pdf", document(&[("/MediaBox[0 0 2000 2000]", &"0 0 m 1999 1999 l 3 w S ".repeat(100_000))])),
        ("dashes.pdf", document(&[("/MediaBox[0 0 20 20]", "[0.0000001] 0 d 0 0 m 99999999 99999999 l S")])),
        ("a form that draws itself.pdf", form_loop),
        ("forms that draw ten of the next.pdf", billion_laughs),
        ("a bomb of blanks.pdf", bomb(&b" ".repeat(64 << 20), 3)),
        ("a bomb of work.pdf", bomb(&b"q 0 0 200 300 re f Q ".repeat(1 << 20), 2)),
        ("a huge image.pdf", huge_image("/Width 2000000000/Height 2000000000/ColorSpace/DeviceRGB/Filter/FlateDecode")),
        ("a wide image.pdf", huge_image("/Width 100000000/Height 1/ColorSpace/DeviceGray/Filter/FlateDecode")),
        ("an image of minus one.pdf", huge_image("/Width -1/Height 3/ColorSpace/DeviceGray/Filter/FlateDecode")),
        (
            "a table that leads to itself.pdf",
            b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF".to_vec(),
        ),
        (
            "a table of four billion.pdf",
            b"%PDF-1.7\nxref\n0 4294967295\n0000000000 65535 f \ntrailer\n<</Size 4294967295/Root 1 0 R>>\nstartxref\n9\n%%EOF"
                .to_vec(),
        ),
    ];
    documents.push(("a huge picture.png", {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 8, 6, 0, 0, 0]);
        png.extend(b"\0\0\0\0\0\0\0\0IDAT\0\0\0\0");
        png
    }));
    documents.push(("directories in a circle.tiff", b"II*\0\x08\0\0\0\0\0\x08\0\0\0".to_vec()));
    documents.push(("a script.docx", b"PK\x03\x04".repeat(100)));
    let mut documents: Vec<(String, Vec<u8>)> =
        documents.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    documents.extend(damaged());
    documents
}

/// Copies of a valid document with some bytes changed. The changes are the same in every run.
fn damaged() -> Vec<(String, Vec<u8>)> {
    let valid = document(&[
        ("/MediaBox[0 0 200 300]", "BT /F 12 Tf 20 20 Td (Recto) Tj ET"),
        ("/MediaBox[0 0 300 200]", "1 0 0 rg 9 9 99 99 re f"),
    ]);
    let mut state = 4711_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from(state >> 33).unwrap() % below
    };
    (0..24)
        .map(|number| {
            let mut bytes = valid.clone();
            for _ in 0..=number {
                let place = random(bytes.len());
                bytes[place] = u8::try_from(random(256)).unwrap();
            }
            (format!("damaged {number}.pdf"), bytes)
        })
        .collect()
}

fn operations(name: &str) -> Vec<(OperationKind, Value)> {
    let extension = name.rsplit('.').next().unwrap();
    let all = [
        (OperationKind::Optimize, json!({"profile": "web"})),
        (OperationKind::PdfToPng, json!({"maxSizeInPixels": {"width": 500, "height": 500}})),
        (OperationKind::StampText, json!({"text": "Recto"})),
        (OperationKind::Encrypt, json!({"password": "p"})),
        (OperationKind::ImageToPdf, json!({})),
        (OperationKind::DocToPdf, json!({})),
    ];
    all.into_iter().filter(|(kind, _)| kind.accepts().contains(&extension)).collect()
}

#[test]
fn every_malicious_document_is_processed_within_the_limits() {
    let isolation = Isolation {
        program: Some(WorkerProgram::recto(env!("CARGO_BIN_EXE_recto"))),
        memory: MEMORY,
        ..Isolation::default()
    };
    let limits = Limits { time: TIME, output_bytes: 64 << 20, pixels: 50_000_000, ..Limits::default() };
    let service =
        LocalService::builder().workers(2).isolation(isolation).engine_limits(limits).start().unwrap();
    let api = Api(&service);
    let mut tally = std::collections::BTreeMap::<String, u32>::new();
    for (name, bytes) in hostile() {
        let file = api.upload(&name, &bytes);
        for (kind, options) in operations(&name) {
            let began = Instant::now();
            let operation = api.start(kind.path(), &json!({"input": {"fileId": file}, "options": options}));
            let result = api.result(&operation, 30).json();
            let took = began.elapsed();
            let outcome = match result["error"]["code"].as_str() {
                Some(code) => code.to_owned(),
                None => result["operationStatus"].as_str().unwrap().to_owned(),
            };
            assert!(
                outcome != "inProgress" && took < TIME + GRACE,
                "{name} {kind}: {outcome} after {took:?}"
            );
            if took > TIME || outcome == "worker_crashed" || outcome == "internal" {
                println!("{name}, {kind}: {outcome} after {took:?}: {}", result["error"]["detail"]);
            }
            *tally.entry(outcome).or_default() += 1;
        }
    }
    println!("{tally:?}");
    // The service must still process a valid document.
    let file = api.upload("a.pdf", &document(&[("/MediaBox[0 0 20 20]", "")]));
    let operation = api.start(OperationKind::PdfToPng.path(), &json!({"input": {"fileId": file}}));
    let result = api.result(&operation, 30).json();
    assert!(
        send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body.starts_with(b"\x89PNG")
    );
}
