//! Tests of the interface against the specification: its tables are copied here, and the crate's table, types and
//! defaults must agree.
#![allow(clippy::unwrap_used, clippy::panic)]

use recto_interface::options::*;
use recto_interface::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// "`operationType` values, by starting endpoint".
const OPERATION_TYPES: &[(&str, &str)] = &[
    ("optimize", "/v1/operations/optimize"),
    ("convertImage", "/v1/operations/convert/image-to-pdf"),
    ("archivePdfA", "/v1/operations/archive/pdfa"),
    ("convertPdfToJpeg", "/v1/operations/convert/pdf-to-jpeg"),
    ("convertPdfToPng", "/v1/operations/convert/pdf-to-png"),
    ("convertPdfToTiff", "/v1/operations/convert/pdf-to-tiff"),
    ("convertPdfToTiffFax", "/v1/operations/convert/pdf-to-tiff-fax"),
    ("docToPdf", "/v1/operations/convert/doc-to-pdf"),
    ("presentationToPdf", "/v1/operations/convert/presentation-to-pdf"),
    ("spreadsheetToPdf", "/v1/operations/convert/spreadsheet-to-pdf"),
    ("encryptPdf", "/v1/operations/encrypt"),
    ("decryptPdf", "/v1/operations/decrypt"),
    ("stampText", "/v1/operations/stamp/text"),
    ("stampWatermark", "/v1/operations/stamp/watermark"),
    ("stampBarcode", "/v1/operations/stamp/barcode"),
    ("stampDataMatrix", "/v1/operations/stamp/data-matrix"),
    ("stampQR", "/v1/operations/stamp/qr"),
    ("validate", "/v1/operations/validate"),
    ("powerArchive", "/v1/workflows/powerarchive"),
];

#[test]
fn every_operation_type_starts_at_its_endpoint() {
    let ours: Vec<_> = OperationKind::ALL.iter().map(|kind| (kind.wire_name(), kind.path())).collect();
    assert_eq!(ours, OPERATION_TYPES);
    for (wire_name, _) in OPERATION_TYPES {
        let kind = OperationKind::from_wire(wire_name).unwrap();
        assert_eq!(kind.name().parse::<OperationKind>(), Ok(kind));
        assert_eq!(kind.name().replace('-', "_").parse::<OperationKind>(), Ok(kind));
    }
    assert_eq!(OperationKind::PowerArchive.beta_path(), Some("/v1-beta/operations/workflows/powerarchive"));
    assert_eq!(OperationKind::ALL.iter().filter(|kind| kind.beta_path().is_some()).count(), 1);
    let unknown = "compress".parse::<OperationKind>().unwrap_err().to_string();
    assert!(unknown.contains("\"compress\"") && unknown.contains("optimize, image-to-pdf"), "{unknown}");
}

/// "Accepted input formats".
#[test]
fn accepted_input_formats_are_the_tables() {
    let accepts =
        |kind: OperationKind| kind.accepts().iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(", ");
    assert_eq!(accepts(OperationKind::DocToPdf), ".doc, .docx, .odt, .rtf, .wpd, .txt");
    assert_eq!(accepts(OperationKind::PresentationToPdf), ".ppt, .pptx, .odp");
    assert_eq!(accepts(OperationKind::SpreadsheetToPdf), ".xls, .xlsx, .ods, .csv");
    for (name, accepted) in
        [("a.JPG", true), ("a.b.tiff", true), ("a.jpeg", true), ("a.pdf", false), ("png", false), ("", false)]
    {
        assert_eq!(OperationKind::ImageToPdf.accepts_name(name), accepted, "{name}");
    }
    use OperationKind::{DocToPdf, ImageToPdf, PresentationToPdf, SpreadsheetToPdf};
    let others = [ImageToPdf, DocToPdf, PresentationToPdf, SpreadsheetToPdf];
    for kind in OperationKind::ALL.iter().filter(|kind| !others.contains(kind)) {
        assert_eq!(kind.accepts(), ["pdf"], "{kind}");
    }
}

#[test]
fn only_validate_yields_a_report() {
    let reports: Vec<_> = OperationKind::ALL.iter().filter(|kind| kind.yields() == Yields::Report).collect();
    assert_eq!(reports, [&OperationKind::Validate]);
}

/// (field below `options`, allowed values or a type, default)
type Row = (&'static str, &'static str, &'static str);

/// Each operation's table.
const OPTION_TABLES: &[(&str, &[Row])] = &[
    ("optimize", &[("profile", "web, archive, print, minimalFileSize", "minimalFileSize")]),
    (
        "image-to-pdf",
        &[
            ("pageSize", "a4, letter", "a4"),
            ("pageMargin.margin", "float", ""),
            ("pageMargin.unit", "cm, in", ""),
            ("strategy", "Auto, ShrinkToPage, ShrinkToPortrait", "Auto"),
        ],
    ),
    ("archive-pdfa", &[("conformance", "pdf_a2_b, pdf_a3_b", "")]),
    (
        "pdf-to-jpeg",
        &[
            ("colorSpace", "rgb, gray, cmyk", "rgb"),
            ("jpegQuality", "0 to 100", "85"),
            ("maxSizeInPixels.width", "int", ""),
            ("maxSizeInPixels.height", "int", ""),
        ],
    ),
    (
        "pdf-to-png",
        &[
            ("colorSpace", "rgb, gray", "rgb"),
            ("transparentBackground", "bool", "false"),
            ("maxSizeInPixels.width", "int", ""),
            ("maxSizeInPixels.height", "int", ""),
        ],
    ),
    ("pdf-to-tiff", &[]),
    ("pdf-to-tiff-fax", &[]),
    ("doc-to-pdf", &[]),
    ("presentation-to-pdf", &[]),
    ("spreadsheet-to-pdf", &[]),
    ("encrypt", &[("password", "secret", "")]),
    ("decrypt", &[("password", "secret", "")]),
    ("stamp-text", TEXT_STAMP),
    ("stamp-watermark", TEXT_STAMP),
    (
        "stamp-barcode",
        &[
            ("margin.left", "float", ""),
            ("margin.bottom", "float", ""),
            ("margin.unit", "cm, in", ""),
            ("type", "string", ""),
            ("value", "string", ""),
            ("stampSize.width", "float", ""),
            ("stampSize.height", "float", ""),
            ("stampSize.unit", "string", ""),
        ],
    ),
    ("stamp-data-matrix", SQUARE_STAMP),
    ("stamp-qr", SQUARE_STAMP),
    ("validate", &[("conformance", "string", "")]),
    ("power-archive", &[("conformance", "string", "")]),
];

const TEXT_STAMP: &[Row] = &[
    ("text", "string", ""),
    ("margin.top", "float", ""),
    ("margin.right", "float", ""),
    ("margin.left", "float", ""),
    ("margin.bottom", "float", ""),
    ("margin.unit", "cm, in", ""),
    ("textStyle.textColor", "string", ""),
    ("textStyle.fontFamily", "sans, serif", ""),
    ("textStyle.isBold", "bool", ""),
    ("textStyle.isItalic", "bool", ""),
    ("textStyle.fontSize", "float", ""),
];

const SQUARE_STAMP: &[Row] = &[
    ("margin.left", "float", ""),
    ("margin.bottom", "float", ""),
    ("margin.unit", "cm, in", ""),
    ("value", "string", ""),
    ("stampSize.side", "float", ""),
    ("stampSize.unit", "string", ""),
];

fn described(field: &Field) -> (&'static str, String, &'static str) {
    let kind = match field.kind {
        FieldKind::Text => "string".to_owned(),
        FieldKind::Secret => "secret".to_owned(),
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Number => "float".to_owned(),
        FieldKind::Integer { min: 0, max: 100 } => "0 to 100".to_owned(),
        FieldKind::Integer { .. } => "int".to_owned(),
        FieldKind::Choice(set) => set.texts.join(", "),
    };
    (field.path, kind, field.default.unwrap_or(""))
}

#[test]
fn every_option_has_the_values_and_default_of_its_table() {
    assert_eq!(OperationKind::ALL.len(), OPTION_TABLES.len());
    for (kind, (name, table)) in OperationKind::ALL.iter().zip(OPTION_TABLES) {
        assert_eq!(kind.name(), *name);
        let ours: Vec<_> = kind.fields().iter().map(described).collect();
        let theirs: Vec<_> =
            table.iter().map(|(path, kind, default)| (*path, (*kind).to_owned(), *default)).collect();
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn every_option_with_parts_has_a_type_and_a_description() {
    for kind in OperationKind::ALL {
        let parents: BTreeSet<_> = kind
            .fields()
            .iter()
            .filter_map(|field| field.path.split_once('.').map(|(parent, _)| parent))
            .collect();
        let described: Vec<_> = kind.objects().iter().map(|object| object.option).collect();
        assert_eq!(parents, described.iter().copied().collect(), "{kind}");
        assert_eq!(parents.len(), described.len(), "{kind}: an option is described twice");
    }
}

/// A valid value for a field.
fn sample(field: &Field) -> Value {
    match field.kind {
        FieldKind::Text | FieldKind::Secret => json!("sample"),
        FieldKind::Bool => json!(true),
        FieldKind::Number => json!(1.5),
        FieldKind::Integer { max, .. } => json!(max.min(70)),
        FieldKind::Choice(set) => json!(set.texts[set.texts.len() - 1]),
    }
}

/// Options with every field set.
fn full(kind: OperationKind) -> Value {
    let mut options = json!({});
    for field in kind.fields() {
        let mut place = &mut options;
        for step in field.path.split('.') {
            place = &mut place[step];
        }
        *place = sample(field);
    }
    options
}

/// Options with every field set, one of them to `value`.
fn full_but(kind: OperationKind, field: &Field, value: Value) -> Value {
    let mut options = full(kind);
    *options.pointer_mut(&format!("/{}", field.path.replace('.', "/"))).unwrap() = value;
    options
}

fn refused(kind: OperationKind, options: &Value) -> InvalidOption {
    match Options::from_json(kind, options) {
        Ok(_) => panic!("{kind} accepted {options}"),
        Err(error) => error,
    }
}

#[test]
fn options_survive_json_with_all_set_and_with_none_set() {
    for kind in OperationKind::ALL {
        let all = full(*kind);
        let options = Options::from_json(*kind, &all).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(options.kind(), *kind);
        assert_eq!(options.to_json().unwrap_or(json!({})), all, "{kind}");
        if !kind.fields().iter().any(|field| field.need == Need::Required) {
            for none in [json!(null), json!({})] {
                let options = Options::from_json(*kind, &none).unwrap();
                assert_eq!(options.to_json(), None, "{kind}: options must be left out");
            }
        }
    }
}

#[test]
fn a_required_option_is_named_when_it_is_missing() {
    for kind in OperationKind::ALL {
        for field in kind.fields().iter().filter(|field| field.need == Need::Required) {
            let mut options = full(*kind);
            options.as_object_mut().unwrap().remove(field.path);
            assert_eq!(refused(*kind, &options).field, format!("options.{}", field.path), "{kind}");
        }
        for field in kind.fields().iter().filter(|field| field.need == Need::WithParent) {
            let (parent, child) = field.path.split_once('.').unwrap();
            let mut options = full(*kind);
            options[parent].as_object_mut().unwrap().remove(child);
            assert_eq!(refused(*kind, &options).field, format!("options.{}", field.path), "{kind}");
        }
    }
}

#[test]
fn an_unknown_option_is_refused_by_name_at_every_level() {
    for kind in OperationKind::ALL {
        let mut options = full(*kind);
        options["colour"] = json!(1);
        assert!(refused(*kind, &options).to_string().contains("colour"), "{kind}");
        for parent in
            kind.fields().iter().filter_map(|field| field.path.split_once('.').map(|(parent, _)| parent))
        {
            let mut options = full(*kind);
            options[parent]["colour"] = json!(1);
            let error = refused(*kind, &options).to_string();
            assert!(error.contains("colour") && error.contains(parent), "{kind}: {error}");
        }
    }
}

#[test]
fn a_value_outside_a_closed_set_is_refused_with_field_value_and_what_is_allowed() {
    for kind in OperationKind::ALL {
        for field in kind.fields() {
            let FieldKind::Choice(set) = field.kind else { continue };
            let allowed = set.texts;
            let error = refused(*kind, &full_but(*kind, field, json!("sepia")));
            assert_eq!(error.field, format!("options.{}", field.path));
            assert_eq!(error.allowed, allowed);
            let text = error.to_string();
            assert!(text.contains("sepia") && allowed.iter().all(|value| text.contains(value)), "{text}");
        }
    }
}

#[test]
fn a_value_of_the_wrong_type_names_the_field_and_never_a_secret() {
    for kind in OperationKind::ALL {
        for field in kind.fields() {
            let error = refused(*kind, &full_but(*kind, field, json!(["hunter2"])));
            assert_eq!(error.field, format!("options.{}", field.path), "{kind}");
        }
    }
    for misplaced in
        [json!({"password": 4711}), json!("4711"), json!(["4711"]), json!({"password": {"is": "4711"}})]
    {
        let text = refused(OperationKind::Encrypt, &misplaced).to_string();
        assert!(!text.contains("4711"), "{text}");
    }
}

#[test]
fn ranges_are_checked() {
    let says = |kind, options: Value| refused(kind, &options).to_string();
    let jpeg = OperationKind::PdfToJpeg;
    for quality in [0, 100] {
        assert!(Options::from_json(jpeg, &json!({"jpegQuality": quality})).is_ok());
    }
    assert!(says(jpeg, json!({"jpegQuality": 101})).contains("0 to 100"));
    for quality in [json!(-1), json!(256), json!(85.5)] {
        assert!(says(jpeg, json!({"jpegQuality": quality})).starts_with("option options.jpegQuality"));
    }
    assert!(
        says(jpeg, json!({"maxSizeInPixels": {"width": 0, "height": 1}})).contains("maxSizeInPixels.width")
    );
    assert!(
        says(OperationKind::PdfToPng, json!({"maxSizeInPixels": {"width": 1, "height": 0}}))
            .contains("height")
    );
    assert!(
        says(OperationKind::ImageToPdf, json!({"pageMargin": {"margin": -1, "unit": "cm"}}))
            .contains("negative")
    );
    assert!(
        says(OperationKind::StampQr, json!({"value": "a", "stampSize": {"side": 0}})).contains("more than 0")
    );
    let margin = Some(Margin { top: Some(f64::INFINITY), ..Margin::default() });
    let infinite = StampTextOptions { text: "a".into(), margin, text_style: None };
    assert!(infinite.check().unwrap_err().to_string().contains("margin.top"));
    let not_a_number = TextStyle { font_size: Some(f64::NAN), ..TextStyle::default() };
    assert!(StampWatermarkOptions { text_style: Some(not_a_number), ..Default::default() }.check().is_err());
}

#[test]
fn jpeg_options_listed_as_required_together_are_sent_together() {
    let sent = |options: PdfToJpegOptions| Options::from(options).to_json();
    assert_eq!(sent(PdfToJpegOptions::default()), None);
    let gray = PdfToJpegOptions { color_space: Some(ColorSpace::Gray), ..Default::default() };
    assert_eq!(sent(gray), Some(json!({"colorSpace": "gray", "jpegQuality": 85})));
    let quality = PdfToJpegOptions { jpeg_quality: Some(0), ..Default::default() };
    assert_eq!(sent(quality), Some(json!({"colorSpace": "rgb", "jpegQuality": 0})));
    let max_size_in_pixels = Some(PixelSize { width: 3, height: 4 });
    let size = PdfToJpegOptions { max_size_in_pixels, ..Default::default() };
    let expected =
        json!({"colorSpace": "rgb", "jpegQuality": 85, "maxSizeInPixels": {"width": 3, "height": 4}});
    assert_eq!(sent(size), Some(expected));
    assert_eq!(DEFAULT_JPEG_QUALITY, 85);
}

#[test]
fn strategy_is_read_in_any_case_and_written_as_documented() {
    for text in ["auto", "Auto", "AUTO"] {
        let options = Options::from_json(OperationKind::ImageToPdf, &json!({"strategy": text})).unwrap();
        assert_eq!(options.to_json(), Some(json!({"strategy": "Auto"})));
    }
    assert!("WEB".parse::<Profile>().is_err(), "only the case of strategy is unclear in the specification");
}

#[test]
fn constants_and_units_are_those_of_the_specification() {
    assert_eq!((WATERMARK_OPACITY, WATERMARK_ANGLE), (0.5, 45.0));
    assert_eq!(Unit::TEXTS, ["cm", "in"]);
    assert!((Unit::Cm.points() * 2.54 - Unit::In.points()).abs() < 1e-12);
}
