//! Downsamples pictures: each new pixel is the mean of the old pixels that it covers.

use super::picture::{Kind, Picture};

/// The fixed-point number that represents the weight 1.
const ONE: u32 = 1 << 14;

/// Downsamples a picture to this size. If the width or the height is 0, or larger than that of the picture, the picture
/// stays unchanged, and `false` is returned.
pub(super) fn resample(picture: &mut Picture, width: usize, height: usize) -> bool {
    if width == 0 || height == 0 || width > picture.width || height > picture.height {
        return false;
    }
    match picture.kind {
        Kind::Bytes => {
            picture.data =
                downsample(&picture.data, (picture.width, picture.height), (width, height), picture.channels);
        }
        Kind::Bits => {
            let gray: Vec<u8> = unpack(picture);
            let smaller = downsample(&gray, (picture.width, picture.height), (width, height), 1);
            picture.data = pack(&smaller, width);
        }
    }
    picture.width = width;
    picture.height = height;
    true
}

/// For each target sample along one axis: the index of the first source sample, and the weights of the source samples
/// from there on.
fn sample_weights(from: usize, to: usize) -> Vec<(usize, Vec<u32>)> {
    #[expect(clippy::cast_precision_loss, reason = "sizes of images")]
    let ratio = from as f64 / to as f64;
    (0..to)
        .map(|at| {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the image"
            )]
            let (start, end, first, last) = {
                let (start, end) = (at as f64 * ratio, ((at + 1) as f64 * ratio).min(from as f64));
                (start, end, start as usize, (end.ceil() as usize).min(from))
            };
            let mut weights: Vec<u32> = (first..last)
                .map(|source| {
                    #[expect(
                        clippy::cast_precision_loss,
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a share of one"
                    )]
                    let weight = {
                        let covered = (end.min((source + 1) as f64) - start.max(source as f64)).max(0.0);
                        (covered / (end - start) * f64::from(ONE)).round() as u32
                    };
                    weight
                })
                .collect();
            // The rounding error is added to the middle weight, so that the sum is exactly 1 and white stays white.
            let sum: u32 = weights.iter().sum();
            let middle = weights.len() / 2;
            if let Some(weight) = weights.get_mut(middle) {
                *weight = (*weight + ONE).saturating_sub(sum);
            }
            (first, weights)
        })
        .collect()
}

fn downsample(
    data: &[u8],
    (width, height): (usize, usize),
    (to_width, to_height): (usize, usize),
    channels: usize,
) -> Vec<u8> {
    let columns = sample_weights(width, to_width);
    let rows = sample_weights(height, to_height);
    let mut out = Vec::with_capacity(to_width * to_height * channels);
    let mut sums = vec![0_u32; to_width * channels];
    let mut row = vec![0_u32; width * channels];
    for (first, weights) in &rows {
        // First the rows are averaged vertically: the compiler vectorises this, because it works on whole rows. Then
        // the pixels of the resulting row are averaged horizontally.
        row.fill(0);
        for (source, weight) in (*first..).zip(weights) {
            let line =
                data.get(source * width * channels..(source + 1) * width * channels).unwrap_or_default();
            for (sum, byte) in row.iter_mut().zip(line) {
                *sum += u32::from(*byte) * weight;
            }
        }
        sums.fill(0);
        for ((first, weights), sum) in columns.iter().zip(sums.chunks_exact_mut(channels)) {
            let source = row.get(first * channels..(first + weights.len()) * channels).unwrap_or_default();
            for (pixel, weight) in source.chunks_exact(channels).zip(weights) {
                for (sum, value) in sum.iter_mut().zip(pixel) {
                    // `value` has 8 + 14 bits. The shift removes 9 bits, and the weight adds 14 bits, so the product
                    // fits into 32 bits.
                    *sum += ((value + (1 << 8)) >> 9) * weight;
                }
            }
        }
        out.extend(sums.iter().map(|sum| u8::try_from((sum + (1 << 18)) >> 19).unwrap_or(u8::MAX)));
    }
    out
}

fn unpack(picture: &Picture) -> Vec<u8> {
    let width = picture.width;
    picture
        .data
        .chunks_exact(picture.row_bytes())
        .flat_map(|row| {
            (0..width).map(move |at| {
                if row.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1) { 255 } else { 0 }
            })
        })
        .collect()
}

fn pack(gray: &[u8], width: usize) -> Vec<u8> {
    gray.chunks_exact(width)
        .flat_map(|row| {
            row.chunks(8).map(|group| {
                group
                    .iter()
                    .enumerate()
                    .fold(0_u8, |byte, (at, value)| byte | (u8::from(*value >= 128) << (7 - at)))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_colors_do_not_change() {
        for value in [0_u8, 1, 127, 254, 255] {
            for (from, to) in [((10, 10), (3, 7)), ((1000, 3), (1, 1)), ((17, 13), (16, 12))] {
                let data = vec![value; from.0 * from.1 * 3];
                let out = downsample(&data, from, to, 3);
                assert!(
                    out.len() == to.0 * to.1 * 3 && out.iter().all(|out| *out == value),
                    "{value} {from:?} {to:?}"
                );
            }
        }
    }

    #[test]
    fn a_pixel_is_the_mean_of_the_area_that_it_covers() {
        assert_eq!(downsample(&[0, 100, 200, 100], (4, 1), (2, 1), 1), [50, 150]);
        assert_eq!(downsample(&[0, 90, 180], (3, 1), (2, 1), 1), [30, 150]);
    }

    #[test]
    fn bits_keep_the_majority() {
        assert_eq!(pack(&[255, 255, 0, 127, 128, 0, 0, 0, 255], 9), [0b1100_1000, 0b1000_0000]);
    }
}
