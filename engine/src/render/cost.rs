//! Estimates the memory and time that hayro needs for the shapes of a page.
//!
//! hayro keeps all shapes of a page, divided into tiles, until the page is complete. A few hundred kilobytes of content
//! can therefore take gigabytes and minutes, and hayro cannot be interrupted within a shape. A page that could be so
//! expensive is therefore interpreted twice: the first time without painting, to add up the estimated cost of its
//! shapes.

use super::interrupt::{Stop, interrupt_stopped, interrupt_too_heavy};
use super::size::Scale;
use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::Pattern;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask, StrokeProps, interpret_page,
};
use hayro::hayro_syntax::object::{Array, Dict, Stream};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect};
use std::collections::HashMap;

/// The maximum memory in bytes for the shapes of a page, over all bands of the page. Detailed maps and drawings need
/// less than a tenth of it.
const MAX_BYTES: f64 = 8.0 * 1024.0 * 1024.0 * 1024.0;

/// The maximum estimated time for one shape, in seconds. Shapes of real pages need less than a tenth of it.
const MAX_SECONDS_PER_SHAPE: f64 = 5.0;

/// The content of a page with fewer bytes than this is not expensive, unless it uses long or nested forms, long
/// patterns, or fine dashes.
const LIGHT_CONTENT: usize = 64 << 10;
/// A form or pattern with fewer bytes than this in the file is not expensive, unless forms are nested.
const LIGHT_FORM: usize = 16 << 10;

/// The estimated cost of the shapes of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// The memory in bytes that the shapes take until they are painted.
    pub bytes: f64,
    /// `seconds` is the time to prepare all shapes, `longest` the time for the shape that takes longest, both in
    /// seconds.
    pub seconds: f64,
    pub longest: f64,
}

/// Estimates the cost of a page that could be expensive; for any other page the cost is 0. Unwinds if the cost exceeds
/// the limits.
pub(super) fn estimate(page: &Page<'_>, scale: Scale, stop: &Stop) -> Cost {
    if !may_be_heavy(page) {
        return Cost::default();
    }
    let (width, height) = (f64::from(scale.width), f64::from(scale.height));
    let target = Rect::new(0.0, 0.0, width, height);
    let transform = Affine::scale_non_uniform(scale.x, scale.y) * page.initial_transform(true).to_kurbo();
    let cache = InterpreterCache::new();
    let mut context = Context::new(transform, target, &cache, page.xref(), InterpreterSettings::default());
    let mut estimator = Estimator { target, stop, cost: Cost::default(), repeated: HashMap::new() };
    interpret_page(page, &mut context, &mut estimator);
    estimator.cost
}

fn may_be_heavy(page: &Page<'_>) -> bool {
    let content = page.page_stream().unwrap_or_default();
    content.len() >= LIGHT_CONTENT || has_fine_dashes(content) || has_heavy_forms(page)
}

/// Whether there is a dash array whose total length is less than `FINE` units.
fn has_fine_dashes(content: &[u8]) -> bool {
    const FINE: f32 = 2.0;
    let arrays = content.split(|byte| *byte == b'[').skip(1).filter_map(|rest| {
        let end = rest.iter().position(|byte| *byte == b']')?;
        let (array, after) = rest.split_at_checked(end)?;
        let mut words = after.get(1..)?.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let is_dash =
            words.next().is_some_and(|phase| phase.iter().all(|byte| b"0123456789.+-".contains(byte)))
                && words.next() == Some(b"d");
        is_dash.then_some(array)
    });
    let sum = |array: &[u8]| -> f32 {
        let text = String::from_utf8_lossy(array);
        text.split_ascii_whitespace().filter_map(|number| number.parse::<f32>().ok()).sum()
    };
    arrays.map(sum).any(|sum| sum > 0.0 && sum < FINE)
}

/// Whether a page uses long forms or patterns, or nested forms.
fn has_heavy_forms(page: &Page<'_>) -> bool {
    let resources = page.resources();
    let is_long = |stream: &Stream<'_>| stream.raw_data().len() >= LIGHT_FORM;
    let is_image = |stream: &Stream<'_>| stream.dict().contains_key(b"Width");
    let objects = resources.x_objects.keys().filter_map(|name| resources.get_x_object(&name));
    let calls_others = |form: &Stream<'_>| {
        let own = form.dict().get::<Dict<'_>>(b"Resources");
        own.and_then(|own| own.get::<Dict<'_>>(b"XObject")).is_some_and(|nested| !nested.is_empty())
    };
    let mut forms = objects.filter(|object| !is_image(object));
    let mut patterns =
        resources.patterns.keys().filter_map(|name| resources.patterns.get::<Stream<'_>>(name));
    let appearances = page.raw().get::<Array<'_>>(b"Annots");
    let mut appearances = appearances
        .iter()
        .flat_map(|all| all.iter::<Dict<'_>>())
        .filter_map(|annotation| annotation.get::<Dict<'_>>(b"AP")?.get::<Stream<'_>>(b"N"));
    forms.any(|form| is_long(&form) || calls_others(&form))
        || patterns.any(|pattern| is_long(&pattern))
        || appearances.any(|form| is_long(&form) || calls_others(&form))
}

/// A device that adds up the cost of the shapes instead of painting them. hayro uses tiles of 4 by 4 pixels along
/// edges, and spans of 256 by 4 pixels between these tiles.
struct Estimator<'s> {
    target: Rect,
    stop: &'s Stop,
    cost: Cost,
    /// The costs of the pattern cells and masks that have been drawn already.
    repeated: HashMap<u128, Cost>,
}

// Estimated memory, in bytes.
const SHAPE: f64 = 200.0;
const SPAN: f64 = 8.0;
const EDGE_TILE: f64 = 24.0;
const GLYPH: f64 = 400.0;

// Estimated times in seconds, measured on a processor core of 2024.
const TIME_OF_TILE: f64 = 60e-9;
const TIME_OF_SEGMENT: f64 = 0.3e-6;
const TIME_OF_STROKED_SEGMENT: f64 = 2e-6;
const TIME_OF_DASH: f64 = 1e-6;

impl Estimator<'_> {
    fn add(&mut self, bytes: f64, seconds: f64) {
        if self.stop.is_requested() {
            interrupt_stopped();
        }
        self.cost.bytes += bytes;
        self.cost.seconds += seconds;
        self.cost.longest = self.cost.longest.max(seconds);
        if self.cost.bytes > MAX_BYTES || self.cost.longest > MAX_SECONDS_PER_SHAPE {
            interrupt_too_heavy(MAX_BYTES);
        }
    }

    /// Adds a filled area with these bounds, in pixels of the page.
    fn area(&mut self, bounds: Rect) {
        let shown = bounds.intersect(self.target);
        let (width, height) = (shown.width().max(0.0), shown.height().max(0.0));
        self.add(SHAPE + (height / 4.0).ceil() * (width / 256.0).ceil() * SPAN, 0.0);
    }

    fn path(&mut self, path: &BezPath, transform: Affine, stroke: Option<&StrokeProps>) {
        self.area(transform.transform_rect_bbox(path.control_box()));
        let longest = self.target.width() + self.target.height();
        let mut last = Point::ZERO;
        let (mut tiles, mut length, mut segments) = (0.0, 0.0, 0.0);
        for element in path.elements() {
            let points: &[Point] = match element {
                PathEl::MoveTo(to) => {
                    last = transform * *to;
                    continue;
                }
                PathEl::LineTo(a) => &[*a],
                PathEl::QuadTo(a, b) => &[*a, *b],
                PathEl::CurveTo(a, b, c) => &[*a, *b, *c],
                PathEl::ClosePath => &[],
            };
            segments += 1.0;
            for point in points {
                let to = transform * *point;
                let distance = (to - last).hypot();
                length += if distance.is_finite() { distance } else { 0.0 };
                // Parts of a line outside the page are clipped, so they need no tiles.
                tiles += distance.min(longest) / 4.0 + 1.0;
                last = to;
            }
        }
        let Some(stroke) = stroke else {
            return self.add(tiles * EDGE_TILE, tiles * TIME_OF_TILE + segments * TIME_OF_SEGMENT);
        };
        // hayro makes dashes for the whole line, also for the parts outside the page. Each dash has two ends.
        let [a, b, c, d, _, _] = transform.as_coeffs();
        let scale = f64::max(a.hypot(b), c.hypot(d));
        let period: f64 = stroke.dash_array.iter().map(|dash| f64::from(*dash).abs()).sum::<f64>() * scale;
        let dashes = if period > 0.0 { length / period * (stroke.dash_array.len() as f64) } else { 0.0 };
        let seconds = segments * TIME_OF_STROKED_SEGMENT + dashes * TIME_OF_DASH;
        let tiles = 2.0 * (tiles + dashes.min(longest * segments));
        self.add(tiles * EDGE_TILE, tiles * TIME_OF_TILE + seconds);
    }

    /// Adds the cost of a pattern cell or mask. The cell or mask is drawn again each time it is used, and costs the
    /// same time each time.
    fn repeated(&mut self, key: u128, draw: impl FnOnce(&mut Self)) {
        if let Some(known) = self.repeated.get(&key) {
            let known = *known;
            return self.add(0.0, known.seconds);
        }
        // This preliminary entry ends the recursion if a cell or mask contains itself.
        self.repeated.insert(key, Cost::default());
        let before = self.cost;
        draw(self);
        let own = Cost {
            bytes: self.cost.bytes - before.bytes,
            seconds: self.cost.seconds - before.seconds,
            longest: 0.0,
        };
        // The cell or mask is painted immediately, which frees the memory of its shapes.
        self.cost.bytes = before.bytes;
        self.repeated.insert(key, own);
    }

    fn paint(&mut self, paint: &Paint<'_>, stroking: bool) {
        if let Paint::Pattern(pattern) = paint
            && let Pattern::Tiling(tiling) = pattern.as_ref()
        {
            self.repeated(tiling.cache_key(), |estimator| {
                let _ = tiling.interpret(estimator, tiling.matrix, stroking);
            });
        }
    }

    fn mask(&mut self, mask: Option<&SoftMask<'_>>) {
        if let Some(mask) = mask {
            self.repeated(mask.cache_key(), |estimator| mask.interpret(estimator));
        }
    }
}

impl<'a> Device<'a> for Estimator<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.mask(props.soft_mask.as_ref());
        if matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..)) {
            self.paint(&props.paint, false);
            self.path(path, props.transform, None);
        }
        if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode {
            self.paint(&props.paint, true);
            self.path(path, props.transform, Some(stroke));
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.add(run.glyphs().len() as f64 * GLYPH, 0.0);
        self.mask(props.soft_mask.as_ref());
        for glyph in run.glyphs() {
            if let Glyph::Type3(drawn) = &**glyph {
                drawn.interpret(self, props.transform, glyph.transform(), &props.paint);
            }
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.mask(props.soft_mask.as_ref());
        self.area(props.transform.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0)));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.path(&clip.path, Affine::IDENTITY, None);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.mask(mask.as_ref());
        self.area(self.target);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fine_dashes_are_found_and_others_are_not() {
        for (content, fine) in [
            ("0.5 w [0.1 0.2] 0 d 0 0 m", true),
            ("[.5]0 d", true),
            ("[3 2] 0 d 1 1 m", false),
            ("[] 0 d", false),
            ("[(d) 0.1 (e)] TJ d", false),
            ("[0.1", false),
        ] {
            assert_eq!(has_fine_dashes(content.as_bytes()), fine, "{content}");
        }
    }
}
