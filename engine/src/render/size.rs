//! Computes the size of a page in pixels.

use crate::{EngineError, Limits};
use recto_interface::options::PixelSize;

/// The default resolution in pixels per inch. An option that limits the size can reduce it.
pub(crate) const RESOLUTION: f64 = 150.0;

/// The maximum length of a side in pixels that the renderer supports.
const LONGEST: u16 = 65_280;

/// A page with more pixels than the limit allows is reduced to this share of the limit. The share is less than 1,
/// because all cores render pages at the same time.
const REDUCED_SHARE: f64 = 0.25;

/// The size of a page in pixels, and the number of pixels per point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub width: u16,
    pub height: u16,
    pub x: f64,
    pub y: f64,
}

impl Scale {
    /// The scale at which a page of this size in points has exactly this many pixels.
    ///
    /// # Errors
    /// [`EngineError::Limit`] if there are more pixels than the limit allows or than the renderer supports.
    pub fn exact(points: (f64, f64), pixels: (f64, f64), limits: &Limits) -> Result<Self, EngineError> {
        let side = |value: f64| value.round().max(1.0);
        let (width, height) = (side(pixels.0), side(pixels.1));
        let longest = f64::from(LONGEST);
        let finite = pixels.0.is_finite() && pixels.1.is_finite();
        let fits = finite && width <= longest && height <= longest && width * height <= limits.pixels as f64;
        if !fits {
            return Err(EngineError::limit(
                "pixels of a page",
                format!(
                    "{} in total and {longest} for a side; a page has {width:.0} x {height:.0}",
                    limits.pixels
                ),
            ));
        }
        Ok(Self { width: width as u16, height: height as u16, x: width / points.0, y: height / points.1 })
    }

    /// The same scale as [`exact`](Self::exact), or a smaller scale if the page would be too large. Also returns
    /// whether the scale was reduced.
    ///
    /// # Errors
    /// [`EngineError::Limit`] if the size of the page is not finite.
    pub fn fitting(
        points: (f64, f64),
        pixels: (f64, f64),
        limits: &Limits,
    ) -> Result<(Self, bool), EngineError> {
        if let Ok(exact) = Self::exact(points, pixels, limits) {
            return Ok((exact, false));
        }
        let longest = f64::from(LONGEST) / pixels.0.max(pixels.1);
        let most = limits.pixels as f64 * REDUCED_SHARE;
        // Each side has at least one pixel.
        let largest = (most / (pixels.0.max(1.0) * pixels.1.max(1.0))).sqrt();
        let factor = longest.min(largest).min(1.0);
        Self::exact(points, (pixels.0 * factor, pixels.1 * factor), limits).map(|scale| (scale, true))
    }
}

/// The size of a page in pixels at [`RESOLUTION`], or at the lower resolution that keeps the page within `cap`. The
/// page's size is in user units of `unit` points. The aspect ratio is kept.
pub(super) fn pixels_of((width, height): (f64, f64), unit: f64, cap: Option<PixelSize>) -> (f64, f64) {
    let full = RESOLUTION / 72.0 * unit;
    let scale =
        cap.map_or(full, |cap| full.min(f64::from(cap.width) / width).min(f64::from(cap.height) / height));
    (width * scale, height * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(points: (f64, f64), cap: Option<(u32, u32)>) -> (u16, u16) {
        let cap = cap.map(|(width, height)| PixelSize { width, height });
        let (scale, reduced) =
            Scale::fitting(points, pixels_of(points, 1.0, cap), &Limits::default()).unwrap();
        assert!(!reduced);
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
        assert_eq!(pixels_of((72.0, 36.0), 2.0, None), (300.0, 150.0));
    }

    #[test]
    fn a_page_beyond_the_limit_has_fewer_pixels_and_the_same_shape() {
        let limits = Limits { pixels: 4_000_000, ..Limits::default() };
        for points in [(20_000.0, 20_000.0), (20_000.0, 5_000.0), (100_000.0, 100.0), (1e9, 1.0)] {
            let (scale, reduced) = Scale::fitting(points, pixels_of(points, 1.0, None), &limits).unwrap();
            let (width, height) = (f64::from(scale.width), f64::from(scale.height));
            assert!(reduced && width * height <= 1_050_000.0, "{points:?}: {scale:?}");
            let ratio = points.0 / points.1;
            assert!((width - height * ratio).abs() <= ratio || scale.height == 1, "{points:?}: {scale:?}");
        }
    }

    #[test]
    fn pages_without_a_finite_size_are_refused() {
        for points in [(f64::NAN, 1.0), (f64::INFINITY, 1.0)] {
            let pixels = pixels_of(points, 1.0, None);
            let refused = Scale::fitting(points, pixels, &Limits::default());
            assert!(matches!(refused, Err(EngineError::Limit { .. })), "{points:?}");
        }
    }
}
