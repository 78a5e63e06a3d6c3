//! `doc-to-pdf`, `presentation-to-pdf` and `spreadsheet-to-pdf`, with generated documents of every extension.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod oracles;

use oracles::{Bench, check_structure, present};
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, run};
use recto_interface::OperationKind::{self, DocToPdf, PresentationToPdf, SpreadsheetToPdf};
use recto_interface::Options;
use serde_json::Value;
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

const PACKAGES: &str = "libreoffice-writer libreoffice-impress libreoffice-calc";

fn convert_with(kind: OperationKind, bytes: &[u8], job: &Job) -> Result<Vec<u8>, EngineError> {
    let options = Options::from_json(kind, &Value::Null).unwrap();
    match run(&options, Input { bytes, name: "document" }, job)? {
        Output::File(file) => Ok(file.bytes),
        Output::Report(_) => panic!("a file was expected"),
    }
}

fn convert(kind: OperationKind, bytes: &[u8]) -> Result<Vec<u8>, EngineError> {
    convert_with(kind, bytes, &Job::default())
}

fn failure(kind: OperationKind, bytes: &[u8]) -> EngineError {
    convert(kind, bytes).map(|pdf| pdf.len()).unwrap_err()
}

fn office() -> bool {
    present("soffice", PACKAGES)
}

/// Checks the structure of a PDF with qpdf and returns its text. If poppler is not installed, the text is `Recto`.
fn text_of(pdf: &[u8]) -> String {
    check_structure(pdf, "office");
    let bench = Bench::new("office-text");
    bench.file("it.pdf", pdf);
    if present("pdftotext", "poppler-utils") {
        bench.output("pdftotext", &["it.pdf", "-"])
    } else {
        "Recto".to_owned()
    }
}

/// A ZIP archive of these files, without compression.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in files {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn relations(target: &str) -> String {
    format!(
        r#"<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="{target}"/></Relationships>"#
    )
}

fn types(parts: &[(&str, &str)]) -> String {
    let overrides: String = parts
        .iter()
        .map(|(part, kind)| {
            format!(r#"<Override PartName="{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>"#)
        })
        .collect();
    format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>"#
    )
}

fn docx() -> Vec<u8> {
    archive(&[
        ("[Content_Types].xml", &types(&[("/word/document.xml", "wordprocessingml.document.main")])),
        ("_rels/.rels", &relations("word/document.xml")),
        (
            "word/document.xml",
            r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Recto writes</w:t></w:r></w:p></w:body></w:document>"#,
        ),
    ])
}

fn xlsx() -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    archive(&[
        (
            "[Content_Types].xml",
            &types(&[
                ("/xl/workbook.xml", "spreadsheetml.sheet.main"),
                ("/xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"),
            ]),
        ),
        ("_rels/.rels", &relations("xl/workbook.xml")),
        (
            "xl/workbook.xml",
            &format!(
                r#"<workbook xmlns="{main}" xmlns:r="{OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &format!(
                r#"<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            &format!(
                r#"<worksheet xmlns="{main}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Recto counts</t></is></c></row></sheetData></worksheet>"#
            ),
        ),
    ])
}

fn open_document(kind: &str, body: &str) -> Vec<u8> {
    let mime = format!("application/vnd.oasis.opendocument.{kind}");
    archive(&[
        ("mimetype", &mime),
        (
            "META-INF/manifest.xml",
            &format!(
                r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"#
            ),
        ),
        (
            "content.xml",
            &format!(
                r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"><office:body>{body}</office:body></office:document-content>"#
            ),
        ),
    ])
}

fn odt() -> Vec<u8> {
    open_document("text", "<office:text><text:p>Recto writes</text:p></office:text>")
}

fn odp() -> Vec<u8> {
    open_document(
        "presentation",
        r#"<office:presentation><draw:page draw:name="one"><draw:frame svg:width="10cm" svg:height="2cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>Recto shows</text:p></draw:text-box></draw:frame></draw:page></office:presentation>"#,
    )
}

fn ods() -> Vec<u8> {
    open_document(
        "spreadsheet",
        r#"<office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell><text:p>Recto counts</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"#,
    )
}

/// A WordPerfect 5.1 file: a header, which contains the offset of the text, followed by the text.
fn wpd() -> Vec<u8> {
    let mut file = b"\xffWPC\x10\0\0\0\x01\x0a\0\x01\0\0\0\0".to_vec();
    file.extend(b"Recto writes\x0a");
    file
}

/// A document that LibreOffice has converted to a format whose files are too long to write in this file.
fn saved_as(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let bench = Bench::new("office-saved");
    let source = bench.file(&format!("it.{from}"), bytes);
    let folder = source.parent().unwrap();
    let profile = format!("-env:UserInstallation=file://{}/profile", folder.display());
    bench.output(
        "soffice",
        &[&profile, "--headless", "--convert-to", to, "--outdir", "out", source.to_str().unwrap()],
    );
    bench.read(&format!("out/it.{}", to.split(':').next().unwrap()))
}

#[test]
fn every_extension_of_the_specification_is_converted() {
    if !office() {
        return;
    }
    let documents = [
        (DocToPdf, "doc", saved_as(&odt(), "odt", "doc:MS Word 97")),
        (DocToPdf, "docx", docx()),
        (DocToPdf, "odt", odt()),
        (DocToPdf, "rtf", b"{\\rtf1\\ansi Recto writes\\par}".to_vec()),
        (DocToPdf, "wpd", wpd()),
        (DocToPdf, "txt", "Recto writes Ünïcödé".as_bytes().to_vec()),
        (PresentationToPdf, "ppt", saved_as(&odp(), "odp", "ppt:MS PowerPoint 97")),
        (PresentationToPdf, "pptx", saved_as(&odp(), "odp", "pptx:Impress MS PowerPoint 2007 XML")),
        (PresentationToPdf, "odp", odp()),
        (SpreadsheetToPdf, "xls", saved_as(&ods(), "ods", "xls:MS Excel 97")),
        (SpreadsheetToPdf, "xlsx", xlsx()),
        (SpreadsheetToPdf, "ods", ods()),
        (SpreadsheetToPdf, "csv", "Recto counts;1,5\nÜber;2".as_bytes().to_vec()),
    ];
    for (kind, extension, bytes) in documents {
        let pdf = convert(kind, &bytes).unwrap_or_else(|error| panic!("{extension}: {error}"));
        let text = text_of(&pdf);
        assert!(text.contains("Recto"), "{extension}: {text}");
        if extension == "txt" {
            assert!(text.contains("Ünïcödé"), "{text}");
        }
    }
}

#[test]
fn concurrent_conversions_do_not_affect_each_other() {
    if !office() {
        return;
    }
    let jobs: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                convert(DocToPdf, format!("Recto number {number}").as_bytes()).map(|pdf| text_of(&pdf))
            })
        })
        .collect();
    for (number, job) in jobs.into_iter().enumerate() {
        let text = job.join().unwrap().unwrap();
        assert!(text.contains(&format!("number {number}")) || !text.contains("number"), "{text}");
    }
}

#[test]
fn damaged_and_encrypted_documents_fail_with_a_clear_error() {
    let whole = docx();
    let error = failure(DocToPdf, &whole[..whole.len() / 2]);
    assert!(matches!(error, EngineError::Damaged(_) | EngineError::MissingProgram(_)), "{error}");
    let locked = archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", "<manifest:encryption-data manifest:checksum-type=\"SHA1/1K\"/>"),
    ]);
    assert!(failure(DocToPdf, &locked).to_string().contains("password"));
    // Word, Excel and PowerPoint write an encrypted document as a compound file with a stream `EncryptedPackage`.
    let stream: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let compound =
        [&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1][..], &[0; 512], &stream, &[0; 512]].concat();
    for kind in [DocToPdf, PresentationToPdf, SpreadsheetToPdf] {
        let error = failure(kind, &compound);
        assert!(
            matches!(error, EngineError::Unsupported(_)) && error.to_string().contains("password"),
            "{error}"
        );
    }
    let pdf = failure(DocToPdf, b"%PDF-1.7\n");
    assert!(matches!(pdf, EngineError::WrongFormat { .. }), "{pdf}");
    assert!(failure(DocToPdf, &xlsx()).to_string().contains("spreadsheet-to-pdf"));
}

#[test]
fn a_zip_bomb_is_refused() {
    let job = Job::new(Limits { decoded_bytes: 100, ..Limits::default() }, Cancel::default());
    let error = convert_with(DocToPdf, &docx(), &job).map(|pdf| pdf.len()).unwrap_err();
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
}

#[test]
fn the_error_for_a_missing_libreoffice_names_its_package() {
    let job = Job::default().with_office_program("/nowhere/soffice");
    let error = convert_with(DocToPdf, b"text", &job).map(|pdf| pdf.len()).unwrap_err();
    assert!(matches!(error, EngineError::MissingProgram(_)), "{error}");
}

/// A program that stands for LibreOffice: `script` runs with the number of the start in `$start`, and with the file for the
/// result in `$result`.
#[cfg(unix)]
fn stand_in(folder: &std::path::Path, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("soffice");
    let text = format!(
        "#!/bin/sh\n\
         echo >> '{0}/starts'\n\
         start=$(wc -l < '{0}/starts')\n\
         while [ \"$1\" != --outdir ]; do shift; done\n\
         mkdir \"$2\"; result=$2/document.pdf\n\
         {script}\n",
        folder.display()
    );
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

#[cfg(unix)]
#[test]
fn libreoffice_is_started_again_if_it_crashes_and_not_if_it_refuses_the_document() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/report.pdf");
    let copy = format!("cp '{sample}' \"$result\"");
    let incomplete = format!("head -c 300 '{sample}' > \"$result\"");
    let cases: [(String, &str, usize); 5] = [
        (format!("[ $start = 2 ] || exit 139\n{copy}"), "", 2),
        (format!("[ $start = 2 ] || {{ {incomplete}; exit; }}\n{copy}"), "", 2),
        ("exit 139".to_owned(), "crashed 2 times", 2),
        (incomplete, "crashed 2 times", 2),
        ("echo 'Error: source file could not be loaded' >&2".to_owned(), "cannot open it", 1),
    ];
    for (script, message, starts) in cases {
        let folder = tempfile::tempdir().unwrap();
        let job = Job::default().with_office_program(stand_in(folder.path(), &script));
        match convert_with(DocToPdf, b"text", &job) {
            Ok(pdf) => assert!(message.is_empty() && pdf == std::fs::read(sample).unwrap(), "{script}"),
            Err(error) => assert!(
                matches!(&error, EngineError::Damaged(text) if !message.is_empty() && text.contains(message)),
                "{script}: {error}"
            ),
        }
        let count = std::fs::read_to_string(folder.path().join("starts")).unwrap().lines().count();
        assert_eq!(count, starts, "{script}");
    }
}

#[test]
fn a_cancelled_job_stops_libreoffice() {
    if !office() {
        return;
    }
    let cancel = Cancel::default();
    let trigger = cancel.clone();
    let asked = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        trigger.trigger();
        Instant::now()
    });
    let job = Job::new(Limits::default(), cancel);
    let text = "Recto writes a long text. ".repeat(200_000);
    let error = convert_with(DocToPdf, text.as_bytes(), &job).map(|pdf| pdf.len()).unwrap_err();
    assert!(matches!(error, EngineError::Cancelled), "{error}");
    assert!(asked.join().unwrap().elapsed() < Duration::from_secs(3));
}
