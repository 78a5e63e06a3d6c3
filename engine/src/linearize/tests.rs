//! Tests of linearized files. The program qpdf checks the files.

use super::*;
use crate::document::load;
use lopdf::{Dictionary, Object, ObjectId, Stream, dictionary};
use std::process::Command;

/// A document in which pages share fonts and images, inherit resources, and have outlines, a form and links.
fn sample(pages: usize, use_outlines: bool) -> Document {
    let mut document = Document::with_version("1.4");
    let tree = document.new_object_id();
    let shared_image = document.add_object(Stream::new(Dictionary::new(), vec![1; 5000]));
    let fonts: Vec<ObjectId> = (0..4)
        .map(|at| {
            document.add_object(
                dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => format!("Times-{at}") },
            )
        })
        .collect();
    let mut kids: Vec<Object> = Vec::new();
    for at in 0..pages {
        let content = document.add_object(Stream::new(
            Dictionary::new(),
            format!("% page {at}\n").repeat(at * 7 % 50 + 1).into_bytes(),
        ));
        let own_state =
            document.add_object(dictionary! { "Type" => "ExtGState", "LW" => i64::try_from(at).unwrap() });
        let note = document.add_object(dictionary! { "Type" => "Annot", "Subtype" => "Link", "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()],
            "Contents" => Object::string_literal("a long enough text to make a stream of objects worth while ".repeat(9)) });
        let mut page = dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Annots" => vec![note.into()],
            "Resources" => dictionary! {
                "Font" => dictionary! { "F" => fonts[at % fonts.len()] },
                "XObject" => dictionary! { "I" => shared_image },
                "ExtGState" => dictionary! { "G" => own_state }
            }
        };
        if at % 3 == 0 {
            page.remove(b"Resources");
        }
        kids.push(document.add_object(page).into());
    }
    let outlines = document.new_object_id();
    let items: Vec<ObjectId> = kids
        .iter()
        .map(|page| {
            document
                .add_object(dictionary! { "Title" => Object::string_literal("Chapter"), "Parent" => outlines,
                "Dest" => vec![page.clone(), "Fit".into()] })
        })
        .collect();
    document.objects.insert(
        outlines,
        dictionary! { "Type" => "Outlines", "First" => items[0], "Last" => *items.last().unwrap() }.into(),
    );
    document.objects.insert(
        tree,
        dictionary! {
            "Type" => "Pages", "Count" => i64::try_from(pages).unwrap(), "Kids" => kids,
            "MediaBox" => vec![0.into(), 0.into(), 200.into(), 200.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F" => fonts[0] } }
        }
        .into(),
    );
    let field = document.add_object(dictionary! { "T" => Object::string_literal("field"), "FT" => "Tx" });
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => tree, "Outlines" => outlines,
    "AcroForm" => dictionary! { "Fields" => vec![field.into()] } };
    if use_outlines {
        catalog.set("PageMode", "UseOutlines");
    }
    let root = document.add_object(catalog);
    let info = document.add_object(dictionary! { "Title" => Object::string_literal("Sample") });
    document.trailer.set("Root", root);
    document.trailer.set("Info", info);
    document
}

fn has_qpdf() -> bool {
    let is_installed = Command::new("qpdf").arg("--version").output().is_ok();
    assert!(is_installed || std::env::var_os("CI").is_none(), "qpdf is missing: install the package qpdf");
    if !is_installed {
        eprintln!("SKIPPED: qpdf is missing");
    }
    is_installed
}

fn check_with_qpdf(bytes: &[u8], name: &str) {
    let path = std::env::temp_dir().join(format!("recto-linearize-{}-{name}.pdf", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    for check in ["--check-linearization", "--check"] {
        let output = Command::new("qpdf").arg(check).arg(&path).output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !text.contains("WARNING"), "{name}: {check}: {text}");
    }
    let output = Command::new("qpdf").arg("--show-linearization").arg(&path).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("file_size"), "{name} is not linearized");
    let _ = std::fs::remove_file(path);
}

#[test]
fn qpdf_accepts_files_of_any_number_of_pages() {
    if !has_qpdf() {
        return;
    }
    for pages in [1, 2, 3, 17, 300] {
        for use_outlines in [false, true] {
            let document = sample(pages, use_outlines);
            let bytes = linearize(&document, &Job::default()).unwrap().unwrap();
            check_with_qpdf(&bytes, &format!("{pages}-{use_outlines}"));
        }
    }
}

#[test]
fn a_linearized_document_loads_with_the_same_pages() {
    let document = sample(9, false);
    let bytes = linearize(&document, &Job::default()).unwrap().unwrap();
    let again = load(&bytes, &Job::default()).unwrap();
    assert!(again.linearization.is_some());
    assert_eq!(again.get_pages().len(), 9);
    for (number, page) in document.get_pages() {
        assert_eq!(again.get_page_content(again.get_pages()[&number]), document.get_page_content(page));
    }
}

#[test]
fn a_document_that_contains_a_page_twice_is_not_linearized() {
    let mut document = sample(2, false);
    let tree = document.catalog().unwrap().get(b"Pages").unwrap().as_reference().unwrap();
    let kids = document.get_dictionary_mut(tree).unwrap().get_mut(b"Kids").unwrap().as_array_mut().unwrap();
    kids[1] = kids[0].clone();
    assert!(linearize(&document, &Job::default()).unwrap().is_none());
}
