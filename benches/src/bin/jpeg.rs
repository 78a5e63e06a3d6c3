//! Compares the engine's JPEG writer with the crate jpeg-encoder, on rendered pages.
//!
//!     cargo run --release -p recto-benches --bin jpeg -- [-r ROUNDS] [DOCUMENT.pdf]...
//!
//! Both encoders write the same rendered pages, at the default quality of `pdf-to-jpeg`, with subsampled colours (the
//! mean of four pixels) and with Huffman tables made for the page. jpeg-encoder is built with its feature `simd`. The
//! encoders run alternately. All times are processor time. A ratio is the figure of jpeg-encoder divided by the figure
//! of the engine. Without a document, the pages of three documents in `examples` and a generated photograph are used.
#![forbid(unsafe_code)]
// The module `jpeg_writer` is part of the engine: its tests run there, and need dependencies that this package lacks.
#![cfg(not(test))]
#![allow(clippy::print_stdout)]

#[path = "../../../engine/src/raster/jpeg_writer/mod.rs"]
mod jpeg_writer;

/// The module `jpeg_writer` imports this type as `crate::EngineError`.
use recto_engine::EngineError;

use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder, SamplingFactor};
use jpeg_writer::{Header, Source};
use recto_benches::process;
use recto_benches::spread::Spread;
use recto_engine::{Input, Job, Output, run};
use recto_interface::options::DEFAULT_JPEG_QUALITY;
use recto_interface::{OperationKind, Options};
use std::error::Error;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The pixels of a rendered page.
struct Page {
    width: u16,
    height: u16,
    /// Four bytes for each pixel: red, green, blue, and an unused byte.
    rgbx: Vec<u8>,
}

fn main() -> Outcome<()> {
    let mut rounds = 9;
    let mut documents: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-r" => rounds = arguments.next().ok_or("-r needs a number")?.parse()?,
            _ => documents.push(argument.into()),
        }
    }
    let mut sources: Vec<(String, Vec<u8>)> = Vec::new();
    if documents.is_empty() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        documents = ["report.pdf", "form.pdf", "scan.pdf"].map(|name| examples.join(name)).into();
        sources.push(("generated photograph".to_owned(), photograph()?));
    }
    for path in documents {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sources.push((name, std::fs::read(&path)?));
    }
    println!(
        "| document | pages | megapixels | colours | ms a megapixel | jpeg-encoder's time | with its standard tables | jpeg-encoder's size | whole operation |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, document) in &sources {
        measured(name, document, rounds)?;
    }
    Ok(())
}

/// Measures one document and prints its rows of the table.
fn measured(name: &str, document: &[u8], rounds: usize) -> Outcome<()> {
    let pages = pages(document)?;
    let megapixels = pages.iter().map(|page| page.rgbx.len() as f64 / 4e6).sum::<f64>();
    for kind in [Kind::Rgb, Kind::Gray, Kind::Cmyk] {
        let (mut own, mut ratio, mut standard, mut whole) = (vec![], vec![], vec![], vec![]);
        let (mut own_size, mut other_size) = (0, 0);
        let sources: Vec<(&Page, Vec<u8>)> = pages.iter().map(|page| (page, kind.samples(page))).collect();
        for _ in 0..rounds {
            let all = |writer: &dyn Fn(&Page, &[u8]) -> Outcome<usize>| -> Outcome<(f64, usize)> {
                let began = process::thread_seconds()?;
                let size =
                    sources.iter().map(|(page, samples)| writer(page, samples)).sum::<Outcome<usize>>()?;
                Ok((process::thread_seconds()? - began, size))
            };
            let (ours, size) = all(&|page, samples| kind.ours(page, samples))?;
            let (theirs, their_size) = all(&|page, samples| kind.theirs(page, samples, true))?;
            let (plain, _) = all(&|page, samples| kind.theirs(page, samples, false))?;
            let operation = operation(document, kind.option())?;
            (own_size, other_size) = (size, their_size);
            own.push(ours * 1000.0 / megapixels);
            ratio.push(theirs / ours);
            standard.push(plain / ours);
            whole.push((operation - ours + theirs) / operation);
        }
        println!(
            "| {name} | {} | {megapixels:.1} | {} | {:.1} | {} | {} | {:.3} | {} |",
            pages.len(),
            kind.option(),
            Spread::of(own),
            Spread::of(ratio),
            Spread::of(standard),
            other_size as f64 / own_size as f64,
            Spread::of(whole),
        );
    }
    Ok(())
}

/// The colour space of the JPEG files that are written.
#[derive(Clone, Copy)]
enum Kind {
    Rgb,
    Gray,
    Cmyk,
}

impl Kind {
    fn option(self) -> &'static str {
        match self {
            Self::Rgb => "rgb",
            Self::Gray => "gray",
            Self::Cmyk => "cmyk",
        }
    }

    fn samples(self, page: &Page) -> Vec<u8> {
        let pixels = page.rgbx.as_chunks::<4>().0;
        match self {
            Self::Rgb => page.rgbx.clone(),
            Self::Gray => pixels.iter().map(|[_, green, _, _]| *green).collect(),
            Self::Cmyk => {
                pixels.iter().flat_map(|[r, g, b, _]| [!r, !g, !b, (!r).min(!g).min(!b) / 2]).collect()
            }
        }
    }

    fn ours(self, page: &Page, samples: &[u8]) -> Outcome<usize> {
        let header = Header {
            width: page.width,
            height: page.height,
            density: (150, 150),
            quality: DEFAULT_JPEG_QUALITY,
            profile: &[],
        };
        let source = match self {
            Self::Rgb => Source::Rgbx(samples),
            Self::Gray => Source::Gray(samples),
            Self::Cmyk => Source::Cmyk(samples),
        };
        Ok(jpeg_writer::write(&header, source, || Ok(()))?.len())
    }

    fn theirs(self, page: &Page, samples: &[u8], optimized: bool) -> Outcome<usize> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, DEFAULT_JPEG_QUALITY);
        encoder.set_optimized_huffman_tables(optimized);
        encoder.set_sampling_factor(if DEFAULT_JPEG_QUALITY < 90 {
            SamplingFactor::F_2_2
        } else {
            SamplingFactor::F_1_1
        });
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        let color = match self {
            Self::Rgb => ColorType::Rgba,
            Self::Gray => ColorType::Luma,
            Self::Cmyk => ColorType::CmykAsYcck,
        };
        encoder.encode(samples, page.width, page.height, color)?;
        Ok(file.len())
    }
}

/// The processor time, in seconds, that all threads take for the whole operation `pdf-to-jpeg`.
fn operation(document: &[u8], color_space: &str) -> Outcome<f64> {
    let options =
        Options::from_json(OperationKind::PdfToJpeg, &serde_json::json!({ "colorSpace": color_space }))?;
    let began = process::processor_seconds()?;
    run(&options, Input { bytes: document, name: "pages.pdf" }, &Job::default())?;
    Ok(process::processor_seconds()? - began)
}

/// The bytes and the extension of the file that an operation returns.
fn file(
    operation: OperationKind,
    options: &serde_json::Value,
    name: &str,
    bytes: &[u8],
) -> Outcome<(Vec<u8>, &'static str)> {
    let options = Options::from_json(operation, options)?;
    match run(&options, Input { bytes, name }, &Job::default())? {
        Output::File(file) => Ok((file.bytes, file.extension)),
        Output::Report(_) => Err("a report instead of a file".into()),
    }
}

/// The pixels of a document's pages. `pdf-to-png` renders them, at the same resolution as `pdf-to-jpeg`.
fn pages(document: &[u8]) -> Outcome<Vec<Page>> {
    let (images, extension) = file(OperationKind::PdfToPng, &serde_json::json!({}), "pages.pdf", document)?;
    if extension == "png" {
        return Ok(vec![page(&images)?]);
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(images))?;
    (0..archive.len())
        .map(|at| {
            let mut image = Vec::new();
            archive.by_index(at)?.read_to_end(&mut image)?;
            page(&image)
        })
        .collect()
}

fn page(image: &[u8]) -> Outcome<Page> {
    let mut reader = png::Decoder::new(Cursor::new(image)).read_info()?;
    let mut rgb = vec![0; reader.output_buffer_size().ok_or("too large an image")?];
    let info = reader.next_frame(&mut rgb)?;
    let rgbx = rgb.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    Ok(Page { width: info.width.try_into()?, height: info.height.try_into()?, rgbx })
}

/// A document with one image that has as much detail as a photograph: noise whose amplitude falls with its frequency.
fn photograph() -> Outcome<Vec<u8>> {
    const SIDE: usize = 2048;
    let mut state = 1_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut samples = vec![127.0_f32; SIDE * SIDE * 3];
    for octave in 1..=10 {
        let cells = 1_usize << octave;
        let grid: Vec<[f32; 3]> =
            (0..(cells + 1) * (cells + 1)).map(|_| [random(), random(), random()]).collect();
        for (at, pixel) in samples.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let place = |place: usize| {
                let exact = place as f32 * cells as f32 / SIDE as f32;
                (exact as usize, exact.fract())
            };
            let ((column, right), (row, down)) = (place(at % SIDE), place(at / SIDE));
            let corner = |x: usize, y: usize| grid[(row + y) * (cells + 1) + column + x];
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
            for (channel, value) in pixel.iter_mut().enumerate() {
                let upper = a[channel] * (1.0 - right) + b[channel] * right;
                let lower = c[channel] * (1.0 - right) + d[channel] * right;
                // The three channels share most of the noise: in photographs, colour varies less than brightness.
                let shared = (a[0] + b[0] + c[0] + d[0]) / 4.0;
                *value += (0.3 * (upper * (1.0 - down) + lower * down) + 0.7 * shared) * 256.0 / cells as f32;
            }
        }
    }
    let samples: Vec<u8> = samples.iter().map(|value| value.clamp(0.0, 255.0) as u8).collect();
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, SIDE as u32, SIDE as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&samples)?;
    Ok(file(OperationKind::ImageToPdf, &serde_json::json!({}), "photograph.png", &image)?.0)
}
