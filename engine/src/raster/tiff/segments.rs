//! Decompresses the strips and tiles of a TIFF page.

use super::fields::{Compression, Page, Photometric, unsupported};
use crate::{EngineError, Job};
use std::borrow::Cow;
use std::io::Read;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

pub(super) fn truncated(index: usize, count: usize) -> EngineError {
    let what = if count < 2 {
        "the TIFF image".to_owned()
    } else {
        format!("strip or tile {} of {count} of the TIFF image", index + 1)
    };
    EngineError::Damaged(format!("{what} ends before its last row; the file may be truncated"))
}

/// Decompresses a segment of `width` x `height` pixels. The result has exactly the number of bytes that such a segment
/// must have.
pub(super) fn decompress(
    page: &Page<'_>,
    segment: &[u8],
    width: u32,
    height: u32,
    index: usize,
    job: &Job,
) -> Result<Vec<u8>, EngineError> {
    let size = page.segment_bytes(width, height);
    if size as u64 > job.limits().decoded_bytes {
        return Err(EngineError::limit("decompressed size", format!("{} bytes", job.limits().decoded_bytes)));
    }
    let data: Cow<'_, [u8]> = if page.reversed_bits && page.compression != Compression::Jpeg {
        segment.iter().map(|byte| byte.reverse_bits()).collect()
    } else {
        segment.into()
    };
    let mut samples = match page.compression {
        Compression::None => data.get(..size).unwrap_or(&data).to_vec(),
        Compression::PackBits => unpack_bits(&data, size),
        Compression::Lzw => unpack_lzw(&data, size),
        Compression::Deflate => inflate(&data, size),
        Compression::Jpeg => decode_jpeg(page, &data, width, height)?,
        Compression::HuffmanRle | Compression::Group3 | Compression::Group4 => {
            return Err(unsupported("fax compression of samples that are not black and white"));
        }
    };
    if samples.len() < size {
        return Err(truncated(index, page.segments.len()));
    }
    samples.truncate(size);
    Ok(samples)
}

fn unpack_bits(data: &[u8], size: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut rest = data;
    while let [control, tail @ ..] = rest {
        if unpacked.len() >= size {
            break;
        }
        let count = i8::from_be_bytes([*control]);
        match (count, tail) {
            (-128, _) => rest = tail,
            (0.., _) => {
                let (run, tail) = tail.split_at((count as usize + 1).min(tail.len()));
                unpacked.extend_from_slice(run);
                rest = tail;
            }
            (_, [byte, tail @ ..]) => {
                unpacked.resize(unpacked.len() + usize::from(count.unsigned_abs()) + 1, *byte);
                rest = tail;
            }
            (_, []) => break,
        }
    }
    unpacked
}

/// Decodes the LZW compression of TIFF. Early writers used a variant with the least significant bit first, which is
/// recognised by the first bytes.
fn unpack_lzw(data: &[u8], size: usize) -> Vec<u8> {
    let mut decoder = match data {
        [0, second, ..] if second & 1 == 1 => weezl::decode::Decoder::new(weezl::BitOrder::Lsb, 8),
        _ => weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8),
    };
    let mut unpacked = vec![0; size];
    let (mut read, mut written) = (0, 0);
    while let (Some(input), Some(output)) = (data.get(read..), unpacked.get_mut(written..)) {
        if input.is_empty() || output.is_empty() {
            break;
        }
        let step = decoder.decode_bytes(input, output);
        read += step.consumed_in;
        written += step.consumed_out;
        let stuck = step.consumed_in == 0 && step.consumed_out == 0;
        if stuck || !matches!(step.status, Ok(weezl::LzwStatus::Ok)) {
            break;
        }
    }
    unpacked.truncate(written);
    unpacked
}

fn inflate(data: &[u8], size: usize) -> Vec<u8> {
    let mut samples = Vec::new();
    // If the data is faulty, the samples before the fault are kept. The caller checks their length.
    let _ = flate2::read::ZlibDecoder::new(data).take(size as u64).read_to_end(&mut samples);
    samples
}

/// Makes a JPEG file from a JPEG-compressed segment: adds the tables that all segments share, and Adobe's marker, which
/// states the colour transform. In a TIFF file a field states the colour transform.
pub(super) fn jpeg_file(page: &Page<'_>, segment: &[u8]) -> Vec<u8> {
    let tables = page.jpeg_tables.unwrap_or_default();
    let tables = tables.strip_prefix(&[0xff, 0xd8]).unwrap_or(tables);
    let tables = tables.strip_suffix(&[0xff, 0xd9]).unwrap_or(tables);
    let data = segment.strip_prefix(&[0xff, 0xd8]).unwrap_or(segment);
    let transform = u8::from(page.photometric == Photometric::YCbCr);
    let adobe = [0xff, 0xee, 0, 14, b'A', b'd', b'o', b'b', b'e', 0, 100, 0, 0, 0, 0, transform];
    let marker: &[u8] = if page.samples == 3 { &adobe } else { &[] };
    [&[0xff, 0xd8], marker, tables, data].concat()
}

fn decode_jpeg(page: &Page<'_>, segment: &[u8], width: u32, height: u32) -> Result<Vec<u8>, EngineError> {
    if page.bits != 8 {
        return Err(unsupported(format!("JPEG compression with {} bits per sample", page.bits)));
    }
    let file = jpeg_file(page, segment);
    let channels = if page.planar { 1 } else { page.samples };
    let out = match channels {
        1 => ColorSpace::Luma,
        3 => ColorSpace::RGB,
        4 => ColorSpace::CMYK,
        _ => return Err(unsupported(format!("JPEG compression with {channels} samples per pixel"))),
    };
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(width as usize + 64)
        .set_max_height(height as usize + 64)
        .jpeg_set_out_colorspace(out);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(file.as_slice()), options);
    let failed = |error: zune_jpeg::errors::DecodeErrors| {
        EngineError::Damaged(format!("the JPEG data of the TIFF image cannot be decoded: {error}"))
    };
    let samples = decoder.decode().map_err(failed)?;
    let (columns, rows) =
        decoder.info().map_or((0, 0), |info| (usize::from(info.width), usize::from(info.height)));
    let (wanted, has) = (width as usize * channels, columns * channels);
    if has < wanted || rows < height as usize {
        return Err(EngineError::Damaged(format!(
            "the JPEG data of the TIFF image has {columns} x {rows} pixels, not {width} x {height}"
        )));
    }
    if has == wanted {
        return Ok(samples);
    }
    Ok(samples
        .chunks_exact(has.max(1))
        .flat_map(|row| row.get(..wanted).unwrap_or_default())
        .copied()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packbits_decodes_literals_and_runs() {
        assert_eq!(unpack_bits(&[2, 1, 2, 3, 0xfe, 9, 0x80, 0, 7], 100), [1, 2, 3, 9, 9, 9, 7]);
        assert_eq!(unpack_bits(&[5, 1, 2], 100), [1, 2]);
        assert!(unpack_bits(&[0xfe], 100).is_empty());
    }

    #[test]
    fn a_decompression_bomb_is_inflated_only_to_the_expected_size() {
        use std::io::Write;
        let mut bomb = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        bomb.write_all(&vec![0; 10_000_000]).unwrap();
        assert_eq!(inflate(&bomb.finish().unwrap(), 1000).len(), 1000);
    }
}
