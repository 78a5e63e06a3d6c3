//! `pdf-to-tiff`: converts each page to a TIFF image in the colours that the page uses. The result is always a ZIP
//! archive.
//!
//! A page that consists of bilevel images (a scan) becomes a black and white image at the resolution of its images. All
//! other pages become images at 150 dpi: a page with CMYK colours but without RGB colours becomes CMYK, a page that
//! shows only shades of gray becomes gray, and any other page becomes RGB.

use super::page_images::{self, SinglePage, cmyk_samples, density, each_pixel, rgb_samples};
use crate::color::cmyk::CMYK_PROFILE;
use crate::raster::ccitt::encode_group4;
use crate::raster::tiff::directory::tag;
use crate::raster::tiff::write::{Field, TiffWriter};
use crate::render::{PageColor, PageView, RESOLUTION, Scale, color_of_page};
use crate::{EngineError, Input, Job, Output};
use std::io::Write;

/// The maximum resolution at which a scan is rendered, in pixels per inch.
const MAX_SCAN_RESOLUTION: f64 = 600.0;

/// Runs the operation.
pub(super) fn run(input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    page_images::run(input, job, "tif", SinglePage::Archive, image)
}

fn image(view: &PageView<'_>, job: &Job) -> Result<Vec<u8>, EngineError> {
    let color = color_of_page(view);
    job.proceed()?;
    if let PageColor::Bilevel { density } = color {
        return bilevel_file(view, f64::from(density) / 1000.0, job);
    }
    let scale = view.at_resolution(None, job.limits())?;
    let rgba = view.on_white(scale)?;
    job.proceed()?;
    let pixels = rgba.as_chunks::<4>().0;
    if color == PageColor::Cmyk {
        let profile = Some((tag::ICC_PROFILE, Field::Bytes(CMYK_PROFILE.to_vec())));
        return deflated_file(view, scale, Photometric::Cmyk, &cmyk_samples(&rgba, job)?, profile, job);
    }
    if pixels.iter().all(|[r, g, b, _]| r == g && g == b) {
        let gray = each_pixel(&rgba, job, |[gray, ..]| [gray])?;
        return deflated_file(view, scale, Photometric::Gray, &gray, None, job);
    }
    deflated_file(view, scale, Photometric::Rgb, &rgb_samples(&rgba, job)?, None, job)
}

#[derive(Clone, Copy)]
enum Photometric {
    Gray,
    Rgb,
    Cmyk,
}

/// Renders a scan in black and white, at the highest resolution of its images, but at least at the resolution of pages
/// that are not scans.
fn bilevel_file(view: &PageView<'_>, pixels_per_unit: f64, job: &Job) -> Result<Vec<u8>, EngineError> {
    let per_inch = |pixels: f64| pixels * 72.0 / view.unit();
    let fine = per_inch(pixels_per_unit).clamp(RESOLUTION, MAX_SCAN_RESOLUTION);
    let size = view.size();
    let pixels = |resolution: f64| {
        let per_unit = resolution / 72.0 * view.unit();
        (size.0 * per_unit, size.1 * per_unit)
    };
    // A page that is too large at the resolution of its images may fit the limits at the default resolution.
    let scale = Scale::exact(size, pixels(fine), job.limits())
        .or_else(|_| view.scaled(pixels(RESOLUTION), job.limits()))?;
    let rgba = view.on_white(scale)?;
    job.proceed()?;
    let width = usize::from(scale.width);
    let rows: Vec<u8> = rgba.chunks_exact(width * 4).flat_map(black_bits).collect();
    let mut fields = common_fields(view, scale);
    fields.push((tag::BITS_PER_SAMPLE, Field::Short(vec![1])));
    fields.push((tag::COMPRESSION, Field::Short(vec![4])));
    fields.push((tag::PHOTOMETRIC_INTERPRETATION, Field::Short(vec![0])));
    fields.push((tag::SAMPLES_PER_PIXEL, Field::Short(vec![1])));
    let mut tiff = TiffWriter::new();
    tiff.page(fields, &encode_group4(&rows, scale.width.into()));
    Ok(tiff.finish())
}

/// A row of pixels as packed bits. A bit is 1 if the pixel is darker than medium gray.
fn black_bits(row: &[u8]) -> impl Iterator<Item = u8> {
    let pixels = row.as_chunks::<4>().0;
    pixels.chunks(8).map(|eight| {
        let bit = |(place, [gray, ..]): (usize, &[u8; 4])| if *gray < 128 { 0x80 >> place } else { 0 };
        eight.iter().enumerate().map(bit).fold(0, |byte, bit| byte | bit)
    })
}

fn common_fields(view: &PageView<'_>, scale: Scale) -> Vec<(u16, Field)> {
    let (x, y) = density(view, scale);
    vec![
        (tag::IMAGE_WIDTH, Field::Long(scale.width.into())),
        (tag::IMAGE_LENGTH, Field::Long(scale.height.into())),
        (tag::ROWS_PER_STRIP, Field::Long(scale.height.into())),
        (tag::ORIENTATION, Field::Short(vec![1])),
        (tag::X_RESOLUTION, Field::Thousandths(x)),
        (tag::Y_RESOLUTION, Field::Thousandths(y)),
        (tag::RESOLUTION_UNIT, Field::Short(vec![2])),
        (tag::PLANAR_CONFIGURATION, Field::Short(vec![1])),
        (tag::SOFTWARE, Field::Text(concat!("Recto ", env!("CARGO_PKG_VERSION")))),
    ]
}

/// Writes a TIFF file of 8-bit samples, which are deflated after horizontal differencing.
fn deflated_file(
    view: &PageView<'_>,
    scale: Scale,
    photometric: Photometric,
    samples: &[u8],
    profile: Option<(u16, Field)>,
    job: &Job,
) -> Result<Vec<u8>, EngineError> {
    let (number, channels) = match photometric {
        Photometric::Gray => (1, 1),
        Photometric::Rgb => (2, 3),
        Photometric::Cmyk => (5, 4),
    };
    let mut fields = common_fields(view, scale);
    fields.extend(profile);
    fields.push((tag::BITS_PER_SAMPLE, Field::Short(vec![8; channels])));
    fields.push((tag::COMPRESSION, Field::Short(vec![8])));
    fields.push((tag::PHOTOMETRIC_INTERPRETATION, Field::Short(vec![number])));
    fields.push((tag::SAMPLES_PER_PIXEL, Field::Short(vec![channels as u16])));
    fields.push((tag::PREDICTOR, Field::Short(vec![2])));
    let failed = |error: std::io::Error| EngineError::Internal(format!("cannot deflate a page: {error}"));
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    for row in samples.chunks_exact(usize::from(scale.width) * channels) {
        job.proceed()?;
        deflated.write_all(&differences(row, channels)).map_err(failed)?;
    }
    let strip = deflated.finish().map_err(failed)?;
    let mut tiff = TiffWriter::new();
    tiff.page(fields, &strip);
    Ok(tiff.finish())
}

/// The difference between each sample and the sample of the same channel in the pixel to its left.
fn differences(row: &[u8], channels: usize) -> Vec<u8> {
    let (first, _) = row.split_at(channels.min(row.len()));
    let rest = row.iter().zip(row.iter().skip(channels)).map(|(left, right)| right.wrapping_sub(*left));
    first.iter().copied().chain(rest).collect()
}
