//! Damaged documents: every page that other readers show is a page of the result, and the notes say what was guessed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;
mod oracles;

use documents::{document, file, stream};
use oracles::check_structure;
use recto_engine::{EngineError, Input, Job, Output, OutputFile, run};
use recto_interface::{OperationKind, Options};
use serde_json::{Value, json};
use std::io::Cursor;

fn operations() -> Vec<(OperationKind, Value)> {
    vec![
        (OperationKind::PdfToPng, json!({ "maxSizeInPixels": { "width": 40, "height": 40 } })),
        (OperationKind::Optimize, json!({})),
        (OperationKind::StampText, json!({ "text": "x" })),
        (OperationKind::ArchivePdfA, json!({ "conformance": "pdf_a2_b" })),
    ]
}

fn operate(kind: OperationKind, options: &Value, bytes: &[u8]) -> Result<OutputFile, EngineError> {
    match run(&Options::from_json(kind, options).unwrap(), Input { bytes, name: "it.pdf" }, &Job::default())?
    {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a file was expected"),
    }
}

/// The number of images in the result of `pdf-to-png`.
fn images(bytes: &[u8]) -> usize {
    let (kind, options) = operations().remove(0);
    match operate(kind, &options, bytes) {
        Ok(file) if file.extension == "png" => 1,
        Ok(file) => zip::ZipArchive::new(Cursor::new(file.bytes)).unwrap().len(),
        Err(error) => panic!("{error}"),
    }
}

/// Asserts that all operations find this number of pages, and that a note has these words.
fn assert_pages(what: &str, bytes: &[u8], expected: usize, word: &str) {
    assert_eq!(images(bytes), expected, "{what}");
    for (kind, options) in operations() {
        let file = operate(kind, &options, bytes).unwrap_or_else(|error| panic!("{what}: {kind}: {error}"));
        assert!(file.notes.iter().any(|note| note.contains(word)), "{what}: {kind}: {:?}", file.notes);
        if file.extension == "pdf" && file.bytes != bytes {
            check_structure(&file.bytes, what);
            assert_eq!(images(&file.bytes), expected, "{what}: {kind}");
            let again = operate(kind, &options, &file.bytes).unwrap();
            assert!(!again.notes.iter().any(|note| note.contains("damaged")), "{what}: {:?}", again.notes);
        }
    }
}

const PAGE: &str = "/MediaBox[0 0 72 72]";
const RED: &str = "1 0 0 rg 0 0 72 72 re f";

fn whole() -> Vec<u8> {
    document(&[(PAGE, RED), (PAGE, RED)])
}

fn replaced(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::from_utf8(whole()).unwrap();
    for (from, to) in pairs {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text.into_bytes()
}

/// The objects of a file without its header, table and trailer.
fn objects_only(file: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(file.to_vec()).unwrap();
    text[..text.find("xref\n").unwrap()].replacen("%PDF-1.7\n", "", 1).into_bytes()
}

#[test]
fn the_catalog_or_the_pages_are_found_by_scanning() {
    let headed = |bytes: Vec<u8>| [b"%PDF-1.7\n", &bytes[..]].concat();
    let no_catalog = replaced(&[("/Type/Catalog/Pages 2 0 R", "/Nothing 1")]);
    let no_tree = replaced(&[("/Type/Catalog/Pages 2 0 R", "/Nothing 1"), ("/Type/Pages/Kids", "/Not")]);
    for (what, bytes, word) in [
        ("no trailer", headed(objects_only(&whole())), "scanning"),
        ("a trailer that names another object", replaced(&[("/Root 1 0 R", "/Root 3 0 R")]), "scanning"),
        ("no root", replaced(&[("/Root 1 0 R", "")]), "scanning"),
        ("no catalog", no_catalog.clone(), "page tree was found"),
        ("no catalog and no trailer", headed(objects_only(&no_catalog)), "page tree was found"),
        ("no catalog and no tree", no_tree, "order is that of the file"),
        (
            "objects that do not begin a line",
            {
                let text = String::from_utf8(objects_only(&whole())).unwrap();
                headed(text.replace("endobj\n", "endobj ").into_bytes())
            },
            "scanning",
        ),
    ] {
        assert_pages(what, &bytes, 2, word);
    }
}

#[test]
fn a_catalog_in_the_trailer_itself_is_read() {
    assert_eq!(images(&replaced(&[("/Root 1 0 R", "/Root<</Type/Catalog/Pages 2 0 R>>")])), 2);
}

#[test]
fn irregular_page_trees_have_all_their_pages() {
    for (what, from, to, pages) in [
        ("a page that occurs twice", "/Kids[4 0 R 6 0 R]", "/Kids[4 0 R 6 0 R 4 0 R]", 3),
        ("a loop", "/Kids[4 0 R 6 0 R]", "/Kids[2 0 R 4 0 R 6 0 R]", 2),
        ("a tree of the wrong type", "/Type/Pages", "/Type/Page", 2),
        ("a tree without a type", "/Type/Pages", "", 2),
        ("pages of the wrong type", "/Type/Page/Parent", "/Type/Pages/Parent", 2),
        (
            "a direct page",
            "/Kids[4 0 R 6 0 R]",
            "/Kids[4 0 R<</Type/Page/Contents 7 0 R/MediaBox[0 0 9 9]>>]",
            2,
        ),
        ("a kid without an array", "/Kids[4 0 R 6 0 R]", "/Kids 4 0 R", 1),
        ("kids that are not pages", "/Kids[4 0 R 6 0 R]", "/Kids[4 0 R 5 0 R null 99 0 R 6 0 R]", 2),
    ] {
        assert_pages(what, &replaced(&[(from, to)]), pages, "page tree");
    }
    // Readers need neither the count nor the parents, so nothing was guessed.
    for (from, to) in [("/Count 2", "/Count 77"), ("/Parent 2 0 R", "/Parent 1 0 R"), ("/Parent 2 0 R", "")] {
        let bytes = replaced(&[(from, to)]);
        assert_eq!(images(&bytes), 2);
        for (kind, options) in operations() {
            let file = operate(kind, &options, &bytes).unwrap();
            assert!(!file.notes.iter().any(|note| note.contains("page tree")), "{kind}: {:?}", file.notes);
        }
    }
}

#[test]
fn a_deep_page_tree_has_all_its_pages() {
    let mut objects = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec()];
    for number in 3..900 {
        let parent = if number == 3 { String::new() } else { format!("/Parent {} 0 R", number - 2) };
        objects.push(format!("<</Type/Pages/Count 1{parent}/Kids[{number} 0 R]>>").into_bytes());
    }
    objects.push(b"<</Type/Page/Parent 899 0 R/MediaBox[0 0 72 72]>>".to_vec());
    assert_pages("deep", &file(&objects, ""), 1, "page tree");
}

#[test]
fn references_that_lead_to_references_are_followed() {
    let chain = |end: &str| {
        let mut objects = vec![
            b"<</Type/Catalog/Pages 3 0 R>>".to_vec(),
            b"<</Type/Page/Parent 300 0 R/MediaBox[0 0 72 72]/Contents 302 0 R>>".to_vec(),
        ];
        objects.extend((4..301).map(|next| format!("{next} 0 R").into_bytes()));
        objects.push(b"<</Type/Pages/Kids[2 0 R]/Count 1>>".to_vec());
        objects.push(stream("", RED.as_bytes()));
        objects.push(end.as_bytes().to_vec());
        file(&objects, "")
    };
    assert_eq!(images(&chain("303 0 R")), 1);
    let (kind, options) = operations().remove(1);
    check_structure(&operate(kind, &options, &chain("303 0 R")).unwrap().bytes, "chain");
    let itself = replaced(&[
        ("/Font<</F 3 0 R>>", "/Font 3 0 R"),
        ("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", "3 0 R"),
    ]);
    assert_eq!(images(&itself), 2);
    for (kind, options) in operations() {
        operate(kind, &options, &itself).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

#[test]
fn a_missing_or_late_header_is_accepted() {
    let late = [&b"\n".repeat(5000)[..], &whole()].concat();
    for (what, bytes) in [("missing", whole()[9..].to_vec()), ("late", late)] {
        assert_pages(what, &bytes, 2, "header");
    }
    let text = b"This letter mentions 1 0 obj and endobj, but it is not a PDF.";
    let (kind, options) = operations().remove(0);
    assert!(matches!(operate(kind, &options, text), Err(EngineError::WrongFormat { .. })));
}

#[test]
fn a_truncated_document_has_the_pages_that_are_left() {
    let whole = whole();
    let cut = whole.windows(5).rposition(|window| window == b"7 0 o").unwrap();
    assert_pages("truncated", &whole[..cut], 2, "truncated");
}

#[test]
fn abbreviated_filters_work_for_ordinary_streams() {
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R>>".to_vec(),
    ];
    let text: String = RED.bytes().map(|byte| format!("{byte:02x}")).collect();
    objects.push(stream("/Filter[/AHx]", format!("{text}>").as_bytes()));
    let bytes = file(&objects, "");
    for (kind, options) in operations() {
        let made = operate(kind, &options, &bytes).unwrap();
        if made.bytes == bytes {
            continue;
        }
        assert!(made.extension == "png" || images(&made.bytes) == 1, "{kind}");
        assert!(!made.bytes.windows(4).any(|window| window == b"/AHx"), "{kind}");
    }
}

#[test]
fn messages_have_no_words_of_libraries() {
    let whole = whole();
    let damaged: Vec<Vec<u8>> = vec![
        b"%PDF-1.7\n".to_vec(),
        b"%PDF-1.7\nxref\ntrailer\n<<>>\nstartxref\n9\n%%EOF".to_vec(),
        whole.iter().map(|byte| if byte.is_ascii_digit() { b'9' } else { *byte }).collect(),
        String::from_utf8(whole).unwrap().replace("obj", "ob").into_bytes(),
        file(&[b"<</Type/Catalog>>".to_vec()], "/Encrypt<</Filter/Other/V 4>>"),
        file(&[b"<</Type/Catalog>>".to_vec()], "/Encrypt 9 0 R"),
    ];
    for bytes in damaged {
        for (kind, options) in operations() {
            let error = operate(kind, &options, &bytes).unwrap_err().to_string();
            for word in ["lopdf", "hayro", "github", "feature", "issue", "invalid start value", "couldn't"] {
                assert!(!error.contains(word), "{error}");
            }
        }
    }
}
