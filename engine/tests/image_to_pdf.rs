//! `image-to-pdf`: the pixels of images stay unchanged, and images are placed correctly on the page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod oracles;

use oracles::{Bench, check_structure, present};
use recto_engine::{EngineError, Input, Job, Limits, Output, run};
use recto_interface::options::{ImageToPdfOptions, PageMargin, PageSize, Strategy, Unit};

fn try_convert(bytes: &[u8], options: ImageToPdfOptions, job: &Job) -> Result<Vec<u8>, EngineError> {
    // The extension is wrong on purpose: only the content of the file determines its format.
    match run(&options.into(), Input { bytes, name: "it.gif" }, job)? {
        Output::File(file) => {
            assert_eq!(file.extension, "pdf");
            Ok(file.bytes)
        }
        Output::Report(_) => panic!("a file was expected"),
    }
}

fn convert(bytes: &[u8]) -> Vec<u8> {
    let pdf = try_convert(bytes, ImageToPdfOptions::default(), &Job::default()).unwrap();
    check_structure(&pdf, "image");
    pdf
}

fn failure(bytes: &[u8]) -> EngineError {
    let converted = try_convert(bytes, ImageToPdfOptions::default(), &Job::default());
    converted.map(|pdf| pdf.len()).unwrap_err()
}

/// A small image with flat parts, edges and gradients, with `channels` samples per pixel.
fn pattern(width: u32, height: u32, channels: u32) -> Vec<u8> {
    let sample = |x: u32, y: u32, c: u32| match (x / 8 + y / 8) % 3 {
        0 => (x * 5 + y * 3 + c * 60) as u8,
        1 => (c * 100) as u8,
        _ => ((x * y) >> 2) as u8 ^ (c * 37) as u8,
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    pixels.flat_map(|(x, y)| (0..channels).map(move |c| sample(x, y, c))).collect()
}

fn png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, rows: &[u8]) -> Vec<u8> {
    png_with(width, height, color, depth, rows, |_| ())
}

fn png_with(
    width: u32,
    height: u32,
    color: png::ColorType,
    depth: png::BitDepth,
    rows: &[u8],
    set: impl FnOnce(&mut png::Info<'static>),
) -> Vec<u8> {
    let mut info = png::Info::with_size(width, height);
    info.color_type = color;
    info.bit_depth = depth;
    set(&mut info);
    let mut file = Vec::new();
    let mut writer = png::Encoder::with_info(&mut file, info).unwrap().write_header().unwrap();
    writer.write_image_data(rows).unwrap();
    drop(writer);
    file
}

/// The only image of a PDF, extracted by poppler and converted to RGB.
fn extracted(pdf: &[u8]) -> (u32, u32, Vec<u8>) {
    let bench = Bench::new("extracted");
    bench.file("it.pdf", pdf);
    bench.output("pdfimages", &["-png", "it.pdf", "im"]);
    rgb(&bench.read("im-000.png"))
}

/// The samples of the image of a PDF, decoded by qpdf. Alpha channels are not included.
fn samples(pdf: &[u8]) -> Vec<u8> {
    let bench = Bench::new("samples");
    bench.file("it.pdf", pdf);
    let all = bench.output("qpdf", &["--json", "--json-key=qpdf", "it.pdf"]);
    let json: serde_json::Value = serde_json::from_str(&all).unwrap();
    let objects = json["qpdf"][1].as_object().unwrap();
    let image = objects.iter().find(|(_, object)| {
        let dict = &object["stream"]["dict"];
        dict["/Subtype"] == "/Image" && dict["/ColorSpace"] != "/DeviceGray" || is_only_image(objects, dict)
    });
    let name = image.unwrap().0.strip_prefix("obj:").unwrap().strip_suffix(" 0 R").unwrap();
    bench.run("qpdf", &[&format!("--show-object={name}"), "--filtered-stream-data", "it.pdf"]).stdout
}

/// Whether `dict` is the dictionary of the image, and not the dictionary of the image's alpha channel.
fn is_only_image(objects: &serde_json::Map<String, serde_json::Value>, dict: &serde_json::Value) -> bool {
    let images = objects.values().filter(|object| object["stream"]["dict"]["/Subtype"] == "/Image").count();
    dict["/Subtype"] == "/Image" && (images == 1 || !dict["/SMask"].is_null())
}

/// A PNG image as 8-bit RGB: width, height and samples.
fn rgb(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().unwrap();
    let mut rows = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rows).unwrap();
    let pixels = match info.color_type {
        png::ColorType::Grayscale => rows.iter().flat_map(|gray| [*gray; 3]).collect(),
        png::ColorType::GrayscaleAlpha => rows.chunks(2).flat_map(|pixel| [pixel[0]; 3]).collect(),
        png::ColorType::Rgba => rows.chunks(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        _ => rows,
    };
    (info.width, info.height, pixels)
}

/// Asserts that two images have the same size and that no sample differs by more than `tolerance`.
fn assert_same(found: &(u32, u32, Vec<u8>), wanted: &(u32, u32, Vec<u8>), tolerance: u8, what: &str) {
    assert_eq!((found.0, found.1, found.2.len()), (wanted.0, wanted.1, wanted.2.len()), "{what}: size");
    let differs = |(a, b): (&u8, &u8)| a.abs_diff(*b) > tolerance;
    if let Some(at) = found.2.iter().zip(&wanted.2).position(differs) {
        let (pixel, width) = (at as u32 / 3, found.0);
        let (x, y, a, b) = (pixel % width, pixel / width, found.2[at], wanted.2[at]);
        let count = found.2.iter().zip(&wanted.2).filter(|pair| differs(*pair)).count();
        panic!("{what}: {a} instead of {b} at {x},{y} ({count} samples differ)");
    }
}

fn has_pdfimages() -> bool {
    present("pdfimages", "poppler-utils")
}

#[test]
fn every_kind_of_png_keeps_its_pixels() {
    use png::BitDepth::{Eight, Four, One, Sixteen, Two};
    use png::ColorType::{Grayscale, GrayscaleAlpha, Rgb, Rgba};
    let (width, height) = (37, 29);
    for (color, channels) in [(Grayscale, 1), (GrayscaleAlpha, 2), (Rgb, 3), (Rgba, 4)] {
        for depth in [One, Two, Four, Eight, Sixteen] {
            if channels > 1 && (depth as u8) < 8 {
                continue;
            }
            let stride = (width as usize * channels * depth as usize).div_ceil(8);
            let rows = pattern(stride as u32, height, 1);
            let file = png(width, height, color, depth, &rows);
            let pdf = convert(&file);
            if depth == Sixteen {
                // pdfimages reduces 16-bit samples to 8 bits and inverts them: use qpdf, which returns all bits.
                let colour_bytes = if channels % 2 == 0 { channels - 1 } else { channels } * 2;
                let colours = rows.chunks(channels * 2).flat_map(|pixel| &pixel[..colour_bytes]).copied();
                assert!(
                    !present("qpdf", "qpdf") || samples(&pdf) == colours.collect::<Vec<_>>(),
                    "{color:?}"
                );
            } else if has_pdfimages() {
                assert_same(&extracted(&pdf), &rgb(&file), 0, &format!("{color:?} {depth:?}"));
            }
        }
    }
}

#[test]
fn palettes_of_every_depth_keep_their_colours() {
    for (depth, colors) in [(1, 2), (2, 4), (4, 11), (8, 200_usize)] {
        let (width, height) = (40, 20);
        let palette: Vec<u8> = (0..colors * 3).map(|index| (index * 73 % 256) as u8).collect();
        let indices =
            |x: usize, y: usize| if colors == 2 { usize::from(x > 0) } else { (x * 7 + y * 3) % colors };
        let mut rows = vec![0_u8; (width * depth as usize).div_ceil(8) * height];
        let stride = rows.len() / height;
        for y in 0..height {
            for x in 0..width {
                let bit = x * depth as usize;
                rows[y * stride + bit / 8] |= (indices(x, y) as u8) << (8 - depth as usize - bit % 8);
            }
        }
        let bits = png::BitDepth::from_u8(depth).unwrap();
        let set = |info: &mut png::Info<'static>| info.palette = Some(palette.into());
        let file = png_with(width as u32, height as u32, png::ColorType::Indexed, bits, &rows, set);
        let pdf = convert(&file);
        if has_pdfimages() {
            if depth == 1 {
                // pdfimages ignores the palette of bilevel images.
                let page = page_image(&pdf, 1);
                let shown = |color: &[u8]| page.2.chunks(3).any(|pixel| pixel == color);
                assert!(shown(&rgb(&file).2[..3]) && shown(&rgb(&file).2[3..6]), "1 bit");
                continue;
            }
            assert_same(&extracted(&pdf), &rgb(&file), 0, &format!("{depth} bits"));
        }
    }
}

/// A page rendered by poppler at 72 dpi, on a white background.
fn page_image(pdf: &[u8], page: usize) -> (u32, u32, Vec<u8>) {
    let bench = Bench::new("page");
    bench.file("it.pdf", pdf);
    let page = page.to_string();
    bench
        .output("pdftoppm", &["-r", "72", "-png", "-f", &page, "-l", &page, "-singlefile", "it.pdf", "page"]);
    rgb(&bench.read("page.png"))
}

fn pixel(page: &(u32, u32, Vec<u8>), x: u32, y: u32) -> [u8; 3] {
    let at = (y * page.0 + x) as usize * 3;
    [page.2[at], page.2[at + 1], page.2[at + 2]]
}

#[test]
fn transparency_shows_the_page() {
    use png::BitDepth::{Eight, Sixteen};
    use png::ColorType::{Indexed, Rgb, Rgba};
    // Each image has 40 x 40 pixels at 72 dpi. Its left half is opaque red, its right half is transparent.
    let half = |left: &[u8], right: &[u8]| -> Vec<u8> {
        (0..40)
            .flat_map(|_| (0..40).flat_map(|x| if x < 20 { left.to_vec() } else { right.to_vec() }))
            .collect()
    };
    let density = png::PixelDimensions { xppu: 2835, yppu: 2835, unit: png::Unit::Meter };
    let make = |color, depth, rows: Vec<u8>, palette: Option<Vec<u8>>, trns: Option<Vec<u8>>| {
        png_with(40, 40, color, depth, &rows, |info| {
            info.pixel_dims = Some(density);
            info.palette = palette.map(Into::into);
            info.trns = trns.map(Into::into);
        })
    };
    let cases = [
        ("rgba", make(Rgba, Eight, half(&[255, 0, 0, 255], &[9, 9, 9, 0]), None, None)),
        ("rgba 16", make(Rgba, Sixteen, half(&[255, 255, 0, 0, 0, 0, 255, 255], &[0; 8]), None, None)),
        (
            "palette",
            make(Indexed, Eight, half(&[0], &[1]), Some(vec![255, 0, 0, 0, 0, 255]), Some(vec![255, 0])),
        ),
        ("key", make(Rgb, Eight, half(&[255, 0, 0], &[1, 2, 3]), None, Some(vec![0, 1, 0, 2, 0, 3]))),
    ];
    for (name, file) in cases {
        let pdf = convert(&file);
        if present("pdftoppm", "poppler-utils") {
            let page = page_image(&pdf, 1);
            let (cx, cy) = (page.0 / 2, page.1 / 2);
            assert_eq!(pixel(&page, cx - 10, cy), [255, 0, 0], "{name}");
            assert_eq!(pixel(&page, cx + 10, cy), [255, 255, 255], "{name}");
        }
    }
}

fn jpeg(width: u16, height: u16, color: jpeg_encoder::ColorType, progressive: bool) -> Vec<u8> {
    let channels = match color {
        jpeg_encoder::ColorType::Luma => 1,
        jpeg_encoder::ColorType::Rgb => 3,
        _ => 4,
    };
    let mut file = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut file, 90);
    encoder.set_progressive(progressive);
    encoder.encode(&pattern(width.into(), height.into(), channels), width, height, color).unwrap();
    file
}

#[test]
fn a_jpeg_is_embedded_byte_for_byte() {
    use jpeg_encoder::ColorType::{Cmyk, CmykAsYcck, Luma, Rgb};
    for color in [Luma, Rgb, Cmyk, CmykAsYcck] {
        for progressive in [false, true] {
            let file = jpeg(61, 43, color, progressive);
            // Bytes after the image, which some cameras append, are not embedded.
            let pdf = convert(&[&file[..], b"trailing bytes"].concat());
            assert!(pdf.windows(file.len()).any(|window| window == file), "{color:?}");
            if has_pdfimages() {
                let bench = Bench::new("jpeg");
                bench.file("it.pdf", &pdf);
                bench.output("pdfimages", &["-j", "it.pdf", "im"]);
                assert_eq!(bench.read("im-000.jpg"), file, "{color:?} progressive {progressive}");
            }
        }
    }
}

#[test]
fn cmyk_jpegs_show_their_colours_not_their_negative() {
    // Full cyan. CMYK JPEG files in Adobe's convention store full ink as 0.
    let (width, height) = (80_u16, 80_u16);
    let ink: Vec<u8> = (0..6400).flat_map(|_| [255, 0, 0, 0]).collect();
    for color in [jpeg_encoder::ColorType::Cmyk, jpeg_encoder::ColorType::CmykAsYcck] {
        let mut file = Vec::new();
        jpeg_encoder::Encoder::new(&mut file, 100).encode(&ink, width, height, color).unwrap();
        let pdf = convert(&file);
        if present("pdftoppm", "poppler-utils") {
            let page = page_image(&pdf, 1);
            let [r, g, b] = pixel(&page, page.0 / 2, page.1 / 2);
            assert!(r < 80 && g > 120 && b > 180, "{color:?}: {r} {g} {b}");
        }
    }
}

/// A JPEG file with an EXIF block that contains only an orientation.
fn with_orientation(file: &[u8], orientation: u8) -> Vec<u8> {
    let mut block = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    block.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let length = (block.len() as u16 + 2).to_be_bytes();
    [&file[..2], &[0xff, 0xe1], &length, &block, &file[2..]].concat()
}

#[test]
fn all_eight_orientations_of_exif_are_shown_upright() {
    if !present("pdftoppm", "poppler-utils") {
        return;
    }
    // Shown upright, each image has 96 x 64 pixels: red and green at the top, blue and white at the bottom.
    let corner = |x: u32, y: u32| match (x < 48, y < 32) {
        (true, true) => [255, 0, 0],
        (false, true) => [0, 255, 0],
        (true, false) => [0, 0, 255],
        (false, false) => [255, 255, 255],
    };
    for orientation in 1..=8 {
        let swapped = orientation > 4;
        let (width, height) = if swapped { (64, 96) } else { (96_u32, 64_u32) };
        let shown_of_stored = |x: u32, y: u32| match orientation {
            2 => (95 - x, y),
            3 => (95 - x, 63 - y),
            4 => (x, 63 - y),
            5 => (y, x),
            6 => (95 - y, x),
            7 => (95 - y, 63 - x),
            8 => (y, 63 - x),
            _ => (x, y),
        };
        let pixels: Vec<u8> = (0..height)
            .flat_map(|y| {
                (0..width).flat_map(move |x| {
                    let (x, y) = shown_of_stored(x, y);
                    corner(x, y)
                })
            })
            .collect();
        let mut file = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut file, 100);
        encoder.encode(&pixels, width as u16, height as u16, jpeg_encoder::ColorType::Rgb).unwrap();
        let page = page_image(&convert(&with_orientation(&file, orientation)), 1);
        assert!(page.0 > page.1, "orientation {orientation}: the page is turned to the image as shown");
        // The image is 72 points wide (96 pixels at 96 dpi) and is centred on the page.
        let (cx, cy) = (page.0 / 2, page.1 / 2);
        for (dx, dy) in [(-18_i32, -12_i32), (18, -12), (-18, 12), (18, 12)] {
            let seen = pixel(&page, cx.saturating_add_signed(dx), cy.saturating_add_signed(dy));
            let wanted = corner(if dx < 0 { 0 } else { 95 }, if dy < 0 { 0 } else { 63 });
            let close = seen.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) < 12);
            assert!(close, "orientation {orientation} at {dx},{dy}: {seen:?} instead of {wanted:?}");
        }
    }
}

fn page_sizes(pdf: &[u8]) -> Vec<(f32, f32)> {
    let document = lopdf::Document::load_mem(pdf).unwrap();
    let number = |object: &lopdf::Object| object.as_float().unwrap();
    let pages = document.get_pages();
    let media_box =
        |id| document.get_dictionary(id).unwrap().get(b"MediaBox").unwrap().as_array().unwrap().clone();
    pages.into_values().map(media_box).map(|bounds| (number(&bounds[2]), number(&bounds[3]))).collect()
}

#[test]
fn page_size_margin_and_strategy_are_followed() {
    let wide = png(1600, 400, png::ColorType::Grayscale, png::BitDepth::Eight, &pattern(1600, 400, 1));
    let size = |page_size, strategy| {
        let margin = Some(PageMargin { margin: 2.54, unit: Unit::Cm });
        let options = ImageToPdfOptions { page_size, page_margin: margin, strategy };
        page_sizes(&try_convert(&wide, options, &Job::default()).unwrap())[0]
    };
    let close = |(a, b): (f32, f32), (c, d): (f32, f32)| (a - c).abs() < 0.1 && (b - d).abs() < 0.1;
    assert!(close(size(None, None), (841.89, 595.28)));
    assert!(close(size(Some(PageSize::Letter), None), (792.0, 612.0)));
    assert!(close(size(Some(PageSize::Letter), Some(Strategy::ShrinkToPage)), (792.0, 612.0)));
    assert!(close(size(None, Some(Strategy::ShrinkToPortrait)), (595.28, 841.89)));
}

#[test]
fn a_truncated_image_is_refused_with_a_clear_error() {
    let whole_png = png(64, 64, png::ColorType::Rgb, png::BitDepth::Eight, &pattern(64, 64, 3));
    let whole_jpeg = jpeg(64, 64, jpeg_encoder::ColorType::Rgb, false);
    for (name, whole) in [("png", whole_png), ("jpeg", whole_jpeg)] {
        for end in [4, 20, 60, whole.len() / 2, whole.len() * 9 / 10] {
            let error = failure(&whole[..end.min(whole.len() - 30)]);
            assert!(
                matches!(error, EngineError::Damaged(_) | EngineError::WrongFormat { .. }),
                "{name} {end}: {error}"
            );
        }
    }
}

#[test]
fn a_jpeg_that_lacks_only_its_end_marker_is_accepted() {
    let whole = jpeg(64, 64, jpeg_encoder::ColorType::Rgb, false);
    let pdf = convert(&whole[..whole.len() - 2]);
    assert!(pdf.windows(whole.len()).any(|window| window == whole));
}

#[test]
fn the_error_names_the_format_of_a_file_that_is_not_an_image() {
    for (bytes, word) in [(&b"%PDF-1.7"[..], "PDF"), (b"GIF89a", "GIF"), (b"", "empty"), (b"BM....", "BMP")] {
        let error = failure(bytes);
        assert!(matches!(error, EngineError::WrongFormat { .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn images_beyond_the_limits_are_refused_before_they_are_decoded() {
    let mut huge = png(8, 8, png::ColorType::Rgb, png::BitDepth::Eight, &pattern(8, 8, 3));
    huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let crc = crc32(&huge[12..29]);
    huge[29..33].copy_from_slice(&crc.to_be_bytes());
    let error = failure(&huge);
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
    let small = Job::new(Limits { pixels: 63, ..Limits::default() }, Default::default());
    let file = png(8, 8, png::ColorType::Rgb, png::BitDepth::Eight, &pattern(8, 8, 3));
    assert!(matches!(
        try_convert(&file, ImageToPdfOptions::default(), &small),
        Err(EngineError::Limit { .. })
    ));
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn one_pixel_is_an_image() {
    let pdf = convert(&png(1, 1, png::ColorType::Rgb, png::BitDepth::Eight, &[1, 2, 3]));
    if has_pdfimages() {
        assert_eq!(extracted(&pdf), (1, 1, vec![1, 2, 3]));
    }
}

mod tiffs {
    use super::*;
    use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};
    use tiff::tags::Tag;

    fn pages_of(bytes: &[u8]) -> usize {
        page_sizes(&convert(bytes)).len()
    }

    #[test]
    fn every_depth_colour_and_compression_keeps_its_pixels() {
        let (width, height) = (45, 31);
        let expected = |channels: u32| {
            let samples = pattern(width, height, channels);
            if channels == 1 { samples.iter().flat_map(|gray| [*gray; 3]).collect() } else { samples }
        };
        let compressions = [
            Compression::Uncompressed,
            Compression::Lzw,
            Compression::Packbits,
            Compression::Deflate(DeflateLevel::Fast),
        ];
        for compression in compressions {
            for predictor in [tiff::tags::Predictor::None, tiff::tags::Predictor::Horizontal] {
                for channels in [1, 3] {
                    let mut file = std::io::Cursor::new(Vec::new());
                    let mut encoder = TiffEncoder::new(&mut file)
                        .unwrap()
                        .with_compression(compression)
                        .with_predictor(predictor);
                    let samples = pattern(width, height, channels);
                    match channels {
                        1 => encoder.write_image::<colortype::Gray8>(width, height, &samples).unwrap(),
                        _ => encoder.write_image::<colortype::RGB8>(width, height, &samples).unwrap(),
                    }
                    let pdf = convert(file.get_ref());
                    if has_pdfimages() {
                        let wanted = (width, height, expected(channels));
                        assert_same(&extracted(&pdf), &wanted, 0, &format!("{predictor:?} {channels}"));
                    }
                }
            }
        }
    }

    #[test]
    fn samples_of_16_bits_are_read_in_both_byte_orders_and_in_bigtiff() {
        let (width, height) = (33, 17);
        let (high, low) = (pattern(width, height, 3), pattern(height, width, 3));
        let words: Vec<u16> =
            high.iter().zip(&low).map(|(high, low)| u16::from_be_bytes([*high, *low])).collect();
        let mut classic = std::io::Cursor::new(Vec::new());
        TiffEncoder::new(&mut classic)
            .unwrap()
            .write_image::<colortype::RGB16>(width, height, &words)
            .unwrap();
        let mut big = std::io::Cursor::new(Vec::new());
        TiffEncoder::new_big(&mut big)
            .unwrap()
            .write_image::<colortype::RGB16>(width, height, &words)
            .unwrap();
        for file in [classic, big] {
            let pdf = convert(file.get_ref());
            if present("qpdf", "qpdf") {
                assert!(
                    samples(&pdf) == words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn each_page_becomes_a_page_and_thumbnails_do_not() {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap();
        for page in 0..4_u32 {
            let (width, height) = (20 + page * 30, 40);
            let mut image = encoder.new_image::<colortype::Gray8>(width, height).unwrap();
            image.encoder().write_tag(Tag::NewSubfileType, u32::from(page == 2)).unwrap();
            image.write_data(&pattern(width, height, 1)).unwrap();
        }
        let sizes = page_sizes(&convert(file.get_ref()));
        assert_eq!(
            sizes.iter().map(|(width, height)| width > height).collect::<Vec<_>>(),
            [false, true, true]
        );
    }

    #[test]
    fn a_cycle_of_directories_is_refused() {
        let mut file = std::io::Cursor::new(Vec::new());
        TiffEncoder::new(&mut file)
            .unwrap()
            .write_image::<colortype::Gray8>(8, 8, &pattern(8, 8, 1))
            .unwrap();
        let mut bytes = file.into_inner();
        let first = u32::from_ne_bytes(bytes[4..8].try_into().unwrap());
        let count = u16::from_ne_bytes(bytes[first as usize..first as usize + 2].try_into().unwrap());
        let next = first as usize + 2 + usize::from(count) * 12;
        bytes[next..next + 4].copy_from_slice(&first.to_ne_bytes());
        assert_eq!(pages_of(&bytes), 1);
    }

    #[test]
    fn every_truncated_file_is_complete_or_refused() {
        let mut file = std::io::Cursor::new(Vec::new());
        TiffEncoder::new(&mut file)
            .unwrap()
            .write_image::<colortype::RGB8>(20, 20, &pattern(20, 20, 3))
            .unwrap();
        let whole = file.into_inner();
        for end in (8..whole.len()).step_by(7) {
            match try_convert(&whole[..end], ImageToPdfOptions::default(), &Job::default()) {
                Ok(_) | Err(EngineError::Damaged(_)) => {}
                Err(other) => panic!("cut at {end}: {other}"),
            }
        }
    }

    /// TIFF files that libtiff's tool `tiffcp` makes from one file, with different encodings.
    #[test]
    fn what_libtiff_writes_keeps_its_pixels() {
        if !present("tiffcp", "libtiff-tools") || !has_pdfimages() {
            return;
        }
        let (width, height) = (200_u32, 100_u32);
        let bench = Bench::new("libtiff");
        let mut rgb = std::io::Cursor::new(Vec::new());
        TiffEncoder::new(&mut rgb)
            .unwrap()
            .write_image::<colortype::RGB8>(width, height, &pattern(width, height, 3))
            .unwrap();
        bench.file("rgb.tif", rgb.get_ref());
        let wanted = (width, height, pattern(width, height, 3));
        let forms: [&[&str]; 9] = [
            &["-c", "none", "-B"],
            &["-c", "lzw:2", "-r", "7"],
            &["-c", "zip:2", "-t", "-w", "32", "-l", "48"],
            &["-c", "packbits", "-p", "separate"],
            &["-c", "lzw:2", "-p", "separate", "-t", "-w", "64", "-l", "16"],
            &["-8", "-c", "zip"],
            &["-8", "-B", "-t"],
            &["-f", "lsb2msb", "-c", "lzw"],
            &["-L", "-c", "none", "-r", "1"],
        ];
        for form in forms {
            bench.output("tiffcp", &[form, &["rgb.tif", "out.tif"][..]].concat());
            assert_same(&extracted(&convert(&bench.read("out.tif"))), &wanted, 0, &format!("{form:?}"));
        }
    }

    #[test]
    fn fax_pages_are_passed_through_or_joined_and_keep_their_pixels() {
        if !present("tiffcp", "libtiff-tools") || !has_pdfimages() {
            return;
        }
        let (width, height) = (211, 97);
        let bench = Bench::new("fax");
        // The crate tiff cannot write bilevel files: `bilevel` writes the file.
        let stride = (width as usize).div_ceil(8);
        let rows: Vec<u8> = pattern(stride as u32, height, 1)
            .iter()
            .map(|byte| if byte & 4 == 0 { 0 } else { 0xff })
            .collect();
        let expected: Vec<u8> = (0..height as usize)
            .flat_map(|y| (0..width as usize).map(move |x| (x, y)))
            .flat_map(|(x, y)| [if rows[y * stride + x / 8] >> (7 - x % 8) & 1 == 0 { 255 } else { 0 }; 3])
            .collect();
        bench.file("plain.tif", &bilevel(width, height, &rows));
        let forms: [&[&str]; 9] = [
            &["-c", "none"],
            &["-c", "g4"],
            &["-c", "g4", "-r", "10"],
            &["-c", "g3:1d"],
            &["-c", "g3:1d:fill", "-r", "1000"],
            &["-c", "g3:2d", "-r", "1000"],
            &["-c", "g3:2d:fill", "-r", "13"],
            &["-c", "g4", "-f", "lsb2msb", "-r", "1000"],
            &["-c", "lzw", "-t", "-w", "32", "-l", "32"],
        ];
        for form in forms {
            bench.output("tiffcp", &[form, &["plain.tif", "out.tif"][..]].concat());
            let pdf = convert(&bench.read("out.tif"));
            assert_same(&extracted(&pdf), &(width, height, expected.clone()), 0, &format!("{form:?}"));
        }
    }

    /// A bilevel TIFF file with one uncompressed strip. In `rows`, a bit 0 is a white pixel.
    fn bilevel(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
        let entries: [(u16, u32); 9] = [
            (256, width),
            (257, height),
            (258, 1),
            (259, 1),
            (262, 0),
            (273, 8 + 2 + 9 * 12 + 4),
            (277, 1),
            (278, height),
            (279, rows.len() as u32),
        ];
        let mut file = b"II*\0\x08\0\0\0".to_vec();
        file.extend((entries.len() as u16).to_le_bytes());
        for (tag, value) in entries {
            file.extend(tag.to_le_bytes());
            file.extend(4_u16.to_le_bytes());
            file.extend(1_u32.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        file.extend([0; 4]);
        file.extend(rows);
        file
    }
}
