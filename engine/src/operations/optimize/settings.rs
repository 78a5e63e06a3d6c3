//! The settings of each profile.

use crate::color::ColorTarget;
use recto_interface::options::Profile;

/// How much images are reduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ImageSettings {
    /// The target resolution of gray and colour images in pixels per inch. It applies to the largest size at which an
    /// image is shown.
    pub(super) resolution: f64,
    /// The target resolution of bilevel images. They need a higher resolution for sharp edges.
    pub(super) bilevel_resolution: f64,
    /// Images are resampled only if their resolution exceeds the target resolution by this factor. Below this factor,
    /// the loss of sharpness outweighs the savings.
    pub(super) threshold: f64,
    /// The JPEG quality of recoded images.
    pub(super) quality: u8,
}

/// The settings of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    /// How images are reduced. `None` if images are kept unchanged.
    pub(super) images: Option<ImageSettings>,
    /// Whether invisible parts of images are cropped.
    pub(super) clip: bool,
    /// The colour space that colours are converted to, if any.
    pub(super) colors: ColorTarget,
    /// Whether the result is linearized.
    pub(super) linearize: bool,
    /// Whether metadata and output intents are removed.
    pub(super) strip_metadata: bool,
    /// Whether data that viewers do not need is removed: private data of editing programs, and thumbnails.
    pub(super) strip_private: bool,
    /// Whether metadata streams stay uncompressed, as PDF/A requires.
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
