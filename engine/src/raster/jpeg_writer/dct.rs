//! The discrete cosine transform (DCT) of blocks, and the quantization of the coefficients.

/// The samples of a block of 8 x 8 pixels. Their range is centred on zero.
pub(super) struct Block {
    pub values: [[f32; 8]; 8],
    /// Whether all samples of the block are equal.
    pub uniform: bool,
}

/// The quantized coefficients of a block, in zigzag order.
pub(super) struct Coefficients {
    pub values: [i16; 64],
    /// Whether a coefficient other than the first differs from zero.
    pub detailed: bool,
}

/// The position in a block, row by row, of each coefficient in zigzag order.
const ZIGZAG: [u8; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
    14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39,
    46, 53, 60, 61, 54, 47, 55, 62, 63,
];

/// The quantization tables of ITU-T T.81, annex K, for quality 50.
const LUMA: [u8; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
    22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
    87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMA: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
];

/// The fast transform below (by Arai, Agui and Nakajima) returns scaled coefficients. Each coefficient must be divided
/// by two of these numbers, one for its row and one for its column. The quantization includes this division.
const SCALES: [f64; 8] =
    [1.0, 1.387_039_845, 1.306_562_965, 1.175_875_602, 1.0, 0.785_694_958, 0.541_196_100, 0.275_899_379];

/// A quantizer: the quantization steps of the coefficients.
pub(super) struct Quantizer {
    steps: [u8; 64],
    /// The factor of each coefficient, in the transposed order in which the transform returns the coefficients.
    factors: [[f32; 8]; 8],
}

impl Quantizer {
    pub fn luma(quality: u8) -> Self {
        Self::scaled(&LUMA, quality)
    }

    pub fn chroma(quality: u8) -> Self {
        Self::scaled(&CHROMA, quality)
    }

    fn scaled(table: &[u8; 64], quality: u8) -> Self {
        let quality = u32::from(quality.clamp(1, 100));
        let percent = if quality < 50 { 5000 / quality } else { 200 - quality * 2 };
        let steps = table.map(|step| ((u32::from(step) * percent + 50) / 100).clamp(1, 255) as u8);
        let mut factors = [[0.0; 8]; 8];
        for (column, factors) in factors.iter_mut().enumerate() {
            for (row, factor) in factors.iter_mut().enumerate() {
                let step = f64::from(steps[row * 8 + column]);
                *factor = (1.0 / (step * SCALES[row] * SCALES[column] * 8.0)) as f32;
            }
        }
        Self { steps, factors }
    }

    /// The quantization steps in zigzag order, the order in which a JPEG file lists them.
    pub fn in_zigzag_order(&self) -> [u8; 64] {
        ZIGZAG.map(|place| self.steps[usize::from(place)])
    }

    pub fn quantize(&self, block: &Block) -> Coefficients {
        let mut values = [0; 64];
        if block.uniform {
            values[0] = rounded(block.values[0][0] * 64.0 * self.factors[0][0]) as i16;
            return Coefficients { values, detailed: false };
        }
        let columns = transposed(&transformed(&block.values));
        let coefficients = transformed(&columns);
        let mut whole = [[0_i32; 8]; 8];
        let mut bits = 0;
        for ((whole, line), factors) in whole.iter_mut().zip(&coefficients).zip(&self.factors) {
            for ((whole, value), factor) in whole.iter_mut().zip(line).zip(factors) {
                *whole = rounded(value * factor);
                bits |= *whole;
            }
        }
        // The first coefficient has a range that is one bit larger than the range of the other coefficients.
        let first = whole[0][0];
        whole[0][0] = 0;
        let detailed = bits != 0 && whole.as_flattened().iter().fold(0, |bits, value| bits | value) != 0;
        if detailed {
            let whole = whole.as_flattened();
            for (value, place) in values.iter_mut().zip(ZIGZAG) {
                // The transform returns the coefficients with rows and columns exchanged.
                let place = (place % 8 * 8 + place / 8) & 63;
                *value = whole[usize::from(place)].clamp(-1023, 1023) as i16;
            }
        }
        values[0] = first.clamp(-1024, 1023) as i16;
        Coefficients { values, detailed }
    }
}

/// The integer nearest to `value`, which must be far below four million: the addition of a large number leaves this
/// integer in the lowest bits of the sum.
#[inline(always)]
fn rounded(value: f32) -> i32 {
    const ONE_AND_A_HALF: f32 = 12_582_912.0;
    ((value + ONE_AND_A_HALF).to_bits() as i32).wrapping_sub(ONE_AND_A_HALF.to_bits() as i32)
}

fn transposed(values: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
    let mut transposed = [[0.0; 8]; 8];
    for (row, line) in values.iter().enumerate() {
        for (column, value) in line.iter().enumerate() {
            transposed[column][row] = *value;
        }
    }
    transposed
}

/// The DCT of each column, without the division by [`SCALES`].
#[inline(always)]
fn transformed(d: &[[f32; 8]; 8]) -> [[f32; 8]; 8] {
    let mut out = [[0.0; 8]; 8];
    for x in 0..8 {
        let (sum07, difference07) = (d[0][x] + d[7][x], d[0][x] - d[7][x]);
        let (sum16, difference16) = (d[1][x] + d[6][x], d[1][x] - d[6][x]);
        let (sum25, difference25) = (d[2][x] + d[5][x], d[2][x] - d[5][x]);
        let (sum34, difference34) = (d[3][x] + d[4][x], d[3][x] - d[4][x]);

        let (outer, outer_difference) = (sum07 + sum34, sum07 - sum34);
        let (inner, inner_difference) = (sum16 + sum25, sum16 - sum25);
        let rotated = (inner_difference + outer_difference) * std::f32::consts::FRAC_1_SQRT_2;
        out[0][x] = outer + inner;
        out[4][x] = outer - inner;
        out[2][x] = outer_difference + rotated;
        out[6][x] = outer_difference - rotated;

        let a = difference34 + difference25;
        let b = (difference25 + difference16) * std::f32::consts::FRAC_1_SQRT_2;
        let c = difference16 + difference07;
        let common = (a - c) * 0.382_683_43;
        let low = 0.541_196_1 * a + common;
        let high = 1.306_563 * c + common;
        let (plus, minus) = (difference07 + b, difference07 - b);
        out[5][x] = minus + low;
        out[3][x] = minus - low;
        out[1][x] = plus + high;
        out[7][x] = plus - high;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The DCT as defined in T.81.
    fn defined(values: &[[f32; 8]; 8], u: usize, v: usize) -> f64 {
        let wave = |x: usize, u: usize| {
            let angle = (2.0 * x as f64 + 1.0) * u as f64 * std::f64::consts::PI / 16.0;
            angle.cos() * if u == 0 { 0.5_f64.sqrt() } else { 1.0 }
        };
        let sum: f64 = (0..8)
            .flat_map(|y| (0..8).map(move |x| (x, y)))
            .map(|(x, y)| f64::from(values[y][x]) * wave(x, u) * wave(y, v))
            .sum();
        sum / 4.0
    }

    #[test]
    fn coefficients_are_those_of_the_standard() {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as f32 - 128.0
        };
        for quality in [1, 50, 85, 100] {
            let quantizer = Quantizer::luma(quality);
            let values = [(); 8].map(|()| [(); 8].map(|()| next()));
            let coded = quantizer.quantize(&Block { values, uniform: false });
            for (at, place) in ZIGZAG.iter().map(|place| usize::from(*place)).enumerate() {
                let exact = defined(&values, place % 8, place / 8) / f64::from(quantizer.steps[place]);
                assert!((f64::from(coded.values[at]) - exact).abs() <= 0.51, "{quality} {place}: {exact}");
            }
        }
    }

    #[test]
    fn a_block_of_one_colour_needs_no_transform() {
        for value in [-128.0, -3.0, 0.0, 127.0] {
            let quantizer = Quantizer::chroma(85);
            let of = |uniform| quantizer.quantize(&Block { values: [[value; 8]; 8], uniform }).values;
            assert_eq!(of(true), of(false));
        }
    }
}
