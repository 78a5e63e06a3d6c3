//! Stamps appear on every page, at the requested position, above the content, and do not change the rest of the page.

use crate::documents::{Builder, disorders, geometries, plain, structures};
use crate::oracles::{OnDisk, Region, complaints, difference, has_pdf_tools};
use crate::{stamp, stamped};
use lopdf::Dictionary;
use recto_interface::Options;
use recto_interface::options::{
    CodeMargin, Margin, SquareSize, StampQrOptions, StampTextOptions, StampWatermarkOptions, TextStyle, Unit,
};

const DPI: u32 = 144;
/// The distance of the stamps in these tests from two edges of the page, in inches (`INCHES`) and in points (`POINTS`).
const INCHES: f64 = 0.25;
const POINTS: f64 = 18.0;

fn qr() -> Options {
    StampQrOptions {
        value: "https://example.org/".to_owned(),
        margin: Some(CodeMargin { left: Some(INCHES), bottom: Some(INCHES), unit: Some(Unit::In) }),
        stamp_size: Some(SquareSize { side: Some(1.0), unit: Some("in".to_owned()) }),
    }
    .into()
}

fn text() -> Options {
    StampTextOptions {
        text: "PAID".to_owned(),
        margin: Some(Margin {
            right: Some(INCHES),
            top: Some(INCHES),
            unit: Some(Unit::In),
            ..Margin::default()
        }),
        text_style: Some(TextStyle { font_size: Some(20.0), ..TextStyle::default() }),
    }
    .into()
}

fn watermark() -> Options {
    StampWatermarkOptions {
        text: "Draft".to_owned(),
        margin: Some(Margin {
            left: Some(INCHES),
            top: Some(INCHES),
            unit: Some(Unit::In),
            ..Margin::default()
        }),
        text_style: Some(TextStyle { font_size: Some(40.0), ..TextStyle::default() }),
    }
    .into()
}

/// For each page: the region that differs between the two documents (`None` if the page is equal), and the width and
/// height of the page in points.
fn changes(before: &[u8], after: &[u8]) -> Vec<(Option<Region>, f64, f64)> {
    let before = OnDisk::new(before).pages(DPI);
    let after = OnDisk::new(after).pages(DPI);
    assert_eq!(before.len(), after.len());
    let points = |pixels: u32| f64::from(pixels) * 72.0 / f64::from(DPI);
    before
        .iter()
        .zip(&after)
        .map(|(before, after)| {
            (difference(before, after, DPI), points(after.width()), points(after.height()))
        })
        .collect()
}

fn assert_near(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() <= 1.0, "{what}: {value} instead of {expected}");
}

/// Stamps a document. Asserts that each page changes only in a region at the requested distances from the edges of the
/// page. `units` contains the user unit of each page.
fn assert_in_place(before: &[u8], options: &Options, units: &[f64]) {
    let after = stamped(options.clone(), before);
    let pages = changes(before, &after);
    assert_eq!(pages.len(), units.len());
    for (page, ((region, width, height), unit)) in pages.into_iter().zip(units).enumerate() {
        let what = format!("{:?} on page {}", options.kind(), page + 1);
        let region = region.unwrap_or_else(|| panic!("{what}: nothing changed"));
        let margin = POINTS / unit;
        let (right, top) = (width - region.left - region.width, height - region.bottom - region.height);
        match options {
            Options::StampQr(_) => {
                assert_near(region.left, margin, &format!("{what}: left"));
                assert_near(region.bottom, margin, &format!("{what}: bottom"));
                assert_near(region.width, 72.0 / unit, &format!("{what}: width"));
                assert_near(region.height, 72.0 / unit, &format!("{what}: height"));
            }
            Options::StampText(_) => {
                assert_near(right, margin, &format!("{what}: right"));
                assert_near(top, margin, &format!("{what}: top"));
                assert!(region.width < 100.0 && region.height < 50.0, "{what}: {region:?}");
            }
            _ => {
                assert_near(region.left, margin, &format!("{what}: left"));
                assert_near(top, margin, &format!("{what}: top"));
                assert!(region.width < 120.0 && region.height < 120.0, "{what}: {region:?}");
            }
        }
    }
}

#[test]
fn stamps_are_placed_correctly_on_rotated_cropped_and_scaled_pages() {
    if !has_pdf_tools() {
        return;
    }
    let (document, units) = geometries();
    for options in [qr(), text(), watermark()] {
        assert_in_place(&document, &options, &units);
    }
}

#[test]
fn content_with_an_unbalanced_graphics_state_does_not_affect_the_stamp() {
    if !has_pdf_tools() {
        return;
    }
    let document = disorders();
    for options in [qr(), text(), watermark()] {
        assert_in_place(&document, &options, &[1.0; 8]);
    }
}

#[test]
fn a_restore_without_a_save_is_ignored_as_in_most_viewers() {
    if !has_pdf_tools() {
        return;
    }
    let page = |restore: &str| {
        let mut builder = Builder::new("1.4");
        let content = format!(
            "1 0 0 1 100 100 cm {restore} 0 1 0 rg 0 0 80 80 re f q 1 0 0 1 20 20 cm Q {restore} 0 0 1 rg 10 10 20 20 re f"
        );
        builder.page(&content, Dictionary::new());
        OnDisk::new(&stamped(text(), &builder.finish())).pages(DPI).remove(0)
    };
    assert_eq!(difference(&page(""), &page("Q Q"), DPI), None);
}

#[test]
fn unusual_structures_are_stamped_on_every_page() {
    if !has_pdf_tools() {
        return;
    }
    let document = structures();
    // QR codes are not checked here: on a white page, only the dark modules of a QR code change pixels, so the region
    // that changes would be smaller than the code.
    for options in [text(), watermark()] {
        assert_in_place(&document, &options, &[1.0; 8]);
    }
}

#[test]
fn qpdf_reports_no_errors_in_stamped_documents() {
    if !has_pdf_tools() {
        return;
    }
    for document in [plain(), geometries().0, structures()] {
        for options in [qr(), text(), watermark()] {
            assert_eq!(complaints(&stamped(options, &document)), Vec::<String>::new());
        }
    }
}

#[test]
fn stamps_can_be_stamped_again() {
    if !has_pdf_tools() {
        return;
    }
    let once = stamped(text(), &plain());
    let twice = stamped(qr(), &stamped(watermark(), &once));
    assert_eq!(complaints(&twice), Vec::<String>::new());
    assert_in_place(&twice, &text_at_the_bottom(), &[1.0]);
}

fn text_at_the_bottom() -> Options {
    let Options::StampText(mut options) = text() else { unreachable!() };
    options.text = "AGAIN".to_owned();
    options.into()
}

#[test]
fn a_stamp_that_leaves_the_page_adds_a_notice() {
    let at = |inches: f64| StampQrOptions {
        value: "x".to_owned(),
        margin: Some(CodeMargin { left: Some(inches), bottom: Some(0.0), unit: Some(Unit::In) }),
        stamp_size: Some(SquareSize { side: Some(1.0), unit: Some("in".to_owned()) }),
    };
    let notes = |inches: f64| stamp(at(inches), &plain()).unwrap().notes;
    assert_eq!(notes(1.0), Vec::<String>::new());
    assert!(notes(4.0)[0].contains("extends beyond") && notes(4.0)[0].contains("page 1"));
    assert!(notes(9.0)[0].contains("outside") && notes(-1.5)[0].contains("outside"));
}
