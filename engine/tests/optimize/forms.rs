//! Fonts of form fields: the glyphs that a user can type into a field stay. Fonts that no field can use are removed.

use super::fonts::descriptor;
use super::oracle::{assert_alike, assert_sound};
use super::sample::{PROFILES, Sample, optimized};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use recto_interface::options::Profile;

/// A function that changes the form dictionary and the field dictionary.
type Change = Box<dyn Fn(&mut Dictionary, &mut Dictionary)>;

/// A document with a form of one field. The form has the fonts `Simple`, `Wide` and `Spare`, which are embedded
/// completely. `change` can change the form and the field before they are added to the document.
fn sample(appearance: &str, change: impl Fn(&mut Dictionary, &mut Dictionary)) -> Vec<u8> {
    let mut sample = Sample::new();
    let mut fonts = Dictionary::new();
    for name in ["Simple", "Spare"] {
        let descriptor = descriptor(&mut sample);
        let descriptor = sample.document.add_object(descriptor);
        let font = sample.document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "DejaVuSans", "FontDescriptor" => descriptor,
            "FirstChar" => 32, "LastChar" => 255, "Widths" => vec![Object::Integer(600); 224],
            "Encoding" => "WinAnsiEncoding", "Name" => name
        });
        fonts.set(name, font);
    }
    let descriptor = descriptor(&mut sample);
    let descriptor = sample.document.add_object(descriptor);
    let descendant = sample.document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "DejaVuSans", "FontDescriptor" => descriptor,
        "CIDSystemInfo" => dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0
        },
        "CIDToGIDMap" => "Identity", "DW" => 600
    });
    let wide = sample.document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "DejaVuSans", "Encoding" => "Identity-H",
        "DescendantFonts" => vec![descendant.into()]
    });
    fonts.set("Wide", wide);
    // The appearance stream has no resources: readers use the default resources of the form instead.
    let drawn = sample.document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 300.into(), 30.into()]
        },
        b"BT /Simple 14 Tf 4 8 Td (filled in) Tj ET".to_vec(),
    ));
    let mut field = dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("t"), "F" => 4,
        "Rect" => vec![30.into(), 300.into(), 330.into(), 330.into()], "P" => sample.page,
        "DA" => Object::string_literal(appearance), "AP" => dictionary! { "N" => drawn }
    };
    let mut form = dictionary! { "DR" => dictionary! { "Font" => fonts } };
    change(&mut form, &mut field);
    let field = sample.document.add_object(field);
    form.set("Fields", vec![field.into()]);
    sample.document.get_dictionary_mut(sample.page).unwrap().set("Annots", vec![field.into()]);
    sample.document.get_dictionary_mut(sample.catalog).unwrap().set("AcroForm", form);
    sample.bytes()
}

/// The font dictionary in the default resources of the form.
fn fonts(document: &Document) -> Dictionary {
    let catalog = document.catalog().unwrap();
    let form = catalog.get_deref(b"AcroForm", document).and_then(Object::as_dict).unwrap();
    let resources = form.get_deref(b"DR", document).and_then(Object::as_dict).unwrap();
    resources.get_deref(b"Font", document).and_then(Object::as_dict).unwrap().clone()
}

/// The names of the fonts in the default resources of the form, sorted.
fn names(bytes: &[u8]) -> Vec<String> {
    let document = Document::load_mem(bytes).unwrap();
    let mut names: Vec<String> =
        fonts(&document).iter().map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect();
    names.sort();
    names
}

/// The document with a new page content, which shows the codes 32 to 255 in this font of the form.
fn with_everything_typed(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut document = Document::load_mem(bytes).unwrap();
    let font = fonts(&document).get(name.as_bytes()).and_then(Object::as_reference).unwrap();
    let mut content = String::from("BT /Typed 12 Tf 14 TL 10 580 Td ");
    for row in (32..=255_u8).collect::<Vec<u8>>().chunks(32) {
        let hex: String = row.iter().map(|code| format!("{code:02x}")).collect();
        content.push_str(&format!("<{hex}> Tj T* "));
    }
    content.push_str("ET");
    let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    let page: ObjectId = *document.get_pages().get(&1).unwrap();
    let page = document.get_dictionary_mut(page).unwrap();
    page.set("Contents", content);
    page.set("Resources", dictionary! { "Font" => dictionary! { "Typed" => font } });
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_font_that_fields_name_keeps_all_typable_glyphs_and_others_are_removed() {
    let before = sample("/Simple 12 Tf 0 g", |_, _| {});
    for profile in PROFILES {
        let after = optimized(&before, profile).bytes;
        assert_eq!(names(&after), ["Simple"]);
        assert!(after.len() < 60_000, "{profile:?}: {}", after.len());
        assert_sound(&after, profile == Profile::Web);
        assert_alike(&before, &after, 0.0, 0.0);
        assert_alike(
            &with_everything_typed(&before, "Simple"),
            &with_everything_typed(&after, "Simple"),
            0.0,
            0.0,
        );
        let document = Document::load_mem(&after).unwrap();
        let font =
            fonts(&document).get_deref(b"Simple", &document).and_then(Object::as_dict).unwrap().clone();
        // The name has no subset tag, because PDF editors do not use a subset font when a field is filled in.
        assert_eq!(font.get(b"BaseFont").and_then(Object::as_name).unwrap(), b"DejaVuSans");
    }
}

#[test]
fn a_composite_font_that_fields_name_stays_whole() {
    let before = sample("/Wide 12 Tf 0 g", |_, _| {});
    let after = optimized(&before, Profile::MinimalFileSize).bytes;
    // `Simple` stays too, because the appearance stream uses it.
    assert_eq!(names(&after), ["Simple", "Wide"]);
    let document = Document::load_mem(&after).unwrap();
    let whole = document
        .objects
        .values()
        .filter_map(|object| object.as_stream().ok())
        .any(|stream| stream.get_plain_content().is_ok_and(|plain| plain == dejavu::sans::regular()));
    assert!(whole, "the field's font lost glyphs");
}

#[test]
fn every_font_stays_where_fields_may_use_any() {
    let all = ["Simple", "Spare", "Wide"];
    let text = || Object::string_literal("text");
    let changes: [(&str, Change); 5] = [
        ("rich text", Box::new(move |_, field| field.set("RV", text()))),
        ("a style", Box::new(move |_, field| field.set("DS", text()))),
        ("XFA", Box::new(move |form, _| form.set("XFA", text()))),
        (
            "a script",
            Box::new(move |_, field| field.set("A", dictionary! { "S" => "JavaScript", "JS" => text() })),
        ),
        ("an unknown name", Box::new(|form, _| form.set("DA", Object::string_literal("/Arial 0 Tf")))),
    ];
    for (what, change) in changes {
        let after = optimized(&sample("/Simple 12 Tf 0 g", change), Profile::MinimalFileSize).bytes;
        assert_eq!(names(&after), all, "{what}");
    }
}
