//! Pages that take long to render: a cancel soon stops all threads that render a page, and the pages are rendered
//! correctly.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;

use documents::{document, file, stream};
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, run};
use recto_interface::Options;
use recto_interface::options::{PdfToJpegOptions, PdfToPngOptions, PdfToTiffFaxOptions};
use std::io::Cursor;
use std::time::{Duration, Instant};

/// The longest time that rendering threads may run after a cancel. On an idle machine, a release build needs about
/// 0.1 s.
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });

fn points(state: &mut u64) -> String {
    let mut next = |most: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % most
    };
    format!("{} {}", next(612), next(792))
}

/// A content with `count` curves across the page. The operator `each` paints each curve separately; the operator `all`
/// paints all curves as one path.
fn curves(count: usize, each: &str, all: &str) -> String {
    let mut state = 1;
    let mut point = || points(&mut state);
    let mut content = String::from("0 0 m ");
    for _ in 0..count {
        let start = if each.is_empty() { String::new() } else { format!("{} m ", point()) };
        content.push_str(&format!("{start}{} {} {} c {each}\n", point(), point(), point()));
    }
    content + all
}

fn page(content: &str) -> Vec<u8> {
    document(&[("/MediaBox[0 0 612 792]", content)])
}

fn in_a_form(content: &str) -> Vec<u8> {
    file(
        &[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
                .to_vec(),
            stream("", b"/X Do"),
            stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<>>", content.as_bytes()),
        ],
        "",
    )
}

/// Runs an operation, cancels it after 300 ms, and returns the time from the cancel to the end of the last rendering
/// thread.
fn ends_after_cancel(options: &Options, bytes: &[u8]) -> Duration {
    let cancel = Cancel::default();
    let trigger = cancel.clone();
    let asked = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        trigger.trigger();
        Instant::now()
    });
    let ended = run(options, Input { bytes, name: "it.pdf" }, &Job::new(Limits::default(), cancel));
    assert!(matches!(ended, Err(EngineError::Cancelled)), "{ended:?}");
    let asked = asked.join().unwrap();
    assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
    while cfg!(target_os = "linux") && renderers() > 0 {
        assert!(asked.elapsed() < Duration::from_secs(60), "still rendering");
        std::thread::sleep(Duration::from_millis(5));
    }
    asked.elapsed()
}

/// The number of rendering threads in this process.
fn renderers() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let names = threads.map(|thread| std::fs::read_to_string(thread?.path().join("comm")));
    names.filter(|name| name.as_ref().is_ok_and(|name| name.trim() == "recto-render")).count()
}

// This file is a separate test program, so that rendering threads of the tests in other files are not counted.
#[test]
fn a_cancel_stops_the_threads_of_heavy_pages_soon() {
    let png: Options = PdfToPngOptions::default().into();
    let jpeg: Options = PdfToJpegOptions::default().into();
    let fax: Options = PdfToTiffFaxOptions {}.into();
    for (what, options, bytes) in [
        ("many curves", &png, page(&curves(100_000, "S", ""))),
        ("many curves in a form", &jpeg, in_a_form(&curves(100_000, "S", ""))),
        ("one path to stroke", &png, page(&curves(50_000, "", "S"))),
        ("one path to fill", &fax, page(&curves(50_000, "", "f*"))),
        ("dashes", &jpeg, page(&format!("[1] 0 d {}", curves(20_000, "S", "")))),
        ("a large page", &jpeg, document(&[("/MediaBox[0 0 9000 9000]", "0 0 4000 9000 re f")])),
    ] {
        let took = ends_after_cancel(options, &bytes);
        println!("{what}: {took:?}");
        assert!(took < SOON, "{what}: {took:?}");
    }
}

#[test]
fn dashes_that_are_too_fine_to_render_are_refused() {
    let bytes = page(&format!("[0.001] 0 d {}", curves(400, "", "S")));
    let made = run(
        &PdfToPngOptions::default().into(),
        Input { bytes: &bytes, name: "it.pdf" },
        &Job::new(Limits::default(), Cancel::default()),
    );
    assert!(matches!(made, Err(EngineError::Limit { .. })), "{made:?}");
}

/// The first page of a document, as an RGB image.
fn picture(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let made = run(
        &PdfToPngOptions::default().into(),
        Input { bytes, name: "it.pdf" },
        &Job::new(Limits::default(), Cancel::default()),
    );
    let Ok(Output::File(file)) = made else { panic!("{made:?}") };
    let mut reader = png::Decoder::new(Cursor::new(file.bytes)).read_info().unwrap();
    let mut rows = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rows).unwrap();
    (info.width, info.height, rows)
}

#[test]
fn content_over_a_heavy_background_looks_as_over_a_light_one() {
    // The curves of the heavy background are white, so both pages must look the same.
    let over = "0 0 1 rg 50 50 500 300 re f q 1 0 0 RG 5 w 20 20 m 300 900 500 -100 600 780 c S Q \
                BT /F 40 Tf 60 600 Td (Recto & verso) Tj ET q 100 100 200 200 re W n 0 1 0 rg 150 150 400 400 re f Q";
    let heavy = format!("1 g 1 G {} {over}", curves(3_000, "S", ""));
    let (width, height, light) = picture(&page(over));
    let (_, _, heavy) = picture(&page(&heavy));
    assert_eq!(light.len(), heavy.len());
    let off = light.iter().zip(&heavy).filter(|(a, b)| a.abs_diff(**b) > 1).count();
    assert!(off < 10, "{off} values of {width} x {height} pixels differ");
}
