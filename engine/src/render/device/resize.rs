//! Reduces images, and multiplies their colours by their alpha.

use pic_scale::{
    ImageSize, ImageStore, ImageStoreMut, PicScaleError, Resampling, ResamplingFunction, Scaler,
};
use std::sync::Arc;

/// Functions with negative weights would make colours that exceed their alpha.
const FUNCTION: ResamplingFunction = ResamplingFunction::Hermite;

/// A size in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub width: u32,
    pub height: u32,
}

/// The colours of an image.
pub(super) enum Colors {
    Solid([u8; 3]),
    Luma(Vec<u8>),
    Rgb(Vec<u8>),
}

/// The pixels of an image as RGBA, multiplied by alpha, in another size if `to` is given.
pub(super) fn premultiplied(
    colors: Colors,
    alpha: Option<Vec<u8>>,
    from: Size,
    to: Option<Size>,
) -> Option<Vec<u8>> {
    let (red, green, blue): (usize, usize, usize);
    let (channels, colors) = match (colors, &alpha) {
        (Colors::Solid(color), alpha) => {
            let alpha = match alpha {
                Some(alpha) => resized::<1>(alpha, from, to, Scaler::plan_planar_resampling)?,
                None => return None,
            };
            let pixel = |alpha: u8| {
                let [red, green, blue] = color.map(|channel| times(channel, alpha));
                [red, green, blue, alpha]
            };
            return Some(alpha.into_iter().flat_map(pixel).collect());
        }
        (Colors::Luma(mut colors), alpha) => {
            multiply::<1>(&mut colors, alpha.as_deref());
            (red, green, blue) = (0, 0, 0);
            (1, resized::<1>(&colors, from, to, Scaler::plan_planar_resampling)?)
        }
        (Colors::Rgb(mut colors), alpha) => {
            multiply::<3>(&mut colors, alpha.as_deref());
            (red, green, blue) = (0, 1, 2);
            (3, resized::<3>(&colors, from, to, Scaler::plan_rgb_resampling)?)
        }
    };
    let mut pixels = vec![255; colors.len() / channels * 4];
    for (pixel, color) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(colors.chunks_exact(channels)) {
        if let (Some(red), Some(green), Some(blue)) = (color.get(red), color.get(green), color.get(blue)) {
            *pixel = [*red, *green, *blue, 255];
        }
    }
    if let Some(alpha) = alpha {
        let alpha = resized::<1>(&alpha, from, to, Scaler::plan_planar_resampling)?;
        for ([.., opacity], alpha) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(alpha) {
            *opacity = alpha;
        }
    }
    Some(pixels)
}

fn multiply<const CHANNELS: usize>(colors: &mut [u8], alpha: Option<&[u8]>) {
    let Some(alpha) = alpha else { return };
    for (pixel, alpha) in colors.as_chunks_mut::<CHANNELS>().0.iter_mut().zip(alpha) {
        *pixel = pixel.map(|channel| times(channel, *alpha));
    }
}

/// The product of two shares of 255.
fn times(channel: u8, alpha: u8) -> u8 {
    ((u16::from(channel) * u16::from(alpha) + 255) >> 8) as u8
}

type Plan<const CHANNELS: usize> = Result<Arc<Resampling<u8, CHANNELS>>, PicScaleError>;

fn resized<const CHANNELS: usize>(
    data: &[u8],
    from: Size,
    to: Option<Size>,
    plan: impl FnOnce(&Scaler, ImageSize, ImageSize) -> Plan<CHANNELS>,
) -> Option<Vec<u8>> {
    let Some(to) = to else { return Some(data.to_vec()) };
    let (from, to) = (size(from), size(to));
    let mut resized = vec![0; to.width * to.height * CHANNELS];
    let source = ImageStore::<u8, CHANNELS>::from_slice(data, from.width, from.height).ok()?;
    let mut target = ImageStoreMut::<u8, CHANNELS>::from_slice(&mut resized, to.width, to.height).ok()?;
    plan(&Scaler::new(FUNCTION), from, to).ok()?.resample(&source, &mut target).ok()?;
    Some(resized)
}

fn size(size: Size) -> ImageSize {
    ImageSize::new(size.width as usize, size.height as usize)
}
