//! Writes rendered pages as JPEG files: baseline, with Huffman tables optimised for the page.
//!
//! The crate jpeg-encoder 0.7 with its feature `simd` would make the whole operation `pdf-to-jpeg` slower than this module
//! does, at the same quality and subsampling and with optimised tables. The processor time of the operation in RGB, the
//! default, would be 3.3 times as long for a form, 2.0 times for a report, 1.7 times for a scan, and 1.4 times for a page
//! that is one photograph; in gray 1.7, 1.4, 1.3 and 1.2 times; in CMYK 5.4, 1.9, 1.6 and 1.5 times. The sizes of the
//! files differ by at most 6%. `cargo run --release -p recto-benches --bin jpeg` repeats this measurement.
//!
//! Most blocks of a page have only one colour. Such a block has one coefficient and needs no transform. Therefore this
//! encoder is faster for pages than an encoder made for photographs. Blocks are first converted to tokens; the Huffman
//! tables are computed from the counts of the tokens.

mod dct;
mod entropy;

use crate::EngineError;
use dct::{Block, Quantizer};
use entropy::{Channel, Scan};

/// The pixels of a page, row by row.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// Red, green, blue and a fourth byte that is ignored.
    Rgbx(&'a [u8]),
    /// Shades of gray.
    Gray(&'a [u8]),
    /// Cyan, magenta, yellow and black; 255 is full ink. The file stores these values inverted, as the programs of
    /// Adobe do.
    Cmyk(&'a [u8]),
}

impl Source<'_> {
    fn channels(self) -> usize {
        match self {
            Self::Gray(_) => 1,
            Self::Rgbx(_) => 3,
            Self::Cmyk(_) => 4,
        }
    }
}

/// The header of a file.
pub(crate) struct Header {
    pub width: u16,
    pub height: u16,
    /// Pixels per inch, horizontal and vertical.
    pub density: (u16, u16),
    /// The quality from 1 to 100, on the scale of libjpeg.
    pub quality: u8,
    /// The ICC profile of the colours. It is empty if the colours are sRGB.
    pub profile: &'static [u8],
}

/// At this quality and above, chroma is stored for each pixel. At a lower quality, chroma is stored for each group of
/// four pixels (4:2:0), as is usual.
const FULL_CHROMA_QUALITY: u8 = 90;

/// Writes a JPEG file. Calls `proceed` before each row of units.
///
/// # Errors
/// The errors of `proceed`.
pub(crate) fn write(
    header: &Header,
    source: Source<'_>,
    mut proceed: impl FnMut() -> Result<(), EngineError>,
) -> Result<Vec<u8>, EngineError> {
    let luma = Quantizer::luma(header.quality);
    let chroma = Quantizer::chroma(header.quality);
    let (width, height) = (usize::from(header.width), usize::from(header.height));
    let mut file = Vec::with_capacity(width * height / 16 + 1024);
    let channels = source.channels();
    let side = if channels > 1 && header.quality < FULL_CHROMA_QUALITY { 16 } else { 8 };
    write_head(&mut file, header, &luma, &chroma, side / 8, channels);
    let mut scan = Scan::new(channels, file);
    for top in (0..height).step_by(side) {
        proceed()?;
        let place = Place { width, height, top };
        match source {
            Source::Gray(rows) => gray_units(rows, place, &luma, &mut scan),
            Source::Rgbx(rows) => units(rows, place, ycc_of_rgb, side, [&luma, &chroma], &mut scan),
            Source::Cmyk(rows) => units(rows, place, ycck_of_cmyk, side, [&luma, &chroma], &mut scan),
        }
        scan.flush_if_long();
    }
    let mut file = scan.finish();
    file.extend_from_slice(&[0xff, 0xd9]);
    Ok(file)
}

/// The position of a row of units on the page, and the size of the page.
#[derive(Clone, Copy)]
struct Place {
    width: usize,
    height: usize,
    top: usize,
}

fn gray_units(rows: &[u8], place: Place, luma: &Quantizer, scan: &mut Scan) {
    for left in (0..place.width).step_by(8) {
        scan.block(Channel::Luma, &luma.quantize(&gray(&Unit::<8, 1>::read(rows, place, left))));
    }
}

/// Encodes a row of units with several channels. `colors` converts a pixel to the channels.
fn units(
    rows: &[u8],
    place: Place,
    colors: impl Fn([u8; 4]) -> [f32; 4] + Copy,
    side: usize,
    [luma, chroma]: [&Quantizer; 2],
    scan: &mut Scan,
) {
    let mut last = None;
    for left in (0..place.width).step_by(side) {
        if side == 8 {
            full_chroma_unit(&Unit::<8, 4>::read(rows, place, left), colors, luma, chroma, scan);
            continue;
        }
        let unit = Unit::<16, 4>::read(rows, place, left);
        let uniform = if let Unit::One(pixel) = unit { Some(pixel) } else { None };
        if uniform.is_some() && uniform == last {
            scan.repeat_uniform();
        } else {
            half_chroma_unit(&unit, colors, luma, chroma, scan);
        }
        last = uniform;
    }
}

/// The pixels of one unit of the scan. Where a unit extends beyond the page, the last column and the last row of the
/// page are repeated.
enum Unit<const SIDE: usize, const BYTES: usize> {
    /// All pixels of the unit have this colour.
    One([u8; BYTES]),
    Many([[[u8; BYTES]; SIDE]; SIDE]),
}

impl<const SIDE: usize, const BYTES: usize> Unit<SIDE, BYTES> {
    #[inline(always)]
    fn read(rows: &[u8], Place { width, height, top }: Place, left: usize) -> Self {
        let rows = rows.as_chunks::<BYTES>().0;
        // The pixels of row `y` of the unit, from the unit's left edge to the end of the row.
        let row = |y: usize| {
            let start = (top + y).min(height - 1) * width;
            rows.get(start + left..start + width).unwrap_or_default()
        };
        let one = [row(0).first().copied().unwrap_or([0; BYTES]); SIDE];
        let is_one = |part: &[[u8; BYTES]]| {
            let part = part.get(..SIDE).unwrap_or(part).as_flattened();
            one.as_flattened().get(..part.len()) == Some(part)
        };
        if (0..SIDE).all(|y| is_one(row(y))) {
            return Self::One(one[0]);
        }
        let mut pixels = [one; SIDE];
        for (y, line) in pixels.iter_mut().enumerate() {
            let part = row(y);
            if let Some(whole) = part.first_chunk::<SIDE>() {
                *line = *whole;
            } else {
                let last = part.last().copied().unwrap_or([0; BYTES]);
                for (x, pixel) in line.iter_mut().enumerate() {
                    *pixel = part.get(x).copied().unwrap_or(last);
                }
            }
        }
        Self::Many(pixels)
    }
}

fn uniform_block(value: f32) -> Block {
    Block { values: [[value; 8]; 8], uniform: true }
}

fn gray(unit: &Unit<8, 1>) -> Block {
    match unit {
        Unit::One([gray]) => uniform_block(f32::from(*gray) - 128.0),
        Unit::Many(pixels) => {
            let values = pixels.map(|line| line.map(|[gray]| f32::from(gray) - 128.0));
            Block { values, uniform: false }
        }
    }
}

/// Converts RGB to Y, Cb and Cr, whose ranges are centred on zero (ITU-R BT.601, as in JFIF).
#[inline(always)]
fn ycc_of_rgb([r, g, b, _]: [u8; 4]) -> [f32; 4] {
    let (r, g, b) = (f32::from(r), f32::from(g), f32::from(b));
    [
        0.299 * r + 0.587 * g + 0.114 * b - 128.0,
        -0.168_735_9 * r - 0.331_264_1 * g + 0.5 * b,
        0.5 * r - 0.418_687_6 * g - 0.081_312_4 * b,
        0.0,
    ]
}

/// Converts CMYK to inverted YCCK, as the programs of Adobe store it. YCCK contains the YCbCr values of the complements
/// of C, M and Y. Inverted YCCK contains the YCbCr values of C, M and Y themselves.
#[inline(always)]
fn ycck_of_cmyk([c, m, y, k]: [u8; 4]) -> [f32; 4] {
    let [luma, blue, red, _] = ycc_of_rgb([c, m, y, 0]);
    [luma, blue, red, 127.0 - f32::from(k)]
}

/// Encodes a unit with one block for each channel.
#[inline(always)]
fn full_chroma_unit(
    unit: &Unit<8, 4>,
    colors: impl Fn([u8; 4]) -> [f32; 4],
    luma: &Quantizer,
    chroma: &Quantizer,
    scan: &mut Scan,
) {
    let blocks = match unit {
        Unit::One(pixel) => colors(*pixel).map(uniform_block),
        Unit::Many(pixels) => {
            let mut planes = [[[0.0; 8]; 8]; 4];
            for (y, line) in pixels.iter().enumerate() {
                for (x, pixel) in line.iter().enumerate() {
                    for (plane, part) in planes.iter_mut().zip(colors(*pixel)) {
                        plane[y][x] = part;
                    }
                }
            }
            planes.map(|values| Block { values, uniform: false })
        }
    };
    for (block, channel) in blocks.iter().zip(scan.channels()) {
        scan.block(channel, &(if channel.is_chroma() { chroma } else { luma }).quantize(block));
    }
}

/// Encodes a unit with four blocks of luma (and of black) and one block of each chroma channel. Each chroma sample is
/// the mean of four pixels.
fn half_chroma_unit(
    unit: &Unit<16, 4>,
    colors: impl Fn([u8; 4]) -> [f32; 4],
    luma: &Quantizer,
    chroma: &Quantizer,
    scan: &mut Scan,
) {
    let pixels = match unit {
        Unit::One(pixel) => {
            for (value, channel) in colors(*pixel).into_iter().zip(scan.channels()) {
                let (table, count) = if channel.is_chroma() { (chroma, 1) } else { (luma, 4) };
                let block = table.quantize(&uniform_block(value));
                (0..count).for_each(|_| scan.block(channel, &block));
            }
            return;
        }
        Unit::Many(pixels) => pixels,
    };
    let mut planes = [[[0.0_f32; 16]; 16]; 4];
    let [plane_0, plane_1, plane_2, plane_3] = &mut planes;
    for (y, line) in pixels.iter().enumerate() {
        for (x, pixel) in line.iter().enumerate() {
            [plane_0[y][x], plane_1[y][x], plane_2[y][x], plane_3[y][x]] = colors(*pixel);
        }
    }
    for (plane, channel) in planes.iter().zip(scan.channels()) {
        if channel.is_chroma() {
            scan.block(channel, &chroma.quantize(&halved(plane)));
            continue;
        }
        for (top, left) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
            let mut block = Block { values: [[0.0; 8]; 8], uniform: false };
            for (values, line) in block.values.iter_mut().zip(&plane[top..top + 8]) {
                values.copy_from_slice(&line[left..left + 8]);
            }
            scan.block(channel, &luma.quantize(&block));
        }
    }
}

/// The means of groups of 2 x 2 values.
fn halved(plane: &[[f32; 16]; 16]) -> Block {
    let mut block = Block { values: [[0.0; 8]; 8], uniform: false };
    for (values, two) in block.values.iter_mut().zip(plane.as_chunks::<2>().0) {
        let mut sums = [0.0; 16];
        for ((sum, upper), lower) in sums.iter_mut().zip(&two[0]).zip(&two[1]) {
            *sum = upper + lower;
        }
        for (value, [left, right]) in values.iter_mut().zip(sums.as_chunks::<2>().0) {
            *value = (left + right) * 0.25;
        }
    }
    block
}

/// Writes everything that precedes the Huffman tables in the file.
fn write_head(
    file: &mut Vec<u8>,
    header: &Header,
    luma: &Quantizer,
    chroma: &Quantizer,
    luma_sampling: usize,
    channels: usize,
) {
    file.extend_from_slice(&[0xff, 0xd8]);
    let (x, y) = header.density;
    let [x, y] = [x, y].map(u16::to_be_bytes);
    let jfif = [b"JFIF\0\x01\x02\x01".as_slice(), &x, &y, &[0, 0]].concat();
    segment(file, 0xe0, &jfif);
    if channels == 4 {
        segment(file, 0xee, b"Adobe\0\x64\0\0\0\0\x02");
    }
    let parts = header.profile.chunks(LONGEST_SEGMENT - ICC.len() - 2);
    let count = parts.len() as u8;
    for (part, number) in parts.zip(1..) {
        segment(file, 0xe2, &[ICC, &[number, count], part].concat());
    }
    for (number, table) in [luma, chroma].into_iter().take(channels.min(2)).enumerate() {
        let mut content = vec![number as u8];
        content.extend_from_slice(&table.in_zigzag_order());
        segment(file, 0xdb, &content);
    }
    let mut frame = vec![8];
    frame.extend_from_slice(&header.height.to_be_bytes());
    frame.extend_from_slice(&header.width.to_be_bytes());
    frame.push(channels as u8);
    let sampling = (luma_sampling << 4 | luma_sampling) as u8;
    for (channel, number) in Channel::first(channels).zip(1..) {
        frame.extend_from_slice(&if channel.is_chroma() { [number, 0x11, 1] } else { [number, sampling, 0] });
    }
    segment(file, 0xc0, &frame);
}

const ICC: &[u8] = b"ICC_PROFILE\0";
const LONGEST_SEGMENT: usize = 65_533;

/// Writes a marker segment.
fn segment(file: &mut Vec<u8>, marker: u8, content: &[u8]) {
    file.extend_from_slice(&[0xff, marker]);
    file.extend_from_slice(&(content.len() as u16 + 2).to_be_bytes());
    file.extend_from_slice(content);
}

#[cfg(test)]
mod tests {
    use super::*;
    use zune_jpeg::JpegDecoder;
    use zune_jpeg::zune_core::bytestream::ZCursor;
    use zune_jpeg::zune_core::colorspace::ColorSpace;
    use zune_jpeg::zune_core::options::DecoderOptions;

    /// A page with a gradient, a frame and a uniform background.
    fn page(width: usize, height: usize) -> Vec<u8> {
        let pixel = |x: usize, y: usize| match (x, y) {
            _ if x < width / 2 && y < height / 2 => [(x * 2) as u8, (y * 2) as u8, 90, 255],
            _ if x + 2 >= width || y + 2 >= height => [0, 0, 0, 255],
            _ => [250, 240, 200, 255],
        };
        (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
    }

    fn written(source: Source<'_>, width: u16, height: u16, quality: u8) -> Vec<u8> {
        write(&Header { width, height, density: (150, 150), quality, profile: &[] }, source, || Ok(()))
            .unwrap()
    }

    fn read(file: &[u8], space: ColorSpace) -> Vec<u8> {
        let options = DecoderOptions::default().jpeg_set_out_colorspace(space).set_strict_mode(true);
        JpegDecoder::new_with_options(ZCursor::new(file), options).decode().unwrap()
    }

    /// The mean difference between decoded and original values.
    fn distance(file: &[u8], wanted: &[u8], space: ColorSpace) -> f64 {
        let found = read(file, space);
        assert_eq!(found.len(), wanted.len());
        let off: u32 = found.iter().zip(wanted).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        f64::from(off) / wanted.len() as f64
    }

    #[test]
    fn pixels_are_as_close_as_from_another_encoder() {
        for (width, height) in [(1, 1), (7, 9), (16, 16), (33, 17), (100, 250), (251, 64)] {
            let rgbx = page(width.into(), height.into());
            let gray: Vec<u8> = rgbx.as_chunks::<4>().0.iter().map(|[r, ..]| *r).collect();
            let rgb: Vec<u8> = rgbx.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
            for quality in [30, 85, 90, 100] {
                for (wanted, source, space, color) in [
                    (&gray, Source::Gray(&gray), ColorSpace::Luma, jpeg_encoder::ColorType::Luma),
                    (&rgb, Source::Rgbx(&rgbx), ColorSpace::RGB, jpeg_encoder::ColorType::Rgb),
                ] {
                    let mut other = Vec::new();
                    let encoder = jpeg_encoder::Encoder::new(&mut other, quality);
                    encoder.encode(wanted, width, height, color).unwrap();
                    let ours = distance(&written(source, width, height, quality), wanted, space);
                    let theirs = distance(&other, wanted, space);
                    assert!(ours <= theirs * 1.1 + 0.5, "{width} x {height} at {quality}: {ours}, {theirs}");
                }
            }
        }
    }

    #[test]
    fn cmyk_is_stored_inverted_as_adobe_does() {
        let cmyk = page(40, 40);
        for (quality, most) in [(85, 5.0), (100, 1.5)] {
            let found = read(&written(Source::Cmyk(&cmyk), 40, 40, quality), ColorSpace::YCCK);
            let off =
                found.as_chunks::<4>().0.iter().zip(cmyk.as_chunks::<4>().0).map(|(found, [c, m, y, k])| {
                    let [luma, blue, red, black] = ycck_of_cmyk([*c, *m, *y, *k]);
                    let wanted = [luma + 128.0, blue + 128.0, red + 128.0, black + 128.0];
                    found.iter().zip(wanted).map(|(a, b)| (f32::from(*a) - b).abs()).sum::<f32>() / 4.0
                });
            let mean = off.sum::<f32>() / 1600.0;
            assert!(mean <= most, "{quality}: {mean}");
        }
    }

    #[test]
    fn tables_from_the_first_tokens_can_encode_the_rest() {
        // The noise comes after the tables have been computed from the uniform part.
        let (width, height) = (4096, 2600);
        let mut gray = vec![255; width * height];
        let mut state = 1_u32;
        for value in &mut gray[width * 600..] {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *value = (state >> 24) as u8;
        }
        let found = read(&written(Source::Gray(&gray), width as u16, height as u16, 100), ColorSpace::Luma);
        assert!(found.iter().zip(&gray).all(|(a, b)| a.abs_diff(*b) <= 2));
    }

    #[test]
    fn an_empty_page_is_small() {
        let white = vec![255; 1240 * 1754 * 4];
        // The file has 12 bits for each unit of 256 pixels.
        assert!(written(Source::Rgbx(&white), 1240, 1754, 85).len() < 14_000);
    }

    #[test]
    fn writing_stops_when_the_job_is_cancelled() {
        let header = Header { width: 16, height: 64, density: (1, 1), quality: 85, profile: &[] };
        let mut left = 2;
        let made = write(&header, Source::Rgbx(&[0; 16 * 64 * 4]), || {
            left -= 1;
            if left == 0 { Err(EngineError::Cancelled) } else { Ok(()) }
        });
        assert!(matches!(made, Err(EngineError::Cancelled)));
    }
}
