//! The settings of a comparison.

use crate::Error;
use recto_interface::Secret;

/// The largest mean colour difference of a tile that does not count, in units of CIE 1976 L*a*b*: the just noticeable
/// difference (M. Mahy, L. Van Eycken, A. Oosterlinck: "Evaluation of uniform color spaces developed after the
/// adoption of CIELAB and CIELUV", Color Research and Application 19, 1994).
pub const DEFAULT_TOLERANCE: f32 = 2.3;

/// How many pages a document may have by default.
pub const DEFAULT_PAGES: usize = 1000;

/// The maximum width and height of the picture of a page in pixels. It bounds the memory of a comparison: two
/// pictures of 75 MB each.
pub(crate) const MAX_SIDE: u32 = 5000;

/// The settings of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The largest mean colour difference of a tile that does not count.
    pub tolerance: f32,
    /// The share of a page that may differ while the page still counts as the same, from 0 to 1.
    pub threshold: f64,
    /// How many pages a document may have.
    pub max_pages: usize,
    /// The password that opens both documents. A document that is not encrypted may be one of them.
    pub password: Option<Secret>,
    /// Whether the uploaded documents and the pictures are deleted from the service after they were downloaded.
    pub delete_after: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: DEFAULT_TOLERANCE,
            threshold: 0.0,
            max_pages: DEFAULT_PAGES,
            password: None,
            delete_after: false,
        }
    }
}

impl Settings {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Settings`] if one is outside its range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::Settings(reason.to_owned()));
        if !(0.0..=100.0).contains(&self.tolerance) {
            return refused("the tolerance is a colour difference from 0 to 100");
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return refused("the threshold is a share of a page, from 0 to 1 (100 %)");
        }
        if self.max_pages == 0 {
            return refused("the maximum number of pages is at least 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert!(Settings::default().check().is_ok());
        for settings in [
            Settings { tolerance: -0.1, ..Settings::default() },
            Settings { tolerance: f32::NAN, ..Settings::default() },
            Settings { threshold: 1.01, ..Settings::default() },
            Settings { threshold: f64::NAN, ..Settings::default() },
            Settings { max_pages: 0, ..Settings::default() },
        ] {
            assert!(matches!(settings.check(), Err(Error::Settings(_))), "{settings:?}");
        }
    }
}
