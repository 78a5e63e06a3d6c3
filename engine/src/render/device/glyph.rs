//! Runs of glyphs.

use super::{Painter, fill_rule};
use hayro::hayro_interpret::font::{Glyph, GlyphRun, OutlineGlyph};
use hayro::hayro_interpret::hayro_cmap::WritingMode;
use hayro::hayro_interpret::{CacheKey, DrawMode, DrawProps, FillRule, Paint, StrokeProps};
use hayro::kurbo::{Affine, BezPath, Rect, Shape};
use hayro::vello_cpu::color::AlphaColor;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The outlines of glyphs, by the key of the glyph and the size for which the glyph is hinted; 0 if it is not hinted.
pub(super) type Outlines = HashMap<(u128, u32), Option<Rc<BezPath>>>;

/// The sizes, in pixels per em, at which glyphs are hinted.
const HINTED_SIZES: RangeInclusive<f64> = 4.0..=128.0;

/// An outline, its transform to pixels, and whether it is hinted.
type Placed = (Rc<BezPath>, Affine, bool);

impl Painter<'_> {
    pub(super) fn paint_glyph_run<'a>(
        &mut self,
        run: &GlyphRun<'_, 'a>,
        props: DrawProps<'a>,
        mode: &DrawMode,
    ) {
        let only_outlines = run.glyphs().iter().all(|glyph| matches!(&**glyph, Glyph::Outline(_)));
        if let DrawMode::Fill(_) | DrawMode::FillAndStroke(..) = mode {
            if only_outlines {
                self.fill_outlines(run, &props);
            } else {
                self.fill_one_by_one(run, &props);
            }
        }
        if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode {
            if only_outlines {
                self.stroke_outlines(run, &props, stroke);
            } else {
                self.stroke_one_by_one(run, &props, stroke);
            }
        }
    }

    fn fill_one_by_one<'a>(&mut self, run: &GlyphRun<'_, 'a>, props: &DrawProps<'a>) {
        for glyph in run.glyphs() {
            match &**glyph {
                Glyph::Outline(outline) => {
                    let placed = props.transform * glyph.transform();
                    let (path, transform, _) = self.placed(outline, key(outline), placed, is_hinted(run));
                    self.fill_path(&path, &DrawProps { transform, ..props.clone() }, FillRule::NonZero);
                }
                Glyph::Type3(drawn) => {
                    self.in_type3_glyph = true;
                    drawn.interpret(self, props.transform, glyph.transform(), &props.paint);
                    self.in_type3_glyph = false;
                }
            }
        }
    }

    fn stroke_one_by_one<'a>(&mut self, run: &GlyphRun<'_, 'a>, props: &DrawProps<'a>, stroke: &StrokeProps) {
        for glyph in run.glyphs() {
            match &**glyph {
                Glyph::Outline(outline) => {
                    let path = glyph.transform() * self.outline(outline, key(outline)).as_ref().clone();
                    self.stroke_path(&path, props, stroke, true);
                }
                Glyph::Type3(drawn) => {
                    drawn.interpret(self, props.transform, glyph.transform(), &props.paint);
                }
            }
        }
    }

    fn fill_outlines(&mut self, run: &GlyphRun<'_, '_>, props: &DrawProps<'_>) {
        let Paint::Color(color) = &props.paint else {
            let inverse = props.transform.inverse();
            let place = |painter: &Self, glyph: &OutlineGlyph, transform| {
                let placed = painter.placed(glyph, key(glyph), props.transform * transform, is_hinted(run));
                inverse * placed.1 * placed.0.as_ref().clone()
            };
            let outlines = self.outlines_of(run, place);
            let clip = self.begin_fill(props, bounds(&outlines));
            outlines.iter().for_each(|outline| self.scene.fill_path(outline));
            return self.end(clip);
        };
        let [r, g, b, a] = color.to_rgba().to_rgba8();
        let color = AlphaColor::from_rgba8(r, g, b, a);
        let as_bitmaps =
            self.shared.aliasing_threshold.is_none() && run.writing_mode() == WritingMode::Horizontal;
        let clip = self.begin_fill(props, Rect::ZERO);
        for glyph in run.glyphs() {
            let Glyph::Outline(outline) = &**glyph else { continue };
            let id = key(outline);
            let (path, transform, hinted) =
                self.placed(outline, id, props.transform * glyph.transform(), is_hinted(run));
            if !as_bitmaps || !self.paint_glyph_bitmap(id, hinted, &path, transform, color) {
                self.scene.set_paint(color);
                self.scene.set_transform(transform);
                self.scene.fill_path(path.as_ref());
            }
        }
        self.end(clip);
    }

    fn stroke_outlines(&mut self, run: &GlyphRun<'_, '_>, props: &DrawProps<'_>, stroke: &StrokeProps) {
        let place = |painter: &Self, glyph: &OutlineGlyph, transform| {
            transform * painter.outline(glyph, key(glyph)).as_ref().clone()
        };
        let outlines = self.outlines_of(run, place);
        let area = match &props.paint {
            Paint::Color(_) => Rect::ZERO,
            Paint::Pattern(_) => bounds(&outlines),
        };
        self.apply(props);
        self.set_stroke(stroke, true);
        let clip = self.set_paint(&props.paint, || area, true);
        if let Some(clip) = &clip {
            self.clip(clip, FillRule::NonZero);
        }
        outlines.iter().for_each(|outline| self.scene.stroke_path(outline));
        self.end(clip);
    }

    fn begin_fill(&mut self, props: &DrawProps<'_>, area: Rect) -> Option<BezPath> {
        self.scene.set_fill_rule(fill_rule(FillRule::NonZero));
        self.apply(props);
        let clip = self.set_paint(&props.paint, || area, false);
        if let Some(clip) = &clip {
            self.clip(clip, FillRule::NonZero);
        }
        clip
    }

    fn end(&mut self, clip: Option<BezPath>) {
        if clip.is_some() {
            self.scene.pop_clip();
        }
    }

    fn outlines_of(
        &self,
        run: &GlyphRun<'_, '_>,
        place: impl Fn(&Self, &OutlineGlyph, Affine) -> BezPath,
    ) -> Vec<BezPath> {
        let outlines = run.glyphs().iter().filter_map(|glyph| match &**glyph {
            Glyph::Outline(outline) => Some(place(self, outline, glyph.transform())),
            Glyph::Type3(_) => None,
        });
        outlines.collect()
    }

    fn placed(&self, glyph: &OutlineGlyph, id: u128, transform: Affine, hint: bool) -> Placed {
        let [a, b, c, d, e, f] = transform.as_coeffs();
        let size = d.abs() * 1000.0;
        if hint && b == 0.0 && HINTED_SIZES.contains(&size) {
            let size = size as f32;
            let hinted = self.kept(id, size, || glyph.hinted_outline(size, self.shared.hinting));
            if let Some(hinted) = hinted {
                return (hinted, Affine::new([a, b, c, d, e, f.round()]), true);
            }
        }
        (self.outline(glyph, id), transform, false)
    }

    fn outline(&self, glyph: &OutlineGlyph, id: u128) -> Rc<BezPath> {
        self.kept(id, 0.0, || Some(glyph.outline())).unwrap_or_default()
    }

    fn kept(&self, id: u128, size: f32, make: impl FnOnce() -> Option<BezPath>) -> Option<Rc<BezPath>> {
        let key = (id, size.to_bits());
        if let Some(kept) = self.shared.outlines.borrow().get(&key) {
            return kept.clone();
        }
        let made = make().map(Rc::new);
        self.shared.outlines.borrow_mut().insert(key, made.clone());
        made
    }
}

fn key(glyph: &OutlineGlyph) -> u128 {
    CacheKey::cache_key(&glyph.identifier())
}

fn is_hinted(run: &GlyphRun<'_, '_>) -> bool {
    run.writing_mode() == WritingMode::Horizontal
}

fn bounds(outlines: &[BezPath]) -> Rect {
    let outlines = outlines.iter().filter(|outline| !outline.elements().is_empty());
    outlines.map(Shape::bounding_box).reduce(|all, one| all.union(one)).unwrap_or(Rect::ZERO)
}
