//! Unusual, damaged or malicious documents: each operation soon returns the right result or a clear error.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod documents;
mod oracles;

use documents::{document, file, stream};
use oracles::check_structure;
use recto_engine::{Cancel, EngineError, Input, Job, Limits, Output, OutputFile, run};
use recto_interface::Options;
use recto_interface::options::{
    DecryptOptions, EncryptOptions, PdfToJpegOptions, PdfToPngOptions, PdfToTiffFaxOptions, PdfToTiffOptions,
    PixelSize, StampBarcodeOptions, StampDataMatrixOptions, StampQrOptions, StampTextOptions,
    StampWatermarkOptions,
};
use std::io::{Cursor, Read, Write};
use std::time::{Duration, Instant};

fn renderings() -> Vec<Options> {
    vec![
        PdfToPngOptions::default().into(),
        PdfToJpegOptions::default().into(),
        PdfToTiffOptions {}.into(),
        PdfToTiffFaxOptions {}.into(),
    ]
}

fn changes() -> Vec<Options> {
    let value = || "Recto".to_owned();
    vec![
        EncryptOptions { password: Some("p".into()) }.into(),
        DecryptOptions::default().into(),
        StampTextOptions { text: value(), ..Default::default() }.into(),
        StampWatermarkOptions { text: value(), ..Default::default() }.into(),
        StampBarcodeOptions { barcode_type: "code128".to_owned(), value: value(), ..Default::default() }
            .into(),
        StampDataMatrixOptions { value: value(), ..Default::default() }.into(),
        StampQrOptions { value: value(), ..Default::default() }.into(),
    ]
}

/// The operations that render or rewrite a PDF.
fn operations() -> Vec<Options> {
    [renderings(), changes()].concat()
}

fn try_with(options: &Options, bytes: &[u8], job: &Job) -> Result<OutputFile, EngineError> {
    match run(options, Input { bytes, name: "it.pdf" }, job)? {
        Output::File(file) => Ok(file),
        Output::Report(_) => panic!("a file was expected"),
    }
}

fn made(options: &Options, bytes: &[u8]) -> OutputFile {
    let made = try_with(options, bytes, &Job::default());
    made.unwrap_or_else(|error| panic!("{}: {error}", options.kind()))
}

/// The error of an operation that must fail within 20 s.
fn failure(options: &Options, bytes: &[u8], job: &Job) -> EngineError {
    let began = Instant::now();
    let error = try_with(options, bytes, job).map(|file| file.bytes.len()).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(20), "{}: {:?}", options.kind(), began.elapsed());
    error
}

fn limited(limits: Limits) -> Job {
    Job::new(limits, Cancel::default())
}

/// The pages of a document, as RGB images: width, height and samples.
fn images(options: PdfToPngOptions, bytes: &[u8]) -> Vec<(u32, u32, Vec<u8>)> {
    let made = made(&options.into(), bytes);
    let png = |png: &[u8]| {
        let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
        let mut rows = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rows).unwrap();
        (info.width, info.height, rows)
    };
    if made.extension == "png" {
        return vec![png(&made.bytes)];
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(made.bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut bytes = Vec::new();
            archive.by_index(index).unwrap().read_to_end(&mut bytes).unwrap();
            png(&bytes)
        })
        .collect()
}

fn image(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    images(PdfToPngOptions::default(), bytes).remove(0)
}

/// The colour at the centre of an image.
fn middle((width, height, rgb): &(u32, u32, Vec<u8>)) -> [u8; 3] {
    let at = ((height / 2 * width + width / 2) * 3) as usize;
    [rgb[at], rgb[at + 1], rgb[at + 2]]
}

const RED: [u8; 3] = [255, 0, 0];
const SQUARE: &str = "/MediaBox[0 0 72 72]";
const RED_GROUND: &str = "1 0 0 rg -999 -999 9999 9999 re f";

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

mod pages {
    use super::*;

    #[test]
    fn a_page_without_a_valid_box_has_letter_size() {
        for attributes in
            ["", "/MediaBox[0 0 0 0]", "/MediaBox[5 5 5 90]", "/MediaBox[1 2]", "/MediaBox null"]
        {
            let bytes = document(&[(attributes, RED_GROUND)]);
            let image = image(&bytes);
            assert_eq!((image.0, image.1), (1275, 1650), "{attributes}");
            assert_eq!((middle(&image), &image.2[image.2.len() - 3..]), (RED, &RED[..]), "{attributes}");
            for options in operations() {
                let made = made(&options, &bytes);
                assert_eq!(
                    made.notes.iter().filter(|note| note.contains("visible")).count(),
                    0,
                    "{attributes}"
                );
            }
        }
        let crop = document(&[("/MediaBox[0 0 72 72]/CropBox[500 500 500 500]", RED_GROUND)]);
        assert_eq!(image(&crop).0, 150);
    }

    #[test]
    fn a_page_too_large_for_its_resolution_gets_a_lower_one_and_a_note() {
        let bytes = document(&[(SQUARE, ""), ("/MediaBox[0 0 20000 20000]", RED_GROUND)]);
        let job = limited(Limits { pixels: 4_000_000, ..Limits::default() });
        for options in renderings() {
            let file = try_with(&options, &bytes, &job).unwrap();
            let fax = options.kind().name() == "pdf-to-tiff-fax";
            // A fax of the square page has 1728 columns, which is within the limit.
            assert_eq!(file.notes.len(), usize::from(!fax), "{}: {:?}", options.kind(), file.notes);
            assert!(fax || file.notes[0].starts_with("page 2"), "{:?}", file.notes);
        }
        let cap = Some(PixelSize { width: 100, height: 100 });
        let capped = PdfToPngOptions { max_size_in_pixels: cap, ..Default::default() };
        assert_eq!(images(capped, &bytes)[1].0, 100);
        for options in changes() {
            let changed = made(&options, &bytes);
            assert_eq!(changed.extension, "pdf");
        }
        let tall = document(&[("/MediaBox[0 0 100 40000]", "")]);
        assert_eq!(made(&PdfToTiffFaxOptions {}.into(), &tall).notes.len(), 1);
    }

    #[test]
    fn boxes_with_extreme_numbers_do_not_hang() {
        for attributes in [
            "/MediaBox[0 0 1e38 1e38]",
            "/MediaBox[-1e38 -1e38 1e38 1e38]",
            "/MediaBox[0 0 99999999999999999999 1]",
            "/MediaBox[0 0 0.0001 0.0001]",
            "/MediaBox[0 0 72 72]/UserUnit 1e30",
            "/MediaBox[0 0 72 72]/UserUnit -1",
            "/MediaBox[0 0 72 72]/UserUnit 0",
            "/MediaBox[0 0 72 72]/Rotate 45",
            "/MediaBox[0 0 72 72]/Rotate 99999999999",
            "/MediaBox[0 0 72 72]/Rotate/No",
            "/MediaBox[(a)(b)(c)(d)]",
        ] {
            let bytes = document(&[(attributes, RED_GROUND)]);
            let job = limited(Limits { pixels: 1_000_000, ..Limits::default() });
            for options in operations() {
                match try_with(&options, &bytes, &job) {
                    Ok(_) | Err(EngineError::Limit { .. } | EngineError::Damaged(_)) => {}
                    Err(error) => panic!("{attributes} {}: {error}", options.kind()),
                }
            }
        }
    }

    #[test]
    fn ten_thousand_pages_are_processed() {
        let page = ("/MediaBox[0 0 4 4]", "");
        let mut pages = vec![page; 9_999];
        pages.push(("/MediaBox[0 0 8 8]", RED_GROUND));
        let bytes = document(&pages);
        let images = images(PdfToPngOptions::default(), &bytes);
        assert_eq!((images.len(), images[0].0, images[9_999].0), (10_000, 8, 17));
        assert_eq!(middle(&images[9_999]), RED);
        for options in changes() {
            let changed = made(&options, &bytes);
            assert!(changed.bytes.len() > 100_000, "{}", options.kind());
        }
    }

    #[test]
    fn cyclic_and_deep_page_trees_have_their_pages() {
        let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R>>";
        let content = stream("", RED_GROUND.as_bytes());
        let tree = |kids: &str, page: &str| {
            let tree = format!("<</Type/Pages/Kids[{kids}]/Count 9>>").into_bytes();
            let more = b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R 5 0 R 99 0 R]/Count 3>>".to_vec();
            let catalog = b"<</Type/Catalog/Pages 2 0 R>>".to_vec();
            file(&[catalog, tree, page.as_bytes().to_vec(), content.clone(), more], "")
        };
        for bytes in [
            tree("2 0 R 3 0 R", page),
            tree("5 0 R 3 0 R 5 0 R", page),
            tree("null 7 (no) 3 0 R 4 0 R", page),
            tree("3 0 R", "<</Type/Page/Parent 3 0 R/Contents 4 0 R>>"),
        ] {
            let text = String::from_utf8_lossy(&bytes);
            assert_eq!(middle(&image(&bytes)), RED, "{text}");
            for options in operations() {
                made(&options, &bytes);
            }
        }
        // The tree leads to no page, but the file has one.
        let nowhere = tree("2 0 R 5 0 R", page);
        let mut deep = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec()];
        deep.extend((3..5_000).map(|kid| format!("<</Type/Pages/Kids[{kid} 0 R]/Count 1>>").into_bytes()));
        deep.push(b"<</Type/Page/MediaBox[0 0 72 72]>>".to_vec());
        for bytes in [nowhere, file(&deep, "")] {
            for options in operations() {
                made(&options, &bytes);
            }
        }
    }
}

mod damage {
    use super::*;

    fn whole() -> Vec<u8> {
        document(&[(SQUARE, RED_GROUND), (SQUARE, RED_GROUND)])
    }

    fn replaced(from: &str, to: &str) -> Vec<u8> {
        let text = String::from_utf8(whole()).unwrap();
        assert!(text.contains(from), "{from}");
        text.replace(from, to).into_bytes()
    }

    #[test]
    fn damage_that_other_readers_repair_is_repaired_for_every_operation() {
        let text = String::from_utf8(whole()).unwrap();
        let table = text.find("xref\n").unwrap();
        let trailer = text.find("trailer").unwrap();
        for (what, bytes) in [
            ("junk before the header", [&b"\n\njunk\n"[..], &whole()].concat()),
            ("junk after the end", [&whole()[..], &[0; 3000]].concat()),
            ("startxref with an invalid offset", replaced("startxref\n", "startxref\n9")),
            ("no startxref", text.as_bytes()[..text.find("startxref").unwrap()].to_vec()),
            ("no table", [&text.as_bytes()[..table], &text.as_bytes()[trailer..]].concat()),
            ("wrong offsets", replaced("%PDF-1.7\n", "%PDF-1.7\n%and a line that shifts all offsets\n")),
            ("wrong stream lengths", replaced("/Length ", "/Length 9")),
            ("no stream lengths", replaced("/Length ", "/Lengths ")),
            ("lengths that refer to missing objects", replaced("/Length 33", "/Length 99 0 R")),
            ("no types", replaced("/Type/Page/", "/")),
            ("missing ends of objects", replaced("\nendobj", "")),
            ("line ends of another kind", replaced("\n", "\r")),
            ("a wrong size", replaced("/Size 8", "/Size 3")),
            ("a wrong count", replaced("/Count 2", "/Count -7")),
        ] {
            let images = images(PdfToPngOptions::default(), &bytes);
            assert_eq!((images.len(), middle(&images[0]), middle(&images[1])), (2, RED, RED), "{what}");
            for options in changes() {
                let changed = made(&options, &bytes);
                let decrypt = options.kind().name() == "decrypt";
                if !decrypt && options.kind().name() != "encrypt" {
                    check_structure(&changed.bytes, what);
                    assert_eq!(super::images(PdfToPngOptions::default(), &changed.bytes).len(), 2, "{what}");
                }
            }
        }
    }

    #[test]
    fn every_truncated_file_opens_or_is_refused() {
        let whole = whole();
        for end in (0..whole.len()).step_by(23) {
            for options in [PdfToPngOptions::default().into(), changes().remove(2)] {
                match try_with(&options, &whole[..end], &Job::default()) {
                    Ok(_) | Err(EngineError::Damaged(_) | EngineError::WrongFormat { .. }) => {}
                    Err(other) => panic!("cut at {end}: {other}"),
                }
            }
        }
    }

    #[test]
    fn bytes_changed_at_random_never_panic_the_caller() {
        let whole = whole();
        let mut state = 11_u64;
        let mut random = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let operations = operations();
        let job =
            || limited(Limits { pixels: 1_000_000, time: Duration::from_secs(10), ..Limits::default() });
        for _ in 0..150 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random(8) {
                let at = random(bytes.len());
                bytes[at] =
                    if random(3) == 0 { random(256) as u8 } else { b"0123456789<>[]()/ R"[random(19)] };
            }
            let options = &operations[random(operations.len())];
            if let Err(error @ EngineError::Internal(_)) = try_with(options, &bytes, &job()) {
                panic!("{}: {error}", options.kind());
            }
        }
    }

    /// qpdf writes the encryption dictionary as an indirect object. The standard also allows the dictionary directly in
    /// the trailer.
    #[test]
    fn an_encryption_dictionary_in_the_trailer_is_read() {
        if !oracles::present("qpdf", "qpdf") {
            return;
        }
        for (user, bits) in [("", "128"), ("", "256"), ("open", "128"), ("open", "256")] {
            let bench = oracles::Bench::new("direct");
            bench.file("plain.pdf", &whole());
            let line = ["--allow-weak-crypto", "--encrypt", user, "owner", bits, "--", "plain.pdf", "it.pdf"];
            bench.output("qpdf", &line);
            let sealed = inlined(&bench.read("it.pdf"));
            for password in ["owner", "open"].into_iter().filter(|word| *word == "owner" || !user.is_empty())
            {
                let options = DecryptOptions { password: Some(password.into()) }.into();
                assert_eq!(
                    images(PdfToPngOptions::default(), &made(&options, &sealed).bytes).len(),
                    2,
                    "{bits}"
                );
            }
            let wrong = DecryptOptions { password: Some("wrong".into()) }.into();
            assert!(matches!(failure(&wrong, &sealed, &Job::default()), EngineError::WrongPassword));
            let rendered = try_with(&PdfToPngOptions::default().into(), &sealed, &Job::default());
            match (user, rendered) {
                ("", Ok(file)) => assert_eq!(file.extension, "zip"),
                ("open", Err(EngineError::PasswordRequired)) => {}
                (_, other) => panic!("{bits}: {:?}", other.map(|file| file.bytes.len())),
            }
            if user.is_empty() {
                let stamped = made(&changes().remove(2), &sealed);
                bench.file("stamped.pdf", &stamped.bytes);
                bench.output("qpdf", &["--check", "stamped.pdf"]);
            }
        }
    }

    /// The file with the encryption dictionary in the trailer itself, in place of the reference to the dictionary.
    fn inlined(file: &[u8]) -> Vec<u8> {
        // Decode the file as Latin-1: each byte becomes one character.
        let text: String = file.iter().map(|byte| char::from(*byte)).collect();
        let (before, rest) = text.rsplit_once("/Encrypt ").unwrap();
        let (number, rest) = rest.split_once(" 0 R").unwrap();
        let start = text.find(&format!("\n{number} 0 obj\n")).unwrap() + number.len() + 8;
        let end = start + text[start..].find("endobj").unwrap();
        let inlined = format!("{before}/Encrypt {}{rest}", &text[start..end]);
        inlined.chars().map(|letter| letter as u8).collect()
    }
}

mod bombs {
    use super::*;

    const SMALL: Limits = Limits {
        input_bytes: 1 << 30,
        decoded_bytes: 20_000_000,
        output_bytes: 1 << 30,
        pages: 50_000,
        objects: 5_000_000,
        depth: 200,
        pixels: 10_000_000,
        time: Duration::from_secs(60),
    };

    /// A document of one page with this content stream.
    fn page_of(content: Vec<u8>) -> Vec<u8> {
        let objects = [
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R/Resources<</XObject<</I 4 0 R>>>>>>"
                .to_vec(),
            content,
        ];
        file(&objects, "")
    }

    #[test]
    fn decompression_bombs_in_streams_are_refused() {
        let spaces = vec![b' '; 50_000_000];
        let once = deflated(&spaces);
        let twice = deflated(&once);
        let run_lengths = [129, b' '].repeat(400_000);
        for (what, content) in [
            ("deflated", stream("/Filter/FlateDecode", &once)),
            ("twice", stream("/Filter[/FlateDecode/FlateDecode]", &twice)),
            ("runs", stream("/Filter/RunLengthDecode", &run_lengths)),
            (
                "image",
                stream(
                    "/Filter/FlateDecode/Type/XObject/Subtype/Image/Width 3000/Height 3000/BitsPerComponent 8\
                     /ColorSpace/DeviceRGB",
                    &once,
                ),
            ),
        ] {
            for options in operations() {
                let name = options.kind().name();
                // `encrypt` and `decrypt` do not decompress the content.
                if name == "encrypt" || name == "decrypt" {
                    made(&options, &page_of(content.clone()));
                    continue;
                }
                let refused = try_with(&options, &page_of(content.clone()), &limited(SMALL));
                assert!(matches!(refused, Err(EngineError::Limit { .. })), "{what} {name}: {refused:?}");
            }
        }
    }

    #[test]
    fn a_decompression_bomb_in_an_object_stream_is_refused() {
        let mut members = b"5 0 <</Type/Page>>".to_vec();
        members.resize(200_000_000, b' ');
        let bomb = stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &deflated(&members));
        let table = b"\x01\x00\x00\x00\x00".repeat(3);
        let catalog = b"<</Type/Catalog/Pages 2 0 R>>".to_vec();
        let tree = b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec();
        let page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 5 0 R>>".to_vec();
        let bytes = file(&[catalog, tree, page, bomb, table], "");
        // Add a cross-reference stream. Its entries place object 5 inside the object stream.
        let start = bytes.len();
        let entries: Vec<u8> =
            [(0, 0), (1, offset(&bytes, 1)), (1, offset(&bytes, 2)), (1, offset(&bytes, 3))]
                .into_iter()
                .chain([(1, offset(&bytes, 4)), (2, 4)])
                .flat_map(|(kind, at): (u8, usize)| [&[kind][..], &(at as u32).to_be_bytes(), &[0]].concat())
                .collect();
        let head =
            format!("9 0 obj\n<</Type/XRef/Size 6/W[1 4 1]/Root 1 0 R/Length {}>>stream\n", entries.len());
        let tail = format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n");
        let bytes = [&bytes[..], head.as_bytes(), &entries, tail.as_bytes()].concat();
        for options in operations() {
            let began = Instant::now();
            let outcome = try_with(&options, &bytes, &limited(SMALL));
            assert!(began.elapsed() < Duration::from_secs(10));
            assert!(!matches!(outcome, Err(EngineError::Internal(_))), "{}", options.kind());
        }
    }

    fn offset(bytes: &[u8], number: usize) -> usize {
        let head = format!("\n{number} 0 obj\n");
        bytes.windows(head.len()).position(|window| window == head.as_bytes()).unwrap() + 1
    }

    #[test]
    fn images_with_more_pixels_than_the_limit_are_refused() {
        let entries =
            "/Type/XObject/Subtype/Image/Width 40000/Height 40000/BitsPerComponent 1/ColorSpace/DeviceGray";
        let bytes = page_of(stream(entries, b"\0"));
        for options in renderings() {
            let error = failure(&options, &bytes, &Job::default());
            assert!(matches!(error, EngineError::Limit { what: "image size", .. }), "{error}");
        }
    }

    #[test]
    fn a_page_whose_shapes_need_too_much_memory_is_refused() {
        let full = b"0 0 72 72 re f ".repeat(3_000_000);
        let curves = b"0 0 m 9 900 -800 30 50 80 c S ".repeat(1_500_000);
        for content in [full, curves] {
            let bytes = page_of(stream("/Filter/FlateDecode", &deflated(&content)));
            let error = failure(&renderings().remove(0), &bytes, &Job::default());
            assert!(matches!(error, EngineError::Limit { .. }), "{error}");
        }
    }

    /// A document with 30 nested forms. Each form draws the next form ten times, so the page has 10^30 squares.
    fn endless() -> Vec<u8> {
        let mut objects = vec![
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
                .to_vec(),
            stream("", b"/X Do"),
        ];
        for level in 0..30 {
            let next = format!("/Resources<</XObject<</X {} 0 R>>>>", level + 6);
            let entries = format!("/Type/XObject/Subtype/Form/BBox[0 0 72 72]{next}");
            objects.push(stream(&entries, &b"/X Do ".repeat(10)));
        }
        objects.push(stream("/Type/XObject/Subtype/Form/BBox[0 0 72 72]", b"0 0 1 1 re f"));
        file(&objects, "")
    }

    #[test]
    fn forms_that_draw_each_other_endlessly_are_refused_in_time() {
        for options in renderings() {
            let job = limited(Limits { time: Duration::from_secs(1), ..Limits::default() });
            let error = failure(&options, &endless(), &job);
            assert!(matches!(error, EngineError::Limit { what: "time", .. }), "{}: {error}", options.kind());
        }
        for options in changes() {
            made(&options, &endless());
        }
        wait_for_renderers();
    }

    #[test]
    fn a_cancel_stops_the_threads_of_an_endless_page() {
        let cancel = Cancel::default();
        let trigger = cancel.clone();
        let asked = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            trigger.trigger();
            Instant::now()
        });
        let error = failure(&renderings().remove(0), &endless(), &Job::new(Limits::default(), cancel));
        assert!(matches!(error, EngineError::Cancelled), "{error}");
        assert!(asked.join().unwrap().elapsed() < Duration::from_secs(1));
        wait_for_renderers();
    }

    /// Waits until all rendering threads have ended.
    fn wait_for_renderers() {
        let began = Instant::now();
        while cfg!(target_os = "linux") && renderers() > 0 {
            assert!(began.elapsed() < Duration::from_secs(15), "{} threads still render", renderers());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The number of rendering threads in this process.
    fn renderers() -> usize {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let names = threads.map(|thread| std::fs::read_to_string(thread?.path().join("comm")));
        names.filter(|name| name.as_ref().is_ok_and(|name| name.trim() == "recto-render")).count()
    }
}
