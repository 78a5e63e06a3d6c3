//! ICC profiles that images carry.

use super::Color;
use moxcms::{ColorProfile, DataColorSpace};

/// The most bytes a profile may have: large CMYK ones have some 3 MB.
const MOST_BYTES: usize = 16 << 20;

/// The profile, when it can be read and describes colours of the kind that the image has; a broken or foreign
/// profile is left out, as viewers would have to guess what it means.
pub(crate) fn usable_profile(profile: Vec<u8>, color: &Color) -> Option<Vec<u8>> {
    let wanted = match color {
        Color::Gray => DataColorSpace::Gray,
        Color::Rgb | Color::Indexed(_) => DataColorSpace::Rgb,
        Color::Cmyk => DataColorSpace::Cmyk,
        Color::Lab | Color::CalGray { .. } | Color::CalRgb { .. } => return None,
    };
    if profile.len() > MOST_BYTES {
        return None;
    }
    let parsed = ColorProfile::new_from_slice(&profile).ok()?;
    (parsed.color_space == wanted).then_some(profile)
}
