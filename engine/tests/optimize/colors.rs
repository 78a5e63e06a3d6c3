//! Colours: RGB for the web, CMYK for print, and the rest as they were.

use super::judge::{assert_alike, assert_sound};
use super::sample::{Sample, image, images, optimized, photograph, word};
use lopdf::{Document, Object, Stream, StringFormat, dictionary};
use recto_interface::options::Profile;

/// A page painted in colours of one device: by operators, by a named space, in a form, in an image and in a palette.
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

/// All spaces that images and groups are in, and all contents.
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
    // Viewers have each their own idea of how inks look.
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
fn colours_that_are_not_said_clearly_stay_and_the_result_says_so() {
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
