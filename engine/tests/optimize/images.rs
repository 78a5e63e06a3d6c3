//! `optimize` downsamples, crops and recompresses images, or leaves them unchanged.

use super::oracle::{assert_alike, assert_sound};
use super::sample::{Sample, image, images, number, optimized, photograph, word};
use lopdf::{Object, Stream, dictionary};
use recto_interface::options::Profile;

/// A page with a photograph of 1200 x 900 pixels, shown at 4 x 3 inches: 300 pixels per inch.
fn photo_sample(space: &str, channels: usize) -> Vec<u8> {
    let mut sample = Sample::new();
    sample.name("XObject", "Photo", image(1200, 900, space, 8, photograph(1200, 900, channels)));
    sample.draw("q 288 0 0 216 60 200 cm /Photo Do Q");
    sample.bytes()
}

#[test]
fn photographs_are_sampled_to_the_resolution_of_the_profile() {
    let before = photo_sample("DeviceRGB", 3);
    for (profile, width, height) in [
        (Profile::Web, 600, 450),
        (Profile::MinimalFileSize, 480, 360),
        (Profile::Print, 1200, 900),
        (Profile::Archive, 1200, 900),
    ] {
        let after = optimized(&before, profile).bytes;
        let dict = images(&after).remove(0);
        assert_eq!((number(&dict, "Width"), number(&dict, "Height")), (width, height), "{profile:?}");
        let filter = if profile == Profile::Archive { "FlateDecode" } else { "DCTDecode" };
        assert_eq!(word(&dict, "Filter"), filter, "{profile:?}");
        assert_sound(&after, profile == Profile::Web);
        let (mean, local) = match profile {
            Profile::Archive => (0.0, 0.0),
            // Poppler shows CMYK in more vivid colours than the ICC profile defines: allow a larger difference.
            Profile::Print => (6.0, 120.0),
            Profile::Web | Profile::MinimalFileSize => (2.0, 10.0),
        };
        assert_alike(&before, &after, mean, local);
    }
}

#[test]
fn an_image_is_kept_for_the_largest_size_it_is_shown_at_through_forms() {
    let mut sample = Sample::new();
    let photo = sample.name("XObject", "Small", image(1200, 900, "DeviceRGB", 8, photograph(1200, 900, 3)));
    let form = Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 10.into(), 10.into()],
            "Matrix" => vec![20.into(), 0.into(), 0.into(), 20.into(), 0.into(), 0.into()],
            "Resources" => dictionary! { "XObject" => dictionary! { "Large" => photo } }
        },
        b"q 10 0 0 7.5 0 0 cm /Large Do Q".to_vec(),
    );
    sample.name("XObject", "Form", form);
    // The image is shown twice: 40 points wide directly on the page, and 400 points wide in the form.
    sample.draw("q 40 0 0 30 10 10 cm /Small Do Q q 2 0 0 2 10 100 cm /Form Do Q");
    let before = sample.bytes();
    let after = optimized(&before, Profile::Web).bytes;
    assert_eq!(number(&images(&after)[0], "Width"), 834, "400 points at 150 pixels an inch");
    assert_alike(&before, &after, 2.0, 12.0);
}

#[test]
fn clipped_parts_are_removed() {
    let mut sample = Sample::new();
    sample.name("XObject", "Photo", image(800, 800, "DeviceRGB", 8, photograph(800, 800, 3)));
    sample.draw("q 100 200 96 192 re W n 384 0 0 384 20 100 cm /Photo Do Q");
    let before = sample.bytes();
    let after = optimized(&before, Profile::Print).bytes;
    let dict = images(&after).remove(0);
    // A quarter of the width and half of the height of 800 pixels are visible; a margin for interpolation is added.
    assert!((200..=208).contains(&number(&dict, "Width")), "{dict:?}");
    assert!((400..=408).contains(&number(&dict, "Height")), "{dict:?}");
    assert_sound(&after, false);
    assert_alike(&before, &after, 2.0, 40.0);
}

#[test]
fn bilevel_scans_become_group_4_without_loss() {
    let mut sample = Sample::new();
    let (width, height) = (1000, 700);
    let mut bits = vec![0xff_u8; width / 8 * height];
    // Diagonal strokes compress well with Group 4, which encodes the changes from row to row, and badly with Flate.
    for stroke in 0..24 {
        for y in 0..height {
            let left = (stroke * 41 + y * (3 + stroke * 7 % 11) / 10) % (width - 6);
            for x in left..left + 5 {
                bits[y * width / 8 + x / 8] &= !(0x80 >> (x % 8));
            }
        }
    }
    sample.name("XObject", "Scan", image(width, height, "DeviceGray", 1, bits));
    sample.draw("q 400 0 0 280 10 100 cm /Scan Do Q");
    let before = sample.bytes();
    for profile in [Profile::Archive, Profile::Web] {
        let after = optimized(&before, profile).bytes;
        assert_eq!(word(&images(&after)[0], "Filter"), "CCITTFaxDecode");
        assert_alike(&before, &after, 0.0, 0.0);
    }
}

#[test]
fn flat_graphics_become_palettes_without_loss() {
    let mut sample = Sample::new();
    let (width, height) = (300, 200);
    let colors = [[255_u8, 255, 255], [10, 60, 200], [250, 200, 0], [0, 0, 0], [20, 160, 60]];
    let data: Vec<u8> =
        (0..width * height).flat_map(|at| colors[(at % width / 60 + at / width / 37) % 5]).collect();
    sample.name("XObject", "Chart", image(width, height, "DeviceRGB", 8, data));
    sample.draw("q 400 0 0 266 10 100 cm /Chart Do Q");
    let before = sample.bytes();
    for profile in [Profile::Archive, Profile::Web, Profile::MinimalFileSize] {
        let after = optimized(&before, profile).bytes;
        let dict = images(&after).remove(0);
        assert_eq!(number(&dict, "BitsPerComponent"), 4, "{profile:?}");
        assert_eq!(
            dict.get(b"ColorSpace").and_then(Object::as_array).unwrap()[0].as_name().unwrap(),
            b"Indexed"
        );
        assert_alike(&before, &after, 0.0, 0.0);
    }
}

#[test]
fn soft_masks_are_sampled_with_their_images() {
    let mut sample = Sample::new();
    let mask = sample.document.add_object(image(1200, 900, "DeviceGray", 8, photograph(1200, 900, 1)));
    let mut photo = image(1200, 900, "DeviceRGB", 8, photograph(1200, 900, 3));
    photo.dict.set("SMask", mask);
    sample.name("XObject", "Photo", photo);
    sample.draw("0 1 0 rg 0 0 420 595 re f q 288 0 0 216 60 200 cm /Photo Do Q");
    let before = sample.bytes();
    let after = optimized(&before, Profile::Web).bytes;
    assert!(images(&after).iter().all(|dict| number(dict, "Width") == 600));
    assert_alike(&before, &after, 2.0, 10.0);
}

#[test]
fn soft_masks_of_few_levels_stay_gray() {
    for (levels, bits) in
        [(vec![0_u8, 255], 1), (vec![0, 85, 255], 2), (vec![0, 17, 204], 4), (vec![0, 128], 8)]
    {
        let mut sample = Sample::new();
        let data: Vec<u8> =
            (0..200 * 100).map(|at| levels[(at % 200 / 25 + at / 200 / 9) % levels.len()]).collect();
        let mask = sample.document.add_object(image(200, 100, "DeviceGray", 8, data));
        let mut photo = image(200, 100, "DeviceRGB", 8, photograph(200, 100, 3));
        photo.dict.set("SMask", mask);
        sample.name("XObject", "Photo", photo);
        sample.draw("0 1 0 rg 0 0 420 595 re f q 288 0 0 144 60 200 cm /Photo Do Q");
        let before = sample.bytes();
        let after = optimized(&before, Profile::Archive).bytes;
        let mask = images(&after).into_iter().find(|dict| !dict.has(b"SMask")).unwrap();
        assert_eq!(
            (word(&mask, "ColorSpace"), number(&mask, "BitsPerComponent")),
            ("DeviceGray".into(), bits)
        );
        assert_alike(&before, &after, 0.0, 0.0);
    }
}

#[test]
fn images_of_color_keys_and_of_unknown_codecs_stay_as_they_are() {
    let mut sample = Sample::new();
    let mut keyed = image(1200, 900, "DeviceRGB", 8, photograph(1200, 900, 3));
    keyed.dict.set("Mask", [0, 10, 0, 255, 0, 255].map(Object::from).to_vec());
    sample.name("XObject", "Keyed", keyed);
    let mut wavelets = image(1200, 900, "DeviceRGB", 8, b"not even a JPEG 2000".to_vec());
    wavelets.dict.set("Filter", "JPXDecode");
    sample.name("XObject", "Waves", wavelets);
    sample.draw("q 100 0 0 75 60 200 cm /Keyed Do /Waves Do Q");
    let after = optimized(&sample.bytes(), Profile::MinimalFileSize).bytes;
    let images = images(&after);
    assert_eq!(images.len(), 2);
    assert!(images.iter().all(|dict| number(dict, "Width") == 1200));
    assert!(images.iter().any(|dict| word(dict, "Filter") == "JPXDecode" && number(dict, "Length") == 20));
}
