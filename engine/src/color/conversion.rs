//! The conversion itself: which spaces are converted, and what becomes of their values.

use crate::EngineError;
use crate::color::cmyk::{CMYK_PROFILE, CmykTable};
use crate::document::{Budget, decode, resolved};
use lopdf::{Dictionary, Document, Object, ObjectId};
use moxcms::{ColorProfile, DataColorSpace, Layout, RenderingIntent, TransformOptions};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The most bytes that a profile may have: large ones of CMYK have some 3 MB.
const MOST_BYTES: u64 = 16 << 20;

/// The device space that colours are converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorTarget {
    /// As they are.
    Keep,
    /// CMYK becomes RGB.
    Rgb,
    /// RGB becomes CMYK.
    Cmyk,
}

type Transform = Arc<moxcms::Transform8BitExecutor>;

/// A space that is converted, as the index of its conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(usize);

/// What a space is to a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Kept,
    Converted(Source),
    Unknown,
}

/// What CMYK means where nothing else is said; made when the first colour asks for it, because that takes a while.
static USUAL_INKS: LazyLock<Option<Meaning>> =
    LazyLock::new(|| Meaning::of(CMYK_PROFILE, DataColorSpace::Cmyk));

/// How the values of a space become colours of sRGB.
#[derive(Clone)]
enum Meaning {
    /// They are.
    Screen,
    /// Through the built-in profile of inks.
    UsualInks,
    /// Through a profile; the light that its black ink alone leaves, by components, becomes black.
    Profile { transform: Transform, black: [f32; 3] },
}

/// A conversion to the colours of one device.
#[derive(Clone)]
pub(crate) struct Process {
    /// Whether the target has inks.
    to_inks: bool,
    meanings: Vec<Meaning>,
    of_profiles: HashMap<ObjectId, Option<Source>>,
}

impl Process {
    /// The conversion to a target; nothing where colours are kept.
    pub(crate) fn to(target: ColorTarget) -> Option<Self> {
        let (to_inks, usual) = match target {
            ColorTarget::Keep => return None,
            ColorTarget::Rgb => (false, Meaning::UsualInks),
            ColorTarget::Cmyk => (true, Meaning::Screen),
        };
        Some(Self { to_inks, meanings: vec![usual], of_profiles: HashMap::new() })
    }

    /// The name of the device space that colours come to.
    pub(crate) fn space_name(&self) -> &'static [u8] {
        if self.to_inks { b"DeviceCMYK" } else { b"DeviceRGB" }
    }

    /// The name of the device space that they come from.
    pub(crate) fn old_space_name(&self) -> &'static [u8] {
        if self.to_inks { b"DeviceRGB" } else { b"DeviceCMYK" }
    }

    /// Components of a colour that is converted.
    pub(crate) fn old_channels(&self) -> usize {
        if self.to_inks { 3 } else { 4 }
    }

    /// Components of a colour of the target.
    pub(crate) fn channels(&self) -> usize {
        if self.to_inks { 4 } else { 3 }
    }

    /// What a content means by the name of a space, or by the operators of the old device.
    pub(crate) fn space(
        &mut self,
        document: &Document,
        resources: Option<&Dictionary>,
        name: Option<&[u8]>,
    ) -> Space {
        let spaces =
            resources.and_then(|dict| dict.get_deref(b"ColorSpace", document).and_then(Object::as_dict).ok());
        let old = self.old_space_name();
        let source = match name.unwrap_or(old) {
            device if device == old => {
                let default: &[u8] = if self.to_inks { b"DefaultRGB" } else { b"DefaultCMYK" };
                match spaces.and_then(|spaces| spaces.get(default).ok()) {
                    Some(meant) => self.source(document, meant),
                    None => Some(Source(0)),
                }
            }
            b"DeviceGray" | b"DeviceRGB" | b"DeviceCMYK" | b"Pattern" => None,
            name => match spaces.and_then(|spaces| spaces.get(name).ok()) {
                Some(meant) => self.source(document, meant),
                None => return Space::Unknown,
            },
        };
        source.map_or(Space::Kept, Space::Converted)
    }

    /// The conversion of a colour space, if it has one.
    pub(crate) fn source(&mut self, document: &Document, space: &Object) -> Option<Source> {
        match resolved(document, space)? {
            Object::Name(name) => (name == self.old_space_name()).then_some(Source(0)),
            Object::Array(items) => {
                let kind = resolved(document, items.first()?)?.as_name().ok()?;
                match kind {
                    b"ICCBased" => self.profile(document, items.get(1)?.as_reference().ok()?),
                    // Calibrated colours are near those of screens.
                    b"CalRGB" => self.to_inks.then_some(Source(0)),
                    name => (items.len() == 1 && name == self.old_space_name()).then_some(Source(0)),
                }
            }
            _ => None,
        }
    }

    fn profile(&mut self, document: &Document, id: ObjectId) -> Option<Source> {
        if let Some(known) = self.of_profiles.get(&id) {
            return *known;
        }
        let wanted = if self.to_inks { DataColorSpace::Rgb } else { DataColorSpace::Cmyk };
        let meaning = document.get_object(id).and_then(Object::as_stream).ok().and_then(|stream| {
            let of_device = stream.dict.get(b"N").and_then(Object::as_i64).ok()?
                == i64::try_from(self.old_channels()).ok()?;
            let data = decode(document, stream, &Budget::bounded(MOST_BYTES)).ok()??.data;
            Meaning::of(&data, wanted).filter(|_| of_device)
        });
        let source = meaning.map(|meaning| {
            self.meanings.push(meaning);
            Source(self.meanings.len() - 1)
        });
        self.of_profiles.insert(id, source);
        source
    }

    /// Converts colours of 8 bits a component.
    ///
    /// # Errors
    /// [`EngineError::Internal`] when the built-in profile cannot be used.
    pub(crate) fn convert(&self, source: Source, data: &[u8]) -> Result<Vec<u8>, EngineError> {
        let screen = match self.meanings.get(source.0) {
            Some(meaning) => meaning.screen(data, self.old_channels())?,
            None => Vec::new(),
        };
        if !self.to_inks {
            return Ok(screen);
        }
        let colors = screen.as_chunks::<3>().0;
        let mut inks = Vec::with_capacity(colors.len() * 4);
        let mut table = None;
        for rgb in colors {
            inks.extend(match rgb {
                // Paper, and black ink without any other.
                [255, 255, 255] => [0; 4],
                [0, 0, 0] => [0, 0, 0, 255],
                _ => match table {
                    Some(table) => CmykTable::cmyk_of(table, *rgb),
                    None => table.insert(CmykTable::new()?).cmyk_of(*rgb),
                },
            });
        }
        Ok(inks)
    }
}

impl Meaning {
    fn of(profile: &[u8], wanted: DataColorSpace) -> Option<Self> {
        let profile =
            ColorProfile::new_from_slice(profile).ok().filter(|profile| profile.color_space == wanted)?;
        let screen = ColorProfile::new_srgb();
        // A profile lacks some tables; then the conversion takes no other in their place.
        let transform = [RenderingIntent::RelativeColorimetric, RenderingIntent::Perceptual]
            .into_iter()
            .find_map(|intent| {
                let options = TransformOptions { rendering_intent: intent, ..Default::default() };
                let layout = if wanted == DataColorSpace::Cmyk { Layout::Rgba } else { Layout::Rgb };
                profile.create_transform_8bit(layout, &screen, Layout::Rgb, options).ok()
            })?;
        let mut black = [0.0; 3];
        if wanted == DataColorSpace::Cmyk {
            let mut color = [0; 3];
            transform.transform(&[0, 0, 0, 255], &mut color).ok()?;
            black = color.map(|value| light(f32::from(value) / 255.0));
        }
        Some(Self::Profile { transform, black })
    }

    fn screen(&self, data: &[u8], channels: usize) -> Result<Vec<u8>, EngineError> {
        let (transform, black) = match self {
            Self::Screen => return Ok(data.to_vec()),
            Self::Profile { transform, black } => (transform, black),
            Self::UsualInks => match &*USUAL_INKS {
                Some(Self::Profile { transform, black }) => (transform, black),
                _ => return Err(EngineError::Internal("the CMYK profile cannot be used".to_owned())),
            },
        };
        let colors = data.len() / channels.max(1);
        let mut out = vec![0; colors * 3];
        // It fails on lengths that do not match only.
        let _ = transform.transform(data.get(..colors * channels).unwrap_or_default(), &mut out);
        if *black != [0.0; 3] {
            let deeper = black.map(|black| -> [u8; 256] {
                std::array::from_fn(|value| {
                    let left = ((light(value as f32 / 255.0) - black) / (1.0 - black)).max(0.0);
                    (value_of(left) * 255.0).round() as u8
                })
            });
            for pixel in out.as_chunks_mut::<3>().0 {
                for (value, deeper) in pixel.iter_mut().zip(&deeper) {
                    *value = deeper.get(usize::from(*value)).copied().unwrap_or(*value);
                }
            }
        }
        Ok(out)
    }
}

/// The light of an sRGB value, both from 0 to 1.
fn light(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn value_of(light: f32) -> f32 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}
