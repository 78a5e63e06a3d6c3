//! Checks the ICC profiles of images.

use super::picture::Color;
use moxcms::{ColorProfile, DataColorSpace};

/// The maximum size of a profile in bytes; large CMYK profiles have about 3 MB.
const MAX_BYTES: usize = 16 << 20;

/// The profile, if it is valid and for the image's colour space. Other profiles are dropped, because viewers would interpret
/// them differently.
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
