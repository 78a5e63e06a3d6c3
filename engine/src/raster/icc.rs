//! Checks the ICC profiles of images.

use super::picture::Color;
use moxcms::{ColorProfile, DataColorSpace};

/// The maximum size of a profile in bytes. Large CMYK profiles have about 3 MB.
const MAX_BYTES: usize = 16 << 20;

/// Returns the profile if it is valid and describes the image's colour space, otherwise `None`: viewers interpret an
/// invalid or unsuitable profile in different ways.
pub(crate) fn usable_profile(profile: Vec<u8>, color: &Color) -> Option<Vec<u8>> {
    let wanted = match color {
        Color::Gray => DataColorSpace::Gray,
        Color::Rgb | Color::Indexed(_) => DataColorSpace::Rgb,
        Color::Cmyk => DataColorSpace::Cmyk,
        Color::Lab | Color::CalGray { .. } | Color::CalRgb { .. } => return None,
    };
    if profile.len() > MAX_BYTES {
        return None;
    }
    let parsed = ColorProfile::new_from_slice(&profile).ok()?;
    (parsed.color_space == wanted).then_some(profile)
}
