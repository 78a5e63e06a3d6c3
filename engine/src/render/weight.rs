//! What a page weighs: how much memory the renderer needs for what it collects of a page before it paints.
//!
//! The renderer keeps every shape of a page, cut into tiles, until the page is complete, so that some hundred kilobytes
//! of content can cost gigabytes. A page that could is walked once before, and its shapes are weighed without painting.

use super::size::Scale;
use super::watch::refuse_as_too_heavy;
use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};
use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect};

/// The most bytes that the shapes of a page may take: rich maps and drawings stay below a tenth.
pub(super) const MOST_BYTES: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// Content of fewer bytes cannot hold enough shapes, unless it calls forms that call others.
const LIGHT_CONTENT: usize = 64 << 10;

/// Refuses a page whose shapes would take more than [`MOST_BYTES`], by unwinding.
pub(super) fn weigh(page: &Page<'_>, scale: Scale) {
    if page.page_stream().is_none_or(|content| content.len() < LIGHT_CONTENT) && !has_nested_forms(page) {
        return;
    }
    let (width, height) = (f64::from(scale.width), f64::from(scale.height));
    let target = Rect::new(0.0, 0.0, width, height);
    let transform = Affine::scale_non_uniform(scale.x, scale.y) * page.initial_transform(true).to_kurbo();
    let cache = InterpreterCache::new();
    let mut context = Context::new(transform, target, &cache, page.xref(), InterpreterSettings::default());
    interpret_page(page, &mut context, &mut Scales { target, bytes: 0.0 });
}

fn has_nested_forms(page: &Page<'_>) -> bool {
    let resources = page.resources();
    resources.x_objects.keys().filter_map(|name| resources.get_x_object(&name)).any(|object| {
        let of_form = object.dict().get::<Dict<'_>>(b"Resources");
        of_form
            .and_then(|of_form| of_form.get::<Dict<'_>>(b"XObject"))
            .is_some_and(|nested| !nested.is_empty())
    })
}

/// Adds up what the shapes weigh. The figures are those of the renderer: tiles of 4 by 4 pixels along edges, and spans of
/// 256 by 4 pixels between them.
struct Scales {
    target: Rect,
    bytes: f64,
}

const SHAPE: f64 = 200.0;
const SPAN: f64 = 8.0;
const EDGE_TILE: f64 = 24.0;
const GLYPH: f64 = 400.0;

impl Scales {
    fn add(&mut self, bytes: f64) {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            refuse_as_too_heavy();
        }
    }

    /// A shape within these bounds, on the page's pixels.
    fn area(&mut self, bounds: Rect) {
        let shown = bounds.intersect(self.target);
        let (width, height) = (shown.width().max(0.0), shown.height().max(0.0));
        self.add(SHAPE + (height / 4.0).ceil() * (width / 256.0).ceil() * SPAN);
    }

    fn path(&mut self, path: &BezPath, transform: Affine) {
        self.area(transform.transform_rect_bbox(path.control_box()));
        let longest = self.target.width() + self.target.height();
        let mut last = Point::ZERO;
        let mut length = 0.0;
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
            for point in points {
                let to = transform * *point;
                // What leaves the page is cut.
                length += (to - last).hypot().min(longest) / 4.0 + 1.0;
                last = to;
            }
        }
        self.add(length * EDGE_TILE);
    }
}

impl<'a> Device<'a> for Scales {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        if !matches!(mode, DrawMode::Invisible) {
            self.path(path, props.transform);
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {
        self.add(run.glyphs().len() as f64 * GLYPH);
    }

    fn draw_image(&mut self, _: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.area(props.transform.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0)));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.area(clip.path.control_box());
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.area(self.target);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
