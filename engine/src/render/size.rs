//! How many pixels a page has: pure reckoning.

use crate::{EngineError, Limits};
use recto_interface::options::PixelSize;

/// Pixels per inch where nothing caps them.
pub(crate) const RESOLUTION: f64 = 150.0;

/// The pixels of a page, and how many of them a point has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub width: u16,
    pub height: u16,
    pub x: f64,
    pub y: f64,
}

impl Scale {
    /// A page of `width` x `height` points as exactly this many pixels.
    ///
    /// # Errors
    /// [`EngineError::Limit`] when there are more than the limit or than a renderer can address.
    pub fn exact(points: (f64, f64), pixels: (f64, f64), limits: &Limits) -> Result<Self, EngineError> {
        let side = |value: f64| value.round().max(1.0);
        let (width, height) = (side(pixels.0), side(pixels.1));
        let longest = f64::from(u16::MAX);
        let finite = pixels.0.is_finite() && pixels.1.is_finite();
        let fits = finite && width <= longest && height <= longest && width * height <= limits.pixels as f64;
        if !fits {
            return Err(EngineError::limit(
                "pixels of a page",
                format!("{} in all and {longest} a side; a page has {width:.0} x {height:.0}", limits.pixels),
            ));
        }
        Ok(Self { width: width as u16, height: height as u16, x: width / points.0, y: height / points.1 })
    }
}

/// The pixels of a page of `width` x `height` points (whose unit is `unit` points) at [`RESOLUTION`], or at the lower one
/// that keeps it within `cap`. The aspect ratio is kept to the pixel.
///
/// # Errors
/// As [`Scale::exact`].
pub(crate) fn scale_to(
    (width, height): (f64, f64),
    unit: f64,
    cap: Option<PixelSize>,
    limits: &Limits,
) -> Result<Scale, EngineError> {
    let full = RESOLUTION / 72.0 * unit;
    let scale =
        cap.map_or(full, |cap| full.min(f64::from(cap.width) / width).min(f64::from(cap.height) / height));
    Scale::exact((width, height), (width * scale, height * scale), limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(points: (f64, f64), cap: Option<(u32, u32)>) -> (u16, u16) {
        let cap = cap.map(|(width, height)| PixelSize { width, height });
        let scale = scale_to(points, 1.0, cap, &Limits::default()).unwrap();
        (scale.width, scale.height)
    }

    #[test]
    fn sizes_are_rounded_not_cut() {
        assert_eq!(pixels((595.276, 841.89), None), (1240, 1754));
        assert_eq!(pixels((612.0, 792.0), None), (1275, 1650));
        assert_eq!(pixels((0.1, 0.1), None), (1, 1));
    }

    #[test]
    fn a_cap_only_lowers_the_resolution_and_keeps_the_aspect() {
        assert_eq!(pixels((612.0, 792.0), Some((10_000, 10_000))), (1275, 1650));
        assert_eq!(pixels((612.0, 792.0), Some((100, 10_000))), (100, 129));
        assert_eq!(pixels((612.0, 792.0), Some((10_000, 100))), (77, 100));
        assert_eq!(pixels((612.0, 792.0), Some((1, 1))), (1, 1));
        assert_eq!(pixels((10.0, 10_000.0), Some((50, 50))), (1, 50));
    }

    #[test]
    fn a_user_unit_makes_the_page_larger() {
        assert_eq!(scale_to((72.0, 72.0), 2.0, None, &Limits::default()).unwrap().width, 300);
    }

    #[test]
    fn pages_beyond_the_limit_are_refused() {
        for points in [(20_000.0, 20_000.0), (1e9, 1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)] {
            assert!(
                matches!(scale_to(points, 1.0, None, &Limits::default()), Err(EngineError::Limit { .. })),
                "{points:?}"
            );
        }
    }
}
