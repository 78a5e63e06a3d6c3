//! `optimize` merges subsets of one CFF font, even if the subsets are encoded differently.

use super::cff_font::{Keys, Letter, Manner, PLAIN, program};
use super::oracle::{assert_alike, assert_sound, text};
use super::sample::{PROFILES, Sample, optimized};
use super::together::{count_font_files, font_files, font_names, together, with_fonts};
use lopdf::{Object, Stream, dictionary};
use recto_interface::options::Profile;

/// A letter for this character. The key is both its standard string identifier and its character identifier.
fn letter(character: char) -> Letter {
    let place = u16::try_from(u32::from(character) - u32::from('A')).unwrap();
    let step = i16::try_from(place).unwrap();
    Letter { key: 34 + place, advance: 400 + 20 * step, height: 300 + 15 * step }
}

fn letters(text: &str) -> Vec<Letter> {
    text.chars().map(letter).collect()
}

const SHARED: Manner = Manner { nominal: 610, local: true, global: false, spare: 0, first_code: None };
const GLOBAL: Manner = Manner { nominal: -20, local: false, global: true, spare: 7, first_code: None };

/// A document of one page that shows a text in a font.
fn page(keys: Keys, tag: &str, font: Vec<u8>, shown: &str) -> Vec<u8> {
    let string = match keys {
        Keys::Names => format!("({shown})"),
        Keys::Identifiers => {
            format!("<{}>", shown.chars().map(|c| format!("{:04x}", letter(c).key)).collect::<String>())
        }
    };
    page_of(keys, tag, font, &string)
}

/// A document of one page that shows a string in a font. `string` is a PDF string with its delimiters.
fn page_of(keys: Keys, tag: &str, font: Vec<u8>, string: &str) -> Vec<u8> {
    let mut sample = Sample::new();
    let name = format!("{tag}+Drawn");
    let subtype = if keys == Keys::Names { "Type1C" } else { "CIDFontType0C" };
    let file = sample.document.add_object(Stream::new(dictionary! { "Subtype" => subtype }, font));
    let descriptor = sample.document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => name.as_str(), "Flags" => 32, "ItalicAngle" => 0, "Ascent" => 700, "Descent" => 0,
        "CapHeight" => 700, "StemV" => 80, "FontFile3" => file, "FontBBox" => vec![0.into(), 0.into(), 700.into(), 700.into()]
    });
    let widths: Vec<Object> = ('A'..='Z').map(|character| letter(character).advance.into()).collect();
    if keys == Keys::Names {
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name, "FontDescriptor" => descriptor,
            "FirstChar" => 65, "LastChar" => 90, "Widths" => widths, "Encoding" => "WinAnsiEncoding"
        };
        sample.name("Font", "F", font);
    } else {
        let descendant = sample.document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType0", "BaseFont" => name.as_str(), "FontDescriptor" => descriptor,
            "CIDSystemInfo" => dictionary! { "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0 },
            "W" => vec![34.into(), widths.into()]
        });
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => format!("{name}-Identity-H"), "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()]
        };
        sample.name("Font", "F", font);
    }
    for (size, at) in [(60, 480), (24, 400), (11, 350)] {
        sample.draw(&format!("BT /F {size} Tf 20 {at} Td {string} Tj ET"));
    }
    sample.bytes()
}

/// A document of one page that shows all letters of its font.
fn shown(keys: Keys, tag: &str, text: &str, manner: Manner) -> Vec<u8> {
    page(keys, tag, program(keys, &letters(text), manner), text)
}

#[track_caller]
fn assert_files(sources: &[Vec<u8>], files: usize) -> Vec<u8> {
    let before = together(sources);
    let after = optimized(&before, Profile::Web).bytes;
    assert_eq!(count_font_files(&after), files);
    assert_sound(&after, false);
    assert_alike(&before, &after, 0.0, 0.0);
    assert_eq!(text(&before), text(&after));
    after
}

#[test]
fn subsets_of_several_sources_become_one_file() {
    for keys in [Keys::Names, Keys::Identifiers] {
        let sources = [
            shown(keys, "AAAAAA", "ABCDEFGHI", PLAIN),
            shown(keys, "BBBBBB", "IAZ", SHARED),
            shown(keys, "CCCCCC", "ZYXGFEDC", GLOBAL),
        ];
        let before = together(&sources);
        for profile in PROFILES {
            let after = optimized(&before, profile).bytes;
            assert_eq!(count_font_files(&after), 1, "{profile:?}");
            let tags: std::collections::BTreeSet<String> =
                font_names(&after).iter().map(|name| name[..7].to_owned()).collect();
            assert_eq!(tags.len(), 1, "{tags:?}");
            assert_sound(&after, false);
            assert_alike(&before, &after, 0.0, 0.0);
        }
    }
}

#[test]
fn conflicting_fonts_stay_separate() {
    for keys in [Keys::Names, Keys::Identifiers] {
        let first = shown(keys, "AAAAAA", "ABC", PLAIN);
        assert_files(&[first.clone(), shown(keys, "BBBBBB", "CDE", SHARED)], 1);
        // The fonts stay separate if an outline, an advance or the blue values differ.
        let changed = |change: fn(&mut Letter)| {
            let mut all = letters("CDE");
            change(&mut all[0]);
            page(keys, "BBBBBB", program(keys, &all, SHARED), "CDE")
        };
        assert_files(&[first.clone(), changed(|letter| letter.height += 1)], 2);
        assert_files(&[first.clone(), changed(|letter| letter.advance += 1)], 2);
        let second = with_fonts(&shown(keys, "BBBBBB", "CDE", PLAIN), |font| {
            let blues = [29, 0, 0, 2, 178];
            let at = font.windows(5).position(|bytes| bytes == blues).unwrap();
            font[at + 4] += 1;
        });
        assert_files(&[first, second], 2);
    }
}

#[test]
fn glyph_numbers_are_used_as_identifiers_in_fonts_without_them() {
    // Some writers embed a font without character identifiers as a CID font.
    let font = |letters: &[Letter], manner: Manner| program(Keys::Names, letters, manner);
    let first = page_of(Keys::Identifiers, "AAAAAA", font(&letters("AB"), PLAIN), "<00010002>");
    let second =
        |all: &str| page_of(Keys::Identifiers, "BBBBBB", font(&letters(all), SHARED), "<000200050004>");
    assert_files(&[first.clone(), second("ABCDE")], 1);
    assert_files(&[first, second("AXCDE")], 2);
}

#[test]
fn codes_of_symbolic_fonts_keep_the_encoding_of_the_font_file() {
    // Some readers, such as Ghostscript, ignore the encoding in the dictionary of a symbolic font, and use the encoding
    // in the font file.
    let source = |tag: &str, text: &str, first: u8| {
        let manner = Manner { first_code: Some(first), ..PLAIN };
        let names = text.chars().map(|letter| Object::Name(letter.to_string().into_bytes()));
        let differences: Vec<Object> = [Object::from(i64::from(first))].into_iter().chain(names).collect();
        let string = format!("<{:02x}{:02x}{:02x}>", first, first + 1, first + 2);
        let bytes = page_of(Keys::Names, tag, program(Keys::Names, &letters(text), manner), &string);
        let mut document = lopdf::Document::load_mem(&bytes).unwrap();
        for dict in document.objects.values_mut().filter_map(|object| object.as_dict_mut().ok()) {
            if dict.has(b"Flags") {
                dict.set("Flags", 4);
            } else if dict.has(b"Encoding") {
                dict.set(
                    "Encoding",
                    dictionary! { "Type" => "Encoding", "Differences" => differences.clone() },
                );
            }
        }
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    };
    let first = source("AAAAAA", "ABC", 1);
    assert_files(&[first.clone(), source("BBBBBB", "DEF", 1)], 2);
    let after = assert_files(&[first, source("BBBBBB", "CDE", 3)], 1);
    let document = lopdf::Document::load_mem(&after).unwrap();
    let file =
        document.get_object(*font_files(&document).first().unwrap()).and_then(Object::as_stream).unwrap();
    let font = file.get_plain_content().unwrap();
    let cff = skrifa::raw::ps::cff::CffFontRef::new(&font, 0, None).unwrap();
    let encoding = cff.encoding().unwrap();
    assert!((1..=5).all(|code| encoding.map(code).is_some()));
}

#[test]
fn a_glyph_that_a_subset_lacks_does_not_appear() {
    for keys in [Keys::Names, Keys::Identifiers] {
        let first = page(keys, "AAAAAA", program(keys, &letters("AB"), PLAIN), "ABC");
        assert_files(&[first, shown(keys, "BBBBBB", "BCD", PLAIN)], 2);
    }
}

#[test]
fn damaged_fonts_do_no_harm() {
    for keys in [Keys::Names, Keys::Identifiers] {
        let sources = [shown(keys, "AAAAAA", "ABC", SHARED), shown(keys, "BBBBBB", "CDE", GLOBAL)];
        let before = together(&sources);
        for round in 0..120_usize {
            let damaged = with_fonts(&before, |font| {
                let at = round * 7919 % font.len();
                font[at] = font[at].wrapping_add(u8::try_from(1 + round * 37 % 255).unwrap());
                if round % 10 == 0 {
                    font.truncate(font.len() * (round + 1) / 121);
                }
            });
            let after = optimized(&damaged, Profile::Archive).bytes;
            assert!(lopdf::Document::load_mem(&after).is_ok());
        }
    }
}
