//! `encrypt` and `decrypt`: qpdf confirms the algorithm and the passwords. poppler confirms that no content is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod oracles;

use oracles::{Bench, check_structure, present};
use recto_engine::{EngineError, Input, Job, Output, OutputFile, run};
use recto_interface::Options;
use recto_interface::options::{DecryptOptions, EncryptOptions};

/// A document of two pages with text, and with a title in its metadata.
fn document() -> Vec<u8> {
    let page = |text: &str| {
        let content = format!("BT /F 18 Tf 20 100 Td ({text}) Tj ET");
        format!("<</Length {}>>stream\n{content}\nendstream", content.len())
    };
    let (first, second) = (page("The first secret"), page("The second secret"));
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<</Font<</F 5 0 R>>>>>>",
        "<</Type/Page/Parent 2 0 R/Contents 6 0 R>>",
        "<</Type/Page/Parent 2 0 R/Contents 7 0 R>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        &first,
        &second,
        "<</Title(A classified title)>>",
    ];
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let id = "<00112233445566778899aabbccddeeff>";
    file.extend(
        format!(
            "trailer\n<</Size {}/Root 1 0 R/Info 8 0 R/ID[{id}{id}]>>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    file
}

fn try_run(options: impl Into<Options>, bytes: &[u8]) -> Result<OutputFile, EngineError> {
    match run(&options.into(), Input { bytes, name: "it.pdf" }, &Job::default())? {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a file was expected"),
    }
}

fn encrypt(bytes: &[u8], password: &str) -> Result<OutputFile, EngineError> {
    try_run(EncryptOptions { password: Some(password.into()) }, bytes)
}

fn decrypt(bytes: &[u8], password: &str) -> Result<OutputFile, EngineError> {
    try_run(DecryptOptions { password: Some(password.into()) }, bytes)
}

/// The text, the title and the number of pages of a document, read by poppler.
fn content(bytes: &[u8]) -> String {
    let bench = Bench::new("content");
    bench.file("it.pdf", bytes);
    let about = bench.output("pdfinfo", &["it.pdf"]);
    let kept = about.lines().filter(|line| line.starts_with("Title") || line.starts_with("Pages"));
    bench.output("pdftotext", &["it.pdf", "-"]) + &kept.collect::<String>()
}

#[test]
fn an_encrypted_document_opens_with_its_password_and_no_other() {
    let sealed = encrypt(&document(), "open sesame").unwrap();
    assert_eq!(sealed.extension, "pdf");
    assert!(!sealed.bytes.windows(6).any(|window| window == b"secret" || window == b"classi"));
    if !present("qpdf", "qpdf") {
        return;
    }
    let bench = Bench::new("encrypt");
    bench.file("it.pdf", &sealed.bytes);
    let said = bench.output("qpdf", &["--show-encryption", "--password=open sesame", "it.pdf"]);
    assert!(said.contains("R = 6") && said.contains("AESv3"), "{said}");
    assert!(said.contains("Supplied password is user password"), "{said}");
    assert!(
        said.contains("modify anything: allowed") && said.contains("extract for any purpose: allowed"),
        "{said}"
    );
    bench.output("qpdf", &["--check", "--password=open sesame", "it.pdf"]);
    for wrong in ["--password=", "--password=open sesame ", "--password=Open sesame"] {
        assert!(!bench.run("qpdf", &["--check", wrong, "it.pdf"]).status.success(), "{wrong}");
    }
}

#[test]
fn encrypting_and_decrypting_restores_the_document() {
    let plain = document();
    let again = decrypt(&encrypt(&plain, "p").unwrap().bytes, "p").unwrap();
    assert!(again.notes.is_empty());
    check_structure(&again.bytes, "roundtrip");
    if present("pdftotext", "poppler-utils") {
        assert_eq!(content(&again.bytes), content(&plain));
    }
}

#[test]
fn passwords_are_unicode_and_normalized() {
    // Each pair is the same password after SASLprep: Å as one character and as two, a ligature and its letters, and an
    // ideographic space and a plain space.
    for (set, given) in
        [("\u{c5}ngstr\u{f6}m", "A\u{30a}ngstro\u{308}m"), ("ﬁnance", "finance"), ("a\u{3000}b", "a b")]
    {
        let sealed = encrypt(&document(), set).unwrap();
        assert!(decrypt(&sealed.bytes, given).is_ok(), "{set}");
    }
    for password in ["пароль", "密码", "סיסמה", "1", &"x".repeat(127)] {
        let sealed = encrypt(&document(), password).unwrap();
        assert!(decrypt(&sealed.bytes, password).is_ok(), "{password}");
        if present("qpdf", "qpdf") {
            let bench = Bench::new("unicode");
            bench.file("it.pdf", &sealed.bytes);
            bench.output("qpdf", &["--check", &format!("--password={password}"), "it.pdf"]);
        }
    }
}

#[test]
fn an_invalid_password_is_refused_without_quoting_it() {
    for password in ["", "tab\u{7}bed", &"é".repeat(64)] {
        let error = encrypt(&document(), password).unwrap_err();
        assert!(matches!(error, EngineError::InvalidOption(_)), "{error}");
        assert!(password.is_empty() || !format!("{error} {error:?}").contains(password));
    }
    assert!(matches!(
        try_run(EncryptOptions { password: None }, &document()),
        Err(EngineError::InvalidOption(_))
    ));
}

#[test]
fn a_document_is_not_encrypted_twice() {
    let sealed = encrypt(&document(), "one").unwrap();
    let error = encrypt(&sealed.bytes, "two").unwrap_err();
    assert!(matches!(error, EngineError::PasswordRequired), "{error}");
}

#[test]
fn a_wrong_or_missing_password_fails_with_a_clear_error() {
    let sealed = encrypt(&document(), "right").unwrap();
    assert!(matches!(decrypt(&sealed.bytes, "wrong"), Err(EngineError::WrongPassword)));
    let missing = try_run(DecryptOptions { password: None }, &sealed.bytes).unwrap_err();
    assert!(missing.to_string().contains("password"), "{missing}");
    assert!(matches!(missing, EngineError::InvalidOption(_)));
}

#[test]
fn a_document_without_encryption_is_returned_unchanged() {
    let plain = document();
    let same = decrypt(&plain, "whatever").unwrap();
    assert_eq!(same.bytes, plain);
    assert_eq!(same.notes.len(), 1);
}

#[test]
fn every_revision_opens_with_the_user_and_the_owner_password() {
    if !present("qpdf", "qpdf") || !present("pdftotext", "poppler-utils") {
        return;
    }
    let plain = document();
    let kinds: [(&str, &[&str]); 7] = [
        ("R2", &["40", "--"]),
        ("R3", &["128", "--use-aes=n", "--"]),
        ("R4 RC4", &["128", "--force-V4", "--"]),
        ("R4 AES", &["128", "--use-aes=y", "--"]),
        ("R4 clear metadata", &["128", "--use-aes=y", "--cleartext-metadata", "--"]),
        ("R5", &["256", "--force-R5", "--"]),
        ("R6", &["256", "--"]),
    ];
    for (kind, arguments) in kinds {
        for streams in ["--object-streams=disable", "--object-streams=generate"] {
            let bench = Bench::new("revisions");
            bench.file("plain.pdf", &plain);
            let mut line = vec!["--allow-weak-crypto", streams, "--encrypt", "user", "owner"];
            line.extend(arguments);
            line.extend(["plain.pdf", "sealed.pdf"]);
            bench.output("qpdf", &line);
            let sealed = bench.read("sealed.pdf");
            for password in ["user", "owner"] {
                let opened = decrypt(&sealed, password)
                    .unwrap_or_else(|error| panic!("{kind} {streams} {password}: {error}"));
                assert_eq!(content(&opened.bytes), content(&plain), "{kind} {streams} {password}");
                check_structure(&opened.bytes, "revision");
            }
            assert!(matches!(decrypt(&sealed, "neither"), Err(EngineError::WrongPassword)), "{kind}");
        }
    }
}

#[test]
fn a_document_with_only_an_owner_password_needs_none_but_refuses_a_wrong_one() {
    if !present("qpdf", "qpdf") {
        return;
    }
    for bits in ["128", "256"] {
        let bench = Bench::new("restricted");
        bench.file("plain.pdf", &document());
        bench.output(
            "qpdf",
            &[
                "--allow-weak-crypto",
                "--encrypt",
                "",
                "owner",
                bits,
                "--modify=none",
                "--",
                "plain.pdf",
                "it.pdf",
            ],
        );
        let sealed = bench.read("it.pdf");
        assert!(try_run(DecryptOptions { password: None }, &sealed).is_ok());
        assert!(decrypt(&sealed, "owner").is_ok(), "{bits}");
        assert!(matches!(decrypt(&sealed, "wrong"), Err(EngineError::WrongPassword)), "{bits}");
        assert!(encrypt(&sealed, "mine").unwrap_err().to_string().contains("already encrypted"));
    }
}

#[test]
fn the_error_names_the_format_of_a_file_that_is_not_a_pdf() {
    let error = encrypt(b"GIF89a", "p").unwrap_err();
    assert!(matches!(error, EngineError::WrongFormat { .. }) && error.to_string().contains("GIF"), "{error}");
}
