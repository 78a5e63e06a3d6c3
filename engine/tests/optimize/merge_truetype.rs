//! `optimize` merges subsets of one TrueType font if no reader shows the merged font differently from the subsets.

use super::oracle::{assert_alike, assert_sound, text};
use super::sample::{PROFILES, Sample, optimized};
use super::together::{count_font_files, font_names, together, with_fonts};
use lopdf::{Dictionary, Object, ObjectId, Stream, dictionary};
use recto_interface::options::Profile;

/// A font resource: its name, and whether its codes have two bytes.
type Resource = (&'static str, bool);
const TWO: Resource = ("Two", true);
const ONE: Resource = ("One", false);

fn glyph(character: char) -> u16 {
    use skrifa::MetadataProvider;
    let font = skrifa::FontRef::new(dejavu::sans::regular()).unwrap();
    u16::try_from(font.charmap().map(character).unwrap().to_u32()).unwrap()
}

fn hex(text: &str) -> String {
    text.chars().map(|character| format!("{:04x}", glyph(character))).collect()
}

fn descriptor(sample: &mut Sample) -> ObjectId {
    let data = dejavu::sans::regular().to_vec();
    let length = i64::try_from(data.len()).unwrap();
    let file = sample.document.add_object(Stream::new(dictionary! { "Length1" => length }, data));
    sample.document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "DejaVuSans", "Flags" => 32, "ItalicAngle" => 0, "Ascent" => 928,
        "Descent" => -236, "CapHeight" => 730, "StemV" => 80, "FontFile2" => file,
        "FontBBox" => vec![(-1021).into(), (-463).into(), 1793.into(), 1232.into()]
    })
}

/// A document of one page with these texts. Each text has its own copy of the complete font.
fn page(texts: &[(Resource, &str)]) -> Vec<u8> {
    let mut sample = Sample::new();
    for (at, ((name, composite), text)) in texts.iter().enumerate() {
        let descriptor = descriptor(&mut sample);
        let font = if *composite {
            let descendant = sample.document.add_object(dictionary! {
                "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "DejaVuSans", "FontDescriptor" => descriptor,
                "CIDSystemInfo" => dictionary! { "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0 },
                "DW" => 600, "CIDToGIDMap" => "Identity"
            });
            dictionary! {
                "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "DejaVuSans", "Encoding" => "Identity-H",
                "DescendantFonts" => vec![descendant.into()]
            }
        } else {
            dictionary! {
                "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "DejaVuSans", "FontDescriptor" => descriptor,
                "FirstChar" => 32, "LastChar" => 255, "Widths" => vec![Object::Integer(600); 224], "Encoding" => "WinAnsiEncoding"
            }
        };
        sample.name("Font", name, font);
        let shown = if *composite { format!("<{}>", hex(text)) } else { format!("({text})") };
        sample.draw(&format!("BT /{name} 20 Tf 30 {} Td {shown} Tj ET", 500 - 60 * at));
    }
    sample.bytes()
}

/// A document of one page with these texts, in subsets of the font.
fn subsets(texts: &[(Resource, &str)]) -> Vec<u8> {
    optimized(&page(texts), Profile::MinimalFileSize).bytes
}

/// Merges the sources into one document and optimizes the document. Asserts that the result has this number of font
/// files, and that its appearance and its text stay the same. Returns the result.
#[track_caller]
fn assert_files(sources: &[Vec<u8>], files: usize) -> Vec<u8> {
    let before = together(sources);
    let after = optimized(&before, Profile::Web).bytes;
    assert_eq!(count_font_files(&after), files);
    assert_sound(&after, true);
    assert_alike(&before, &after, 0.0, 0.0);
    assert_eq!(text(&before), text(&after));
    after
}

#[test]
fn subsets_of_several_sources_become_one_file() {
    let sources = [
        subsets(&[(TWO, "First source: Größe"), (ONE, "Plain words here")]),
        subsets(&[(TWO, "Second source: Ω and ﬁ"), (ONE, "Other w\\366rds there")]),
        subsets(&[(ONE, "And 12345 more")]),
    ];
    let before = together(&sources);
    assert_eq!(count_font_files(&before), 3);
    for profile in PROFILES {
        let after = optimized(&before, profile).bytes;
        assert_eq!(count_font_files(&after), 1, "{profile:?}");
        assert!(after.len() * 2 < before.len(), "{profile:?}: {} of {}", after.len(), before.len());
        let names = font_names(&after);
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(names.iter().all(|name| name.len() == 17 && name.ends_with("+DejaVuSans")), "{names:?}");
        assert_sound(&after, profile == Profile::Web);
        assert_alike(&before, &after, 0.0, 0.0);
        assert_eq!(text(&before), text(&after));
    }
}

#[test]
fn a_complete_font_absorbs_its_subset() {
    assert_files(&[page(&[(TWO, "All of it")]), subsets(&[(TWO, "A part")])], 1);
}

/// The offset of a table in a font file.
fn table(font: &[u8], tag: &[u8; 4]) -> usize {
    let record = (12..).step_by(16).find(|at| font[*at..*at + 4] == *tag).unwrap();
    usize::try_from(u32::from_be_bytes(font[record + 8..record + 12].try_into().unwrap())).unwrap()
}

fn number(font: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes([font[at], font[at + 1]]))
}

/// Changes the bounding box of the glyph of a character. `None` stands for the glyph for missing characters.
fn change(font: &mut [u8], character: Option<char>) {
    let (glyf, loca) = (table(font, b"glyf"), table(font, b"loca"));
    let outline = glyf + 2 * number(font, loca + 2 * usize::from(character.map_or(0, glyph)));
    font[outline + 5] ^= 1;
}

#[test]
fn fonts_with_different_outlines_stay_separate() {
    let first = subsets(&[(TWO, "shared ABC")]);
    let second = subsets(&[(TWO, "shared DEF")]);
    assert_files(&[first.clone(), second.clone()], 1);
    assert_files(&[first, with_fonts(&second, |font| change(font, Some('h')))], 2);
}

#[test]
fn fonts_with_different_advances_stay_separate() {
    let second = with_fonts(&subsets(&[(TWO, "shared DEF")]), |font| {
        let at = table(font, b"hmtx") + 4 * usize::from(glyph('h'));
        font[at + 1] ^= 1;
    });
    assert_files(&[subsets(&[(TWO, "shared ABC")]), second], 2);
}

#[test]
fn fonts_with_different_instructions_stay_separate() {
    let second = with_fonts(&subsets(&[(TWO, "shared DEF")]), |font| {
        let at = table(font, b"cvt ");
        font[at + 1] ^= 1;
    });
    assert_files(&[subsets(&[(TWO, "shared ABC")]), second], 2);
}

#[test]
fn fonts_whose_codes_map_to_different_glyphs_stay_separate() {
    // The Macintosh character map of the second font maps the code of h to the glyph of e.
    let second = with_fonts(&subsets(&[(ONE, "shared DEF")]), |font| {
        let cmap = table(font, b"cmap");
        let record = (cmap + 4..).step_by(8).find(|at| number(font, *at) == 1).unwrap();
        let map = cmap + number(font, record + 6);
        assert_eq!(number(font, map), 6);
        let at = map + 10 + 2 * (usize::from(b'h') - number(font, map + 6));
        font[at..at + 2].copy_from_slice(&glyph('e').to_be_bytes());
    });
    let first = subsets(&[(ONE, "shared ABC")]);
    assert_files(&[first.clone(), second], 2);
    assert_files(&[first, subsets(&[(ONE, "shared DEF")])], 1);
}

#[test]
fn the_glyph_for_missing_characters_may_differ_if_it_is_not_shown() {
    let second = with_fonts(&subsets(&[(TWO, "shared DEF")]), |font| change(font, None));
    assert_files(&[subsets(&[(TWO, "shared ABC")]), second.clone()], 1);
    // One document, and then both documents, show the glyph for missing characters (glyph 0).
    let shown = |bytes: &[u8]| showing(bytes, |font| format!("/{font} 20 Tf 30 500 Td <0000> Tj"));
    let first = shown(&subsets(&[(TWO, "AB")]));
    assert_files(&[first.clone(), second.clone()], 1);
    assert_files(&[first, shown(&second)], 2);
}

/// Replaces the content of the page. `shown` returns the new operators for the name of the first font of the page.
fn showing(bytes: &[u8], shown: impl Fn(&str) -> String) -> Vec<u8> {
    let mut document = lopdf::Document::load_mem(bytes).unwrap();
    let page = document.get_pages()[&1];
    let (resources, _) = document.get_page_resources(page).unwrap();
    let fonts = document.get_dict_in_dict(resources.unwrap(), b"Font").unwrap();
    let (name, _) = fonts.iter().next().unwrap();
    let content = format!("BT {} ET", shown(std::str::from_utf8(name).unwrap())).into_bytes();
    let content = document.add_object(Stream::new(Dictionary::new(), content));
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_glyph_that_a_subset_lacks_does_not_appear() {
    // The first document shows a C, but its subset has no outline for C.
    for (font, string) in [(TWO, format!("<{}>", hex("ABC"))), (ONE, "(ABC)".to_owned())] {
        let first = subsets(&[(font, "AB")]);
        let second = subsets(&[(font, "BC")]);
        assert_files(&[first.clone(), second.clone()], 1);
        let first = showing(&first, |name| format!("/{name} 20 Tf 30 500 Td {string} Tj"));
        assert_files(&[first, second], 2);
    }
}

#[test]
fn a_font_that_form_fields_may_use_stays_separate() {
    let sources = [page(&[(ONE, "typed")]), subsets(&[(ONE, "shown")])];
    assert_files(&sources, 1);
    let mut form = lopdf::Document::load_mem(&sources[0]).unwrap();
    let is_font = |object: &Object| object.as_dict().is_ok_and(|dict| dict.has_type(b"Font"));
    let (font, _) = form.objects.iter().find(|(_, object)| is_font(object)).unwrap();
    let resources = dictionary! { "Font" => dictionary! { "F" => *font } };
    let field = form.add_object(dictionary! {
        "FT" => "Tx", "T" => Object::string_literal("t"), "DA" => Object::string_literal("/F 12 Tf")
    });
    let entries = dictionary! { "Fields" => vec![field.into()], "DR" => resources };
    form.catalog_mut().unwrap().set("AcroForm", entries);
    let mut bytes = Vec::new();
    form.save_to(&mut bytes).unwrap();
    assert_files(&[bytes, sources[1].clone()], 2);
}

#[test]
fn damaged_fonts_do_no_harm() {
    let sources = [subsets(&[(ONE, "AB"), (TWO, "AB")]), subsets(&[(ONE, "BC")])];
    let before = together(&sources);
    for round in 0..24_usize {
        let damaged = with_fonts(&before, |font| {
            let length = font.len();
            for step in 0..8 {
                let at = (round * 7919 + step * 104_729) % length.min(if step < 4 { 400 } else { length });
                font[at] = font[at].wrapping_add(u8::try_from(1 + round * 37 % 255).unwrap());
            }
            if round % 5 == 0 {
                font.truncate(length * (round + 1) / 25);
            }
        });
        let after = optimized(&damaged, Profile::Archive).bytes;
        assert!(lopdf::Document::load_mem(&after).is_ok());
    }
}
