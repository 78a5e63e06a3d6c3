//! The picture of a page: RGB pixels, read from a PNG file.

use png::{ColorType, Decoder, Limits, Transformations, Unit};
use std::io::{BufRead, Seek};

/// The memory that the decoder may use besides the pixels, in bytes.
const DECODER_MEMORY: usize = 16 << 20;

/// The picture of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
    density: Option<(u32, u32)>,
}

impl Picture {
    /// A picture with these pixels, three bytes each, row by row. `None` if their number does not match the size.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Option<Self> {
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        (bytes == rgb.len() && bytes > 0).then_some(Self { width, height, rgb, density: None })
    }

    /// The width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The number of pixels per metre, horizontal and vertical, if the file states it.
    pub fn density(&self) -> Option<(u32, u32)> {
        self.density
    }

    /// The pixels of a row, three bytes each; empty if the picture has no such row.
    pub fn row(&self, y: usize) -> &[u8] {
        self.rgb.chunks_exact(self.width * 3).nth(y).unwrap_or_default()
    }

    /// Reads a PNG file whose width and height are at most `longest` pixels. Transparent pixels are shown on white.
    ///
    /// # Errors
    /// The reason why the file cannot be read, as a text for a message.
    pub fn read_png(file: impl BufRead + Seek, longest: u32) -> Result<Self, String> {
        let damaged =
            |error: png::DecodingError| format!("the PNG file of a page cannot be decoded: {error}");
        let mut decoder = Decoder::new(file);
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let header = decoder.read_header_info().map_err(damaged)?;
        if header.width > longest || header.height > longest {
            let (width, height) = (header.width, header.height);
            return Err(format!(
                "a page has {width} x {height} pixels, and {longest} x {longest} are allowed"
            ));
        }
        decoder.set_limits(Limits { bytes: DECODER_MEMORY });
        let mut reader = decoder.read_info().map_err(damaged)?;
        let size = reader.output_buffer_size().ok_or("the picture of a page is too large")?;
        let mut samples = vec![0; size];
        let frame = reader.next_frame(&mut samples).map_err(damaged)?;
        let pixels = reader.info().pixel_dims.filter(|pixels| matches!(pixels.unit, Unit::Meter));
        samples.truncate(frame.buffer_size());
        let rgb = rgb_of(frame.color_type, samples);
        let picture = Self::new(frame.width as usize, frame.height as usize, rgb);
        let picture = picture.ok_or("the PNG file of a page has a number of pixels that is not its size")?;
        Ok(Self { density: pixels.map(|pixels| (pixels.xppu, pixels.yppu)), ..picture })
    }
}

/// The RGB pixels of samples of eight bits.
fn rgb_of(color: ColorType, samples: Vec<u8>) -> Vec<u8> {
    let on_white = |sample: u8, alpha: u8| {
        let (sample, alpha) = (u32::from(sample), u32::from(alpha));
        ((sample * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    match color {
        ColorType::Rgb => samples,
        ColorType::Rgba => {
            let pixels = samples.as_chunks::<4>().0.iter();
            pixels.flat_map(|&[r, g, b, a]| [r, g, b].map(|sample| on_white(sample, a))).collect()
        }
        ColorType::GrayscaleAlpha => {
            let pixels = samples.as_chunks::<2>().0.iter();
            pixels.flat_map(|&[gray, a]| [on_white(gray, a); 3]).collect()
        }
        // The decoder expands palettes to RGB, so that only gray is left.
        ColorType::Grayscale | ColorType::Indexed => samples.iter().flat_map(|&gray| [gray; 3]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn png(color: ColorType, width: u32, height: u32, samples: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: 5906, yppu: 5906, unit: Unit::Meter }));
        encoder.write_header().unwrap().write_image_data(samples).unwrap();
        bytes
    }

    #[test]
    fn each_kind_of_png_becomes_rgb_on_white() {
        for (color, samples, expected) in [
            (ColorType::Rgb, &[1, 2, 3][..], [1, 2, 3]),
            (ColorType::Grayscale, &[7], [7; 3]),
            (ColorType::GrayscaleAlpha, &[0, 0], [255; 3]),
            (ColorType::Rgba, &[0, 0, 0, 128], [127; 3]),
            (ColorType::Rgba, &[9, 8, 7, 255], [9, 8, 7]),
        ] {
            let picture = Picture::read_png(Cursor::new(png(color, 1, 1, samples)), 10).unwrap();
            assert_eq!(picture.row(0), expected, "{color:?}");
            assert_eq!(picture.density(), Some((5906, 5906)));
            assert!(picture.row(1).is_empty());
        }
    }

    #[test]
    fn a_damaged_or_too_large_file_is_refused() {
        let good = png(ColorType::Grayscale, 20, 1, &[0; 20]);
        assert!(Picture::read_png(Cursor::new(&good), 20).is_ok());
        assert!(Picture::read_png(Cursor::new(&good), 19).unwrap_err().contains("20 x 1"));
        for end in 0..good.len() - 20 {
            assert!(Picture::read_png(Cursor::new(&good[..end]), 20).is_err(), "cut at {end}");
        }
        assert!(Picture::new(2, 2, vec![0; 11]).is_none());
        assert!(Picture::new(0, 0, Vec::new()).is_none());
    }
}
