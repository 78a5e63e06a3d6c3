//! Filled and stroked paths.

use super::{Painter, fill_rule};
use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{DrawMode, DrawProps, FillRule, StrokeProps};
use hayro::kurbo::{Affine, BezPath, Cap, Join, PathEl, Rect, Shape, Stroke, Vec2};
use std::f64::consts::SQRT_2;

impl Painter<'_> {
    pub(super) fn set_stroke(&mut self, props: &StrokeProps, is_text: bool) {
        // Lines are at least a pixel wide. Text with such lines would look bold, so its lines may be thinner.
        let thinnest = if is_text { 0.25 } else { 1.0 };
        let scale = largest_scale(self.scene.transform());
        let mut width = props.line_width.max(0.01 / scale);
        let shown = width * scale;
        if shown < thinnest && !self.in_pattern && !self.in_type3_glyph {
            width = width / shown * thinnest;
        }
        // On such thin lines, round caps and joins look the same as those that are cheaper to make.
        let is_thin = shown <= 1.0;
        let cap = match props.line_cap {
            Cap::Round if is_thin => Cap::Square,
            cap => cap,
        };
        let join = match props.line_join {
            Join::Round if is_thin => Join::Bevel,
            join => join,
        };
        self.scene.set_stroke(Stroke {
            width: width.into(),
            join,
            miter_limit: props.miter_limit.into(),
            start_cap: cap,
            end_cap: cap,
            dash_pattern: props.dash_array.iter().map(|dash| f64::from(*dash)).collect(),
            dash_offset: props.dash_offset.into(),
        });
    }

    pub(super) fn stroke_path(
        &mut self,
        path: &BezPath,
        props: &DrawProps<'_>,
        stroke: &StrokeProps,
        is_text: bool,
    ) {
        self.apply(props);
        self.set_stroke(stroke, is_text);
        let stroke = self.scene.stroke();
        let extent = stroke.width / 2.0 * stroke.miter_limit.max(SQRT_2);
        let bounds = path.control_box().inflate(extent, extent);
        if self.is_invisible(props.transform.transform_rect_bbox(bounds)) {
            return;
        }
        let clip = self.set_paint(&props.paint, || path.bounding_box(), true);
        if let Some(clip) = &clip {
            self.clip(clip, FillRule::NonZero);
        }
        match line_outline(path, self.scene.stroke()) {
            Some(outline) => {
                self.scene.set_fill_rule(fill_rule(FillRule::NonZero));
                self.scene.fill_path(&outline);
            }
            None => self.scene.stroke_path(path),
        }
        if clip.is_some() {
            self.scene.pop_clip();
        }
    }

    pub(super) fn fill_path(&mut self, path: &BezPath, props: &DrawProps<'_>, rule: FillRule) {
        self.scene.set_fill_rule(fill_rule(rule));
        self.apply(props);
        let clip = self.set_paint(&props.paint, || path.bounding_box(), false);
        if let Some(clip) = &clip {
            self.clip(clip, rule);
        }
        self.scene.fill_path(path);
        if clip.is_some() {
            self.scene.pop_clip();
        }
    }

    pub(super) fn paint_path(&mut self, path: &BezPath, props: DrawProps<'_>, mode: &DrawMode) {
        match mode {
            DrawMode::Fill(rule) => self.fill_path(path, &props, *rule),
            DrawMode::Stroke(stroke) => self.stroke_path(path, &props, stroke, false),
            DrawMode::FillAndStroke(rule, stroke) => {
                self.fill_path(path, &props, *rule);
                self.stroke_path(path, &props, stroke, false);
            }
            DrawMode::Invisible => {}
        }
    }

    pub(super) fn paint_rect(&mut self, rect: &Rect, props: DrawProps<'_>, mode: &DrawMode) {
        if let DrawMode::Fill(rule) | DrawMode::FillAndStroke(rule, _) = mode {
            self.scene.set_fill_rule(fill_rule(*rule));
            self.apply(&props);
            let clip = self.set_paint(&props.paint, || *rect, false);
            if let Some(clip) = &clip {
                self.clip(clip, *rule);
            }
            self.scene.fill_rect(rect);
            if clip.is_some() {
                self.scene.pop_clip();
            }
        }
        if let DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) = mode {
            self.stroke_path(&rect.to_path(0.1), &props, stroke, false);
        }
    }
}

fn largest_scale(transform: &Affine) -> f32 {
    let (x, y) = x_y_advances(transform);
    x.length().max(y.length()) as f32
}

/// The outline of a stroked line. It is much cheaper than that of a general path.
fn line_outline(path: &BezPath, stroke: &Stroke) -> Option<BezPath> {
    if !stroke.dash_pattern.is_empty() || stroke.start_cap != stroke.end_cap {
        return None;
    }
    let [PathEl::MoveTo(from), PathEl::LineTo(to)] = path.elements() else { return None };
    let line = *to - *from;
    let length = line.hypot();
    if length <= 0.0 || !length.is_finite() {
        return None;
    }
    let half = 0.5 * stroke.width;
    let direction = line / length;
    let across = Vec2::new(-direction.y, direction.x) * half;
    let (from, to) = match stroke.start_cap {
        Cap::Butt => (*from, *to),
        Cap::Square => (*from - direction * half, *to + direction * half),
        Cap::Round => return None,
    };
    Some(BezPath::from_vec(vec![
        PathEl::MoveTo(from + across),
        PathEl::LineTo(to + across),
        PathEl::LineTo(to - across),
        PathEl::LineTo(from - across),
        PathEl::ClosePath,
    ]))
}
