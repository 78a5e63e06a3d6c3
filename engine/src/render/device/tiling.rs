//! Tiling patterns: renders the cell of a pattern, or the visible part of it, as a picture.

use super::Painter;
use super::pixmaps::{Key, Kind, Picture};
use hayro::hayro_interpret::CacheKey;
use hayro::hayro_interpret::pattern::TilingPattern;
use hayro::hayro_interpret::util::x_y_advances;
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::peniko::{Extend, ImageQuality, ImageSampler};
use hayro::vello_cpu::{Image, ImageSource, Pixmap, Resources};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

impl Painter<'_> {
    /// The paint of a pattern for an area in pixels, and the transform of the paint.
    pub(super) fn tiling_paint(
        &self,
        pattern: &TilingPattern<'_>,
        area: Rect,
        is_stroke: bool,
    ) -> Option<(Image, Affine)> {
        let area = pattern.matrix.inverse().transform_rect_bbox(area);
        let (across, down) = x_y_advances(&pattern.matrix);
        let bounds = pattern.bbox;
        let x = Axis::new(across.length(), bounds.x0..bounds.x1, pattern.x_step, area.x0..area.x1);
        let y = Axis::new(down.length(), bounds.y0..bounds.y1, pattern.y_step, area.y0..area.y1);
        let quality = match self.shared.aliasing_threshold {
            Some(_) => ImageQuality::Low,
            None => ImageQuality::Medium,
        };
        let bits = f64::to_bits;
        let flags = u64::from(is_stroke) | u64::from(self.shared.aliasing_threshold.unwrap_or_default()) << 1;
        let sizes = u64::from(x.size) << 16 | u64::from(y.size);
        let key: Key = (
            Kind::Tiling,
            pattern.cache_key(),
            [
                bits(x.start),
                bits(y.start),
                bits(x.scale),
                bits(y.scale),
                sizes,
                flags,
                bits(x.step),
                bits(y.step),
            ],
        );
        let pictures = self.shared.pixmaps.get_or_make(key, || {
            let pixmap = Arc::new(self.render_cell(pattern, &x, &y, is_stroke));
            Some(vec![Picture { pixmap, quality, transform: Affine::IDENTITY }])
        })?;
        let picture = pictures.into_iter().next()?;
        let sampler =
            ImageSampler { x_extend: x.extend, y_extend: y.extend, quality, alpha: pattern.opacity };
        let image = Image { image: ImageSource::Pixmap(picture.pixmap), sampler };
        let transform = pattern.matrix
            * Affine::translate((x.start, y.start))
            * Affine::scale_non_uniform(1.0 / x.scale, 1.0 / y.scale);
        Some((image, transform))
    }

    fn render_cell(&self, pattern: &TilingPattern<'_>, x: &Axis, y: &Axis, is_stroke: bool) -> Pixmap {
        let to_cell = Affine::scale_non_uniform(x.scale, y.scale) * Affine::translate((-x.start, -y.start));
        let mut scene = self.child_scene(x.size, y.size);
        let mut painter = Painter::new(&mut scene, self.shared);
        painter.in_pattern = true;
        for row in y.copies.clone() {
            for column in x.copies.clone() {
                let offset = Affine::translate((f64::from(column) * x.step, f64::from(row) * y.step));
                pattern.interpret(&mut painter, to_cell * offset, is_stroke);
            }
        }
        let mut pixmap = Pixmap::new(x.size, y.size);
        scene.flush();
        scene.render(&mut pixmap, &mut Resources::default());
        pixmap
    }
}

/// A pattern along one axis. If the area is larger than a step, one step is rendered and repeated; otherwise only the
/// area is rendered.
struct Axis {
    start: f64,
    scale: f64,
    size: u16,
    step: f64,
    copies: RangeInclusive<i32>,
    extend: Extend,
}

impl Axis {
    fn new(scale: f64, cell: Range<f64>, step: f32, area: Range<f64>) -> Self {
        let step = f64::from(step.abs());
        let width = cell.end - cell.start;
        let visible = (area.end - area.start).max(0.0);
        let scale = (step * scale).round().max(1.0) / step;
        if visible >= step {
            return Self {
                start: cell.start,
                scale,
                size: (step * scale).round() as u16,
                step,
                copies: (-width / step).floor() as i32 + 1..=0,
                extend: Extend::Repeat,
            };
        }
        let start = cell.start + ((area.start - cell.start) * scale).floor() / scale;
        Self {
            start,
            scale,
            size: ((area.end - start) * scale).ceil().max(1.0) as u16,
            step,
            copies: ((area.start - cell.end) / step).ceil() as i32
                ..=((area.end - cell.start) / step).floor() as i32,
            extend: Extend::Pad,
        }
    }
}
