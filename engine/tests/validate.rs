//! `validate`: its verdicts, and its findings about documents that do not conform.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;

use documents::{document, file, stream};
use recto_engine::{EngineError, Input, Job, Output, run};
use recto_interface::options::ValidateOptions;
use recto_interface::{Options, ValidationReport};

fn validate(bytes: &[u8], standard: Option<&str>) -> Result<ValidationReport, EngineError> {
    let options = Options::Validate(ValidateOptions { conformance: standard.map(str::to_owned) });
    match run(&options, Input { bytes, name: "it.pdf" }, &Job::default())? {
        Output::Report(report) => Ok(report),
        Output::File(_) => panic!("expected a report"),
    }
}

/// The findings about a document. The list is empty if the document conforms to the standard.
fn errors(bytes: &[u8], standard: &str) -> Vec<String> {
    let report = validate(bytes, Some(standard)).unwrap();
    assert_eq!(report.is_conforming, Some(report.errors.is_empty()));
    report.errors
}

fn says(errors: &[String], part: &str) -> bool {
    errors.iter().any(|error| error.contains(part))
}

const PAGE: (&str, &str) = ("/MediaBox[0 0 100 100]", "0 0 m 50 50 l S");

/// A document of one page without text, which conforms to PDF/A-2b.
fn archive() -> Vec<u8> {
    let xmp = "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\
        <x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
        <rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\">\
        <pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description></rdf:RDF></x:xmpmeta>\
        <?xpacket end=\"w\"?>";
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<<>>/Contents 4 0 R>>".to_vec(),
        stream("", b"0 0 m 50 50 l"),
        stream("/Type/Metadata/Subtype/XML", xmp.as_bytes()),
    ];
    let bytes = file(&objects, "/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]");
    marked(&bytes)
}

/// The file with a comment of binary bytes after its header. The offsets in the file are adjusted.
fn marked(bytes: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = b"%\xE2\xE3\xCF\xD3\n";
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut out = [&bytes[..9], MARK, &bytes[9..]].concat();
    let table = text.rfind("xref\n0 ").map(|at| text[..at].rfind("xref\n0 ").unwrap_or(at)).unwrap();
    let table = text.find("\nxref\n").map_or(table, |at| at + 1);
    let shift = |out: &mut Vec<u8>, at: usize, digits: usize| {
        let old: usize = std::str::from_utf8(&out[at..at + digits]).unwrap().parse().unwrap();
        if old > 0 {
            let new = format!("{:0digits$}", old + MARK.len());
            out[at..at + digits].copy_from_slice(new.as_bytes());
        }
    };
    let count: usize = text[table + 7..].split('\n').next().unwrap().parse().unwrap();
    let first = table + MARK.len() + text[table..].match_indices('\n').nth(1).unwrap().0 + 1;
    (0..count).for_each(|entry| shift(&mut out, first + entry * 20, 10));
    let start = text.rfind("startxref\n").unwrap() + 10 + MARK.len();
    let digits = out[start..].iter().position(|byte| *byte == b'\n').unwrap();
    shift(&mut out, start, digits);
    out
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn a_conforming_document_is_reported_with_its_declared_standard() {
    let report = validate(&archive(), None).unwrap();
    assert_eq!(report.errors, [""; 0]);
    assert_eq!((report.is_conforming, report.conformance.as_deref()), (Some(true), Some("pdf_a2_b")));
    let plain = marked(&document(&[PAGE]));
    let report = validate(&plain, Some("pdf17")).unwrap();
    assert_eq!(report.errors, [""; 0]);
    assert_eq!((report.is_conforming, report.conformance.as_deref()), (Some(true), Some("pdf17")));
}

#[test]
fn findings_name_the_fault_its_place_and_the_clause() {
    let font = document(&[PAGE, ("/MediaBox[0 0 100 100]", "BT /F 12 Tf (A) Tj ET")]);
    let errors = errors(&marked(&font), "pdf_a2_b");
    assert!(says(&errors, "A font that is used is not embedded"), "{errors:?}");
    assert!(says(&errors, "(ISO 19005-2, 6.2.11.4.1)"), "{errors:?}");
    assert!(says(&errors, "The document has no metadata stream"), "{errors:?}");
    assert!(says(&errors, "file identifier"), "{errors:?}");
}

#[test]
fn features_of_a_later_version_are_reported() {
    let lucent = ("/MediaBox[0 0 100 100]/Group<</S/Transparency>>/Tabs/S", "0 0 m 50 50 l S");
    let bytes = marked(&document(&[lucent]));
    assert_eq!(errors(&bytes, "pdf17"), [""; 0]);
    let old = errors(&bytes, "pdf13");
    assert!(says(&old, "The document declares PDF 1.7, which is later than 1.3"), "{old:?}");
    assert!(says(&old, "A page has the entry Group, which was introduced with PDF 1.4: object 4"), "{old:?}");
    assert!(says(&old, "A page has the entry Tabs, which was introduced with PDF 1.5: object 4"), "{old:?}");
}

#[test]
fn wrong_dictionaries_are_found() {
    let wrong = (
        "/MediaBox[0 0 100]/Rotate 45/Annots[<</Subtype/Wink/Rect[0 0 9 9]>><</Subtype/Link>>]/Tabs(S)",
        "0 0 m 50 50 l S",
    );
    let errors = errors(&marked(&document(&[wrong])), "pdf17");
    for part in [
        "MediaBox, whose array has 3 elements instead of 4",
        "not a multiple of 90 degrees",
        "the value Wink of Subtype is not defined in PDF",
        "An annotation lacks the entry Rect",
        "Tabs, whose value is not a name",
    ] {
        assert!(says(&errors, part), "{part}: {errors:?}");
    }
}

#[test]
fn syntax_errors_that_parsers_tolerate_are_reported() {
    let good = archive();
    assert_eq!(errors(&good, "pdf_a2_b"), [""; 0]);
    for (name, bad, part) in [
        ("trailing data", [&good[..], b"more"].concat(), "after the last end-of-file marker"),
        ("an invalid header", replaced(&good, b"%PDF-1.7", b"%PDF-x.7"), "header %PDF-1.n"),
        ("no binary mark", replaced(&good, b"%\xE2\xE3\xCF\xD3", b"%text"), "marks the file as binary"),
        (
            "a wrong length",
            replaced(&good, b"<</Length 13>>", b"<</Length 12>>"),
            "object 4 (ISO 19005-2, 6.1.7.1)",
        ),
        (
            "obj without a line end",
            replaced(&good, b"3 0 obj\n<<", b"3 0 obj <<"),
            "object 3 (ISO 19005-2, 6.1.9)",
        ),
        (
            "an odd string",
            replaced(&good, b"<00112233445566778899AABBCCDDEEFF>", b"<00112233445566778899AABBCCDDEEF >"),
            "odd number of digits",
        ),
    ] {
        let errors = errors(&bad, "pdf_a2_b");
        assert!(says(&errors, part), "{name}: {errors:?}");
    }
    let lengthy = replaced(&marked(&document(&[PAGE])), b"<</Length 15>>", b"<</Length 14>>");
    assert!(
        says(&errors(&lengthy, "pdf17"), "The Length of a stream"),
        "the length is checked against PDF versions too"
    );
}

#[test]
fn empty_text_counts_as_use_of_a_font() {
    let named = |content: &str| {
        let bytes = document(&[("/MediaBox[0 0 100 100]", content)]);
        ["pdf_a1_b", "pdf_a2_b", "pdf_a3_b"]
            .map(|level| says(&errors(&bytes, level), "not embedded: object 3"))
    };
    assert_eq!(named("BT /F 9 Tf () Tj ET"), [true; 3]);
    assert_eq!(named("BT /F 9 Tf [-500] TJ ET"), [true; 3]);
    // A font that is only selected, or only used for invisible text, does not have to be embedded.
    assert_eq!(named("BT /F 9 Tf ET"), [false; 3]);
    assert_eq!(named("BT /F 9 Tf 3 Tr () Tj ET"), [false; 3]);
}

#[test]
fn contents_are_checked_behind_inline_images_whose_data_looks_like_an_end() {
    let image = "q BI /W 5 /H 1 /BPC 8 /CS /G ID  EI ( EI Q ";
    let named = |content: &str| {
        let bytes = document(&[("/MediaBox[0 0 100 100]", content)]);
        ["pdf_a1_b", "pdf_a2_b", "pdf_a3_b"]
            .map(|level| says(&errors(&bytes, level), "A font that is used is not embedded"))
    };
    assert_eq!(named(&format!("{image}BT /F 9 Tf (A) Tj ET")), [true; 3]);
    assert_eq!(named(&format!("{image}0 0 m 9 9 l S")), [false; 3]);
}

#[test]
fn a_composite_font_has_no_later_characters_than_its_cmap_in_pdf_1_7() {
    let fits = |cmap: &str, ordering: &str, supplement: u8| {
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_vec(),
            stream("", b"BT /F 9 Tf 3 Tr <0041> Tj ET"),
            format!("<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/{cmap}/DescendantFonts[6 0 R]>>").into_bytes(),
            format!(
                "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDToGIDMap/Identity/CIDSystemInfo<</Registry(Adobe)\
                 /Ordering({ordering})/Supplement {supplement}>>>>"
            )
            .into_bytes(),
        ];
        !says(&errors(&file(&objects, ""), "pdf_a2_b"), "are not compatible")
    };
    for (cmap, ordering, latest) in [
        ("UniGB-UTF16-H", "GB1", 4),
        ("UniCNS-UTF16-V", "CNS1", 4),
        ("UniJIS-UTF16-H", "Japan1", 5),
        ("UniKS-UTF16-H", "Korea1", 2),
        ("HKscs-B5-H", "CNS1", 3),
        ("GBK-EUC-H", "GB1", 2),
    ] {
        assert!(fits(cmap, ordering, latest), "{cmap} {latest}");
        assert!(!fits(cmap, ordering, latest + 1), "{cmap} {}", latest + 1);
    }
}

#[test]
fn what_is_embedded_in_pdf_a_2_is_pdf_a_itself() {
    let fits = |embedded: &[u8]| {
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a.pdf)/UF(a.pdf)\
              /EF<</F 4 0 R/UF 4 0 R>>>>]>>>>>>"
                .to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_vec(),
            stream("/Type/EmbeddedFile/Subtype/application#2Fpdf", embedded),
        ];
        let found = errors(&file(&objects, ""), "pdf_a2_b");
        !says(&found, "An embedded file is not PDF/A itself: object 1 (ISO 19005-2, 6.8)")
    };
    assert!(fits(&archive()));
    assert!(!fits(&document(&[PAGE])));
    assert!(!fits(b"no document"));
}

#[test]
fn a_role_map_is_checked_against_the_roles_used() {
    let circle = |kind: &str| {
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 4 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>>>".to_vec(),
            b"<</Type/StructTreeRoot/K 5 0 R/RoleMap<</One/Two/Two/One>>>>".to_vec(),
            format!("<</Type/StructElem/S/{kind}/P 4 0 R>>").into_bytes(),
        ];
        let bytes = file(&objects, "");
        ["pdf_a1_a", "pdf_a2_a"].map(|level| says(&errors(&bytes, level), "structure types in a circle"))
    };
    assert_eq!(circle("Figure"), [false; 2]);
    assert_eq!(circle("One"), [true; 2]);
}

#[test]
fn in_pdf_a_3_only_a_file_specification_that_is_an_object_can_be_associated() {
    let said = |named: &str, associated: &str| {
        let objects = [
            format!(
                "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a){named}]>>>>/AF[{associated}]>>"
            )
            .into_bytes(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>>>".to_vec(),
            stream("/Type/EmbeddedFile/Subtype/text#2Fplain", b"text"),
            b"<</Type/Filespec/F(a)/UF(a)/EF<</F 4 0 R/UF 4 0 R>>/AFRelationship/Data>>".to_vec(),
        ];
        let found = errors(&file(&objects, ""), "pdf_a3_b");
        ["(AFRelationship)", "is not associated"].map(|part| says(&found, part))
    };
    let written = "<</Type/Filespec/F(a)/UF(a)/EF<</F 4 0 R/UF 4 0 R>>/AFRelationship/Data>>";
    let silent = "<</Type/Filespec/F(a)/UF(a)/EF<</F 4 0 R/UF 4 0 R>>>>";
    assert_eq!(said("5 0 R", "5 0 R"), [false, false]);
    assert_eq!(said("5 0 R", ""), [false, true]);
    assert_eq!(said(written, "5 0 R"), [false, true]);
    assert_eq!(said("5 0 R", written), [false, true]);
    assert_eq!(said(silent, "5 0 R"), [true, true]);
}

#[test]
fn a_damaged_file_is_reported_as_not_conforming() {
    let good = archive();
    let noise: Vec<u8> = (0..4000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let halves = [&good[..good.len() / 2], &good[good.len() / 2..]];
    for (bytes, standard) in [
        (&b""[..], "pdf17"),
        (b"%PDF-1.7", "pdf_a2_b"),
        (b"\x89PNG\r\n", "pdf_a1_b"),
        (&noise, "pdf14"),
        (halves[0], "pdf_a2_b"),
        (halves[1], "pdf20"),
    ] {
        let report = validate(bytes, Some(standard)).unwrap();
        assert_eq!(report.is_conforming, Some(false), "{standard}");
        assert!(!report.errors.is_empty());
    }
    for end in (0..good.len()).step_by(7) {
        let report = validate(&good[..end], Some("pdf_a2_b")).unwrap();
        assert_eq!(report.is_conforming, Some(false), "cut at {end}");
    }
    for at in (0..good.len()).step_by(5) {
        let mut bent = good.clone();
        bent[at] ^= 0x15;
        validate(&bent, Some("pdf_a2_b")).unwrap();
        validate(&bent, Some("pdf14")).unwrap();
    }
}

#[test]
fn the_error_for_an_unknown_standard_lists_the_known_ones() {
    match validate(&archive(), Some("pdf_a9_z")) {
        Err(EngineError::InvalidOption(wrong)) => {
            assert!(wrong.reason.contains("pdf_a2_b") && wrong.reason.contains("pdf_a9_z"), "{wrong}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_encrypted_document_is_not_pdf_a_and_otherwise_needs_its_password() {
    let options = Options::from_json(
        recto_interface::OperationKind::Encrypt,
        &serde_json::json!({"password": "secret"}),
    )
    .unwrap();
    let plain = document(&[PAGE]);
    let Ok(Output::File(locked)) = run(&options, Input { bytes: &plain, name: "it.pdf" }, &Job::default())
    else {
        panic!("not encrypted")
    };
    assert!(says(&errors(&locked.bytes, "pdf_a2_b"), "encrypted"));
    assert!(matches!(validate(&locked.bytes, Some("pdf17")), Err(EngineError::PasswordRequired)));
}

/// A document with text in a font whose file is `program`. `font` contains entries of the font dictionary (object 5),
/// `descendant` entries of its descendant (object 6), and `map` the bytes of a stream (object 9). `flags` is the entry
/// `Flags` of the font descriptor.
fn set_in_dejavu(program: &[u8], font: &str, descendant: &str, flags: u8, text: &str, map: &[u8]) -> Vec<u8> {
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_vec(),
        stream("", format!("BT /F 9 Tf {text} Tj ET").as_bytes()),
        format!("<</Type/Font/BaseFont/DejaVu{font}>>").into_bytes(),
        format!("<</Type/Font/BaseFont/DejaVu{descendant}>>").into_bytes(),
        format!(
            "<</Type/FontDescriptor/FontName/DejaVu/Flags {flags}/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0\
             /CapHeight 9/StemV 9/FontFile2 8 0 R>>"
        )
        .into_bytes(),
        stream(&format!("/Length1 {}", program.len()), program),
        stream("", map),
    ];
    file(&objects, "")
}

#[test]
fn the_missing_glyph_of_a_composite_font_is_that_of_cid_0() {
    let shown = |text: &str| {
        let bytes = set_in_dejavu(
            dejavu::sans::regular(),
            "/Subtype/Type0/Encoding/Identity-H/DescendantFonts[6 0 R]",
            "/Subtype/CIDFontType2/CIDToGIDMap 9 0 R/FontDescriptor 7 0 R/DW 600\
             /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>",
            4,
            text,
            &[0, 0, 0, 0, 0, 36],
        );
        says(&errors(&bytes, "pdf_a2_b"), "(ISO 19005-2, 6.2.11.8)")
    };
    assert!(!shown("<00010002>"));
    assert!(shown("<00010000>"));
}

#[test]
fn a_composite_font_has_an_encoding() {
    let shown = |font: &str| {
        let descendant = "/Subtype/CIDFontType2/CIDToGIDMap/Identity/FontDescriptor 7 0 R/DW 600\
                          /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
        let font = format!("/Subtype/Type0{font}/DescendantFonts[6 0 R]");
        let bytes = set_in_dejavu(dejavu::sans::regular(), &font, descendant, 4, "<0024>", b"");
        let named = |standard, part| says(&errors(&bytes, standard), part);
        [
            named("pdf_a1_b", "object 5 (ISO 19005-1, 6.3.3.3)"),
            named("pdf_a2_b", "object 5 (ISO 19005-2, 6.2.11.3.3)"),
        ]
    };
    assert_eq!(shown(""), [true; 2]);
    assert_eq!(shown("/Encoding/Identity-H"), [false; 2]);
}

/// DejaVu Sans with a Macintosh character map as its only map. Only code 136 (`agrave`) has a glyph in the map.
fn macintosh_face() -> Vec<u8> {
    let mut face = dejavu::sans::regular().to_vec();
    let mut map = [&[0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 12][..], &[0, 0, 1, 6, 0, 0], &[0; 256]].concat();
    map[18 + 136] = 36;
    let entry = face.windows(4).position(|tag| tag == b"cmap").unwrap();
    let place = [face.len(), map.len()].map(|number| u32::try_from(number).unwrap().to_be_bytes()).concat();
    face[entry + 8..entry + 16].copy_from_slice(&place);
    face.extend(map);
    face
}

#[test]
fn macintosh_codes_are_looked_up_in_a_macintosh_map() {
    let width = 684.0;
    let shown = |text: &str, width: f64| {
        let font = format!(
            "/Subtype/TrueType/Encoding/MacRomanEncoding/FontDescriptor 7 0 R/FirstChar 136/LastChar 136/Widths[{width}]"
        );
        let bytes = set_in_dejavu(&macintosh_face(), &font, "", 32, text, b"");
        let errors = errors(&bytes, "pdf_a2_b");
        ["6.2.11.4.1)", "6.2.11.5)", "6.2.11.8)"].map(|clause| says(&errors, clause))
    };
    assert_eq!(shown("<88>", width), [false; 3]);
    assert_eq!(shown("<88>", width + 5.0), [false, true, false]);
    assert!(shown("<8841>", width)[2]);
}
