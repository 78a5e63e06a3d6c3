//! All operations agree on whether a document is signed, encrypted or tagged, and on the PDF/A level that it declares.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lopdf::encryption::crypt_filters::{Aes256CryptFilter, CryptFilter};
use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary,
};
use recto_engine::{EngineError, Input, Job, Output, OutputFile, run};
use recto_interface::{OperationKind, Options, ValidationReport};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How an operation treats its input document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The operation makes images of the pages, or a report.
    Reads,
    /// The operation changes the document, even if the document is signed.
    Changes,
    /// The operation changes a document that is not signed, and returns a signed document unchanged.
    Optimizes,
    /// The operation converts the document to PDF/A.
    Archives,
}

/// Every operation that reads a PDF and has no option for the password of that PDF, with different options.
fn operations() -> Vec<(Options, Effect)> {
    let of = |kind, options: Value, effect| (Options::from_json(kind, &options).unwrap(), effect);
    let mut all = vec![
        of(OperationKind::PdfToPng, json!({}), Effect::Reads),
        of(OperationKind::PdfToJpeg, json!({}), Effect::Reads),
        of(OperationKind::PdfToTiff, json!({}), Effect::Reads),
        of(OperationKind::PdfToTiffFax, json!({}), Effect::Reads),
        of(OperationKind::Validate, json!({}), Effect::Reads),
        of(OperationKind::Validate, json!({ "conformance": "pdf17" }), Effect::Reads),
        of(OperationKind::Encrypt, json!({ "password": "open" }), Effect::Changes),
        of(OperationKind::StampText, json!({ "text": "x" }), Effect::Changes),
        of(OperationKind::StampWatermark, json!({ "text": "x" }), Effect::Changes),
        of(OperationKind::StampBarcode, json!({ "type": "code128", "value": "x" }), Effect::Changes),
        of(OperationKind::StampDataMatrix, json!({ "value": "x" }), Effect::Changes),
        of(OperationKind::StampQr, json!({ "value": "x" }), Effect::Changes),
        of(OperationKind::PowerArchive, json!({}), Effect::Archives),
    ];
    for profile in ["web", "print", "archive", "minimalFileSize"] {
        all.push(of(OperationKind::Optimize, json!({ "profile": profile }), Effect::Optimizes));
    }
    for conformance in ["pdf_a2_b", "pdf_a3_b"] {
        all.push(of(OperationKind::ArchivePdfA, json!({ "conformance": conformance }), Effect::Archives));
    }
    all
}

fn operate(options: &Options, bytes: &[u8]) -> Result<Output, EngineError> {
    run(options, Input { bytes, name: "it.pdf" }, &Job::default())
}

fn file(options: &Options, bytes: &[u8]) -> OutputFile {
    match operate(options, bytes) {
        Ok(Output::File(file)) => file,
        other => panic!("{}: {other:?}", options.kind()),
    }
}

fn stamp_qr() -> Options {
    Options::from_json(OperationKind::StampQr, &json!({ "value": "x" })).unwrap()
}

fn decrypt(password: Option<&str>) -> Options {
    let options = password.map_or_else(|| json!({}), |password| json!({ "password": password }));
    Options::from_json(OperationKind::Decrypt, &options).unwrap()
}

/// The report of `validate` against a standard. If `conformance` is `None`, the standard is the one that the document
/// declares.
fn report(bytes: &[u8], conformance: Option<&str>) -> ValidationReport {
    let options = conformance.map_or_else(|| json!({}), |name| json!({ "conformance": name }));
    match operate(&Options::from_json(OperationKind::Validate, &options).unwrap(), bytes) {
        Ok(Output::Report(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// A document of one page. `change` can change the document and its catalog.
fn document(change: impl FnOnce(&mut Document, &mut Dictionary)) -> Document {
    let mut document = Document::with_version("1.7");
    let tree = document.new_object_id();
    let content = document.add_object(Stream::new(Dictionary::new(), b"0 0 50 50 re f".repeat(40)));
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => tree, "Contents" => content, "StructParents" => 0,
        "MediaBox" => [0, 0, 200, 100].map(Object::Integer).to_vec(), "Resources" => Dictionary::new()
    });
    let kids = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
    document.objects.insert(tree, kids.into());
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => tree };
    change(&mut document, &mut catalog);
    let root = document.add_object(catalog);
    document.trailer.set("Root", root);
    document
}

fn bytes(mut document: Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn plain() -> Vec<u8> {
    bytes(document(|_, _| {}))
}

/// Signed documents, one for each place in a PDF that can contain a signature. Each document has a description.
fn signed() -> Vec<(&'static str, Vec<u8>)> {
    let signature = || {
        dictionary! {
            "Type" => "Sig", "Filter" => "Adobe.PPKLite", "ByteRange" => [0, 1, 2, 3].map(Object::Integer).to_vec(),
            "Contents" => Object::string_literal("signature")
        }
    };
    let field =
        |value: Object| dictionary! { "FT" => "Sig", "T" => Object::string_literal("s"), "V" => value };
    let form = |field: Object| dictionary! { "SigFlags" => 3, "Fields" => vec![field] };
    vec![
        (
            "a field whose value is an object",
            bytes(document(|document, catalog| {
                let value = document.add_object(signature());
                let field = document.add_object(field(value.into()));
                catalog.set("AcroForm", form(field.into()));
            })),
        ),
        (
            "a field whose value is direct",
            bytes(document(|document, catalog| {
                let field = document.add_object(field(signature().into()));
                catalog.set("AcroForm", form(field.into()));
            })),
        ),
        (
            "a field in a form that is a direct object",
            bytes(document(|_, catalog| catalog.set("AcroForm", form(field(signature().into()).into())))),
        ),
        (
            "a field that inherits its type",
            bytes(document(|document, catalog| {
                let parent = document.new_object_id();
                let kid = document.add_object(dictionary! { "Parent" => parent, "V" => signature() });
                let dict = dictionary! {
                    "FT" => "Sig", "T" => Object::string_literal("s"), "Kids" => vec![kid.into()]
                };
                document.objects.insert(parent, dict.into());
                catalog.set("AcroForm", form(parent.into()));
            })),
        ),
        (
            "DocMDP permissions",
            bytes(document(|document, catalog| {
                let value = document.add_object(signature());
                catalog.set("Perms", dictionary! { "DocMDP" => value });
            })),
        ),
        (
            "usage rights",
            bytes(document(|_, catalog| catalog.set("Perms", dictionary! { "UR3" => signature() }))),
        ),
    ]
}

fn notes_of_signatures(file: &OutputFile) -> Vec<&String> {
    file.notes.iter().filter(|note| note.contains("sign")).collect()
}

#[test]
fn a_signed_document_stays_as_it_is_or_its_user_is_told() {
    for (what, signed) in signed() {
        for (options, effect) in operations() {
            let kind = options.kind();
            let Output::File(file) = operate(&options, &signed).unwrap() else { continue };
            let notes = notes_of_signatures(&file);
            match effect {
                Effect::Reads => assert!(notes.is_empty(), "{what}, {kind}: {notes:?}"),
                Effect::Optimizes => {
                    assert_eq!(file.bytes, signed, "{what}, {kind}");
                    assert_eq!(notes.len(), 1, "{what}, {kind}");
                }
                Effect::Changes => {
                    assert!(
                        notes.len() == 1 && notes[0].contains("signatures are no longer valid"),
                        "{what}, {kind}: {:?}",
                        file.notes
                    );
                }
                Effect::Archives => {
                    assert!(
                        notes.len() == 1 && notes[0].contains("signatures were removed"),
                        "{what}, {kind}: {:?}",
                        file.notes
                    );
                    // The result no longer contains a signature: a stamp on the result adds no note about signatures.
                    assert!(
                        notes_of_signatures(&self::file(&stamp_qr(), &file.bytes)).is_empty(),
                        "{what}, {kind}"
                    );
                }
            }
        }
        let encrypt = Options::from_json(OperationKind::Encrypt, &json!({ "password": "open" })).unwrap();
        let decrypted = file(&decrypt(Some("open")), &file(&encrypt, &signed).bytes);
        assert_eq!(notes_of_signatures(&decrypted).len(), 1, "{what}");
    }
    for (options, _) in operations() {
        if let Output::File(file) = operate(&options, &plain()).unwrap() {
            assert!(notes_of_signatures(&file).is_empty(), "{}: {:?}", options.kind(), file.notes);
        }
    }
}

#[test]
fn a_document_that_needs_a_password_is_refused_in_the_same_way() {
    let encrypt = Options::from_json(OperationKind::Encrypt, &json!({ "password": "open" })).unwrap();
    let locked = file(&encrypt, &plain()).bytes;
    for (options, _) in operations() {
        let result = operate(&options, &locked);
        assert!(matches!(result, Err(EngineError::PasswordRequired)), "{}: {result:?}", options.kind());
    }
    // `validate` needs no password to report that the document is not PDF/A: PDF/A forbids encryption.
    let report = report(&locked, Some("pdf_a2_b"));
    assert!(report.errors.iter().any(|error| error.contains("ncrypt")), "{report:?}");
    // `decrypt` has an option for the password: without a password, `decrypt` reports that this option is missing.
    assert!(matches!(operate(&decrypt(None), &locked), Err(EngineError::InvalidOption(_))));
    assert!(matches!(operate(&decrypt(Some("wrong")), &locked), Err(EngineError::WrongPassword)));
}

#[test]
fn a_document_that_opens_without_a_password_is_worked_on() {
    let mut restricted = document(|_, _| {});
    restricted.trailer.set("ID", vec![Object::string_literal("0123456789abcdef"); 2]);
    let filter: Arc<dyn CryptFilter> = Arc::new(Aes256CryptFilter);
    let state = EncryptionState::try_from(EncryptionVersion::V5 {
        encrypt_metadata: true,
        crypt_filters: BTreeMap::from([(b"StdCF".to_vec(), filter)]),
        file_encryption_key: &[7; 32],
        stream_filter: b"StdCF".to_vec(),
        string_filter: b"StdCF".to_vec(),
        owner_password: "owner",
        user_password: "",
        permissions: Permissions::PRINTABLE,
    })
    .unwrap();
    restricted.encrypt(&state).unwrap();
    let restricted = bytes(restricted);
    let is_encrypted = |bytes: &[u8]| Document::load_mem(bytes).unwrap().encryption_state.is_some();
    assert!(is_encrypted(&restricted));
    for (options, effect) in operations() {
        let kind = options.kind();
        match (operate(&options, &restricted), effect) {
            (Err(EngineError::Unsupported(reason)), _) if kind == OperationKind::Encrypt => {
                assert!(reason.contains("already encrypted"), "{reason}");
            }
            (Ok(Output::Report(_)), Effect::Reads) | (Ok(Output::File(_)), Effect::Reads) => {}
            (Ok(Output::File(file)), effect) => {
                assert_eq!(is_encrypted(&file.bytes), effect != Effect::Archives, "{kind}");
            }
            (other, _) => panic!("{kind}: {other:?}"),
        }
    }
    assert!(!is_encrypted(&file(&decrypt(None), &restricted).bytes));
}

#[test]
fn a_tagged_document_stays_tagged() {
    let tagged = bytes(document(|document, catalog| {
        let tree = document.new_object_id();
        let page = document
            .objects
            .iter()
            .find(|(_, object)| object.as_dict().is_ok_and(|dict| dict.has_type(b"Page")));
        let page = *page.unwrap().0;
        let element = document.add_object(dictionary! {
            "Type" => "StructElem", "S" => "P", "P" => tree, "Pg" => page, "K" => 0
        });
        let dict = dictionary! {
            "Type" => "StructTreeRoot", "K" => vec![element.into()],
            "ParentTree" => dictionary! { "Nums" => vec![0.into(), vec![Object::from(element)].into()] },
            "ParentTreeNextKey" => 1
        };
        document.objects.insert(tree, dict.into());
        catalog.set("StructTreeRoot", tree);
        catalog.set("MarkInfo", dictionary! { "Marked" => true });
        catalog.set("Lang", Object::string_literal("en-GB"));
    }));
    for (options, effect) in operations().into_iter().filter(|(_, effect)| *effect != Effect::Reads) {
        let kind = options.kind();
        let mut made = file(&options, &tagged);
        if kind == OperationKind::Encrypt {
            made = file(&decrypt(Some("open")), &made.bytes);
        }
        let after = Document::load_mem(&made.bytes).unwrap();
        let catalog = after.catalog().unwrap();
        let marked = catalog
            .get_deref(b"MarkInfo", &after)
            .and_then(Object::as_dict)
            .and_then(|info| info.get_deref(b"Marked", &after))
            .and_then(Object::as_bool);
        assert!(marked.unwrap_or(false), "{kind}, {effect:?}");
        let tree = catalog.get_deref(b"StructTreeRoot", &after).and_then(Object::as_dict).unwrap();
        let elements = tree.get_deref(b"K", &after).and_then(Object::as_array).unwrap();
        let element = after.get_dictionary(elements[0].as_reference().unwrap()).unwrap();
        let page = after.get_dictionary(element.get(b"Pg").and_then(Object::as_reference).unwrap()).unwrap();
        assert!(page.has(b"StructParents"), "{kind}");
        assert_eq!(catalog.get_deref(b"Lang", &after).and_then(Object::as_str).unwrap(), b"en-GB", "{kind}");
    }
}

/// A document whose XMP metadata contains `description`: the rest of an element `rdf:Description`.
fn declaring(description: &str) -> Vec<u8> {
    bytes(document(|document, catalog| {
        let packet = format!(
            "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\
             <x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
             <rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\"{description}\
             </rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>"
        );
        let metadata = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
        catalog.set("Metadata", document.add_object(Stream::new(metadata, packet.into_bytes())));
    }))
}

#[test]
fn declared_conformance_is_the_same_for_all() {
    let options = |kind, options: Value| Options::from_json(kind, &options).unwrap();
    let watermark = options(OperationKind::StampWatermark, json!({ "text": "x" }));
    let encrypt = options(OperationKind::Encrypt, json!({ "password": "open" }));
    let optimize = options(OperationKind::Optimize, json!({ "profile": "archive" }));
    for (description, declared) in [
        (
            "><pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description>",
            Some("1b"),
        ),
        (
            "><pdfaid:part> 1 </pdfaid:part>\n<pdfaid:conformance> A </pdfaid:conformance></rdf:Description>",
            Some("1a"),
        ),
        (" pdfaid:part=\"1\" pdfaid:conformance=\"B\"/>", Some("1b")),
        (" pdfaid:part='2' pdfaid:conformance = 'U'/>", Some("2u")),
        // The metadata declares no conformance if the level is missing or does not exist in the part (1u).
        (" pdfaid:part=\"1\"/>", None),
        (" pdfaid:part=\"1\" pdfaid:conformance=\"U\"/>", None),
    ] {
        let bytes = declaring(description);
        let name = declared.map(|declared| {
            let (part, level) = declared.split_at(1);
            format!("pdf_a{part}_{level}")
        });
        let expected = name.as_deref().or(Some("pdf17"));
        assert_eq!(report(&bytes, None).conformance.as_deref(), expected, "{description}");
        let optimized = file(&optimize, &bytes).bytes;
        assert_eq!(report(&optimized, None).conformance.as_deref(), expected, "{description}");
        let notes = |options: &Options| file(options, &bytes).notes.join("; ");
        let of_part_1 = declared.is_some_and(|declared| declared.starts_with('1'));
        assert_eq!(notes(&watermark).contains("declares PDF/A-1"), of_part_1, "{description}");
        let encrypted = notes(&encrypt);
        match declared {
            Some(declared) => {
                assert!(encrypted.contains(&format!("declares PDF/A-{declared}")), "{encrypted}")
            }
            None => assert_eq!(encrypted, "", "{description}"),
        }
    }
}
