//! `optimize` converts Type 1 fonts to Type 1C and merges subsets of one font. The appearance of pages stays the same.

use super::oracle::{assert_alike, assert_sound, text};
use super::sample::{PROFILES, Sample, optimized, word};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use recto_engine::{Input, Job, Output, run};
use recto_interface::Options;
use recto_interface::options::{ArchivePdfAOptions, Conformance, Profile, ValidateOptions};

fn encrypt(data: &[u8], mut key: u16) -> Vec<u8> {
    data.iter()
        .map(|plain| {
            let cipher = plain ^ key.to_be_bytes()[0];
            key = u16::from(cipher).wrapping_add(key).wrapping_mul(52_845).wrapping_add(22_719);
            cipher
        })
        .collect()
}

/// The encrypted charstring for a text of numbers and operator names.
fn charstring(text: &str) -> Vec<u8> {
    let mut code = vec![0; 4];
    for word in text.split_whitespace() {
        let operator: &[u8] = match word {
            "hstem" => &[1],
            "vstem" => &[3],
            "rlineto" => &[5],
            "hlineto" => &[6],
            "vlineto" => &[7],
            "rrcurveto" => &[8],
            "closepath" => &[9],
            "callsubr" => &[10],
            "return" => &[11],
            "hsbw" => &[13],
            "endchar" => &[14],
            "rmoveto" => &[21],
            "hmoveto" => &[22],
            "vhcurveto" => &[30],
            "hvcurveto" => &[31],
            "seac" => &[12, 6],
            "div" => &[12, 12],
            "callothersubr" => &[12, 16],
            "pop" => &[12, 17],
            "setcurrentpoint" => &[12, 33],
            number => {
                code.push(255);
                code.extend(number.parse::<i32>().unwrap().to_be_bytes());
                continue;
            }
        };
        code.extend(operator);
    }
    encrypt(&code, 4330)
}

const SUBROUTINES: [&str; 5] = [
    "3 0 callothersubr pop pop setcurrentpoint return",
    "0 1 callothersubr return",
    "0 2 callothersubr return",
    "return",
    // The hints that replace the first hints of the letter B.
    "350 50 hstem 60 80 vstem return",
];

/// Glyphs that use many features of Type 1: curves, fractions, hint replacement, flex and an accented letter.
const GLYPHS: [(&str, &str); 6] = [
    (".notdef", "0 500 hsbw endchar"),
    (
        "A",
        "40 640 hsbw 0 50 hstem 20 80 vstem 20 hmoveto 250 700 rlineto 1001 10 div hlineto 250 -700 rlineto -90 hlineto \
           -210 600 rlineto -210 -600 rlineto closepath endchar",
    ),
    (
        "B",
        "60 600 hsbw 0 50 hstem 0 80 vstem 0 hmoveto 4 1 3 callothersubr pop callsubr 700 vlineto 300 hlineto \
           100 0 100 -80 0 -120 rrcurveto -150 -100 -50 -150 vhcurveto 120 80 -50 -180 hvcurveto \
           0 -80 -80 -20 -140 0 rrcurveto closepath endchar",
    ),
    // A bar whose lower side is a flex. Its width is written as a quotient (`div`).
    (
        "C",
        "50 7000 10 div hsbw 0 200 rmoveto 1 callsubr 300 10 rmoveto 2 callsubr -200 -10 rmoveto 2 callsubr 100 10 rmoveto \
           2 callsubr 100 0 rmoveto 2 callsubr 100 0 rmoveto 2 callsubr 100 -10 rmoveto 2 callsubr 100 0 rmoveto \
           2 callsubr 50 650 200 0 callsubr 200 vlineto -600 hlineto closepath endchar",
    ),
    ("acute", "30 300 hsbw 40 600 rmoveto 120 150 rlineto 60 0 rlineto -90 -150 rlineto closepath endchar"),
    ("Aacute", "40 640 hsbw 30 230 130 65 194 seac"),
];

/// A font program with the glyphs of these names. Also returns the lengths of its plain and of its encrypted part.
fn program(name: &str, glyphs: &[&str], binary: bool) -> (Vec<u8>, i64, i64) {
    let codes: String = glyphs
        .iter()
        .filter(|glyph| **glyph != ".notdef")
        .map(|glyph| format!("dup {} /{glyph} put\n", code(glyph)))
        .collect();
    let plain = format!(
        "%!PS-AdobeFont-1.0: {name}\n11 dict begin\n/FontInfo 2 dict dup begin\n/Notice (Drawn for a test \\(c\\)) readonly def\n\
         end readonly def\n/FontName /{name} def\n/PaintType 0 def\n/FontType 1 def\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n\
         /Encoding 256 array\n0 1 255 {{1 index exch /.notdef put}} for\n{codes}readonly def\n/FontBBox {{0 -50 800 950}} readonly def\n\
         currentdict end\ncurrentfile eexec\n"
    );
    // Both names are usual for the procedure that reads a charstring.
    let read = if binary { "RD" } else { "-|" };
    let mut secret = format!(
        "    dup /Private 8 dict dup begin\n/{read} {{string currentfile exch readstring pop}} executeonly def\n\
         /ND {{noaccess def}} executeonly def\n/NP {{noaccess put}} executeonly def\n/BlueValues [-20 0 700 720] def\n\
         /StdHW [50] def\n/BlueScale 0.039625 def\n/password 5839 def\n/Subrs 5 array\n"
    )
    .into_bytes();
    for (at, body) in SUBROUTINES.iter().enumerate() {
        let body = charstring(body);
        secret.extend(format!("dup {at} {} {read} ", body.len()).bytes());
        secret.extend(body);
        secret.extend(b" NP\n");
    }
    secret.extend(format!("ND\n2 index /CharStrings {} dict dup begin\n", glyphs.len()).bytes());
    for (name, body) in GLYPHS.iter().filter(|(name, _)| glyphs.contains(name)) {
        let body = charstring(body);
        secret.extend(format!("/{name} {} {read} ", body.len()).bytes());
        secret.extend(body);
        secret.extend(b" ND\n");
    }
    secret.extend(b"end\nend\nreadonly put\nnoaccess put\ndup/FontName get exch definefont pop\nmark currentfile closefile\n");
    let mut secret = encrypt(&secret, 55_665);
    if !binary {
        secret = secret.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
    }
    let zeros = format!(
        "\n{}cleartomark\n",
        "0000000000000000000000000000000000000000000000000000000000000000\n".repeat(8)
    );
    let lengths = (i64::try_from(plain.len()).unwrap(), i64::try_from(secret.len()).unwrap());
    ([plain.into_bytes(), secret, zeros.into_bytes()].concat(), lengths.0, lengths.1)
}

fn code(glyph: &str) -> u8 {
    match glyph {
        "acute" => 200,
        "Aacute" => 201,
        letter => letter.as_bytes()[0],
    }
}

/// Adds a font with these glyphs to the resources of the page.
fn font(sample: &mut Sample, resource: &str, name: &str, glyphs: &[&str], binary: bool) {
    let (data, plain, secret) = program(name, glyphs, binary);
    let lengths = dictionary! { "Length1" => plain, "Length2" => secret, "Length3" => 545 };
    let file = sample.document.add_object(Stream::new(lengths, data));
    let descriptor = sample.document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => name, "Flags" => 4, "ItalicAngle" => 0, "Ascent" => 950, "Descent" => -50,
        "CapHeight" => 700, "StemV" => 80, "FontFile" => file, "FontBBox" => vec![0.into(), (-50).into(), 800.into(), 950.into()]
    });
    let widths: Vec<Object> = (65..=201)
        .map(|code| match code {
            65 | 201 => 640.into(),
            66 => 600.into(),
            67 => 700.into(),
            200 => 300.into(),
            _ => 0.into(),
        })
        .collect();
    sample.name(
        "Font",
        resource,
        dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name, "FontDescriptor" => descriptor,
            "FirstChar" => 65, "LastChar" => 201, "Widths" => widths
        },
    );
}

fn font_files(bytes: &[u8]) -> Vec<Stream> {
    let document = Document::load_mem(bytes).unwrap();
    let mut files: Vec<_> = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok())
        .filter(|dict| dict.has_type(b"FontDescriptor"))
        .map(|descriptor| {
            assert!(!descriptor.has(b"FontFile"));
            descriptor.get(b"FontFile3").and_then(Object::as_reference).unwrap()
        })
        .collect();
    files.sort_unstable();
    files.dedup();
    files.iter().map(|id| document.get_object(*id).unwrap().as_stream().unwrap().clone()).collect()
}

#[test]
fn type_1_fonts_become_type_1c_that_looks_the_same() {
    for binary in [true, false] {
        let mut sample = Sample::new();
        font(&mut sample, "F", "Drawn", &GLYPHS.map(|(name, _)| name), binary);
        for (size, at) in [(90, 420), (30, 350), (12, 300)] {
            sample.draw(&format!("BT /F {size} Tf 20 {at} Td (ABC\\311\\310) Tj ET"));
        }
        let before = sample.bytes();
        for profile in PROFILES {
            let after = optimized(&before, profile).bytes;
            let files = font_files(&after);
            assert_eq!(files.len(), 1);
            assert_eq!(word(&files[0].dict, "Subtype"), "Type1C");
            assert_sound(&after, profile == Profile::Web);
            assert_alike(&before, &after, 0.1, 4.0);
            assert_eq!(text(&before), text(&after));
        }
    }
}

#[test]
fn subsets_of_one_font_are_merged() {
    let mut sample = Sample::new();
    font(&mut sample, "F", "AAAAAA+Drawn", &[".notdef", "A", "B"], true);
    font(&mut sample, "G", "BBBBBB+Drawn", &[".notdef", "B", "C"], true);
    sample.draw("BT /F 90 Tf 20 420 Td (AB) Tj /G 60 Tf (BC) Tj ET");
    let before = sample.bytes();
    for profile in PROFILES {
        let after = optimized(&before, profile).bytes;
        assert_eq!(font_files(&after).len(), 1, "{profile:?}");
        let document = Document::load_mem(&after).unwrap();
        let names: Vec<String> = document
            .objects
            .values()
            .filter_map(|object| object.as_dict().ok())
            .filter(|dict: &&Dictionary| dict.has_type(b"Font"))
            .map(|dict| word(dict, "BaseFont"))
            .collect();
        assert!(!names.is_empty() && names.iter().all(|name| *name == names[0]), "{names:?}");
        assert_sound(&after, profile == Profile::Web);
        assert_alike(&before, &after, 0.1, 4.0);
    }
}

#[test]
fn different_fonts_of_the_same_name_stay_separate() {
    let mut sample = Sample::new();
    font(&mut sample, "F", "AAAAAA+Drawn", &[".notdef", "A"], true);
    // In the second font, code 65 stands for another glyph (B instead of A).
    let (mut data, plain, secret) = program("BBBBBB+Drawn", &[".notdef", "B"], true);
    let place = data.windows(9).position(|window| window == b"dup 66 /B").unwrap();
    data[place + 4..place + 6].copy_from_slice(b"65");
    let lengths = dictionary! { "Length1" => plain, "Length2" => secret, "Length3" => 545 };
    font(&mut sample, "G", "BBBBBB+Drawn", &[".notdef", "B"], true);
    let last = sample
        .document
        .objects
        .iter()
        .filter(|(_, object)| object.as_stream().is_ok_and(|stream| stream.dict.has(b"Length3")))
        .map(|(id, _)| *id)
        .max()
        .unwrap();
    sample.document.objects.insert(last, Stream::new(lengths, data).into());
    sample.draw("BT /F 90 Tf 20 420 Td (A) Tj /G 90 Tf (A) Tj ET");
    let before = sample.bytes();
    let after = optimized(&before, Profile::MinimalFileSize).bytes;
    assert_eq!(font_files(&after).len(), 2);
    assert_alike(&before, &after, 0.1, 4.0);
}

/// The findings of `validate` about the fonts of a document.
fn said(bytes: &[u8], standard: &str) -> Vec<String> {
    let options = Options::Validate(ValidateOptions { conformance: Some(standard.to_owned()) });
    match run(&options, Input { bytes, name: "sample.pdf" }, &Job::default()) {
        Ok(Output::Report(report)) => report
            .errors
            .into_iter()
            .filter(|error| error.contains(", 6.2.11.") || error.contains(", 6.3."))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn glyphs_and_widths_of_type_1_programs_are_checked_as_they_are_written() {
    let shown = |binary, glyphs: &[&str], width: i64| {
        let mut sample = Sample::new();
        font(&mut sample, "F", "Drawn", glyphs, binary);
        sample.draw("BT /F 90 Tf 20 420 Td (AC) Tj ET");
        for object in sample.document.objects.values_mut() {
            if let Ok(widths) = object.as_dict_mut().and_then(|font| font.get_mut(b"Widths")) {
                widths.as_array_mut().unwrap()[2] = width.into();
            }
        }
        let bytes = sample.bytes();
        ["pdf_a1_b", "pdf_a2_b"].map(|standard| said(&bytes, standard))
    };
    for binary in [true, false] {
        let all = &[".notdef", "A", "C"];
        assert_eq!(shown(binary, all, 700), [const { Vec::<String>::new() }; 2]);
        assert_eq!(shown(binary, all, 701), [const { Vec::<String>::new() }; 2]);
        for errors in shown(binary, all, 703) {
            assert!(errors.iter().any(|error| error.contains("widths in a font")), "{errors:?}");
        }
        for errors in shown(binary, &[".notdef", "A"], 700) {
            assert!(errors.iter().any(|error| error.contains("lacks glyphs")), "{errors:?}");
        }
    }
}

#[test]
fn from_part_2_on_a_list_of_glyphs_is_that_of_the_program() {
    let wrong = |name: &str, list: Option<&str>| {
        let mut sample = Sample::new();
        font(&mut sample, "F", name, &[".notdef", "A", "B", "C"], false);
        sample.draw("BT /F 90 Tf 20 420 Td (AC) Tj ET");
        for object in sample.document.objects.values_mut() {
            if let (Ok(dict), Some(list)) = (object.as_dict_mut(), list)
                && dict.has(b"FontFile")
            {
                dict.set("CharSet", Object::string_literal(list));
            }
        }
        said(&sample.bytes(), "pdf_a2_b").iter().any(|error| error.contains("6.2.11.4.2"))
    };
    assert!(!wrong("AAAAAA+Drawn", None));
    assert!(!wrong("AAAAAA+Drawn", Some("/A/B/C")));
    assert!(!wrong("AAAAAA+Drawn", Some("/.notdef/C/B/A")));
    assert!(wrong("AAAAAA+Drawn", Some("/A/C")));
    assert!(wrong("AAAAAA+Drawn", Some("/A/B/C/D")));
    assert!(!wrong("Drawn", Some("/A/C")));
}

#[test]
fn archives_keep_type_1_fonts_whose_widths_are_quotients() {
    let mut sample = Sample::new();
    font(&mut sample, "F", "AAAAAA+Drawn", &[".notdef", "A", "C"], true);
    sample.draw("BT /F 90 Tf 20 420 Td (AC) Tj ET");
    let before = sample.bytes();
    let options = Options::ArchivePdfA(ArchivePdfAOptions { conformance: Conformance::PdfA2b });
    let made = match run(&options, Input { bytes: &before, name: "sample.pdf" }, &Job::default()) {
        Ok(Output::File(made)) => made,
        other => panic!("{other:?}"),
    };
    let redrawn =
        made.notes.iter().any(|note| note.contains("fonts were embedded") || note.contains("image"));
    assert!(!redrawn, "{:?}", made.notes);
    assert_alike(&before, &made.bytes, 0.1, 4.0);
}
