//! Stamps on signed, encrypted, tagged and PDF/A documents, and stamp operations that are cancelled or exceed a limit.

use crate::documents::{Builder, PICTURE, numbers, plain};
use crate::oracles::{complaints, encryption, has_pdf_tools, with_empty_password};
use crate::{stamp, stamped};
use lopdf::{Dictionary, Document, Object, Stream, StringFormat, dictionary};
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Progress};
use recto_interface::options::{StampQrOptions, StampTextOptions, StampWatermarkOptions};
use std::sync::{Arc, Mutex};

fn text() -> StampTextOptions {
    StampTextOptions { text: "PAID".to_owned(), ..StampTextOptions::default() }
}

fn watermark() -> StampWatermarkOptions {
    StampWatermarkOptions { text: "Draft".to_owned(), ..StampWatermarkOptions::default() }
}

#[test]
fn stamping_a_signed_document_adds_a_notice() {
    let mut builder = Builder::new("1.7");
    builder.page(PICTURE, Dictionary::new());
    let document = builder.finish_with(|document, catalog| {
        let signature = document.add_object(dictionary! {
            "Type" => "Sig", "ByteRange" => numbers([0, 1, 2, 3]),
            "Contents" => Object::String(vec![0; 8], StringFormat::Hexadecimal)
        });
        let field = document.add_object(dictionary! { "FT" => "Sig", "V" => signature });
        catalog.set("AcroForm", dictionary! { "SigFlags" => 3, "Fields" => vec![field.into()] });
    });
    let notes = stamp(text(), &document).unwrap().notes;
    assert!(notes.len() == 1 && notes[0].contains("signatures are no longer valid"), "{notes:?}");
    assert!(stamp(text(), &plain()).unwrap().notes.is_empty());
}

#[test]
fn a_watermark_in_pdf_a_1_adds_a_notice_and_other_stamps_do_not() {
    let declaring = |declaration: &str| {
        let mut builder = Builder::new("1.4");
        builder.page(PICTURE, Dictionary::new());
        builder.finish_with(|document, catalog| {
            let packet = format!("<x:xmpmeta><rdf:Description {declaration}</x:xmpmeta>");
            let metadata = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
            catalog.set("Metadata", document.add_object(Stream::new(metadata, packet.into_bytes())));
        })
    };
    for declaration in [
        "><pdfaid:part> 1 </pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>",
        "pdfaid:part=\"1\" pdfaid:conformance=\"B\"/>",
    ] {
        let notes = stamp(watermark(), &declaring(declaration)).unwrap().notes;
        assert!(notes.len() == 1 && notes[0].contains("PDF/A-1"), "{notes:?}");
        assert!(stamp(text(), &declaring(declaration)).unwrap().notes.is_empty());
    }
    let part_2 = declaring("pdfaid:part=\"2\" pdfaid:conformance=\"B\"/>");
    assert!(stamp(watermark(), &part_2).unwrap().notes.is_empty());
}

#[test]
fn an_encrypted_document_that_opens_without_a_password_stays_encrypted() {
    if !has_pdf_tools() {
        return;
    }
    let document = with_empty_password(&plain());
    let after = stamped(text(), &document);
    assert_eq!(complaints(&after), Vec::<String>::new());
    assert!(encryption(&document).contains("R = 6") && encryption(&after).contains("R = 6"));
}

#[test]
fn a_stamp_is_an_artifact_in_a_tagged_document() {
    let document = Document::load_mem(&stamped(text(), &plain())).unwrap();
    let page = document.page_iter().next().unwrap();
    let content = String::from_utf8_lossy(&document.get_page_content(page)).into_owned();
    let (own, stamp) = content.split_once("/Artifact").expect("the stamp is an artifact");
    assert!(own.starts_with("q\n") && own.contains("(Existing text) Tj") && own.trim_end().ends_with('Q'));
    assert!(stamp.contains("/RectoStamp Do") && stamp.trim_end().ends_with("EMC"));
}

#[test]
fn the_version_is_raised_only_if_the_stamp_needs_it() {
    let version = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..8]).into_owned();
    let mut builder = Builder::new("1.3");
    builder.page(PICTURE, Dictionary::new());
    let document = builder.finish();
    assert_eq!(version(&stamped(text(), &document)), "%PDF-1.3");
    assert_eq!(version(&stamped(watermark(), &document)), "%PDF-1.4");
}

#[test]
fn many_pages_share_one_stamp() {
    let mut builder = Builder::new("1.7");
    for _ in 0..2_000 {
        builder.page("0 0 10 10 re f", Dictionary::new());
    }
    let document = builder.finish();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&seen);
    let job = Job::default().on_progress(move |progress| reported.lock().unwrap().push(progress));
    let input = Input { bytes: &document, name: "many.pdf" };
    let Ok(recto_engine::Output::File(after)) = recto_engine::run(&text().into(), input, &job) else {
        panic!()
    };
    let again = stamped(text(), &document);
    assert_eq!(after.bytes, again);
    let forms = Document::load_mem(&again).unwrap();
    let forms = forms.objects.values().filter(|object| {
        object
            .as_stream()
            .is_ok_and(|stream| stream.dict.get(b"Subtype").is_ok_and(|kind| *kind == Object::from("Form")))
    });
    assert_eq!(forms.count(), 1);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.last(), Some(&Progress { done: 2_000, total: 2_000 }));
}

#[test]
fn a_cancelled_job_and_one_over_its_limits_stop() {
    let mut builder = Builder::new("1.4");
    let mut content = Stream::new(Dictionary::new(), b"0 0 9 9 re f ".repeat(500));
    content.compress().unwrap();
    let content = builder.document.add_object(content);
    builder.page_of(content.into(), Dictionary::new());
    let document = builder.finish();
    let run = |job: &Job| {
        let options = StampQrOptions { value: "x".to_owned(), ..StampQrOptions::default() };
        recto_engine::run(&options.into(), Input { bytes: &document, name: "x.pdf" }, job).unwrap_err()
    };
    let cancel = Cancel::default();
    cancel.trigger();
    assert!(matches!(run(&Job::new(Limits::default(), cancel)), EngineError::Cancelled));
    for limits in [
        Limits { decoded_bytes: 1_000, ..Limits::default() },
        Limits { output_bytes: 100, ..Limits::default() },
    ] {
        assert!(matches!(run(&Job::new(limits, Cancel::default())), EngineError::Limit { .. }));
    }
}
