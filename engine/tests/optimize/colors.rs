//! `optimize` converts colours to RGB in the profile `web`, and to CMYK in the profile `print`. The other profiles
//! leave the colours unchanged.

use super::oracle::{assert_alike, assert_sound, distance, ghostscript_cmyk};
use super::sample::{Sample, image, images, optimized, photograph, word};
use lopdf::{Document, Object, Stream, StringFormat, dictionary};
use recto_interface::options::Profile;

/// A page whose colours are all in one device colour space. The colours are set by operators, through a named colour
/// space, in a form, in an image and in a palette.
fn sample(device: &str, fill: &str, colors: [&str; 3], channels: usize) -> Vec<u8> {
    let mut sample = Sample::new();
    let [one, two, three] = colors;
    sample.name("ColorSpace", "Named", Object::Name(device.as_bytes().to_vec()));
    sample.name("XObject", "Photo", image(200, 150, device, 8, photograph(200, 150, channels)));
    let palette: Vec<u8> = (0..=255_u8).cycle().step_by(37).take(16 * channels).collect();
    let space =
        vec!["Indexed".into(), device.into(), 15.into(), Object::String(palette, StringFormat::Hexadecimal)];
    let bands: Vec<u8> = (0..64 * 64).map(|at| u8::try_from(at / 64 / 4).unwrap()).collect();
    sample.name("XObject", "Bands", image(64, 64, space, 8, bands));
    let form = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 100.into(), 100.into()],
            "Group" => dictionary! { "S" => "Transparency", "CS" => device }
        },
        format!("{three} {fill} 0 0 90 90 re f").into_bytes(),
    );
    sample.name("XObject", "Form", form);
    sample.draw(&format!("{one} {fill} 20 480 100 90 re f"));
    sample.draw(&format!("q /Named cs {two} sc 140 480 100 90 re f Q 250 480 100 90 re f"));
    sample.draw("q 1 0 0 1 20 380 cm /Form Do Q q 200 0 0 150 20 200 cm /Photo Do Q q 120 0 0 120 240 200 cm /Bands Do Q");
    sample.bytes()
}

/// The colour spaces of all images and transparency groups of a document, and the text of all content streams.
fn named(bytes: &[u8]) -> (Vec<String>, String) {
    let mut spaces: Vec<String> = images(bytes)
        .iter()
        .map(|dict| match dict.get(b"ColorSpace").unwrap() {
            Object::Array(items) => String::from_utf8_lossy(items[1].as_name().unwrap()).into_owned(),
            _ => word(dict, "ColorSpace"),
        })
        .collect();
    let document = Document::load_mem(bytes).unwrap();
    let mut contents = String::new();
    for object in document.objects.values() {
        let Ok(stream) = object.as_stream() else { continue };
        if let Ok(group) = stream.dict.get_deref(b"Group", &document).and_then(Object::as_dict) {
            spaces.push(word(group, "CS"));
        }
        if !stream.dict.has(b"Width") && !stream.dict.has(b"Type") || stream.dict.has(b"BBox") {
            let plain = stream.get_plain_content().unwrap();
            contents.push_str(&String::from_utf8_lossy(&plain));
            contents.push('\n');
        }
    }
    (spaces, contents)
}

#[test]
fn the_web_gets_rgb() {
    let before = sample("DeviceCMYK", "k", ["0 1 1 0", "1 0 0 .2", ".5 0 1 0"], 4);
    let after = optimized(&before, Profile::Web).bytes;
    let (spaces, contents) = named(&after);
    assert!(spaces.len() == 3 && spaces.iter().all(|space| space == "DeviceRGB"), "{spaces:?}");
    let words: Vec<&str> = contents.split_whitespace().collect();
    assert!(words.contains(&"rg") && !words.contains(&"k"), "{contents}");
    assert!(!contents.contains("CMYK") && !contents.contains("/Named"), "{contents}");
    assert_sound(&after, true);
    // Poppler converts CMYK to RGB with another formula than `optimize`: allow a larger difference.
    assert_alike(&before, &after, 12.0, 75.0);
}

#[test]
fn print_gets_cmyk() {
    let before = sample("DeviceRGB", "rg", ["1 .2 .1", "0 .4 .6", ".5 .8 .2"], 3);
    let after = optimized(&before, Profile::Print).bytes;
    let (spaces, contents) = named(&after);
    assert!(spaces.len() == 3 && spaces.iter().all(|space| space == "DeviceCMYK"), "{spaces:?}");
    let words: Vec<&str> = contents.split_whitespace().collect();
    assert!(words.contains(&"k") && !words.contains(&"rg"), "{contents}");
    assert_sound(&after, false);
    assert_alike(&before, &after, 14.0, 75.0);
}

#[test]
fn print_looks_about_as_similar_as_ghostscripts_conversion() {
    let before = sample("DeviceRGB", "rg", ["1 .2 .1", "0 .4 .6", ".5 .8 .2"], 3);
    let after = optimized(&before, Profile::Print).bytes;
    let Some(theirs) = ghostscript_cmyk(&before) else { return };
    let (Some(ours), Some(theirs)) = (distance(&before, &after), distance(&before, &theirs)) else { return };
    // Ghostscript renders its own result with the profile of its conversion. Our conversion uses another profile.
    assert!(theirs > 0.0 && ours <= theirs + 1.5, "{ours:.2}, Ghostscript's {theirs:.2}");
}

#[test]
fn colours_stay_where_cmyk_would_make_a_document_larger() {
    let mut sample = Sample::new();
    let noise: Vec<u8> = (0..90 * 90 * 3).map(super::sample::noise).collect();
    // Noise cannot be compressed: an image with four samples per pixel is a third larger than one with three samples.
    let mut grains = image(90, 90, "DeviceRGB", 8, noise);
    grains.dict.set("Mask", vec![Object::from(1); 6]);
    sample.name("XObject", "Grains", grains);
    sample.name(
        "XObject",
        "NeverDrawn",
        image(10, 10, "DeviceGray", 8, (0..100).map(super::sample::noise).collect()),
    );
    for line in 0..300 {
        let [red, green, blue] =
            [1, 2, 3].map(|seed| f64::from(super::sample::noise(line * 3 + seed)) / 255.0);
        sample.draw(&format!("{red:.2} {green:.2} {blue:.2} rg 5 {line} 9 1 re f"));
    }
    sample.draw("q 90 0 0 90 60 200 cm /Grains Do Q");
    // The input is already compressed, so that CMYK adds more bytes than compression saves.
    let packed = optimized(&sample.bytes(), Profile::Archive).bytes;
    let mut document = Document::load_mem(&packed).unwrap();
    document.add_object(Object::string_literal("unused ".repeat(2)));
    let mut before = Vec::new();
    document.save_to(&mut before).unwrap();
    let after = optimized(&before, Profile::Print);
    assert!(after.bytes.len() < before.len());
    assert!(after.notes.iter().any(|note| note.contains("larger")), "{:?}", after.notes);
    assert_sound(&after.bytes, false);
    assert_alike(&before, &after.bytes, 0.0, 0.0);
}

#[test]
fn the_other_profiles_keep_colours() {
    for (device, fill, colors, channels) in [
        ("DeviceCMYK", "k", ["0 1 1 0", "1 0 0 .2", ".5 0 1 0"], 4),
        ("DeviceRGB", "rg", ["1 .2 .1", "0 .4 .6", ".5 .8 .2"], 3),
    ] {
        let before = sample(device, fill, colors, channels);
        for profile in [Profile::Archive, Profile::MinimalFileSize] {
            let (spaces, contents) = named(&optimized(&before, profile).bytes);
            assert!(spaces.iter().all(|space| space == device), "{profile:?} {spaces:?}");
            assert!(contents.split_whitespace().any(|word| word == fill), "{contents}");
        }
    }
}

#[test]
fn ambiguous_colours_stay_and_the_result_has_a_note() {
    let mut sample = Sample::new();
    let form = Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 90.into(), 90.into()] },
        b"0 0 1 0 sc 0 0 90 90 re f".to_vec(),
    );
    sample.name("XObject", "Form", form);
    sample.draw("/DeviceCMYK cs /Form Do");
    for line in 0..40 {
        sample.draw(&format!("0 1 0 0 k 100 {} 50 5 re f", line * 10));
    }
    let made = optimized(&sample.bytes(), Profile::Web);
    assert!(made.notes.iter().any(|note| note.contains("colours")), "{:?}", made.notes);
    assert!(named(&made.bytes).1.contains(" k"));
}

/// A page with four squares in these colours. The squares are painted by gradients with functions of all types, or as
/// plain fills.
fn squares(device: &str, fill: &str, gradients: bool, colors: [&str; 4]) -> Vec<u8> {
    let mut sample = Sample::new();
    let values = |color: &str| -> Vec<Object> {
        color.split(' ').map(|value| Object::Real(value.parse().unwrap())).collect()
    };
    let steady = |color: &str| {
        dictionary! {
            "FunctionType" => 2, "N" => 1, "Domain" => vec![0.into(), 1.into()], "C0" => values(color), "C1" => values(color)
        }
    };
    let [one, two, three, four] = colors;
    if gradients {
        let stitched = dictionary! {
            "FunctionType" => 3, "Domain" => vec![0.into(), 1.into()], "Bounds" => vec![Object::Real(0.5)],
            "Encode" => vec![0.into(), 1.into(), 0.into(), 1.into()],
            "Functions" => vec![steady(one).into(), steady(two).into()]
        };
        sample.name(
            "Shading",
            "Stitched",
            dictionary! {
                "ShadingType" => 2, "ColorSpace" => device, "Function" => stitched,
                "Coords" => vec![15.into(), 0.into(), 195.into(), 0.into()]
            },
        );
        let parts: Vec<Object> = values(three)
            .into_iter()
            .map(|value| {
                dictionary! {
                    "FunctionType" => 2, "N" => 1, "Domain" => vec![0.into(), 1.into()],
                    "C0" => vec![value.clone()], "C1" => vec![value]
                }
                .into()
            })
            .collect();
        sample.name("Pattern", "Listed", dictionary! {
            "PatternType" => 2,
            "Shading" => dictionary! {
                "ShadingType" => 3, "ColorSpace" => device, "Function" => parts, "Extend" => vec![true.into(), true.into()],
                "Coords" => vec![240.into(), 345.into(), 0.into(), 240.into(), 345.into(), 200.into()]
            }
        });
        // A gradient with a PostScript function. Its background is visible.
        let program = format!("{{ pop {four} }}");
        let range: Vec<Object> = values(four).iter().flat_map(|_| [0.into(), 1.into()]).collect();
        let calculated = sample.document.add_object(Stream::new(
            dictionary! { "FunctionType" => 4, "Domain" => vec![0.into(), 1.into()], "Range" => range },
            program.into_bytes(),
        ));
        sample.name("Pattern", "Calculated", dictionary! {
            "PatternType" => 2,
            "Shading" => dictionary! {
                "ShadingType" => 2, "ColorSpace" => device, "Function" => calculated, "Background" => values(four),
                "Coords" => vec![315.into(), 0.into(), 345.into(), 0.into()]
            }
        });
        sample.draw("q 15 300.25 180 90 re W n /Stitched sh Q");
        sample.draw("/Pattern cs /Listed scn 195 300.25 90 90 re f /Calculated scn 285 300.25 90 90 re f");
    } else {
        for (left, color) in [15, 105, 195, 285].into_iter().zip(colors) {
            sample.draw(&format!("{color} {fill} {left} 300.25 90 90 re f"));
        }
    }
    // Cover the edge between the first two squares, where a gradient is rendered differently from fills.
    sample.draw("1 g 102 300 6 91 re f");
    // Add an image that can be compressed, so that the result is smaller than the input.
    let photo = photograph(200, 150, 3);
    sample.name("XObject", "Photo", image(200, 150, "DeviceRGB", 8, photo));
    sample.draw("q 200 0 0 150 20 50 cm /Photo Do Q");
    sample.bytes()
}

#[test]
fn gradients_are_converted_like_fills() {
    for (profile, device, fill, colors) in [
        (Profile::Print, "DeviceRGB", "rg", ["1 .2 .1", "0 .4 .6", ".5 .8 .2", ".9 .9 .1"]),
        (Profile::Web, "DeviceCMYK", "k", ["0 1 1 0", "1 0 0 .2", ".5 0 1 0", "0 .2 .9 .1"]),
    ] {
        let before = squares(device, fill, true, colors);
        let gradients = optimized(&before, profile);
        assert!(gradients.notes.iter().all(|note| !note.contains("gradients")), "{:?}", gradients.notes);
        let document = Document::load_mem(&gradients.bytes).unwrap();
        let shadings: Vec<String> = document
            .objects
            .values()
            .filter_map(|object| object.as_dict().ok().filter(|dict| dict.has(b"ShadingType")))
            .map(|dict| word(dict, "ColorSpace"))
            .collect();
        let new = if profile == Profile::Print { "DeviceCMYK" } else { "DeviceRGB" };
        assert_eq!(shadings, [new; 3]);
        assert_sound(&gradients.bytes, profile == Profile::Web);
        let fills = optimized(&squares(device, fill, false, colors), profile).bytes;
        // The colours may differ by 1 of 255.
        assert_alike(&fills, &gradients.bytes, 0.2, 1.0);
    }
}

#[test]
fn mesh_gradients_stay_and_the_result_has_a_note() {
    let mut sample = Sample::new();
    let mesh = Stream::new(
        dictionary! {
            "ShadingType" => 4, "ColorSpace" => "DeviceRGB", "BitsPerCoordinate" => 8, "BitsPerComponent" => 8,
            "BitsPerFlag" => 8, "Decode" => [0, 255, 0, 255, 0, 1, 0, 1, 0, 1].map(Object::from).to_vec()
        },
        vec![0, 10, 10, 255, 0, 0, 0, 200, 10, 0, 255, 0, 0, 100, 200, 0, 0, 255],
    );
    sample.name("Shading", "Mesh", mesh);
    sample.draw("/Mesh sh");
    sample.draw(&"% room to gain\n".repeat(100));
    let before = sample.bytes();
    let made = optimized(&before, Profile::Print);
    assert!(made.notes.iter().any(|note| note.contains("gradients")), "{:?}", made.notes);
    assert_alike(&before, &made.bytes, 0.0, 0.0);
}

#[test]
fn masks_keep_their_colours() {
    let mut sample = Sample::new();
    let group = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 420.into(), 595.into()],
            "Group" => dictionary! { "S" => "Transparency", "CS" => "DeviceRGB" }
        },
        b".5 .5 .5 rg 0 0 420 300 re f .9 .2 .4 rg 0 300 420 295 re f".to_vec(),
    );
    let group = sample.document.add_object(group);
    sample.name(
        "ExtGState",
        "Masked",
        dictionary! {
            "SMask" => dictionary! { "S" => "Luminosity", "G" => group }
        },
    );
    sample.draw("0 g /Masked gs 20 20 380 550 re f");
    sample.draw(&"% room to gain\n".repeat(100));
    let before = sample.bytes();
    let after = optimized(&before, Profile::Print).bytes;
    assert!(after.len() < before.len());
    assert_alike(&before, &after, 0.0, 0.0);
}
