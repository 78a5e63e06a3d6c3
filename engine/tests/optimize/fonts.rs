//! `optimize` reduces fonts to the glyphs that are shown. The appearance and the extracted text stay the same.

use super::oracle::{assert_alike, assert_sound, text};
use super::sample::{PROFILES, Sample, optimized};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use recto_interface::options::Profile;

/// The glyph numbers of the characters of a text in DejaVu Sans.
pub(crate) fn glyphs(text: &str) -> Vec<u16> {
    use skrifa::MetadataProvider;
    let font = skrifa::FontRef::new(dejavu::sans::regular()).unwrap();
    text.chars().map(|c| u16::try_from(font.charmap().map(c).unwrap().to_u32()).unwrap()).collect()
}

pub(crate) fn descriptor(sample: &mut Sample) -> Dictionary {
    let data = dejavu::sans::regular().to_vec();
    let length = i64::try_from(data.len()).unwrap();
    let file = sample.document.add_object(Stream::new(dictionary! { "Length1" => length }, data));
    dictionary! {
        "Type" => "FontDescriptor", "FontName" => "DejaVuSans", "Flags" => 32, "ItalicAngle" => 0, "Ascent" => 928,
        "Descent" => -236, "CapHeight" => 730, "StemV" => 80, "FontFile2" => file,
        "FontBBox" => vec![(-1021).into(), (-463).into(), 1793.into(), 1232.into()]
    }
}

/// A page with text in a complete font: one line with two-byte codes, one line with one-byte codes.
fn sample() -> Vec<u8> {
    let mut sample = Sample::new();
    let composite_descriptor = descriptor(&mut sample);
    let composite_descriptor = sample.document.add_object(composite_descriptor);
    let descendant = sample.document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "DejaVuSans", "FontDescriptor" => composite_descriptor,
        "CIDSystemInfo" => dictionary! { "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0 },
        "DW" => 600, "CIDToGIDMap" => "Identity"
    });
    sample.name(
        "Font",
        "Two",
        dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "DejaVuSans", "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()]
        },
    );
    let simple_descriptor = descriptor(&mut sample);
    let simple_descriptor = sample.document.add_object(simple_descriptor);
    sample.name("Font", "One", dictionary! {
        "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "DejaVuSans", "FontDescriptor" => simple_descriptor,
        "FirstChar" => 32, "LastChar" => 255, "Widths" => vec![Object::Integer(600); 224],
        "Encoding" => dictionary! { "BaseEncoding" => "WinAnsiEncoding", "Differences" => vec![1.into(), "Omega".into(), "fi".into()] }
    });
    let hex: String = glyphs("Größe: é = 42").iter().map(|glyph| format!("{glyph:04x}")).collect();
    sample.draw(&format!("BT /Two 20 Tf 30 500 Td <{hex}> Tj ET"));
    // The codes of ü and é in WinAnsiEncoding, and the codes 1 and 2, which `Differences` defines.
    sample.draw("BT /One 20 Tf 30 400 Td (Plain words, f\\374r \\351t\\351 \\001\\002) Tj ET");
    sample.bytes()
}

#[test]
fn whole_fonts_become_subsets_that_look_the_same() {
    let before = sample();
    for profile in PROFILES {
        let after = optimized(&before, profile).bytes;
        assert!(after.len() < 40_000, "{profile:?}: {}", after.len());
        assert_sound(&after, profile == Profile::Web);
        assert_alike(&before, &after, 0.0, 0.0);
        assert_eq!(text(&before), text(&after));
        let document = Document::load_mem(&after).unwrap();
        let tagged = |dict: &Dictionary| {
            dict.get(b"BaseFont").and_then(Object::as_name).is_ok_and(|name| name.get(6) == Some(&b'+'))
        };
        let fonts: Vec<&Dictionary> = document
            .objects
            .values()
            .filter_map(|o| o.as_dict().ok())
            .filter(|d| d.has_type(b"Font"))
            .collect();
        assert!(fonts.len() == 3 && fonts.iter().all(|dict| tagged(dict)));
    }
}
