//! Text stamps: poppler extracts the text of a stamp in every font. A text is refused if the font lacks a glyph.

use crate::documents::plain;
use crate::oracles::{OnDisk, complaints, difference, has, has_pdf_tools};
use crate::{stamp, stamped};
use recto_engine::EngineError;
use recto_interface::options::{FontFamily, StampTextOptions, StampWatermarkOptions, TextStyle};

fn text(text: &str) -> StampTextOptions {
    StampTextOptions { text: text.to_owned(), ..StampTextOptions::default() }
}

fn styled(words: &str, style: TextStyle) -> StampTextOptions {
    StampTextOptions { text_style: Some(style), ..text(words) }
}

#[test]
fn latin_greek_and_cyrillic_text_can_be_extracted() {
    if !has("pdftotext", "poppler-utils") {
        return;
    }
    for words in ["Approved", "Größe Ąžuolas", "Εγκρίθηκε", "Утверждено", "№ 5 — 100 €", "(a\\b)", "fi ffl ✓"]
    {
        let found = OnDisk::new(&stamped(text(words), &plain())).text();
        assert!(found.contains(words), "{words}: {found}");
        assert!(found.contains("Existing text"));
        let mark = StampWatermarkOptions { text: words.to_owned(), ..StampWatermarkOptions::default() };
        let found = OnDisk::new(&stamped(mark, &plain())).text();
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for letter in letters(words).chars() {
            assert!(found.contains(letter), "{letter} of the watermark {words}");
        }
    }
}

#[test]
fn every_face_is_embedded_and_looks_different() {
    if !has_pdf_tools() {
        return;
    }
    let mut pictures = Vec::new();
    for font_family in [FontFamily::Sans, FontFamily::Serif] {
        for (bold, italic) in [(false, false), (true, false), (false, true), (true, true)] {
            let style = TextStyle {
                font_family: Some(font_family),
                is_bold: Some(bold),
                is_italic: Some(italic),
                font_size: Some(18.0),
                text_color: Some("navy".to_owned()),
            };
            let document = stamped(styled("Quality\nΠοιότητα", style), &plain());
            assert_eq!(complaints(&document), Vec::<String>::new());
            pictures.push(OnDisk::new(&document).pages(72).remove(0));
        }
    }
    for (at, picture) in pictures.iter().enumerate() {
        assert!(pictures[..at].iter().all(|other| difference(other, picture, 72).is_some()), "face {at}");
    }
}

#[test]
fn a_subset_is_small() {
    let growth = stamped(text("PAID"), &plain()).len() - plain().len();
    assert!(growth < 20_000, "{growth} bytes more");
}

#[test]
fn equal_input_gives_an_equal_file() {
    assert_eq!(stamped(text("PAID"), &plain()), stamped(text("PAID"), &plain()));
}

#[test]
fn the_colour_is_the_requested_one() {
    if !has_pdf_tools() {
        return;
    }
    for (name, rgb) in [("#00f", [0, 0, 255]), ("rgb(0, 128, 0)", [0, 128, 0]), ("DarkOrange", [255, 140, 0])]
    {
        let style =
            TextStyle { text_color: Some(name.to_owned()), font_size: Some(40.0), ..TextStyle::default() };
        let page = OnDisk::new(&stamped(styled("III", style), &plain())).pages(72).remove(0);
        assert!(page.pixels().filter(|pixel| pixel.0 == rgb).count() > 200, "{name}");
    }
}

#[test]
fn characters_without_a_glyph_are_named_in_the_error() {
    let refused = |words: &str| match stamp(text(words), &plain()) {
        Err(EngineError::InvalidOption(error)) => {
            assert_eq!(error.field, "options.text");
            error.reason
        }
        other => panic!("{words}: {other:?}"),
    };
    assert!(refused("価格 100").contains("価 (U+4FA1), 格 (U+683C)"));
    assert!(refused("a\u{1}").contains("U+0001"));
    assert!(refused("").contains("give a text") && refused(" \n").contains("give a text"));
    assert!(refused("שלום").contains("right to left"));
    assert!(refused(&"x".repeat(5_000)).contains("5000"));
    let style = TextStyle { text_color: Some("reddish".to_owned()), ..TextStyle::default() };
    let error = stamp(styled("x", style), &plain()).unwrap_err();
    assert_eq!(error.code(), "invalid_option");
    assert!(
        error.to_string().contains("options.textStyle.textColor") && error.to_string().contains("reddish")
    );
}

#[test]
fn a_text_without_a_size_is_shrunk_to_the_page() {
    if !has_pdf_tools() {
        return;
    }
    let long = "A very long text that no page of this width could hold at its natural size";
    let document = plain();
    let after = stamp(text(long), &document).unwrap();
    assert_eq!(after.notes, Vec::<String>::new());
    let (before, after) = (OnDisk::new(&document).pages(72), OnDisk::new(&after.bytes).pages(72));
    let region = difference(&before[0], &after[0], 72).unwrap();
    assert!(region.left > 3.0 && region.width < 294.0, "{region:?}");
}
