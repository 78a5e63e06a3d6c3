//! Converts colours between RGB and CMYK: decides which colour spaces are converted, and converts their colours.

use crate::EngineError;
use crate::color::cmyk::{CMYK_PROFILE, CmykTable};
use crate::document::{Budget, decode, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use moxcms::{ColorProfile, DataColorSpace, Layout, RenderingIntent, TransformOptions};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The maximum size of a profile in bytes. Large CMYK profiles have about 3 MB.
const MAX_PROFILE_BYTES: u64 = 16 << 20;

/// The device colour space that colours are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorTarget {
    /// Colours are not converted.
    Keep,
    /// CMYK becomes RGB.
    Rgb,
    /// RGB becomes CMYK.
    Cmyk,
}

type Transform = Arc<moxcms::Transform8BitExecutor>;

/// A colour space that is converted, as an index into [`ColorConversion`]'s spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceSpace(usize);

/// How a conversion treats a colour space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Kept,
    Converted(SourceSpace),
    Unknown,
}

/// The built-in CMYK profile, for CMYK without a profile. The profile is loaded when it is first used, because loading
/// takes a while.
static BUILT_IN_CMYK: LazyLock<Option<ToRgb>> =
    LazyLock::new(|| ToRgb::of(CMYK_PROFILE, DataColorSpace::Cmyk));

/// How the values of a colour space become sRGB.
#[derive(Clone)]
enum ToRgb {
    /// The values are sRGB already.
    Identity,
    /// The values are converted by the built-in CMYK profile.
    BuiltInCmyk,
    /// The values are converted by a profile, with black point compensation: `black` is the linear RGB value of pure
    /// black ink. This value becomes 0.
    Profile { transform: Transform, black: [f32; 3] },
}

/// A conversion of colours to a device colour space.
#[derive(Clone)]
pub(crate) struct ColorConversion {
    /// Whether the target is CMYK. Otherwise the target is RGB.
    to_cmyk: bool,
    spaces_to_rgb: Vec<ToRgb>,
    profiles: HashMap<ObjectId, Option<SourceSpace>>,
}

impl ColorConversion {
    /// The conversion to `target`. `None` if `target` keeps colours as they are.
    pub(crate) fn to(target: ColorTarget) -> Option<Self> {
        let (to_cmyk, device_space) = match target {
            ColorTarget::Keep => return None,
            ColorTarget::Rgb => (false, ToRgb::BuiltInCmyk),
            ColorTarget::Cmyk => (true, ToRgb::Identity),
        };
        Some(Self { to_cmyk, spaces_to_rgb: vec![device_space], profiles: HashMap::new() })
    }

    /// The name of the device space that colours are converted to.
    pub(crate) fn target_space_name(&self) -> &'static [u8] {
        if self.to_cmyk { b"DeviceCMYK" } else { b"DeviceRGB" }
    }

    /// The name of the device space that colours are converted from.
    pub(crate) fn source_space_name(&self) -> &'static [u8] {
        if self.to_cmyk { b"DeviceRGB" } else { b"DeviceCMYK" }
    }

    /// The number of components of the source space.
    pub(crate) fn source_channels(&self) -> usize {
        if self.to_cmyk { 3 } else { 4 }
    }

    /// The number of components of the target space.
    pub(crate) fn target_channels(&self) -> usize {
        if self.to_cmyk { 4 } else { 3 }
    }

    /// How the colour space with this name in a content stream is treated. Without a name: how the colour space of the
    /// device operators (`rg` or `k`) is treated.
    pub(crate) fn space(
        &mut self,
        document: &Document,
        resources: Option<&Dictionary>,
        name: Option<&[u8]>,
    ) -> Space {
        let spaces =
            resources.and_then(|dict| dict.get_deref(b"ColorSpace", document).and_then(Object::as_dict).ok());
        let source_name = self.source_space_name();
        let source = match name.unwrap_or(source_name) {
            device if device == source_name => {
                let default: &[u8] = if self.to_cmyk { b"DefaultRGB" } else { b"DefaultCMYK" };
                match spaces.and_then(|spaces| spaces.get(default).ok()) {
                    Some(default) => self.source(document, default),
                    None => Some(SourceSpace(0)),
                }
            }
            b"DeviceGray" | b"DeviceRGB" | b"DeviceCMYK" | b"Pattern" => None,
            name => match spaces.and_then(|spaces| spaces.get(name).ok()) {
                Some(space) => self.source(document, space),
                None => return Space::Unknown,
            },
        };
        source.map_or(Space::Kept, Space::Converted)
    }

    /// The colour space as a source of the conversion. `None` if the colour space is not converted.
    pub(crate) fn source(&mut self, document: &Document, space: &Object) -> Option<SourceSpace> {
        match resolved(document, space)? {
            Object::Name(name) => (name == self.source_space_name()).then_some(SourceSpace(0)),
            Object::Array(items) => {
                let kind = resolved(document, items.first()?)?.as_name().ok()?;
                match kind {
                    b"ICCBased" => self.profile(document, items.get(1)?.as_reference().ok()?),
                    // Calibrated RGB is treated as sRGB, because the two are usually similar.
                    b"CalRGB" => self.to_cmyk.then_some(SourceSpace(0)),
                    name => (items.len() == 1 && name == self.source_space_name()).then_some(SourceSpace(0)),
                }
            }
            _ => None,
        }
    }

    fn profile(&mut self, document: &Document, id: ObjectId) -> Option<SourceSpace> {
        if let Some(known) = self.profiles.get(&id) {
            return *known;
        }
        let wanted = if self.to_cmyk { DataColorSpace::Rgb } else { DataColorSpace::Cmyk };
        let to_rgb = document.get_object(id).and_then(Object::as_stream).ok().and_then(|stream| {
            let has_channels = stream.dict.get(b"N").and_then(Object::as_i64).ok()?
                == i64::try_from(self.source_channels()).ok()?;
            let data = decode(document, stream, &Budget::bounded(MAX_PROFILE_BYTES)).ok()??.data;
            ToRgb::of(&data, wanted).filter(|_| has_channels)
        });
        let source = to_rgb.map(|to_rgb| {
            self.spaces_to_rgb.push(to_rgb);
            SourceSpace(self.spaces_to_rgb.len() - 1)
        });
        self.profiles.insert(id, source);
        source
    }

    /// Converts colours of 8 bits per component.
    ///
    /// # Errors
    /// [`EngineError::Internal`] when the built-in profile cannot be used.
    pub(crate) fn convert(&self, source: SourceSpace, data: &[u8]) -> Result<Vec<u8>, EngineError> {
        let rgb_samples = match self.spaces_to_rgb.get(source.0) {
            Some(to_rgb) => to_rgb.apply(data, self.source_channels())?,
            None => Vec::new(),
        };
        if !self.to_cmyk {
            return Ok(rgb_samples);
        }
        let colors = rgb_samples.as_chunks::<3>().0;
        let mut cmyk = Vec::with_capacity(colors.len() * 4);
        let mut table = None;
        for rgb in colors {
            cmyk.extend(match rgb {
                // Pure white becomes paper without ink, and pure black becomes black ink alone.
                [255, 255, 255] => [0; 4],
                [0, 0, 0] => [0, 0, 0, 255],
                _ => match table {
                    Some(table) => CmykTable::cmyk_of(table, *rgb),
                    None => table.insert(CmykTable::new()?).cmyk_of(*rgb),
                },
            });
        }
        Ok(cmyk)
    }
}

impl ToRgb {
    fn of(profile: &[u8], wanted: DataColorSpace) -> Option<Self> {
        let profile =
            ColorProfile::new_from_slice(profile).ok().filter(|profile| profile.color_space == wanted)?;
        let srgb = ColorProfile::new_srgb();
        // A profile may lack the tables of an intent, and moxcms does not use the tables of another intent instead.
        let transform = [RenderingIntent::RelativeColorimetric, RenderingIntent::Perceptual]
            .into_iter()
            .find_map(|intent| {
                let options = TransformOptions { rendering_intent: intent, ..Default::default() };
                let layout = if wanted == DataColorSpace::Cmyk { Layout::Rgba } else { Layout::Rgb };
                profile.create_transform_8bit(layout, &srgb, Layout::Rgb, options).ok()
            })?;
        let mut black = [0.0; 3];
        if wanted == DataColorSpace::Cmyk {
            let mut color = [0; 3];
            transform.transform(&[0, 0, 0, 255], &mut color).ok()?;
            black = color.map(|value| linear_of_srgb(f32::from(value) / 255.0));
        }
        Some(Self::Profile { transform, black })
    }

    fn apply(&self, data: &[u8], channels: usize) -> Result<Vec<u8>, EngineError> {
        let (transform, black) = match self {
            Self::Identity => return Ok(data.to_vec()),
            Self::Profile { transform, black } => (transform, black),
            Self::BuiltInCmyk => match &*BUILT_IN_CMYK {
                Some(Self::Profile { transform, black }) => (transform, black),
                _ => return Err(EngineError::Internal("the CMYK profile cannot be used".to_owned())),
            },
        };
        let colors = data.len() / channels.max(1);
        let mut out = vec![0; colors * 3];
        // The transform fails only if the lengths do not match.
        let _ = transform.transform(data.get(..colors * channels).unwrap_or_default(), &mut out);
        if *black != [0.0; 3] {
            let compensated = black.map(|black| -> [u8; 256] {
                std::array::from_fn(|value| {
                    let left = ((linear_of_srgb(value as f32 / 255.0) - black) / (1.0 - black)).max(0.0);
                    (srgb_of_linear(left) * 255.0).round() as u8
                })
            });
            for pixel in out.as_chunks_mut::<3>().0 {
                for (value, compensated) in pixel.iter_mut().zip(&compensated) {
                    *value = compensated.get(usize::from(*value)).copied().unwrap_or(*value);
                }
            }
        }
        Ok(out)
    }
}

/// The linear value of an sRGB value. Both values are from 0 to 1.
fn linear_of_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn srgb_of_linear(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}
