//! `pdf-to-jpeg`, `pdf-to-png`, `pdf-to-tiff` and `pdf-to-tiff-fax`: the size, colours and format of the results. The
//! results are checked with poppler and libtiff.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;
mod oracles;

use documents::document;
use oracles::{Bench, present};
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, OutputFile, run};
use recto_interface::Options;
use recto_interface::options::{
    ColorSpace, PdfToJpegOptions, PdfToPngOptions, PdfToTiffFaxOptions, PdfToTiffOptions, PixelSize,
    PngColorSpace,
};
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SQUARE: &str = "/MediaBox[0 0 72 72]";

fn convert_with(options: impl Into<Options>, bytes: &[u8], job: &Job) -> Result<OutputFile, EngineError> {
    match run(&options.into(), Input { bytes, name: "sample.pdf" }, job)? {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a file was expected"),
    }
}

fn convert(options: impl Into<Options>, bytes: &[u8]) -> OutputFile {
    convert_with(options, bytes, &Job::default()).unwrap()
}

/// Decodes a PNG file to its width, height, colour type and samples.
fn decoded(png: &[u8]) -> (u32, u32, png::ColorType, Vec<u8>) {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
    let mut rows = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rows).unwrap();
    (info.width, info.height, info.color_type, rows)
}

fn png_of(attributes: &str, content: &str) -> (u32, u32, png::ColorType, Vec<u8>) {
    decoded(&convert(PdfToPngOptions::default(), &document(&[(attributes, content)])).bytes)
}

/// The files of a ZIP archive: name and content of each file.
fn files(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let name = file.name().unwrap().into_owned();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

#[test]
fn one_page_gives_an_image_and_several_an_archive_of_images() {
    let one = document(&[(SQUARE, "")]);
    let three = document(&[(SQUARE, ""), (SQUARE, ""), (SQUARE, "")]);
    let single = convert(PdfToJpegOptions::default(), &one);
    assert_eq!((single.extension, &single.bytes[..3]), ("jpg", &[0xff, 0xd8, 0xff][..]));
    assert_eq!(convert(PdfToPngOptions::default(), &one).extension, "png");
    let several = convert(PdfToJpegOptions::default(), &three);
    assert_eq!(several.extension, "zip");
    let names: Vec<String> = files(&several.bytes).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["sample-001.jpg", "sample-002.jpg", "sample-003.jpg"]);
    let tiff = convert(PdfToTiffOptions {}, &one);
    assert_eq!((tiff.extension, files(&tiff.bytes)[0].0.as_str()), ("zip", "sample-001.tif"));
}

#[test]
fn pages_come_in_order_however_long_each_takes() {
    let slow = "0 0 m ".repeat(20_000);
    let pages: Vec<(String, String)> = (0..24)
        .map(|index| {
            let work = if index % 3 == 0 { slow.as_str() } else { "" };
            (format!("/MediaBox[0 0 {} 10]", 48 + index * 24), work.to_owned())
        })
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(a, c)| (a.as_str(), c.as_str())).collect();
    let done = Arc::new(AtomicUsize::new(0));
    let seen = done.clone();
    let job = Job::default().on_progress(move |progress| {
        assert_eq!(progress.total, 24);
        assert_eq!(progress.done, seen.fetch_add(1, Ordering::Relaxed) + 1);
    });
    let archive = convert_with(PdfToPngOptions::default(), &document(&pages), &job).unwrap();
    let widths: Vec<u32> = files(&archive.bytes).iter().map(|(_, png)| decoded(png).0).collect();
    assert_eq!(widths, (0..24).map(|index| 100 + index * 50).collect::<Vec<_>>());
    assert_eq!(done.load(Ordering::Relaxed), 24);
}

#[test]
fn boxes_rotation_and_user_unit_are_respected() {
    let size = |attributes: &str| {
        let (width, height, ..) = png_of(attributes, "");
        (width, height)
    };
    assert_eq!(size("/MediaBox[0 0 144 72]"), (300, 150));
    assert_eq!(size("/MediaBox[100 100 244 172]"), (300, 150));
    assert_eq!(size("/MediaBox[144 72 0 0]"), (300, 150));
    assert_eq!(size("/MediaBox[0 0 600 600]/CropBox[0 0 144 72]"), (300, 150));
    assert_eq!(size("/MediaBox[0 0 144 72]/CropBox[-50 -50 900 900]"), (300, 150));
    assert_eq!(size("/MediaBox[0 0 144 72]/Rotate 90"), (150, 300));
    assert_eq!(size("/MediaBox[0 0 144 72]/Rotate -180"), (300, 150));
    assert_eq!(size("/MediaBox[0 0 72 36]/UserUnit 2"), (300, 150));
    assert_eq!(size("/MediaBox[0 0 0 0]"), size(""));
}

#[test]
fn a_rotated_page_has_its_upper_left_corner_in_the_right_place() {
    let corner = "1 0 0 rg 0 36 36 36 re f";
    for (rotation, (x, y)) in [(0, (10, 10)), (90, (140, 10)), (180, (140, 140)), (270, (10, 140))] {
        let (width, _, _, rgb) = png_of(&format!("{SQUARE}/Rotate {rotation}"), corner);
        let at = (y * width + x) as usize * 3;
        assert_eq!(rgb[at..at + 3], [255, 0, 0], "rotated by {rotation}");
    }
}

#[test]
fn a_cap_lowers_the_resolution_and_keeps_the_aspect() {
    let bytes = document(&[("/MediaBox[0 0 720 360]", "")]);
    let size = |width, height| {
        let max_size_in_pixels = Some(PixelSize { width, height });
        let options = PdfToPngOptions { max_size_in_pixels, ..Default::default() };
        let (width, height, ..) = decoded(&convert(options, &bytes).bytes);
        (width, height)
    };
    assert_eq!(size(300, 300), (300, 150));
    assert_eq!(size(9000, 75), (150, 75));
    assert_eq!(size(9000, 9000), (1500, 750));
    assert_eq!(size(1, 1), (1, 1));
}

#[test]
fn png_has_the_requested_colour_space_and_alpha() {
    let bytes = document(&[(SQUARE, "0 1 0 rg 0 0 72 36 re f")]);
    let png = |color_space, transparent_background| {
        let options = PdfToPngOptions { color_space, transparent_background, ..Default::default() };
        decoded(&convert(options, &bytes).bytes)
    };
    let (width, height, color, samples) = png(None, None);
    let last = samples.len() - 3;
    assert_eq!((width, height, color), (150, 150, png::ColorType::Rgb));
    assert_eq!((&samples[..3], &samples[last..]), (&[255; 3][..], &[0, 255, 0][..]));
    let (_, _, color, samples) = png(Some(PngColorSpace::Gray), None);
    assert_eq!((color, samples[0], samples[samples.len() - 1]), (png::ColorType::Grayscale, 255, 220));
    let (_, _, color, samples) = png(None, Some(true));
    assert_eq!(
        (color, samples[3], &samples[samples.len() - 4..]),
        (png::ColorType::Rgba, 0, &[0, 255, 0, 255][..])
    );
    let (_, _, color, samples) = png(Some(PngColorSpace::Gray), Some(true));
    assert_eq!(
        (color, samples[1], &samples[samples.len() - 2..]),
        (png::ColorType::GrayscaleAlpha, 0, &[220, 255][..])
    );
}

#[test]
fn half_transparent_paint_keeps_its_colour() {
    let content = "/G gs 1 0 0 rg 0 0 72 72 re f";
    let state = "/MediaBox[0 0 72 72]/Resources<</ExtGState<</G<</ca .5>>>>>>";
    let plain = document(&[(state, content)]);
    // The page now has two entries `Resources`, and readers may use either: remove the first one.
    let text = String::from_utf8(plain).unwrap().replace("/Resources<</Font<</F 3 0 R>>>>", &" ".repeat(31));
    let options = PdfToPngOptions { transparent_background: Some(true), ..Default::default() };
    let (.., samples) = decoded(&convert(options, text.as_bytes()).bytes);
    let middle = samples.len() / 2 / 4 * 4;
    assert_eq!(samples[middle..middle + 3], [255, 0, 0]);
    assert!(samples[middle + 3].abs_diff(128) <= 1);
}

#[test]
fn jpegs_have_the_requested_components_and_shrink_with_quality() {
    let content = "BT /F 9 Tf 1 0 0 rg 5 40 Td (Many small letters) Tj ET 0 0 1 rg 10 10 20 20 re f";
    let bytes = document(&[(SQUARE, content)]);
    let jpeg = |color_space, jpeg_quality| {
        convert(PdfToJpegOptions { color_space, jpeg_quality, max_size_in_pixels: None }, &bytes).bytes
    };
    for (color, components) in [(None, 3), (Some(ColorSpace::Gray), 1), (Some(ColorSpace::Cmyk), 4)] {
        let file = jpeg(color, None);
        let mut decoder = zune_jpeg::JpegDecoder::new(zune_jpeg::zune_core::bytestream::ZCursor::new(&file));
        decoder.decode_headers().unwrap();
        let info = decoder.info().unwrap();
        assert_eq!((info.components, info.width, info.height), (components, 150, 150), "{color:?}");
    }
    let sizes: Vec<usize> = [0, 10, 50, 85, 100].map(|quality| jpeg(None, Some(quality)).len()).to_vec();
    assert!(sizes.is_sorted() && sizes[0] < sizes[4], "{sizes:?}");
    assert_eq!(jpeg(None, None).len(), jpeg(Some(ColorSpace::Rgb), Some(85)).len());
}

/// The description of a TIFF file by libtiff, which must read the file without a warning. `None` if `tiffinfo` is not
/// installed.
fn tiffinfo(tiff: &[u8]) -> Option<String> {
    present("tiffinfo", "libtiff-tools").then(|| {
        let bench = Bench::new("tiffinfo");
        bench.file("it.tif", tiff);
        let said = bench.output("tiffinfo", &["-D", "it.tif"]);
        assert!(!said.to_lowercase().contains("warning") && !said.contains("rror"), "{said}");
        said
    })
}

/// The first page of a TIFF file, decoded by libtiff: width, height and RGBA samples.
fn tiff_pixels(tiff: &[u8]) -> (usize, usize, Vec<u8>) {
    let pdf = Bench::new("tiffpixels");
    pdf.file("it.tif", tiff);
    pdf.output("tiff2rgba", &["-c", "none", "it.tif", "rgba.tif"]);
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(pdf.read("rgba.tif"))).unwrap();
    let (width, height) = decoder.dimensions().unwrap();
    match decoder.read_image().unwrap() {
        tiff::decoder::DecodingResult::U8(bytes) => (width as usize, height as usize, bytes),
        _ => panic!("expected 8 bits"),
    }
}

#[test]
fn each_tiff_is_in_its_pages_own_colours() {
    let scan = "q 72 0 0 72 0 0 cm BI /W 300 /H 300 /BPC 1 /CS /G /F /AHx ID ";
    let rows: String = (0..300).map(|y| if y < 150 { "00".repeat(38) } else { "ff".repeat(38) }).collect();
    let scan = format!("{scan}{rows}> EI Q");
    let text = "BT /F 20 Tf 5 30 Td (Text) Tj ET";
    let pages = [
        (SQUARE, scan.as_str()),
        (SQUARE, text),
        (SQUARE, "1 0 0 rg 0 0 36 36 re f"),
        (SQUARE, "0 1 1 0 k 0 0 36 36 re f"),
    ];
    let archive = convert(PdfToTiffOptions {}, &document(&pages));
    let wanted = [
        ["Bits/Sample: 1", "CCITT Group 4", "min-is-white", "Image Width: 300"],
        ["Bits/Sample: 8", "AdobeDeflate", "min-is-black", "Image Width: 150"],
        ["Samples/Pixel: 3", "AdobeDeflate", "RGB color", "Resolution: 150, 150"],
        ["Samples/Pixel: 4", "AdobeDeflate", "separated", "Image Width: 150"],
    ];
    for ((name, tiff), words) in files(&archive.bytes).iter().zip(wanted) {
        if let Some(said) = tiffinfo(tiff) {
            for word in words {
                assert!(said.contains(word), "{name} lacks {word:?}: {said}");
            }
            let (width, height, rgba) = tiff_pixels(tiff);
            // The lower left corner is painted on every page except the page with text.
            let corner = &rgba[((height - 3) * width + 2) * 4..][..3];
            match name.as_str() {
                "sample-001.tif" => assert_eq!((corner, &rgba[..3]), (&[255; 3][..], &[0; 3][..])),
                "sample-003.tif" => assert_eq!(corner, [255, 0, 0]),
                "sample-004.tif" => assert!(corner[0] > 180 && corner[1] < 80, "{corner:?}"),
                _ => assert_eq!(corner, [255; 3]),
            }
        }
    }
}

#[test]
fn a_fax_is_one_file_of_1728_columns_that_libtiff_reads_without_warning() {
    let text = "BT /F 24 Tf 72 700 Td (Facsimile) Tj ET .5 g 72 300 200 200 re f";
    let bytes = document(&[
        ("/MediaBox[0 0 595 842]", text),
        ("/MediaBox[0 0 2000 1000]", text),
        (SQUARE, "0 0 72 72 re f"),
    ]);
    let fax = convert(PdfToTiffFaxOptions {}, &bytes);
    assert_eq!(fax.extension, "tif");
    let Some(said) = tiffinfo(&fax.bytes) else { return };
    for word in [
        "CCITT Group 3",
        "Page Number: 0-3",
        "Page Number: 2-3",
        "FillOrder: lsb-to-msb",
        "Resolution: 204, 196 pixels/inch",
    ] {
        assert!(said.contains(word), "no {word:?}: {said}");
    }
    assert_eq!(said.matches("Image Width: 1728").count(), 3);
    assert!(said.contains("Image Length: 2292") && said.contains("Image Length: 196"), "{said}");
    // libtiff decodes all rows of the last page. In each row, the 204 columns in the middle (72 points) are black.
    let bench = Bench::new("fax");
    bench.file("it.tif", &fax.bytes);
    bench.output("tiffcp", &["-c", "none", "it.tif,2", "last.tif"]);
    let (width, height, rgba) = tiff_pixels(&bench.read("last.tif"));
    assert_eq!((width, height), (1728, 196));
    for row in rgba.chunks(width * 4) {
        let black: Vec<bool> = row.chunks(4).map(|pixel| pixel[0] == 0).collect();
        assert!(black.iter().enumerate().all(|(x, black)| *black == (762..966).contains(&x)));
    }
}

#[test]
fn a_fax_decodes_to_the_encoded_pixels() {
    let shades = "0 0 m .2 g 0 0 200 200 re f .7 g 200 0 200 200 re f BT /F 30 Tf 0 g 20 300 Td (Dots) Tj ET";
    let fax = convert(PdfToTiffFaxOptions {}, &document(&[("/MediaBox[0 0 400 400]", shades)]));
    if !present("tiffcp", "libtiff-tools") || !present("pdfimages", "poppler-utils") {
        return;
    }
    // Decode the fax in two ways: with poppler after `image-to-pdf`, and with libtiff (`raw.tif`).
    let bench = Bench::new("dots");
    bench.file("it.tif", &fax.bytes);
    bench.output("tiffcp", &["-c", "none", "it.tif", "raw.tif"]);
    let image_to_pdf = recto_interface::options::ImageToPdfOptions::default();
    for name in ["it.tif", "raw.tif"] {
        let pdf = convert(image_to_pdf.clone(), &bench.read(name));
        bench.file("it.pdf", &pdf.bytes);
        bench.output("pdfimages", &["-png", "it.pdf", name]);
    }
    assert_eq!(decoded(&bench.read("it.tif-000.png")).3, decoded(&bench.read("raw.tif-000.png")).3);
}

#[test]
fn pages_look_as_poppler_shows_them() {
    if !present("pdftoppm", "poppler-utils") {
        return;
    }
    let content =
        "BT /F 24 Tf 20 150 Td (Recto) Tj ET 1 0 0 rg 20 20 60 60 re f 0 0 1 RG 4 w 100 20 m 180 80 l S";
    let bytes = document(&[("/MediaBox[0 0 200 200]", content)]);
    let (width, height, _, ours) = decoded(&convert(PdfToPngOptions::default(), &bytes).bytes);
    let bench = Bench::new("poppler");
    bench.file("it.pdf", &bytes);
    bench.output("pdftoppm", &["-r", "150", "-png", "-singlefile", "it.pdf", "page"]);
    let (their_width, their_height, _, theirs) = decoded(&bench.read("page.png"));
    assert!(width.abs_diff(their_width) <= 1 && height.abs_diff(their_height) <= 1);
    // Poppler uses another font and another anti-aliasing: only the mean colours of tiles of 16 x 16 pixels must agree.
    let tile = |rgb: &[u8], width: u32, x: u32, y: u32| {
        let sum = |c: u32| {
            (0..256)
                .map(|i| u32::from(rgb[(((y + i / 16) * width + x + i % 16) * 3 + c) as usize]))
                .sum::<u32>()
        };
        [sum(0) / 256, sum(1) / 256, sum(2) / 256]
    };
    for y in (0..height - 20).step_by(16) {
        for x in (0..width - 20).step_by(16) {
            let (a, b) = (tile(&ours, width, x, y), tile(&theirs, their_width, x, y));
            assert!(a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 40), "tile at {x},{y}: {a:?} and {b:?}");
        }
    }
}

#[test]
fn annotations_and_fields_without_an_appearance_are_drawn() {
    let annotation = |entries: &str, form: &str| {
        let objects = [
            &format!("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DA(/Helv 0 Tf 0 g){form}>>>>"),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Annots[4 0 R 99 0 R]>>",
            &format!("<</Type/Annot/Rect[10 20 60 50]{entries}>>"),
            "<</Type/XObject/Subtype/Form/BBox[0 0 50 30]/Length 26>>stream\n0 1 0 rg 0 0 50 30 re f    \nendstream",
        ];
        let bytes = documents::file(&objects.map(|object| object.as_bytes().to_vec()), "");
        let (width, _, _, rgb) = decoded(&convert(PdfToPngOptions::default(), &bytes).bytes);
        move |x: u32, y: u32| {
            let at = (((72 - y) * 150 / 72 * width + x * 150 / 72) * 3) as usize;
            [rgb[at], rgb[at + 1], rgb[at + 2]]
        }
    };
    const WHITE: [u8; 3] = [255; 3];
    let quad = "/QuadPoints[10 50 60 50 10 20 60 20]/C[1 1 0]";
    assert_eq!(annotation(&format!("/Subtype/Highlight{quad}"), "")(30, 35), [255, 255, 0]);
    assert_eq!(annotation(&format!("/Subtype/Highlight{quad}/F 2"), "")(30, 35), WHITE);
    let square = annotation("/Subtype/Square/C[1 0 0]/IC[0 1 0]/BS<</W 4>>", "");
    assert_eq!((square(30, 35), square(11, 35), square(5, 35)), ([0, 255, 0], [255, 0, 0], WHITE));
    let circle = annotation("/Subtype/Circle/C[0 0 1]/IC[0 1 0]/RD[0 0 0 0]", "");
    assert_eq!((circle(35, 35), circle(12, 48)), ([0, 255, 0], WHITE));
    assert_eq!(annotation("/Subtype/Line/L[10 35 60 35]/C[1 0 0]/BS<</W 6>>", "")(30, 35), [255, 0, 0]);
    assert_eq!(
        annotation("/Subtype/Ink/InkList[[10 35 60 35]]/C[1 0 0]/BS<</W 6>>", "")(30, 35),
        [255, 0, 0]
    );
    let field = "/Subtype/Widget/FT/Tx/T(t)/V(MMMMMM)/DA(/Helv 30 Tf 0 0 1 rg)/MK<</BG[.5]>>";
    let field = annotation(field, "");
    let inked =
        (20..50).flat_map(|y| (10..60).map(move |x| (x, y))).filter(|(x, y)| field(*x, *y)[0] < 60).count();
    assert!((100..900).contains(&inked), "{inked}");
    assert_eq!((field(58, 22)[1], field(5, 35)), (128, WHITE));
    // The appearance in the document is used, unless `NeedAppearances` marks it as outdated.
    let outdated = "/Subtype/Widget/FT/Tx/T(t)/V()/AP<</N 5 0 R>>/MK<</BG[1 0 0]>>";
    assert_eq!(annotation(outdated, "")(30, 35), [0, 255, 0]);
    assert_eq!(annotation(outdated, "/NeedAppearances true")(30, 35), [255, 0, 0]);
    // Invalid annotations are ignored.
    for nonsense in [
        "/Subtype/Ink/InkList[1 2]/C[1 0 0]",
        "/Subtype/Widget/FT/Tx/Parent 4 0 R",
        "/Subtype/Line/L[1]/C[1 0 0]",
    ] {
        assert_eq!(annotation(nonsense, "")(30, 35), WHITE, "{nonsense}");
    }
}

#[test]
fn documents_that_cannot_be_rendered_fail_with_a_clear_error() {
    let error = convert_with(PdfToTiffFaxOptions {}, b"no PDF", &Job::default())
        .map(|file| file.bytes.len())
        .unwrap_err();
    assert!(matches!(error, EngineError::WrongFormat { .. }), "{error}");
    let small = Job::new(Limits { pages: 2, ..Limits::default() }, Cancel::default());
    let error = convert_with(PdfToTiffOptions {}, &document(&[(SQUARE, ""); 3]), &small)
        .map(|file| file.bytes.len())
        .unwrap_err();
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
}

#[test]
fn a_decompression_bomb_is_refused_before_it_is_rendered() {
    use std::io::Write;
    let mut bomb = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    bomb.write_all(&vec![b' '; 50_000_000]).unwrap();
    let bomb = bomb.finish().unwrap();
    let mut file = lopdf::Document::load_mem(&document(&[(SQUARE, "")])).unwrap();
    let mut stream = lopdf::Stream::new(lopdf::Dictionary::new(), bomb);
    stream.dict.set("Filter", "FlateDecode");
    file.objects.insert((5, 0), stream.into());
    let mut bytes = Vec::new();
    file.save_to(&mut bytes).unwrap();
    let job = Job::new(Limits { decoded_bytes: 10_000_000, ..Limits::default() }, Cancel::default());
    let error =
        convert_with(PdfToPngOptions::default(), &bytes, &job).map(|file| file.bytes.len()).unwrap_err();
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
}

#[test]
fn a_cancel_takes_effect_within_a_long_page() {
    let endless = "0 0 m 72 72 l S 0 72 m 72 0 l S ".repeat(100_000);
    let bytes = document(&[(SQUARE, endless.as_str()); 8]);
    let cancel = Cancel::default();
    let trigger = cancel.clone();
    let asked = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        trigger.trigger();
        Instant::now()
    });
    let job = Job::new(Limits::default(), cancel);
    let error =
        convert_with(PdfToPngOptions::default(), &bytes, &job).map(|file| file.bytes.len()).unwrap_err();
    let late = asked.join().unwrap().elapsed();
    assert!(matches!(error, EngineError::Cancelled), "{error}");
    assert!(late < Duration::from_secs(2), "{late:?}");
}
