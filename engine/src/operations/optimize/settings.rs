//! What each profile does, as data.

use crate::color::ColorTarget;
use recto_interface::options::Profile;

/// How far images are reduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImageSettings {
    /// Pixels per inch at the largest size that an image of gray or colour is shown at.
    pub(super) resolution: f64,
    /// The same for bilevel images, whose edges suffer more.
    pub(super) bilevel_resolution: f64,
    /// Images are resampled only from this many times the resolution on: below, blur costs more than it saves.
    pub(super) threshold: f64,
    /// JPEG quality of what is recoded.
    pub(super) quality: u8,
}

/// What a profile does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    /// How images are reduced; archives keep them as they are.
    pub(super) images: Option<ImageSettings>,
    /// Whether parts of images that are never seen are cut away.
    pub(super) clip: bool,
    /// What becomes of colours.
    pub(super) colors: ColorTarget,
    /// Whether the result is linearized.
    pub(super) linearize: bool,
    /// Whether metadata and output intents go.
    pub(super) strip_metadata: bool,
    /// Whether what only editing programs read goes: private data, thumbnails.
    pub(super) strip_private: bool,
    /// Whether metadata streams stay readable without a decoder, as archives want them.
    pub(super) plain_metadata: bool,
}

impl Settings {
    /// The settings of a profile.
    pub(super) const fn of(profile: Profile) -> Self {
        let lossless = Self {
            images: None,
            clip: false,
            colors: ColorTarget::Keep,
            linearize: false,
            strip_metadata: false,
            strip_private: false,
            plain_metadata: true,
        };
        match profile {
            Profile::Archive => lossless,
            Profile::Web => Self {
                images: Some(ImageSettings {
                    resolution: 150.0,
                    bilevel_resolution: 300.0,
                    threshold: 1.4,
                    quality: 72,
                }),
                clip: true,
                colors: ColorTarget::Rgb,
                linearize: true,
                strip_private: true,
                plain_metadata: false,
                ..lossless
            },
            Profile::Print => Self {
                images: Some(ImageSettings {
                    resolution: 300.0,
                    bilevel_resolution: 600.0,
                    threshold: 1.4,
                    quality: 86,
                }),
                clip: true,
                colors: ColorTarget::Cmyk,
                strip_private: true,
                plain_metadata: false,
                ..lossless
            },
            Profile::MinimalFileSize => Self {
                images: Some(ImageSettings {
                    resolution: 120.0,
                    bilevel_resolution: 300.0,
                    threshold: 1.2,
                    quality: 58,
                }),
                clip: true,
                strip_metadata: true,
                strip_private: true,
                plain_metadata: false,
                ..lossless
            },
        }
    }
}
