//! `archive-pdfa` and `power-archive`: the result conforms to PDF/A, has the same appearance and the same text as the
//! input, and its notes list the changes.
//!
//! The results are checked with our own `validate`, and with veraPDF if `RECTO_VERAPDF` names a program that reads
//! paths from standard input and prints a line `PATH<TAB>PASS|FAIL<TAB>…` for each path.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod documents;
mod oracles;

use documents::{document, file, stream};
use oracles::{Bench, check_structure, present};
use recto_engine::{EngineError, Input, Job, Output, OutputFile, run};
use recto_interface::printable::is_unprintable;
use recto_interface::{OperationKind, Options};
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

const BOX: &str = "/MediaBox[0 0 200 100]";

fn operate(kind: OperationKind, options: &serde_json::Value, bytes: &[u8]) -> Result<Output, EngineError> {
    let options = Options::from_json(kind, options).unwrap();
    run(&options, Input { bytes, name: "it.pdf" }, &Job::default())
}

/// Converts the document to PDF/A and checks that the result conforms to the level.
fn archived(bytes: &[u8], level: &str) -> OutputFile {
    let made = match operate(OperationKind::ArchivePdfA, &json!({ "conformance": level }), bytes) {
        Ok(Output::File(made)) => made,
        other => panic!("{other:?}"),
    };
    assert_conforms(&made.bytes, level);
    made
}

fn assert_conforms(bytes: &[u8], level: &str) {
    match operate(OperationKind::Validate, &json!({ "conformance": level }), bytes).unwrap() {
        Output::Report(report) => {
            assert_eq!(report.errors, [""; 0]);
            assert_eq!(report.conformance.as_deref(), Some(level));
        }
        Output::File(_) => panic!("expected a report"),
    }
    check_structure(bytes, level);
    let Some(program) = std::env::var_os("RECTO_VERAPDF") else {
        eprintln!("SKIPPED: RECTO_VERAPDF names no PDF/A validator");
        return;
    };
    let bench = Bench::new("verapdf");
    let path = bench.file("it.pdf", bytes);
    let mut child = Command::new(program)
        .arg(level.replace("pdf_a", "").replace('_', ""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", path.display()).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(said.split('\t').nth(1), Some("PASS"), "{said}");
}

/// The text of a document, extracted by poppler. `None` if poppler is not installed.
fn text(bytes: &[u8]) -> Option<String> {
    present("pdftotext", "poppler-utils").then(|| {
        let bench = Bench::new("text");
        bench.file("it.pdf", bytes);
        bench.output("pdftotext", &["it.pdf", "-"])
    })
}

/// The first page of a document, rendered by poppler in gray at 72 dpi. `None` if poppler is not installed.
fn shown(bytes: &[u8]) -> Option<Vec<u8>> {
    present("pdftoppm", "poppler-utils").then(|| {
        let bench = Bench::new("shown");
        bench.file("it.pdf", bytes);
        bench.output("pdftoppm", &["-gray", "-r", "72", "-singlefile", "it.pdf", "page"]);
        bench.read("page.pgm")
    })
}

/// The mean difference between the samples (0 to 255) of two images of the same size.
fn distance(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

fn holds(bytes: &[u8], words: &[u8]) -> bool {
    // Search in a copy that qpdf has decompressed.
    let bench = Bench::new("look");
    bench.file("it.pdf", bytes);
    bench.run("qpdf", &["--qdf", "--object-streams=disable", "it.pdf", "plain.pdf"]);
    bench.read("plain.pdf").windows(words.len()).any(|window| window == words)
}

fn says(made: &OutputFile, part: &str) -> bool {
    made.notes.iter().any(|note| note.contains(part))
}

#[test]
fn text_in_a_font_that_is_not_embedded_stays_text_and_looks_the_same() {
    let page = (BOX, "BT /F 24 Tf 10 40 Td (Quick brown fox) Tj ET");
    let bytes = document(&[page]);
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "Helvetica"), "{:?}", made.notes);
    if let (Some(text), Some(before), Some(after)) = (text(&made.bytes), shown(&bytes), shown(&made.bytes)) {
        assert!(text.contains("Quick brown fox"), "{text}");
        assert!(distance(&before, &after) < 4.0, "{}", distance(&before, &after));
        let blank = shown(&document(&[(BOX, "")])).unwrap();
        assert!(distance(&blank, &after) > 6.0, "the page is empty");
    }
}

#[test]
fn fonts_used_only_for_empty_text_are_embedded_too() {
    let page = (BOX, "0 0 m 90 90 l S BT /F 24 Tf 10 40 Td () Tj [-500] TJ ET");
    assert!(says(&archived(&document(&[page]), "pdf_a2_b"), "Helvetica"));

    let bytes = field(&composite("UniGB-UTF16-H", 5), "BT /F 12 Tf () Tj ET");
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "Unnamed") && !says(&made, "converted to an image"), "{:?}", made.notes);
    // The font of the form stays: when a user fills in a field later, readers use this font.
    assert!(holds(&made.bytes, b"UniGB-UTF16-H"));
}

/// A composite font that is not embedded.
fn composite(cmap: &str, supplement: u8) -> String {
    format!(
        "<</Type/Font/Subtype/Type0/BaseFont/Unnamed/Encoding/{cmap}/DescendantFonts[<</Type/Font/Subtype/CIDFontType2\
         /BaseFont/Unnamed/CIDToGIDMap/Identity/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement {supplement}>>\
         /FontDescriptor<</Type/FontDescriptor/FontName/Unnamed/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800\
         /Descent 0/CapHeight 700/StemV 80>>>>]>>"
    )
}

/// A document of one page with a text field that has this font and this appearance.
fn field(font: &str, appearance: &str) -> Vec<u8> {
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DR<</Font<</F 5 0 R>>>>/DA(/F 12 Tf)>>>>"
            .to_vec(),
        format!("<</Type/Pages/Kids[3 0 R]/Count 1{BOX}>>").into_bytes(),
        b"<</Type/Page/Parent 2 0 R/Annots[4 0 R]>>".to_vec(),
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/F 4/Rect[10 10 90 30]/AP<</N 6 0 R>>>>".to_vec(),
        font.as_bytes().to_vec(),
        stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 80 20]/Resources<</Font<</F 5 0 R>>>>",
            appearance.as_bytes(),
        ),
    ];
    file(&objects, "")
}

#[test]
fn fonts_have_as_many_widths_as_codes() {
    for last in [97, 99] {
        let font = format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 900 900]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</a 7 0 R/b 7 0 R>>\
             /Encoding<</Type/Encoding/Differences[97/a/b]>>/FirstChar 97/LastChar {last}/Widths[1000 1000]/Resources<<>>>>"
        );
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!("<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>")
                .into_bytes(),
            stream("", b"BT /F 20 Tf 10 10 Td (aa) Tj ET"),
            font.into_bytes(),
            b"null".to_vec(),
            stream("", b"1000 0 0 0 900 900 d1 0 0 900 900 re f"),
        ];
        let bytes = file(&objects, "");
        match operate(OperationKind::Validate, &json!({ "conformance": "pdf_a2_b" }), &bytes).unwrap() {
            Output::Report(report) => {
                assert!(report.errors.iter().any(|error| error.contains("6.2.11.2")), "{:?}", report.errors);
            }
            Output::File(_) => panic!("expected a report"),
        }
        let made = archived(&bytes, "pdf_a2_b");
        assert_eq!(shown(&bytes), shown(&made.bytes));
    }
}

#[test]
fn glyphs_of_type_3_fonts_get_a_meaning_of_their_colours() {
    for resources in ["", "/Resources<<>>"] {
        let font = format!(
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 900 900]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</a 6 0 R>>\
             /Encoding<</Type/Encoding/Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[1000]{resources}>>"
        );
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!("<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>")
                .into_bytes(),
            stream("", b"BT /F 40 Tf 10 10 Td (aa) Tj ET"),
            font.into_bytes(),
            stream("", b"1000 0 d0 0 0 0 1 k 0 0 900 900 re f"),
        ];
        let bytes = file(&objects, "");
        let made = archived(&bytes, "pdf_a2_b");
        assert!(!says(&made, "image"), "{:?}", made.notes);
        if let (Some(before), Some(after)) = (shown(&bytes), shown(&made.bytes)) {
            assert!(distance(&before, &after) < 12.0, "{}", distance(&before, &after));
        }
    }
}

#[test]
fn a_string_that_is_too_long_is_found_anywhere() {
    let long = "x".repeat(40_000);
    let bytes = special(&format!("/Outlines<</Title({long})>>"), "", &[]);
    let error =
        operate(OperationKind::ArchivePdfA, &json!({ "conformance": "pdf_a2_b" }), &bytes).unwrap_err();
    assert!(error.to_string().contains("32,767"), "{error}");
}

#[test]
fn lines_of_small_text_keep_position_and_appearance() {
    let lines = "(A quick movement of the enemy will jeopardize six gunboats.) Tj T* ".repeat(12);
    let bytes = document(&[("/MediaBox[0 0 400 200]", &format!("BT /F 12 Tf 15 TL 10 180 Td {lines} ET"))]);
    let made = archived(&bytes, "pdf_a2_b");
    // The substitute is an outline font, as in viewers, and not a Type 3 font, which viewers render differently.
    assert!(holds(&made.bytes, b"/Subtype /Type1C") && !holds(&made.bytes, b"/Type3"));
    if let (Some(before), Some(after)) = (shown(&bytes), shown(&made.bytes)) {
        assert!(distance(&before, &after) < 6.0, "{}", distance(&before, &after));
    }
}

#[test]
fn text_that_is_painted_in_one_place_and_hidden_in_another_stays_so() {
    let page = (BOX, "BT /F 24 Tf 10 60 Td (Seen) Tj 3 Tr 0 -40 Td (Unseen) Tj ET");
    let made = archived(&document(&[page]), "pdf_a2_b");
    if let (Some(text), Some(after)) = (text(&made.bytes), shown(&made.bytes)) {
        assert!(text.contains("Seen") && text.contains("Unseen"), "{text}");
        let seen = shown(&document(&[(BOX, "BT /F 24 Tf 10 60 Td (Seen) Tj ET")])).unwrap();
        assert!(distance(&seen, &after) < 2.0, "{}", distance(&seen, &after));
    }
}

#[test]
fn replaced_output_intents_and_metadata_are_noted() {
    let profile = include_bytes!("../assets/CGATS001Compat-v2-micro.icc");
    let intent =
        "<</Type/OutputIntent/S/GTS_PDFX/OutputConditionIdentifier(FOGRA39)/DestOutputProfile 6 0 R>>";
    let objects = [
        format!("<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/OutputIntents[{intent}]>>").into_bytes(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<<>>>>").into_bytes(),
        stream("", b"0 1 0 0 k 10 10 50 50 re f"),
        stream("/Type/Metadata/Subtype/XML", b"<x:xmpmeta/>"),
        stream("/N 4", profile),
    ];
    let bytes = file(&objects, "");
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "FOGRA39") && says(&made, "XMP"), "{:?}", made.notes);
    // The CMYK colours keep the profile of the document's own output intent.
    assert!(holds(&made.bytes, b"/DefaultCMYK") && holds(&made.bytes, b"/N 4"));
}

#[test]
fn notes_that_quote_a_document_do_not_control_a_terminal() {
    // ESC, `]0;title`, BEL, a line break, and a character that reverses the line.
    let name = "A#1b#5d0;title#07#0a#e2#80#ae";
    let font = format!("<</Type/Font/Subtype/Type1/BaseFont/{name}/FirstChar 65/LastChar 65/Widths[667]>>");
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>")
            .into_bytes(),
        stream("", b"BT /F 24 Tf 10 40 Td (A) Tj ET"),
        font.into_bytes(),
    ];
    let made = archived(&file(&objects, ""), "pdf_a2_b");
    assert!(says(&made, r"A\u{1b}]0;title\u{7}\n\u{202e}"), "{:?}", made.notes);
    assert!(made.notes.iter().all(|note| !note.contains(is_unprintable)), "{:?}", made.notes);
}

#[test]
fn invisible_text_stays_invisible() {
    let page = (BOX, "BT 3 Tr /F 24 Tf 10 40 Td (Unseen words) Tj ET");
    let made = archived(&document(&[page]), "pdf_a2_b");
    if let (Some(text), Some(after)) = (text(&made.bytes), shown(&made.bytes)) {
        assert!(text.contains("Unseen words"), "{text}");
        assert!(distance(&shown(&document(&[(BOX, "")])).unwrap(), &after) < 0.01);
    }
}

#[test]
fn every_device_colour_space_gets_a_profile() {
    let page = (
        "/MediaBox[0 0 200 100]/Group<</S/Transparency/CS/DeviceCMYK>>",
        "1 0 0 rg 0 0 50 50 re f 0 1 1 0 k 50 0 50 50 re f 0.5 g 100 0 50 50 re f",
    );
    let bytes = document(&[page]);
    let made = archived(&bytes, "pdf_a2_b");
    if let (Some(before), Some(after)) = (shown(&bytes), shown(&made.bytes)) {
        assert!(distance(&before, &after) < 12.0, "{}", distance(&before, &after));
    }
}

#[test]
fn abbreviated_filter_names_are_written_in_full() {
    let mut photo = Vec::new();
    let gray: Vec<u8> = (0..64 * 64).map(|at| u8::try_from(at / 64 * 4).unwrap()).collect();
    let encoder = jpeg_encoder::Encoder::new(&mut photo, 90);
    encoder.encode(&gray, 64, 64, jpeg_encoder::ColorType::Luma).unwrap();
    let content: String = "q 90 0 0 90 5 5 cm /P Do Q q 90 0 0 90 105 5 cm /R Do Q"
        .bytes()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let image = "/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8";
    let bytes = file(
        &[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!(
                "<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<</XObject<</P 5 0 R/R 6 0 R>>>>>>"
            )
            .into_bytes(),
            stream("/Filter[/AHx]", format!("{content}>").as_bytes()),
            stream(&format!("{image}/Width 64/Height 64/Filter/DCT"), &photo),
            stream(&format!("{image}/Width 2/Height 2/Filter/RL"), &[3, 20, 120, 200, 80, 128]),
        ],
        "",
    );
    let made = archived(&bytes, "pdf_a2_b");
    if let (Some(before), Some(after)) = (shown(&bytes), shown(&made.bytes)) {
        assert!(distance(&before, &after) < 1.0, "{}", distance(&before, &after));
    }
}

/// A document of one page. `catalog` and `page` contain additional entries of the catalog and of the page dictionary.
/// The objects in `more` are numbered from 5.
fn special(catalog: &str, page: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>").into_bytes(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R{BOX}/Contents 4 0 R/Resources<<>>{page}>>").into_bytes(),
        stream("", b"0 0 m 50 50 l S"),
    ];
    objects.extend_from_slice(more);
    file(&objects, "")
}

#[test]
fn scripts_and_forbidden_actions_are_removed_and_links_stay() {
    let bytes = special(
        "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/AA<</WC 5 0 R>>/Names<</JavaScript<</Names[(a) 5 0 R]>>>>\
         /AcroForm<</Fields[]/XFA(x)/NeedAppearances true>>",
        "/AA<</O 5 0 R>>/Annots[<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.com)>>>>\
         <</Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F(calc.exe)>>>>]",
        &[b"<</S/JavaScript/JS(app.alert\\(2\\))>>".to_vec()],
    );
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "actions and scripts") && says(&made, "XFA"), "{:?}", made.notes);
    if present("qpdf", "qpdf") {
        assert!(!holds(&made.bytes, b"JavaScript") && !holds(&made.bytes, b"calc.exe"));
        assert!(holds(&made.bytes, b"https://example.com"));
    }
}

fn with_attachment() -> Vec<u8> {
    special(
        "/Names<</EmbeddedFiles<</Names[(sum.csv)<</Type/Filespec/F(sum.csv)/EF<</F 5 0 R>>>>]>>>>",
        "",
        &[stream("/Type/EmbeddedFile", b"one,two\n1,2\n")],
    )
}

#[test]
fn attached_files_stay_in_pdf_a_3_and_are_named_when_dropped_from_pdf_a_2() {
    let three = archived(&with_attachment(), "pdf_a3_b");
    let two = archived(&with_attachment(), "pdf_a2_b");
    assert!(says(&two, "1 embedded file was removed"), "{:?}", two.notes);
    if present("qpdf", "qpdf") {
        assert!(holds(&three.bytes, b"one,two") && holds(&three.bytes, b"/AFRelationship"));
        assert!(holds(&three.bytes, b"text#2fcsv") || holds(&three.bytes, b"text/csv"));
        assert!(!holds(&two.bytes, b"one,two"));
    }
}

#[test]
fn annotations_get_appearances_and_hidden_ones_stay_hidden() {
    let bytes = special(
        "/AcroForm<</Fields[5 0 R 6 0 R]>>",
        "/Annots[5 0 R 6 0 R<</Subtype/Square/Rect[100 10 150 60]/C[1 0 0]>><</Subtype/Sound/Rect[0 0 9 9]>>\
         <</Subtype/Square/Rect[0 0 99 99]/F 2/IC[0 0 0]>>]",
        &[
            b"<</Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[10 10 90 30]/DA(/Helv 12 Tf 0 g)>>".to_vec(),
            b"<</Subtype/Widget/FT/Btn/T(box)/Rect[10 40 20 50]>>".to_vec(),
        ],
    );
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "1 annotation was removed"), "{:?}", made.notes);
    if let Some(after) = shown(&made.bytes) {
        let dark = after.iter().filter(|value| **value < 40).count();
        assert!(dark < 3000, "the hidden square is visible: {dark} dark dots");
        assert!(after.iter().filter(|value| **value < 200).count() > 100, "the red square is not");
    }
}

/// A document of one page with Chinese text in a font that is not embedded.
fn chinese() -> Vec<u8> {
    let map = b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CMapName/X def/CMapType 2 def\n\
        1 begincodespacerange <0000><FFFF> endcodespacerange\n\
        2 beginbfchar <0001><6C34> <0002><706B> endbfchar endcmap end end";
    special(
        "",
        "/Resources<</Font<</C 5 0 R>>>>/Contents 9 0 R",
        &[
            b"<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 8 0 R>>".to_vec(),
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>\
              /FontDescriptor 7 0 R/DW 1000>>".to_vec(),
            b"<</Type/FontDescriptor/FontName/Song/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200\
              /CapHeight 700/StemV 80>>".to_vec(),
            stream("", map),
            stream("", b"1 0 0 rg 0 0 60 60 re f BT /C 20 Tf 10 10 Td <00010002> Tj ET"),
        ],
    )
}

#[test]
fn a_page_that_cannot_be_repaired_becomes_an_image_that_keeps_its_text() {
    let bytes = chinese();
    let made = archived(&bytes, "pdf_a2_b");
    assert!(says(&made, "page 1 was converted to an image"), "{:?}", made.notes);
    if let (Some(text), Some(after)) = (text(&made.bytes), shown(&made.bytes)) {
        assert!(text.contains("水火"), "{text}");
        assert!(after.iter().any(|value| (50..110).contains(value)), "the red square is gone");
    }
}

#[test]
fn rotated_pages_become_images_with_the_same_rotation() {
    for turn in ["90", "180", "270"] {
        let text = String::from_utf8_lossy(&chinese()).into_owned();
        // The inserted entry makes the offsets in the cross-reference table wrong. Readers repair the table.
        let bytes = text.replace("/Type/Page/", &format!("/Rotate {turn}/Type/Page/")).into_bytes();
        let made = archived(&bytes, "pdf_a2_b");
        if let (Some(before), Some(after)) = (shown(&bytes), shown(&made.bytes)) {
            assert!(distance(&before, &after) < 6.0, "{turn}: {}", distance(&before, &after));
        }
    }
}

#[test]
fn the_title_stays_in_the_metadata() {
    let mut bytes = document(&[(BOX, "")]);
    let text = String::from_utf8(bytes.clone()).unwrap();
    bytes = text
        .replace("/Root 1 0 R", "/Root 1 0 R/Info<</Title(A & B <c>)/CreationDate(D:20240131120000Z)>>")
        .into_bytes();
    let made = archived(&bytes, "pdf_a3_b");
    if present("qpdf", "qpdf") {
        assert!(holds(&made.bytes, b"A &amp; B &lt;c&gt;") && holds(&made.bytes, b"2024-01-31T12:00:00Z"));
    }
}

#[test]
fn power_archive_is_smaller_and_conforms() {
    let content = "0 0 m 50 50 l S ".repeat(2000);
    let bytes = document(&[(BOX, &content), (BOX, &content)]);
    for (options, level) in [(json!({}), "pdf_a2_b"), (json!({"conformance": "pdf_a3_b"}), "pdf_a3_b")] {
        match operate(OperationKind::PowerArchive, &options, &bytes) {
            Ok(Output::File(made)) => {
                assert_conforms(&made.bytes, level);
                assert!(made.bytes.len() * 4 < bytes.len());
            }
            other => panic!("{other:?}"),
        }
    }
    let refused = operate(OperationKind::PowerArchive, &json!({"conformance": "pdf_a1_b"}), &bytes);
    assert!(matches!(refused, Err(EngineError::InvalidOption(_))), "{refused:?}");
}

#[test]
fn truncated_or_damaged_documents_are_archived_or_refused() {
    let good = with_attachment();
    let try_it = |bytes: &[u8]| match operate(
        OperationKind::ArchivePdfA,
        &json!({"conformance": "pdf_a3_b"}),
        bytes,
    ) {
        Ok(Output::File(made)) => assert!(made.bytes.starts_with(b"%PDF-1.")),
        Ok(Output::Report(_)) => panic!("expected a file"),
        Err(error) => assert!(!matches!(error, EngineError::Internal(_)), "{error}"),
    };
    for end in (0..good.len()).step_by(11) {
        try_it(&good[..end]);
    }
    for at in (0..good.len()).step_by(9) {
        let mut bent = good.clone();
        bent[at] ^= 0x11;
        try_it(&bent);
    }
}
