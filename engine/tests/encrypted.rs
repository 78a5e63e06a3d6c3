//! Encrypted documents that open without a password in other readers open for every operation, and their results open
//! in other readers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;
mod oracles;

use documents::document;
use lopdf::encryption::crypt_filters::{Aes128CryptFilter, Aes256CryptFilter, CryptFilter};
use lopdf::encryption::encrypt_object;
use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary,
};
use oracles::{Bench, check_structure, present};
use recto_engine::{EngineError, Input, Job, Output, OutputFile, run};
use recto_interface::{OperationKind, Options};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const PAGE: &str = "/MediaBox[0 0 200 100]";
const TEXT: &str = "BT /F 18 Tf 20 50 Td (A secret) Tj ET";

fn operate(kind: OperationKind, options: &Value, bytes: &[u8]) -> Result<OutputFile, EngineError> {
    match run(&Options::from_json(kind, options).unwrap(), Input { bytes, name: "it.pdf" }, &Job::default())?
    {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a file was expected"),
    }
}

/// The text of a document that opens without a password, read by poppler.
fn text(bytes: &[u8], what: &str) -> String {
    let bench = Bench::new("text");
    bench.file("it.pdf", bytes);
    let done = bench.run("pdftotext", &["it.pdf", "-"]);
    assert!(done.status.success(), "{what}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Asserts that every operation takes the document without a password, and that the results have its text.
fn assert_opens(what: &str, bytes: &[u8]) {
    let fail = |kind: OperationKind, error: EngineError| -> OutputFile { panic!("{what}: {kind}: {error}") };
    let png = operate(OperationKind::PdfToPng, &json!({}), bytes)
        .unwrap_or_else(|e| fail(OperationKind::PdfToPng, e));
    let plain = operate(OperationKind::PdfToPng, &json!({}), &document(&[(PAGE, TEXT)])).unwrap();
    assert!(png.bytes == plain.bytes, "{what}: the page looks different");
    for (kind, options, encrypted) in [
        (OperationKind::Decrypt, json!({}), false),
        (OperationKind::ArchivePdfA, json!({ "conformance": "pdf_a2_b" }), false),
        (OperationKind::Optimize, json!({}), true),
        (OperationKind::StampQr, json!({ "value": "x" }), true),
    ] {
        let made = operate(kind, &options, bytes).unwrap_or_else(|error| fail(kind, error));
        // A document that cannot be made smaller is returned unchanged.
        if made.bytes != bytes {
            if present("pdftotext", "poppler-utils") {
                assert_eq!(text(&made.bytes, what).trim(), "A secret", "{what}: {kind}");
            }
            check_structure(&made.bytes, what);
            let has_key = made.bytes.windows(8).any(|window| window == b"/Encrypt");
            assert_eq!(has_key, encrypted, "{what}: {kind}");
        }
    }
}

/// The plain document, encrypted by qpdf without a user password.
fn by_qpdf(arguments: &[&str]) -> Vec<u8> {
    let bench = Bench::new("encrypt");
    bench.file("plain.pdf", &document(&[(PAGE, TEXT)]));
    let mut line = vec!["--allow-weak-crypto", "--encrypt", "", "owner"];
    line.extend(arguments);
    line.extend(["--", "plain.pdf", "it.pdf"]);
    bench.output("qpdf", &line);
    bench.read("it.pdf")
}

const KINDS: [&[&str]; 7] = [
    &["40"],
    &["128", "--use-aes=n"],
    &["128", "--force-V4"],
    &["128", "--use-aes=y"],
    &["128", "--use-aes=y", "--cleartext-metadata"],
    &["256", "--force-R5"],
    &["256"],
];

/// The file with other bytes. Each byte is one character of the text.
fn edited(file: &[u8], edit: impl Fn(&str) -> String) -> Vec<u8> {
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let changed = edit(&text);
    assert_ne!(changed, text);
    changed.chars().map(|letter| letter as u8).collect()
}

#[test]
fn every_revision_opens_without_a_password() {
    if !present("qpdf", "qpdf") {
        return;
    }
    for kind in KINDS {
        assert_opens(&kind.join(" "), &by_qpdf(kind));
    }
}

#[test]
fn every_revision_opens_with_a_damaged_cross_reference_table() {
    if !present("qpdf", "qpdf") {
        return;
    }
    for kind in KINDS {
        let whole = by_qpdf(kind);
        let what = kind.join(" ");
        let wrong_start = edited(&whole, |text| text.replace("startxref\n", "startxref\n9"));
        assert_opens(&format!("{what}, startxref"), &wrong_start);
        let shifted = edited(&whole, |text| text.replacen('\n', "\n%a line that shifts all offsets\n", 1));
        assert_opens(&format!("{what}, offsets"), &shifted);
    }
}

/// A document that lopdf encrypted without a user password. `change` changes the encryption dictionary; it also gets
/// the whole document, to add objects that are not encrypted.
struct Encrypted {
    state: EncryptionState,
    document: Document,
}

impl Encrypted {
    fn new(revision: i64, filter: &str, user_password: &str, identifier: &[u8]) -> Self {
        let mut document = Document::load_mem(&document(&[(PAGE, TEXT)])).unwrap();
        let id = || Object::string_literal(identifier);
        document.trailer.set("ID", vec![id(), id()]);
        let (owner_password, permissions) = ("owner", Permissions::all());
        let name = filter.as_bytes().to_vec();
        let filters = |method: Arc<dyn CryptFilter>| BTreeMap::from([(name.clone(), method)]);
        let version = match revision {
            3 => EncryptionVersion::V2 {
                document: &document,
                owner_password,
                user_password,
                key_length: 128,
                permissions,
            },
            4 => EncryptionVersion::V4 {
                document: &document,
                encrypt_metadata: true,
                crypt_filters: filters(Arc::new(Aes128CryptFilter)),
                stream_filter: name.clone(),
                string_filter: name.clone(),
                owner_password,
                user_password,
                permissions,
            },
            _ => EncryptionVersion::V5 {
                encrypt_metadata: true,
                crypt_filters: filters(Arc::new(Aes256CryptFilter)),
                file_encryption_key: &[7; 32],
                stream_filter: name.clone(),
                string_filter: name.clone(),
                owner_password,
                user_password,
                permissions,
            },
        };
        let state = EncryptionState::try_from(version).unwrap();
        Self { state, document }
    }

    /// The file. Objects for which `is_encrypted` returns false are not encrypted.
    fn file(
        mut self,
        is_encrypted: impl Fn(&Object) -> bool,
        change: impl FnOnce(&mut Document, &mut Dictionary),
    ) -> Vec<u8> {
        for (id, object) in &mut self.document.objects {
            if is_encrypted(object) {
                encrypt_object(&self.state, *id, object).unwrap();
            }
        }
        let mut dictionary = self.state.encode().unwrap();
        change(&mut self.document, &mut dictionary);
        let id = self.document.add_object(dictionary);
        self.document.trailer.set("Encrypt", id);
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }
}

const ID: &[u8] = b"0123456789abcdef";

#[test]
fn crypt_filters_may_be_indirect_objects_with_any_name() {
    for revision in [4, 6] {
        for filter in ["StdCF", "Another"] {
            let bytes = Encrypted::new(revision, filter, "", ID).file(
                |_| true,
                |document, dictionary| {
                    let mut filters = dictionary.remove(b"CF").unwrap();
                    let own = filters.as_dict_mut().unwrap();
                    let inner = own.remove(filter.as_bytes()).unwrap();
                    own.set(filter, document.add_object(inner));
                    dictionary.set("CF", document.add_object(filters));
                },
            );
            assert_opens(&format!("revision {revision}, {filter}"), &bytes);
        }
    }
}

#[test]
fn filters_that_do_not_encrypt_are_read() {
    for revision in [4, 6] {
        let strings_only = Encrypted::new(revision, "StdCF", "", ID)
            .file(|object| object.as_stream().is_err(), |_, dictionary| dictionary.set("StmF", "Identity"));
        assert_opens(&format!("revision {revision}, only strings"), &strings_only);
        let nothing = Encrypted::new(revision, "StdCF", "", ID).file(
            |_| false,
            |_, dictionary| {
                let none = dictionary! { "CFM" => "None" };
                dictionary.set("CF", dictionary! { "None" => none });
                dictionary.set("StmF", "None");
                dictionary.set("StrF", "None");
            },
        );
        assert_opens(&format!("revision {revision}, nothing"), &nothing);
        let mut one_stream = Encrypted::new(revision, "StdCF", "", ID);
        for object in one_stream.document.objects.values_mut() {
            if let Object::Stream(stream) = object {
                stream.dict.set("Filter", vec!["Crypt".into()]);
            }
        }
        let bytes = one_stream.file(|object| object.as_stream().is_err(), |_, _| {});
        assert_opens(&format!("revision {revision}, a stream with its own filter"), &bytes);
    }
}

#[test]
fn a_document_without_an_identifier_opens() {
    for revision in [3, 4, 6] {
        let bytes = Encrypted::new(revision, "StdCF", "", b"").file(
            |_| true,
            |document, _| {
                document.trailer.remove(b"ID");
            },
        );
        assert_opens(&format!("revision {revision}"), &bytes);
    }
}

#[test]
fn lengths_and_numbers_of_unusual_form_are_read() {
    let indirect = Encrypted::new(4, "StdCF", "", ID).file(
        |_| true,
        |document, dictionary| {
            for key in ["V", "R", "O", "U", "P", "StmF"] {
                let value = dictionary.remove(key.as_bytes()).unwrap();
                dictionary.set(key, document.add_object(value));
            }
        },
    );
    assert_opens("indirect values", &indirect);
    let bytes_not_bits = Encrypted::new(3, "StdCF", "", ID).file(
        |_| true,
        |_, dictionary| {
            dictionary.set("Length", 16);
        },
    );
    assert_opens("a length in bytes", &bytes_not_bits);
    let padded = Encrypted::new(3, "StdCF", "", ID).file(
        |_| true,
        |_, dictionary| {
            let mut owner = dictionary.get(b"O").and_then(Object::as_str).unwrap().to_vec();
            owner.extend([0; 9]);
            dictionary.set("O", Object::string_literal(owner));
        },
    );
    let decrypted = operate(OperationKind::Decrypt, &json!({}), &padded).unwrap();
    check_structure(&decrypted.bytes, "padded");
}

/// A document of which only an attachment is encrypted.
fn encrypted_attachment(revision: i64, user_password: &str) -> Vec<u8> {
    let mut encrypted = Encrypted::new(revision, "StdCF", user_password, ID);
    let document = &mut encrypted.document;
    let data = Stream::new(dictionary! { "Type" => "EmbeddedFile" }, b"The attachment".to_vec());
    let data = document.add_object(data);
    let name = || Object::string_literal("it.txt");
    let file = dictionary! { "Type" => "Filespec", "F" => name(), "EF" => dictionary! { "F" => data } };
    let file = document.add_object(file);
    let names = dictionary! { "Names" => vec![name(), file.into()] };
    document.catalog_mut().unwrap().set("Names", dictionary! { "EmbeddedFiles" => names });
    encrypted.file(
        |object| object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"EmbeddedFile")),
        |_, dictionary| {
            dictionary.set("StmF", "Identity");
            dictionary.set("StrF", "Identity");
            dictionary.set("EFF", "StdCF");
        },
    )
}

#[test]
fn a_document_of_which_only_attachments_are_encrypted_opens() {
    for revision in [4, 6] {
        for password in ["", "open"] {
            let bytes = encrypted_attachment(revision, password);
            let rendered = operate(OperationKind::PdfToPng, &json!({}), &bytes).unwrap();
            assert_eq!(rendered.extension, "png");
            let opened = operate(OperationKind::Decrypt, &json!({ "password": password }), &bytes).unwrap();
            check_structure(&opened.bytes, "attachment");
            let opened = Document::load_mem(&opened.bytes).unwrap();
            let attachment = opened.objects.values().find_map(|object| {
                object.as_stream().ok().filter(|stream| stream.dict.has_type(b"EmbeddedFile"))
            });
            assert_eq!(attachment.unwrap().content, b"The attachment", "revision {revision}");
            // A changed document without the password would lose the attachment.
            let changed = operate(OperationKind::Optimize, &json!({}), &bytes);
            assert_eq!(password.is_empty(), changed.is_ok(), "{changed:?}");
            assert!(password.is_empty() || matches!(changed, Err(EngineError::PasswordRequired)));
        }
    }
}

#[test]
fn a_password_is_required_only_if_readers_require_it() {
    if !present("qpdf", "qpdf") {
        return;
    }
    for revision in [3, 4, 6] {
        let bytes = Encrypted::new(revision, "StdCF", "open", ID).file(|_| true, |_, _| {});
        let kinds = [
            (OperationKind::PdfToPng, json!({})),
            (OperationKind::Optimize, json!({})),
            (OperationKind::ArchivePdfA, json!({ "conformance": "pdf_a2_b" })),
        ];
        for (kind, options) in kinds {
            let refused = operate(kind, &options, &bytes);
            assert!(matches!(refused, Err(EngineError::PasswordRequired)), "{kind}: {refused:?}");
        }
        for password in ["open", "owner"] {
            let opened = operate(OperationKind::Decrypt, &json!({ "password": password }), &bytes).unwrap();
            check_structure(&opened.bytes, "decrypted");
        }
        let wrong = operate(OperationKind::Decrypt, &json!({ "password": "other" }), &bytes);
        assert!(matches!(wrong, Err(EngineError::WrongPassword)));
    }
}
