//! Converts sRGB to CMYK, by inverting the ICC profile of a coated paper.
//!
//! The profile (CC0, 8 KB) gives the colour of each CMYK value. The inverse of the profile is computed once, by
//! Newton's method, for the nodes of a grid of sRGB colours. Black replaces the gray component of cyan, magenta and
//! yellow, so that black text is pure black. White becomes the colour of the paper, and black becomes the darkest black
//! of the profile (relative colorimetry with black point compensation).

use crate::EngineError;
use moxcms::{ColorProfile, Layout, RenderingIntent, TransformOptions};
use std::sync::LazyLock;

/// The default CMYK profile. It is embedded in CMYK images that the engine writes.
pub(crate) const CMYK_PROFILE: &[u8] = include_bytes!("../../assets/CGATS001Compat-v2-micro.icc");

/// The number of grid nodes on each of the axes red, green and blue.
const NODES: usize = 17;
/// The number of steps of Newton's method.
const ROUNDS: usize = 12;

/// The CMYK value of each grid node. The red coordinate of the nodes varies slowest.
static GRID: LazyLock<Option<Vec<[f32; 4]>>> = LazyLock::new(|| PrintModel::new().map(|model| model.grid()));

/// A table that converts sRGB to CMYK.
#[derive(Clone, Copy)]
pub(crate) struct CmykTable(&'static [[f32; 4]]);

impl CmykTable {
    /// The table for the built-in profile.
    ///
    /// # Errors
    /// [`EngineError::Internal`] if the profile cannot be used.
    pub fn new() -> Result<Self, EngineError> {
        let failed = || EngineError::Internal("the CMYK profile cannot be used".to_owned());
        GRID.as_deref().map(Self).ok_or_else(failed)
    }

    /// Converts an sRGB colour to CMYK. In the result, 255 means full ink.
    pub fn cmyk_of(self, rgb: [u8; 3]) -> [u8; 4] {
        interpolate(self.0, rgb)
    }
}

/// Interpolates trilinearly between the nodes of the grid.
fn interpolate(grid: &[[f32; 4]], rgb: [u8; 3]) -> [u8; 4] {
    let place = |value: u8| {
        let at = f32::from(value) / 255.0 * (NODES - 1) as f32;
        let node = (at as usize).min(NODES - 2);
        (node, at - node as f32)
    };
    let [(r, fr), (g, fg), (b, fb)] = rgb.map(place);
    let mut cmyk = [0.0; 4];
    for (dr, wr) in [(0, 1.0 - fr), (1, fr)] {
        for (dg, wg) in [(0, 1.0 - fg), (1, fg)] {
            for (db, wb) in [(0, 1.0 - fb), (1, fb)] {
                let node =
                    grid.get(((r + dr) * NODES + g + dg) * NODES + b + db).copied().unwrap_or_default();
                for (value, of_node) in cmyk.iter_mut().zip(node) {
                    *value += wr * wg * wb * of_node;
                }
            }
        }
    }
    cmyk.map(|value| (value * 255.0).round().clamp(0.0, 255.0) as u8)
}

/// The transform from CMYK to sRGB that the profile defines.
struct PrintModel(std::sync::Arc<moxcms::TransformF32Executor>);

impl PrintModel {
    fn new() -> Option<Self> {
        let paper = ColorProfile::new_from_slice(CMYK_PROFILE).ok()?;
        let options = TransformOptions {
            // The profile has a table for this intent only.
            rendering_intent: RenderingIntent::Perceptual,
            ..Default::default()
        };
        let screen = ColorProfile::new_srgb();
        Some(Self(paper.create_transform_f32(Layout::Rgba, &screen, Layout::Rgb, options).ok()?))
    }

    /// The sRGB colours of CMYK values.
    fn print(&self, values: &[[f32; 4]]) -> Vec<[f32; 3]> {
        let mut colors = vec![0.0; values.len() * 3];
        // The transform fails only if the lengths do not match.
        let _ = self.0.transform(values.as_flattened(), &mut colors);
        colors.as_chunks::<3>().0.to_vec()
    }

    fn grid(&self) -> Vec<[f32; 4]> {
        let side = |step: usize| step as f32 / (NODES - 1) as f32;
        let nodes =
            (0..NODES.pow(3)).map(|n| [side(n / (NODES * NODES)), side(n / NODES % NODES), side(n % NODES)]);
        let colors: Vec<[f32; 3]> = nodes.collect();
        let blacks = self.blacks();
        let targets: Vec<[f32; 3]> = colors.iter().map(|color| self.compensated(*color, &blacks)).collect();
        let mut values: Vec<[f32; 4]> = colors.iter().map(|color| first_guess(*color, &blacks)).collect();
        for _ in 0..ROUNDS {
            self.improve(&mut values, &targets);
        }
        values
    }

    /// The gray that black ink alone gives, for each amount of black from 0 to 100 %.
    fn blacks(&self) -> Vec<f32> {
        let ramp: Vec<[f32; 4]> = (0..=100).map(|k| [0.0, 0.0, 0.0, k as f32 / 100.0]).collect();
        self.print(&ramp).into_iter().map(|[r, g, b]| 0.2126 * r + 0.7152 * g + 0.0722 * b).collect()
    }

    /// Applies black point compensation: changes a colour so that the black of sRGB becomes the darkest black of the
    /// profile.
    fn compensated(&self, color: [f32; 3], blacks: &[f32]) -> [f32; 3] {
        let darkest = light(blacks.last().copied().unwrap_or(0.0));
        color.map(|value| value_of(darkest + (1.0 - darkest) * light(value)))
    }

    /// Does one step of Newton's method for all nodes. The step computes how each of cyan, magenta and yellow changes
    /// the printed colour, and changes the three inks so that the printed colour comes closer to the target.
    fn improve(&self, values: &mut [[f32; 4]], targets: &[[f32; 3]]) {
        const STEP: f32 = 0.01;
        let now = self.print(values);
        let moved = |ink: usize| -> (Vec<f32>, Vec<[f32; 3]>) {
            let (steps, mixtures): (Vec<f32>, Vec<[f32; 4]>) = values
                .iter()
                .map(|mixture| {
                    let step = if mixture.get(ink).is_some_and(|value| *value > 0.5) { -STEP } else { STEP };
                    let mut mixture = *mixture;
                    mixture.iter_mut().skip(ink).take(1).for_each(|value| *value += step);
                    (step, mixture)
                })
                .unzip();
            (steps, self.print(&mixtures))
        };
        let [cyan, magenta, yellow] = [moved(0), moved(1), moved(2)];
        for (index, (mixture, target)) in values.iter_mut().zip(targets).enumerate() {
            let Some(color) = now.get(index) else { continue };
            let column = |(steps, colors): &(Vec<f32>, Vec<[f32; 3]>)| {
                let (step, moved) =
                    (steps.get(index).copied().unwrap_or(STEP), colors.get(index).copied().unwrap_or(*color));
                difference(moved, *color).map(|change| change / step)
            };
            let columns = [column(&cyan), column(&magenta), column(&yellow)];
            let step = solve(columns, difference(*target, *color));
            for (ink, change) in mixture.iter_mut().zip(step) {
                // Each step is limited, because the effect of one ink depends on the other inks, most of all in dark
                // colours.
                *ink = (*ink + change.clamp(-0.25, 0.25)).clamp(0.0, 1.0);
            }
        }
    }
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
    [a0 - b0, a1 - b1, a2 - b2]
}

/// Solves for the changes of cyan, magenta and yellow by damped least squares. The damping is needed because these
/// three inks have no effect on full black.
fn solve(columns: [[f32; 3]; 3], wanted: [f32; 3]) -> [f32; 3] {
    const DAMPING: f32 = 1e-4;
    let dot = |[a0, a1, a2]: [f32; 3], [b0, b1, b2]: [f32; 3]| a0 * b0 + a1 * b1 + a2 * b2;
    let [c, m, y] = columns;
    let (cc, cm, cy) = (dot(c, c) + DAMPING, dot(c, m), dot(c, y));
    let (mm, my, yy) = (dot(m, m) + DAMPING, dot(m, y), dot(y, y) + DAMPING);
    let (wc, wm, wy) = (dot(c, wanted), dot(m, wanted), dot(y, wanted));
    let determinant = cc * (mm * yy - my * my) - cm * (cm * yy - my * cy) + cy * (cm * my - mm * cy);
    if determinant.abs() < 1e-18 {
        return [0.0; 3];
    }
    [
        (wc * (mm * yy - my * my) - cm * (wm * yy - my * wy) + cy * (wm * my - mm * wy)) / determinant,
        (cc * (wm * yy - my * wy) - wc * (cm * yy - my * cy) + cy * (cm * wy - wm * cy)) / determinant,
        (cc * (mm * wy - wm * my) - cm * (cm * wy - wm * cy) + wc * (cm * my - mm * cy)) / determinant,
    ]
}

/// The linear light of an sRGB value. Both numbers are from 0 to 1.
fn light(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB value of a linear light.
fn value_of(light: f32) -> f32 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// The CMYK value that Newton's method starts with: black for the darkness that the three channels have in common (in
/// darker colours a larger share of black), and cyan, magenta and yellow for the differences between the channels.
fn first_guess([r, g, b]: [f32; 3], blacks: &[f32]) -> [f32; 4] {
    let brightest = r.max(g).max(b);
    // `alone` is the amount of black, in percent, that gives this gray without other inks.
    let darkest = light(blacks.last().copied().unwrap_or(0.0));
    let gray = value_of(darkest + (1.0 - darkest) * light(brightest));
    let alone =
        blacks.iter().position(|black| *black <= gray + 1e-4).unwrap_or(blacks.len().saturating_sub(1));
    let share = 1.0 - brightest;
    let black = if brightest <= 0.0 { 1.0 } else { alone as f32 / 100.0 * share };
    let ink = |value: f32| if brightest <= 0.0 { 0.0 } else { 1.0 - value / brightest };
    [ink(r), ink(g), ink(b), black]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cmyk([r, g, b]: [u8; 3]) -> [u8; 4] {
        CmykTable::new().unwrap().cmyk_of([r, g, b])
    }

    #[test]
    fn white_has_no_ink_and_black_is_black_only() {
        assert!(cmyk([255; 3]).iter().all(|ink| *ink <= 2), "{:?}", cmyk([255; 3]));
        let [c, m, y, k] = cmyk([0; 3]);
        assert!(k >= 253 && c <= 8 && m <= 8 && y <= 8, "{:?}", cmyk([0; 3]));
    }

    #[test]
    fn colours_use_the_expected_channels() {
        let [c, m, y, k] = cmyk([0, 174, 239]);
        assert!(c > 180 && m < 110 && y < 60 && k < 60, "cyan: {:?}", [c, m, y, k]);
        let [c, m, y, _] = cmyk([230, 30, 40]);
        assert!(m > 200 && y > 180 && c < 60, "red: {:?}", [c, m, y]);
    }

    #[test]
    fn the_printed_colour_is_close_to_the_requested_one() {
        let model = PrintModel::new().unwrap();
        let blacks = model.blacks();
        let mut worst = 0.0_f32;
        let mut sum = 0.0;
        let mut count = 0.0;
        for n in 0..1000_u32 {
            // These colours are not too saturated, so they are within the gamut of the profile.
            let rgb = [60 + n % 10 * 17, 60 + n / 10 % 10 * 17, 60 + n / 100 * 17].map(|value| value as u8);
            let (most, least) = (rgb.iter().max().unwrap(), rgb.iter().min().unwrap());
            if most - least > 90 {
                continue;
            }
            let target = model.compensated(rgb.map(|value| f32::from(value) / 255.0), &blacks);
            let printed = model.print(&[cmyk(rgb).map(|ink| f32::from(ink) / 255.0)])[0];
            let off = difference(printed, target).into_iter().map(f32::abs).fold(0.0, f32::max);
            (worst, sum, count) = (worst.max(off), sum + off, count + 1.0);
        }
        // The colour with the largest error is a bright violet, rgb(213, 128, 213). A finer grid does not reduce this
        // error; the reason is not known.
        assert!(sum / count < 0.012 && worst < 0.15, "mean {} worst {worst}", sum / count);
    }
}
