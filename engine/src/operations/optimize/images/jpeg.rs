//! Decodes and encodes JPEG data.

use crate::EngineError;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Decoded samples: gray, RGB or CMYK. CMYK samples have the values that a PDF filter returns, before a `Decode` array
/// is applied.
pub(super) struct Decoded {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) channels: usize,
    pub(super) data: Vec<u8>,
}

/// Decodes JPEG data. `None` if the data is damaged or of an unsupported kind.
pub(super) fn decode(data: &[u8]) -> Option<Decoded> {
    let options =
        DecoderOptions::default().set_max_width(65_535).set_max_height(65_535).set_strict_mode(true);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), options);
    decoder.decode_headers().ok()?;
    let (out, channels) = match decoder.input_colorspace()? {
        ColorSpace::Luma => (ColorSpace::Luma, 1),
        ColorSpace::YCbCr | ColorSpace::RGB => (ColorSpace::RGB, 3),
        ColorSpace::CMYK => (ColorSpace::CMYK, 4),
        // Images in YCCK and other rare colour spaces are not recoded.
        _ => return None,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(out));
    let data = decoder.decode().ok()?;
    let info = decoder.info()?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    (data.len() == width * height * channels).then_some(Decoded { width, height, channels, data })
}

/// Encodes gray, RGB or CMYK samples.
///
/// # Errors
/// [`EngineError::Internal`] when the encoder fails.
pub(super) fn encode(
    data: &[u8],
    width: u16,
    height: u16,
    channels: usize,
    quality: u8,
) -> Result<Vec<u8>, EngineError> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality);
    encoder.set_optimized_huffman_tables(true);
    encoder.set_progressive(true);
    encoder.set_sampling_factor(if quality < 85 { SamplingFactor::F_2_2 } else { SamplingFactor::F_1_1 });
    let (color, data) = match channels {
        1 => (ColorType::Luma, std::borrow::Cow::Borrowed(data)),
        3 => (ColorType::Rgb, std::borrow::Cow::Borrowed(data)),
        // The encoder inverts CMYK samples, as the programs of Adobe do. PDF expects samples that are not inverted, so
        // they are inverted here first.
        _ => (ColorType::Cmyk, std::borrow::Cow::Owned(data.iter().map(|byte| !byte).collect::<Vec<u8>>())),
    };
    encoder
        .encode(&data, width, height, color)
        .map_err(|error| EngineError::Internal(format!("cannot encode a JPEG image: {error}")))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_survive_in_each_color_model() {
        for channels in [1, 3, 4] {
            let pixel = [200_u8, 100, 50, 25];
            let data: Vec<u8> = pixel[..channels].repeat(24 * 16);
            let coded = encode(&data, 24, 16, channels, 90).unwrap();
            let back = decode(&coded).unwrap();
            assert_eq!((back.width, back.height, back.channels), (24, 16, channels));
            assert!(back.data.iter().zip(&data).all(|(a, b)| a.abs_diff(*b) < 6), "{channels}");
        }
    }

    #[test]
    fn damaged_data_is_refused() {
        let coded = encode(&[7; 64 * 64], 64, 64, 1, 80).unwrap();
        assert!(decode(&coded[..40]).is_none());
        assert!(decode(b"no JPEG").is_none());
    }
}
