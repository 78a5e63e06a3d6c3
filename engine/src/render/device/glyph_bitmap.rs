//! Small glyphs as bitmaps: each glyph is rasterized once for a size and a position within a pixel.

use super::Painter;
use ab_glyph_rasterizer::{Rasterizer, point};
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};
use hayro::vello_cpu::color::palette::css::BLACK;
use hayro::vello_cpu::color::{AlphaColor, Srgb};
use hayro::vello_cpu::peniko::{Extend, ImageAlphaType, ImageQuality, ImageSampler};
use hayro::vello_cpu::{Image, ImageSource, PixelMetadata, Pixmap, Tint, TintMode};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of horizontal positions within a pixel.
const STEPS: f64 = 4.0;
/// Larger glyphs, in pixels, are painted as paths.
const LARGEST: f64 = 128.0;

/// The bitmaps of glyphs; `None` for a glyph without an area.
pub(super) type GlyphBitmaps = HashMap<Key, Option<Arc<Bitmap>>>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    glyph: u128,
    hinted: bool,
    linear: [u64; 4],
    step: u8,
}

pub(super) struct Bitmap {
    pixmap: Arc<Pixmap>,
    x: i32,
    y: i32,
}

impl Painter<'_> {
    /// Paints a glyph as a bitmap. Returns whether the glyph is small enough for that.
    pub(super) fn paint_glyph_bitmap(
        &mut self,
        glyph: u128,
        hinted: bool,
        outline: &BezPath,
        transform: Affine,
        color: AlphaColor<Srgb>,
    ) -> bool {
        let [a, b, c, d, e, f] = transform.as_coeffs();
        let steps = (e * STEPS).round() as i64;
        let x = steps.div_euclid(STEPS as i64) as i32;
        let step = steps.rem_euclid(STEPS as i64) as u8;
        let y = f.round() as i32;
        let key = Key { glyph, hinted, linear: [a, b, c, d].map(f64::to_bits), step };
        let kept = self.shared.glyphs.borrow().get(&key).cloned();
        let bitmap = match kept {
            Some(kept) => kept,
            None => {
                let offset = f64::from(step) / STEPS;
                let Some(made) = rasterize(outline, Affine::new([a, b, c, d, offset, 0.0])) else {
                    return false;
                };
                let made = made.map(Arc::new);
                self.shared.glyphs.borrow_mut().insert(key, made.clone());
                made
            }
        };
        let Some(bitmap) = bitmap else { return true };
        let (width, height) = (f64::from(bitmap.pixmap.width()), f64::from(bitmap.pixmap.height()));
        let place = (f64::from(x) + f64::from(bitmap.x), f64::from(y) + f64::from(bitmap.y));
        self.scene.set_transform(Affine::translate(place));
        self.scene.set_paint_transform(Affine::IDENTITY);
        let sampler = ImageSampler {
            x_extend: Extend::Pad,
            y_extend: Extend::Pad,
            quality: ImageQuality::Low,
            alpha: 1.0,
        };
        self.scene.set_paint(Image { image: ImageSource::Pixmap(bitmap.pixmap.clone()), sampler });
        let tinted = color != BLACK;
        if tinted {
            self.scene.set_tint(Some(Tint { color, mode: TintMode::AlphaMask }));
        }
        self.scene.fill_rect(&Rect::new(0.0, 0.0, width, height));
        if tinted {
            self.scene.set_tint(None);
        }
        true
    }
}

/// The bitmap of a glyph; `Some(None)` if it has no area, `None` if it is too large.
fn rasterize(outline: &BezPath, transform: Affine) -> Option<Option<Bitmap>> {
    let path = transform * outline.clone();
    let bounds = path.bounding_box();
    // Also false if a coordinate is not a number.
    let fits = bounds.width() <= LARGEST && bounds.height() <= LARGEST;
    if !fits {
        return None;
    }
    if bounds.is_zero_area() {
        return Some(None);
    }
    let (left, top) = (bounds.x0.floor(), bounds.y0.floor());
    let (width, height) = ((bounds.x1.ceil() - left) as u16, (bounds.y1.ceil() - top) as u16);
    let mut rasterizer = Rasterizer::new(width.into(), height.into());
    let to = |p: Point| point((p.x - left) as f32, (p.y - top) as f32);
    let (mut start, mut last) = (Point::ZERO, Point::ZERO);
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(next) => {
                if last != start {
                    rasterizer.draw_line(to(last), to(start));
                }
                (start, last) = (next, next);
            }
            PathEl::LineTo(next) => {
                rasterizer.draw_line(to(last), to(next));
                last = next;
            }
            PathEl::QuadTo(control, next) => {
                rasterizer.draw_quad(to(last), to(control), to(next));
                last = next;
            }
            PathEl::CurveTo(first, second, next) => {
                rasterizer.draw_cubic(to(last), to(first), to(second), to(next));
                last = next;
            }
            PathEl::ClosePath => {
                if last != start {
                    rasterizer.draw_line(to(last), to(start));
                }
                last = start;
            }
        }
    }
    if last != start {
        rasterizer.draw_line(to(last), to(start));
    }
    let mut data = vec![0; usize::from(width) * usize::from(height) * 4];
    rasterizer.for_each_pixel(|pixel, coverage| {
        if let Some(alpha) = data.get_mut(pixel * 4 + 3) {
            *alpha = (coverage.min(1.0) * 255.0).round() as u8;
        }
    });
    let metadata =
        PixelMetadata { may_have_transparency: true, alpha_type: ImageAlphaType::AlphaPremultiplied };
    let pixmap = Arc::new(Pixmap::from_parts(data, width, height, metadata));
    Some(Some(Bitmap { pixmap, x: left as i32, y: top as i32 }))
}
