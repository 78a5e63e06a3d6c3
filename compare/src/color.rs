//! The colour difference of two sRGB pixels: the distance in CIE 1976 L*a*b* (CIE 015:2018, "Colorimetry"), of which
//! black and white are 100 apart.

/// Converts sRGB pixels (IEC 61966-2-1) to L*a*b* with the white point D65.
pub struct Lab {
    /// The linear value of each sample.
    linear: [f32; 256],
}

impl Lab {
    pub fn new() -> Self {
        let mut linear = [0.0; 256];
        for (sample, value) in (0_u8..=255).zip(&mut linear) {
            let encoded = f32::from(sample) / 255.0;
            *value = if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) };
        }
        Self { linear }
    }

    fn of(&self, pixel: [u8; 3]) -> [f32; 3] {
        let [r, g, b] = pixel.map(|sample| self.linear[usize::from(sample)]);
        // The matrix of IEC 61966-2-1, with each row divided by the white point.
        let x = 0.433_953 * r + 0.376_219 * g + 0.189_828 * b;
        let y = 0.212_671 * r + 0.715_160 * g + 0.072_169 * b;
        let z = 0.017_758 * r + 0.109_477 * g + 0.872_766 * b;
        let [x, y, z] = [x, y, z]
            .map(|value| if value > 0.008_856_452 { value.cbrt() } else { value * 7.787_037 + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The colour difference of two pixels.
    pub fn distance(&self, a: [u8; 3], b: [u8; 3]) -> f32 {
        if a == b {
            return 0.0;
        }
        let (a, b) = (self.of(a), self.of(b));
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours_have_their_published_values() {
        let lab = Lab::new();
        for (pixel, expected) in [
            ([255, 255, 255], [100.0, 0.0, 0.0]),
            ([0, 0, 0], [0.0, 0.0, 0.0]),
            ([255, 0, 0], [53.24, 80.09, 67.20]),
            ([0, 255, 0], [87.73, -86.18, 83.18]),
            ([0, 0, 255], [32.30, 79.19, -107.86]),
        ] {
            let found = lab.of(pixel);
            let close = found.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 0.1);
            assert!(close, "{pixel:?}: {found:?}");
        }
    }

    #[test]
    fn black_and_white_are_100_apart_and_equal_pixels_0() {
        let lab = Lab::new();
        assert!((lab.distance([0; 3], [255; 3]) - 100.0).abs() < 0.01);
        assert_eq!(lab.distance([12, 34, 56], [12, 34, 56]), 0.0);
        assert!(lab.distance([128; 3], [129; 3]) < 0.5);
    }
}
