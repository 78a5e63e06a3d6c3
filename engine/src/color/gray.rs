//! Converts sRGB colours to gray.

use std::sync::LazyLock;

/// The linear light of each of the 256 sRGB values, in units of 1/65535.
static LIGHT: LazyLock<[u32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|value| {
        let value = value as f64 / 255.0;
        let light = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        (light * 65535.0).round() as u32
    })
});

/// The sRGB value of each linear light from 0 to 4096, in units of 1/4096.
static VALUE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let value = |step: u32| {
        let light = f64::from(step) / 4096.0;
        let value = if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
        (value * 255.0).round() as u8
    };
    (0..=4096).map(value).collect()
});

/// The gray with the same luminance (CIE Y) as an sRGB colour. For a gray colour, this is the value of its three
/// channels.
pub(crate) fn gray_of([r, g, b]: [u8; 3]) -> u8 {
    if r == g && g == b {
        return r;
    }
    let light = |value: u8| LIGHT.get(usize::from(value)).copied().unwrap_or(0);
    // The factors are the luminances of pure red, green and blue in sRGB, in units of 1/10000.
    let bright =
        (2126 * u64::from(light(r)) + 7152 * u64::from(light(g)) + 722 * u64::from(light(b))) / 10_000;
    VALUE.get((bright * 4096 / 65535) as usize).copied().unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grays_stay_and_colours_keep_their_brightness() {
        for gray in 0..=255 {
            assert_eq!(gray_of([gray; 3]), gray);
        }
        // The luminance (CIE Y) of pure red, green and blue is 0.2126, 0.7152 and 0.0722.
        assert_eq!([gray_of([255, 0, 0]), gray_of([0, 255, 0]), gray_of([0, 0, 255])], [127, 220, 76]);
    }
}
