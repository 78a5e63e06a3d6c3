//! The structure of optimized documents: which objects are removed, which objects stay, and that no document grows.

use super::oracle::{assert_alike, assert_sound};
use super::sample::{PROFILES, Sample, image, noise, optimized, photograph};
use lopdf::encryption::crypt_filters::{Aes128CryptFilter, CryptFilter};
use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, StringFormat,
    dictionary,
};
use recto_engine::{Cancel, EngineError, Input, Job, Limits, run};
use recto_interface::Options;
use recto_interface::options::{OptimizeOptions, Profile};
use std::collections::BTreeMap;
use std::sync::Arc;

fn failure(bytes: &[u8], job: &Job) -> EngineError {
    run(&Options::Optimize(OptimizeOptions::default()), Input { bytes, name: "sample.pdf" }, job).unwrap_err()
}

fn text_sample() -> Sample {
    let mut sample = Sample::new();
    sample.name(
        "Font",
        "F",
        dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" },
    );
    for line in 0..30 {
        sample.draw(&format!(
            "BT /F 12 Tf 40 {} Td (Line {line} of a page that has some text) Tj ET",
            550 - line * 15
        ));
    }
    sample
}

#[test]
fn equal_objects_are_merged_and_unused_ones_removed() {
    let mut sample = text_sample();
    let incompressible: Vec<u8> = (0..50_000).map(noise).collect();
    sample.document.add_object(Stream::new(Dictionary::new(), incompressible));
    for name in ["A", "B", "C"] {
        sample.name("XObject", name, image(100, 100, "DeviceRGB", 8, photograph(100, 100, 3)));
    }
    sample.name("XObject", "NeverDrawn", image(100, 100, "DeviceGray", 8, (0..10_000).map(noise).collect()));
    sample.draw("q 90 0 0 90 10 10 cm /A Do Q q 90 0 0 90 110 10 cm /B Do Q q 90 0 0 90 210 10 cm /C Do Q");
    let before = sample.bytes();
    let after = optimized(&before, Profile::Archive).bytes;
    assert_eq!(super::sample::images(&after).len(), 1);
    assert!(after.len() < 25_000, "{}", after.len());
    assert_sound(&after, false);
    assert_alike(&before, &after, 0.0, 0.0);
}

#[test]
fn resources_that_a_form_lacks_are_kept_in_the_form_that_shows_it() {
    let mut sample = text_sample();
    let form = |resources: Dictionary, content: &str| {
        let dict = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "Resources" => dictionary! { "XObject" => resources },
            "BBox" => vec![0.into(), 0.into(), 200.into(), 200.into()]
        };
        Stream::new(dict, content.as_bytes().to_vec())
    };
    let picture = sample.document.add_object(image(100, 100, "DeviceRGB", 8, photograph(100, 100, 3)));
    let inner = form(dictionary! { "Unused" => picture }, "q 90 0 0 90 10 10 cm /Picture Do Q");
    let inner = sample.document.add_object(inner);
    sample.name(
        "XObject",
        "Outer",
        form(dictionary! { "Inner" => inner, "Picture" => picture }, "/Inner Do"),
    );
    sample.draw("/Outer Do");
    let before = sample.bytes();
    let after = optimized(&before, Profile::Archive).bytes;
    assert_eq!(super::sample::images(&after).len(), 1);
    assert_alike(&before, &after, 0.0, 0.0);
}

#[test]
fn no_profile_makes_a_document_larger_even_its_own_result() {
    for sample in [Sample::new(), text_sample()] {
        let before = sample.bytes();
        for first in PROFILES {
            let once = optimized(&before, first);
            assert!(once.bytes.len() <= before.len());
            for second in PROFILES {
                assert!(
                    optimized(&once.bytes, second).bytes.len() <= once.bytes.len(),
                    "{first:?} then {second:?}"
                );
            }
        }
    }
}

#[test]
fn an_unchanged_result_has_a_note_that_says_why() {
    let small = optimized(&text_sample().bytes(), Profile::Archive).bytes;
    let again = optimized(&small, Profile::Archive);
    assert_eq!(again.bytes, small);
    assert!(again.notes[0].contains("cannot be made smaller"), "{:?}", again.notes);
}

#[test]
fn the_smallest_profile_drops_metadata_and_output_intents_and_archives_keep_them() {
    let sample = || {
        let mut sample = text_sample();
        let mut metadata = Stream::new(
            dictionary! { "Type" => "Metadata", "Subtype" => "XML" },
            b"<x:xmpmeta>who wrote this</x:xmpmeta>".to_vec(),
        );
        metadata.allows_compression = false;
        let metadata = sample.document.add_object(metadata);
        let info = sample.document.add_object(dictionary! { "Title" => Object::string_literal("A title") });
        sample.document.trailer.set("Info", info);
        let catalog = sample.document.get_dictionary_mut(sample.catalog).unwrap();
        catalog.set("Metadata", metadata);
        catalog
            .set("OutputIntents", vec![dictionary! { "Type" => "OutputIntent", "S" => "GTS_PDFA1" }.into()]);
        sample.bytes()
    };
    let has = |bytes: &[u8]| {
        let document = Document::load_mem(bytes).unwrap();
        let catalog = document.catalog().unwrap();
        [catalog.has(b"Metadata"), catalog.has(b"OutputIntents"), document.trailer.has(b"Info")]
    };
    assert_eq!(has(&optimized(&sample(), Profile::MinimalFileSize).bytes), [false; 3]);
    for profile in [Profile::Archive, Profile::Web, Profile::Print] {
        assert_eq!(has(&optimized(&sample(), profile).bytes), [true; 3], "{profile:?}");
    }
    let archived = optimized(&sample(), Profile::Archive).bytes;
    assert!(archived.windows(14).any(|window| window == b"who wrote this"), "metadata must stay readable");
}

#[test]
fn forms_links_bookmarks_tags_and_attachments_survive() {
    let mut sample = text_sample();
    let page = sample.page;
    let document = &mut sample.document;
    let field = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("name"), "V" => Object::string_literal("Ada"),
        "Rect" => vec![10.into(), 10.into(), 100.into(), 30.into()], "P" => page
    });
    let link = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        "A" => dictionary! { "S" => "URI", "URI" => Object::string_literal("https://example.org/") }
    });
    let outlines = document.new_object_id();
    let item = document.add_object(dictionary! {
        "Title" => Object::string_literal("Chapter"), "Parent" => outlines, "Dest" => vec![page.into(), "Fit".into()]
    });
    document.objects.insert(
        outlines,
        dictionary! { "Type" => "Outlines", "First" => item, "Last" => item, "Count" => 1 }.into(),
    );
    let attached = document
        .add_object(Stream::new(dictionary! { "Type" => "EmbeddedFile" }, b"attached words".to_vec()));
    let specification = document.add_object(dictionary! {
        "Type" => "Filespec", "F" => Object::string_literal("a.txt"), "EF" => dictionary! { "F" => attached }
    });
    let element =
        document.add_object(dictionary! { "Type" => "StructElem", "S" => "P", "Pg" => page, "K" => 0 });
    let tags = document.add_object(dictionary! { "Type" => "StructTreeRoot", "K" => element });
    document.get_dictionary_mut(page).unwrap().set("Annots", vec![field.into(), link.into()]);
    let catalog = document.get_dictionary_mut(sample.catalog).unwrap();
    catalog.set("AcroForm", dictionary! { "Fields" => vec![field.into()] });
    catalog.set("Outlines", outlines);
    catalog.set("StructTreeRoot", tags);
    catalog.set("MarkInfo", dictionary! { "Marked" => true });
    let names = vec![Object::string_literal("a.txt"), specification.into()];
    catalog.set("Names", dictionary! { "EmbeddedFiles" => dictionary! { "Names" => names } });
    let before = sample.bytes();
    for profile in PROFILES {
        let after = optimized(&before, profile).bytes;
        assert_sound(&after, profile == Profile::Web);
        let document = Document::load_mem(&after).unwrap();
        let catalog = document.catalog().unwrap();
        for key in ["AcroForm", "Outlines", "StructTreeRoot", "MarkInfo", "Names"] {
            assert!(catalog.has(key.as_bytes()), "{profile:?} lost {key}");
        }
        let page = document.get_pages()[&1];
        let kinds: Vec<_> = document
            .get_page_annotations(page)
            .unwrap()
            .into_iter()
            .map(|a| a.get(b"Subtype").unwrap().as_name().unwrap().to_vec())
            .collect();
        assert_eq!(kinds, [b"Widget".to_vec(), b"Link".to_vec()]);
        let attached = document
            .objects
            .values()
            .filter_map(|object| object.as_stream().ok())
            .find(|stream| stream.dict.has_type(b"EmbeddedFile"));
        assert_eq!(attached.unwrap().get_plain_content().unwrap(), b"attached words");
    }
}

#[test]
fn a_signed_document_is_not_changed() {
    let mut sample = text_sample();
    let signature = sample.document.add_object(dictionary! {
        "Type" => "Sig", "ByteRange" => vec![0.into(), 1.into(), 2.into(), 3.into()],
        "Contents" => Object::String(vec![1; 64], StringFormat::Hexadecimal)
    });
    let field = sample
        .document
        .add_object(dictionary! { "FT" => "Sig", "T" => Object::string_literal("s"), "V" => signature });
    sample
        .document
        .get_dictionary_mut(sample.catalog)
        .unwrap()
        .set("AcroForm", dictionary! { "Fields" => vec![field.into()], "SigFlags" => 3 });
    let before = sample.bytes();
    for profile in PROFILES {
        let after = optimized(&before, profile);
        assert_eq!(after.bytes, before);
        assert!(after.notes[0].contains("signed"), "{:?}", after.notes);
    }
}

#[test]
fn encryption_stays_and_a_password_is_required() {
    for (user, opens) in [("", true), ("secret", false)] {
        let mut document = Document::load_mem(&text_sample().bytes()).unwrap();
        document.trailer.set(
            "ID",
            vec![Object::string_literal("0123456789abcdef"), Object::string_literal("0123456789abcdef")],
        );
        let filter: Arc<dyn CryptFilter> = Arc::new(Aes128CryptFilter);
        let state = EncryptionState::try_from(EncryptionVersion::V4 {
            document: &document,
            encrypt_metadata: true,
            crypt_filters: BTreeMap::from([(b"StdCF".to_vec(), filter)]),
            stream_filter: b"StdCF".to_vec(),
            string_filter: b"StdCF".to_vec(),
            owner_password: "owner",
            user_password: user,
            permissions: Permissions::PRINTABLE,
        })
        .unwrap();
        document.encrypt(&state).unwrap();
        let mut before = Vec::new();
        document.save_to(&mut before).unwrap();
        if opens {
            for profile in PROFILES {
                let after = optimized(&before, profile).bytes;
                assert!(after.len() < before.len());
                assert_sound(&after, profile == Profile::Web);
                assert!(Document::load_mem(&after).unwrap().was_encrypted(), "{profile:?}");
                assert_alike(&before, &after, 0.0, 0.0);
            }
        } else {
            assert!(matches!(failure(&before, &Job::default()), EngineError::PasswordRequired));
        }
    }
}

#[test]
fn unreadable_documents_fail_with_a_clear_error() {
    let whole = text_sample().bytes();
    assert!(matches!(failure(b"PK\x03\x04", &Job::default()), EngineError::WrongFormat { .. }));
    assert!(matches!(failure(&whole[..40], &Job::default()), EngineError::Damaged(_)));
    assert!(matches!(failure(b"%PDF-1.4\nnothing", &Job::default()), EngineError::Damaged(_)));
    let cancel = Cancel::default();
    cancel.trigger();
    assert!(matches!(failure(&whole, &Job::new(Limits::default(), cancel)), EngineError::Cancelled));
}

#[test]
fn a_truncated_document_is_optimized_with_a_note() {
    let whole = text_sample().bytes();
    let note = &optimized(&whole[..whole.len() / 2], Profile::MinimalFileSize).notes[1];
    assert!(note.contains("truncated") && note.contains("complete copy"), "{note}");
}

#[test]
fn a_decompression_bomb_is_stopped_by_the_limit() {
    let mut sample = Sample::new();
    let mut bomb = Stream::new(Dictionary::new(), vec![0; 40 << 20]);
    bomb.compress().unwrap();
    sample.name("XObject", "Bomb", bomb);
    sample.draw("/Bomb Do");
    let limits = Limits { decoded_bytes: 8 << 20, ..Limits::default() };
    let error = failure(&sample.bytes(), &Job::new(limits, Cancel::default()));
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
}
