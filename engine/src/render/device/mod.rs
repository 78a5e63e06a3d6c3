//! Draws a page into a scene of vello: a device for hayro's interpreter that does no work twice.
//!
//! This is the renderer of the crate `hayro` 0.9 (copyright the Hayro Authors; MIT or Apache-2.0), changed where hayro
//! offers no way to do so from outside: decoded images, pattern cells and sampled shadings are kept and shared by all
//! pages and threads of a document ([`Pixmaps`]); what the current clip hides is not decoded; the mask of an image costs
//! work only where the image is. The tests compare both pixel by pixel.

mod glyph;
mod glyph_bitmap;
mod image;
mod mask;
mod paint;
mod path;
mod pixmaps;
mod resize;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod tiling;

pub(super) use pixmaps::Pixmaps;

use glyph::Outlines;
use glyph_bitmap::GlyphBitmaps;
use hayro::hayro_interpret::font::{GlyphRun, HintingCache};
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, FillRule, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, RectExt, SoftMask, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect, Shape};
use hayro::vello_cpu::peniko::{self, Compose, Fill, Mix};
use hayro::vello_cpu::{Mask, RenderContext};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What a thread keeps between the pages of a document, and what all threads share.
pub(super) struct Caches<'a> {
    interpreter: InterpreterCache<'a>,
    outlines: RefCell<Outlines>,
    glyphs: RefCell<GlyphBitmaps>,
    hinting: HintingCache,
    pixmaps: Arc<Pixmaps>,
}

impl Caches<'_> {
    pub fn new(pixmaps: &Arc<Pixmaps>) -> Self {
        Self {
            interpreter: InterpreterCache::new(),
            outlines: RefCell::default(),
            glyphs: RefCell::default(),
            hinting: HintingCache::new(),
            pixmaps: pixmaps.clone(),
        }
    }
}

impl<'a> Caches<'a> {
    /// The fonts and colour spaces of the document.
    pub fn interpreter(&self) -> &InterpreterCache<'a> {
        &self.interpreter
    }
}

/// Draws a page into a scene. With `aliasing_threshold`, edges are not smoothed: a pixel is painted if its coverage
/// exceeds the threshold.
pub(super) fn draw_page<'a>(
    page: &'a Page<'a>,
    caches: &Caches<'a>,
    aliasing_threshold: Option<u8>,
    scene: &mut RenderContext,
    transform: Affine,
) {
    let target = Rect::new(0.0, 0.0, f64::from(scene.width()), f64::from(scene.height()));
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, target, &caches.interpreter, page.xref(), settings);
    scene.take_current_state();
    scene.reset_mask();
    scene.reset_filter_effect();
    scene.set_aliasing_threshold(aliasing_threshold);
    let shared = Shared {
        outlines: &caches.outlines,
        glyphs: &caches.glyphs,
        hinting: &caches.hinting,
        pixmaps: &caches.pixmaps,
        aliasing_threshold,
    };
    let mut painter = Painter::new(scene, &shared);
    let crop_box = page.intersected_crop_box().to_kurbo();
    let [a, b, c, d, _, _] = transform.as_coeffs();
    let axis_aligned = (b == 0.0 && c == 0.0) || (a == 0.0 && d == 0.0);
    let shown = transform.transform_rect_bbox(crop_box).inflate(1.0 / 256.0, 1.0 / 256.0);
    let clipped = !axis_aligned || !shown.contains_rect(target);
    if clipped {
        painter.scene.set_transform(transform);
        painter.scene.push_clip_rect(&crop_box);
    }
    interpret_page(page, &mut context, &mut painter);
    if clipped {
        painter.scene.pop_clip();
    }
}

/// What the painters of a page, of its pattern cells and of its masks share.
struct Shared<'s> {
    outlines: &'s RefCell<Outlines>,
    glyphs: &'s RefCell<GlyphBitmaps>,
    hinting: &'s HintingCache,
    pixmaps: &'s Pixmaps,
    aliasing_threshold: Option<u8>,
}

struct Painter<'r> {
    shared: &'r Shared<'r>,
    scene: &'r mut RenderContext,
    /// The bounds of the clips that apply, in pixels; each within the one before.
    clips: Vec<Rect>,
    masks: HashMap<u128, Mask>,
    in_pattern: bool,
    in_type3_glyph: bool,
}

impl<'r> Painter<'r> {
    fn new(scene: &'r mut RenderContext, shared: &'r Shared<'r>) -> Self {
        let target = Rect::new(0.0, 0.0, f64::from(scene.width()), f64::from(scene.height()));
        Self {
            shared,
            scene,
            clips: vec![target],
            masks: HashMap::new(),
            in_pattern: false,
            in_type3_glyph: false,
        }
    }

    /// The pixels that the current clip can show.
    fn visible(&self) -> Rect {
        self.clips.last().copied().unwrap_or_default()
    }

    fn is_invisible(&self, bounds: Rect) -> bool {
        // Images are painted without antialiasing: they can cover one pixel more on each side.
        const MARGIN: f64 = 2.0;
        !bounds.inflate(MARGIN, MARGIN).overlaps(self.visible())
    }

    fn narrow(&mut self, bounds: Rect) {
        let visible = self.visible().intersect(bounds);
        // `intersect` can return a negative size.
        self.clips.push(Rect::new(
            visible.x0,
            visible.y0,
            visible.x1.max(visible.x0),
            visible.y1.max(visible.y0),
        ));
    }

    fn child_scene(&self, width: u16, height: u16) -> RenderContext {
        child_scene(self.scene.render_settings(), width, height, self.shared.aliasing_threshold)
    }

    fn clip(&mut self, path: &BezPath, rule: FillRule) {
        let transform = *self.scene.transform();
        self.scene.set_fill_rule(fill_rule(rule));
        self.scene.set_transform(Affine::IDENTITY);
        self.scene.push_clip_path(path);
        self.scene.set_transform(transform);
    }

    fn apply(&mut self, props: &DrawProps<'_>) {
        self.scene.set_transform(props.transform);
        self.apply_mask(props.soft_mask.as_ref());
        self.scene.set_blend_mode(blend_mode(props.blend_mode));
    }
}

fn child_scene(
    settings: &hayro::vello_cpu::RenderSettings,
    width: u16,
    height: u16,
    aliasing_threshold: Option<u8>,
) -> RenderContext {
    let settings = hayro::vello_cpu::RenderSettings { num_threads: 0, ..*settings };
    let mut scene = RenderContext::new_with(width, height, settings);
    scene.set_aliasing_threshold(aliasing_threshold);
    scene
}

impl<'a> Device<'a> for Painter<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.paint_path(path, props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.paint_rect(rect, props, mode);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.paint_glyph_run(run, props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.paint_image(&image, &props);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.clip(&clip.path, clip.fill);
        self.narrow(clip.path.bounding_box());
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.scene.set_fill_rule(Fill::NonZero);
        self.scene.set_transform(Affine::IDENTITY);
        self.scene.push_clip_rect(rect);
        self.narrow(rect.abs());
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend: BlendMode) {
        let mask = mask.map(|mask| self.mask(&mask));
        self.scene.push_layer(None, Some(blend_mode(blend)), Some(opacity), mask, None);
    }

    fn pop_clip(&mut self) {
        self.scene.pop_clip();
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn pop_transparency_group(&mut self) {
        self.scene.pop_layer();
    }
}

fn fill_rule(rule: FillRule) -> Fill {
    match rule {
        FillRule::NonZero => Fill::NonZero,
        FillRule::EvenOdd => Fill::EvenOdd,
    }
}

fn blend_mode(mode: BlendMode) -> peniko::BlendMode {
    let mix = match mode {
        BlendMode::Normal => Mix::Normal,
        BlendMode::Multiply => Mix::Multiply,
        BlendMode::Screen => Mix::Screen,
        BlendMode::Overlay => Mix::Overlay,
        BlendMode::Darken => Mix::Darken,
        BlendMode::Lighten => Mix::Lighten,
        BlendMode::ColorDodge => Mix::ColorDodge,
        BlendMode::ColorBurn => Mix::ColorBurn,
        BlendMode::HardLight => Mix::HardLight,
        BlendMode::SoftLight => Mix::SoftLight,
        BlendMode::Difference => Mix::Difference,
        BlendMode::Exclusion => Mix::Exclusion,
        BlendMode::Hue => Mix::Hue,
        BlendMode::Saturation => Mix::Saturation,
        BlendMode::Color => Mix::Color,
        BlendMode::Luminosity => Mix::Luminosity,
    };
    peniko::BlendMode::new(mix, Compose::SrcOver)
}
