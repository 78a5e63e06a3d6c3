//! `pdf-to-tiff-fax`: converts all pages to one TIFF-F file, the format that fax machines exchange (RFC 2301, profile S
//! at its fine resolution): 1728 columns, 204 x 196 pixels per inch, one-dimensional Group 3 compression.
//!
//! A page keeps its size and is centred in the 1728 columns. A page that is wider than these columns is shrunk until it
//! fits. Text and lines are rendered without antialiasing. Shades of gray are dithered by error diffusion.

use super::page_images::{gray_samples, reduction_note};
use crate::raster::ccitt::encode_group3;
use crate::raster::tiff::directory::tag;
use crate::raster::tiff::write::{Field, TiffWriter};
use crate::render::{PageView, each_page, open};
use crate::{EngineError, Input, Job, Output, OutputFile};

const COLUMNS: u16 = 1728;
/// The number of pixels per inch, horizontal and vertical.
const RESOLUTION: (f64, f64) = (204.0, 196.0);

/// Runs the operation.
pub(super) fn run(input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let document = open(input.bytes, job)?;
    let count = document.pages().len();
    let worker_job = job.clone();
    let mut tiff = TiffWriter::new();
    let mut reduced = Vec::new();
    let convert = move |view: &PageView<'_>| Ok((fax_page(view, &worker_job)?, view.reduced()));
    each_page(&document, job, convert, |index, ((height, strip), is_reduced)| {
        if is_reduced {
            reduced.push(index + 1);
        }
        tiff.page(fields(height, index, count), &strip);
        // Offsets in a TIFF file have 32 bits.
        let limit = job.limits().output_bytes.min(u32::MAX.into());
        if tiff.len() as u64 > limit {
            return Err(EngineError::limit("output size", format!("{limit} bytes")));
        }
        Ok(())
    })?;
    let bytes = tiff.finish();
    Ok(Output::File(OutputFile { bytes, extension: "tif", notes: reduction_note(&reduced) }))
}

fn fields(height: u16, index: usize, count: usize) -> Vec<(u16, Field)> {
    const PAGE_OF_SEVERAL: u32 = 2;
    const GROUP_3: u16 = 3;
    const LOWEST_BIT_FIRST: u16 = 2;
    const ALIGNED_END_OF_LINE: u32 = 4;
    let number = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
    vec![
        (tag::NEW_SUBFILE_TYPE, Field::Long(PAGE_OF_SEVERAL)),
        (tag::IMAGE_WIDTH, Field::Long(COLUMNS.into())),
        (tag::IMAGE_LENGTH, Field::Long(height.into())),
        (tag::BITS_PER_SAMPLE, Field::Short(vec![1])),
        (tag::COMPRESSION, Field::Short(vec![GROUP_3])),
        (tag::PHOTOMETRIC_INTERPRETATION, Field::Short(vec![0])),
        (tag::FILL_ORDER, Field::Short(vec![LOWEST_BIT_FIRST])),
        (tag::ORIENTATION, Field::Short(vec![1])),
        (tag::SAMPLES_PER_PIXEL, Field::Short(vec![1])),
        (tag::ROWS_PER_STRIP, Field::Long(height.into())),
        (tag::X_RESOLUTION, Field::Thousandths(RESOLUTION.0)),
        (tag::Y_RESOLUTION, Field::Thousandths(RESOLUTION.1)),
        (tag::T4_OPTIONS, Field::Long(ALIGNED_END_OF_LINE)),
        (tag::RESOLUTION_UNIT, Field::Short(vec![2])),
        (tag::PAGE_NUMBER, Field::Short(vec![number(index), number(count)])),
        (tag::SOFTWARE, Field::Text(concat!("Recto ", env!("CARGO_PKG_VERSION")))),
    ]
}

/// Renders and encodes a page. Returns its height in rows, and the coded rows.
fn fax_page(view: &PageView<'_>, job: &Job) -> Result<(u16, Vec<u8>), EngineError> {
    let (width, height) = view.size();
    let inches = width * view.unit() / 72.0;
    let shrunk = (f64::from(COLUMNS) / RESOLUTION.0 / inches).min(1.0);
    let pixels = |points: f64, resolution: f64| points * view.unit() / 72.0 * resolution * shrunk;
    let scale = view.scaled((pixels(width, RESOLUTION.0), pixels(height, RESOLUTION.1)), job.limits())?;
    let rgba = view.on_white_with_hard_edges(scale)?;
    job.proceed()?;
    let gray = gray_samples(&rgba, job)?;
    drop(rgba);
    let rows = dithered(&gray, usize::from(scale.width), usize::from(COLUMNS), job)?;
    job.proceed()?;
    let strip = encode_group3(&rows, COLUMNS.into()).into_iter().map(u8::reverse_bits).collect();
    Ok((scale.height, strip))
}

/// Converts gray pixels to black and white by Floyd-Steinberg error diffusion. The direction alternates from row to
/// row, because otherwise patterns that look like worms would appear. Errors are diffused in gamma-encoded values, not
/// in linear light: linear light would make the page lighter, but the dots that a fax machine prints are larger than
/// its pixels, which makes the page darker by about as much. Each row of `width` pixels is centred in a row of
/// `columns` bits, 1 for black.
fn dithered(gray: &[u8], width: usize, columns: usize, job: &Job) -> Result<Vec<u8>, EngineError> {
    let (stride, left) = (columns.div_ceil(8), columns.saturating_sub(width) / 2);
    let mut bits = vec![0; gray.len() / width.max(1) * stride];
    // The two extra elements, one at each end, receive the errors that would go to pixels outside the row.
    let (mut here, mut below) = (vec![0_i32; width + 2], vec![0_i32; width + 2]);
    for (y, (row, bits)) in gray.chunks_exact(width.max(1)).zip(bits.chunks_exact_mut(stride)).enumerate() {
        if y % 256 == 0 {
            job.proceed()?;
        }
        let forward = y % 2 == 0;
        let mut ahead = 0;
        for step in 0..width {
            let x = if forward { step } else { width - 1 - step };
            let value = row.get(x).copied().unwrap_or(u8::MAX);
            let carried = here.get(x + 1).copied().unwrap_or(0) + ahead;
            // Pure black and pure white pixels ignore the errors from neighbouring pixels, so that the edges of text
            // stay sharp.
            let pure = matches!(value, 0 | u8::MAX);
            let wanted = if pure { i32::from(value) } else { i32::from(value) + carried / 16 };
            let black = wanted < 128;
            if black && let Some(byte) = bits.get_mut((left + x) / 8) {
                *byte |= 0x80 >> ((left + x) % 8);
            }
            let error = if pure { 0 } else { wanted - if black { 0 } else { 255 } };
            ahead = error * 7;
            let (behind, before) = if forward { (x, x + 2) } else { (x + 2, x) };
            for (place, share) in [(behind, 3), (x + 1, 5), (before, 1)] {
                if let Some(sum) = below.get_mut(place) {
                    *sum += error * share;
                }
            }
        }
        // libtiff reserves memory for as many runs in a row as the row has pixels. A row of alternating black and white
        // pixels that begins with black has one run more: the white run of length 0 at its start. To avoid this
        // additional run, the first pixel is made white.
        if bits.iter().all(|byte| *byte == 0b1010_1010)
            && let Some(first) = bits.first_mut()
        {
            *first &= 0x7f;
        }
        std::mem::swap(&mut here, &mut below);
        below.fill(0);
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn black_share(value: u8) -> f64 {
        let bits = dithered(&[value; 200 * 200], 200, 200, &Job::default()).unwrap();
        f64::from(bits.iter().map(|byte| byte.count_ones()).sum::<u32>()) / 40_000.0
    }

    #[test]
    fn a_shade_has_as_many_dots_as_it_is_dark() {
        for value in [0, 16, 64, 100, 128, 200, 250, 255] {
            let wanted = 1.0 - f64::from(value) / 255.0;
            assert!((black_share(value) - wanted).abs() < 0.01, "{value}: {}", black_share(value));
        }
    }

    #[test]
    fn no_row_has_more_runs_than_dots() {
        // In this shade, black and white pixels alternate.
        let bits = dithered(&[127; 64 * 64], 64, 64, &Job::default()).unwrap();
        for row in bits.chunks_exact(8) {
            let mut edges = 0;
            let mut before = 0;
            for dot in row.iter().flat_map(|byte| (0..8).map(move |place| byte >> (7 - place) & 1)) {
                edges += u32::from(dot != before);
                before = dot;
            }
            assert!(edges < 64, "{row:02x?}");
        }
    }

    #[test]
    fn a_narrow_page_is_centred() {
        assert_eq!(dithered(&[0; 8], 4, 12, &Job::default()).unwrap(), [0b0000_1111, 0, 0b0000_1111, 0]);
    }
}
