//! Barcodes, Data Matrix codes and QR codes: zbar and libdmtx must read them from the rendered page.

use crate::documents::plain;
use crate::oracles::{OnDisk, dmtx, has, has_pdf_tools, zbar};
use crate::{stamp, stamped};
use recto_engine::EngineError;
use recto_interface::options::{
    SquareSize, StampBarcodeOptions, StampDataMatrixOptions, StampQrOptions, StampSize,
};

pub(crate) fn barcode(kind: &str, value: &str) -> StampBarcodeOptions {
    StampBarcodeOptions {
        barcode_type: kind.to_owned(),
        value: value.to_owned(),
        ..StampBarcodeOptions::default()
    }
}

pub(crate) fn page_with(options: impl Into<recto_interface::Options>) -> image::RgbImage {
    OnDisk::new(&stamped(options, &plain())).pages(200).remove(0)
}

#[test]
fn bars_are_read_back() {
    if !has_pdf_tools() || !has("zbarimg", "zbar-tools") {
        return;
    }
    for (kind, value, read) in [
        ("code128", "Recto-1.0 abc", "Recto-1.0 abc"),
        ("code39", "RECTO 39", "RECTO 39"),
        ("code93", "RECTO93", "RECTO93"),
        ("codabar", "12345-67", "A12345-67A"),
        ("ean13", "978316148410", "9783161484100"),
        ("ean8", "96385074", "96385074"),
        ("upca", "036000291452", "036000291452"),
        ("itf", "12345678901231", "12345678901231"),
    ] {
        let found = zbar(&page_with(barcode(kind, value)));
        assert_eq!(found.len(), 1, "{kind}: {found:?}");
        assert_eq!(found[0].1, read, "{kind}");
    }
}

#[test]
fn qr_codes_are_read_back_in_any_script() {
    if !has_pdf_tools() || !has("zbarimg", "zbar-tools") {
        return;
    }
    for value in ["https://example.org/?a=b", "Größe 5 €", "Привет, κόσμε", "漢字 🎉", "0123456789"]
    {
        let options = StampQrOptions { value: value.to_owned(), ..StampQrOptions::default() };
        assert_eq!(zbar(&page_with(options)), [("QR-Code".to_owned(), value.to_owned())]);
    }
}

#[test]
fn data_matrices_are_read_back() {
    if !has_pdf_tools() || !has("dmtxread", "dmtx-utils") {
        return;
    }
    for value in ["DM-0001", "https://example.org/?a=b", "0123456789012345"] {
        let options = StampDataMatrixOptions { value: value.to_owned(), ..StampDataMatrixOptions::default() };
        assert_eq!(dmtx(&page_with(options), 1), [value]);
    }
}

#[test]
fn a_type_that_does_not_exist_is_refused_with_those_that_do() {
    let error = stamp(barcode("code127", "1"), &plain()).unwrap_err();
    let EngineError::InvalidOption(error) = error else { panic!("{error}") };
    assert_eq!(error.field, "options.type");
    assert!(
        error.reason.contains("code127") && error.reason.contains("code128") && error.reason.contains("upce")
    );
}

#[test]
fn a_value_that_does_not_fit_is_refused_with_the_reason() {
    for (kind, value, word) in [
        ("ean13", "123", "EAN-13"),
        ("pdf417", &*"x".repeat(4_000), "PDF417"),
        ("aztec", &*"x".repeat(7_000), "Aztec"),
        ("qr", &*"x".repeat(7_000), "QR"),
        ("datamatrix", &*"x".repeat(7_000), "Data Matrix"),
    ] {
        let EngineError::InvalidOption(error) = stamp(barcode(kind, value), &plain()).unwrap_err() else {
            panic!()
        };
        assert_eq!(error.field, "options.value");
        assert!(error.reason.contains(word), "{kind}: {}", error.reason);
    }
}

#[test]
fn a_symbol_too_small_to_be_read_adds_a_notice() {
    let options = StampQrOptions {
        value: "x".repeat(300),
        stamp_size: Some(SquareSize { side: Some(0.5), unit: Some("cm".to_owned()) }),
        ..StampQrOptions::default()
    };
    assert!(stamp(options, &plain()).unwrap().notes[0].contains("larger stampSize"));
    let size = StampSize { width: Some(8.0), height: Some(2.0), unit: Some("cm".to_owned()) };
    let options = StampBarcodeOptions { stamp_size: Some(size), ..barcode("code128", "12345678") };
    assert_eq!(stamp(options, &plain()).unwrap().notes, Vec::<String>::new());
}
