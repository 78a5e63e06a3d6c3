//! The paint of a shape: a colour, a gradient, a sampled shading or a tiling pattern.

use super::Painter;
use super::pixmaps::{Key, Kind, Picture};
use hayro::hayro_interpret::encode::{EncodedShadingPattern, EncodedShadingType, texture_dimensions};
use hayro::hayro_interpret::gradient::SvgGradientKind;
use hayro::hayro_interpret::pattern::{Pattern, ShadingPattern};
use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{CacheKey, Paint};
use hayro::kurbo::{Affine, BezPath, Rect};
use hayro::vello_cpu::color::{AlphaColor, DynamicColor, Srgb};
use hayro::vello_cpu::peniko::{ColorStop, Extend, Gradient, ImageQuality, ImageSampler};
use hayro::vello_cpu::{Image, ImageSource, PaintType, PixelMetadata, Pixmap};
use std::sync::Arc;

impl Painter<'_> {
    /// Sets the paint of the next shape, which has these bounds. Returns the path that clips the paint.
    #[must_use]
    pub(super) fn set_paint(
        &mut self,
        paint: &Paint<'_>,
        bounds: impl Fn() -> Rect,
        is_stroke: bool,
    ) -> Option<BezPath> {
        let (paint, transform, clip) = match paint {
            Paint::Color(color) => (solid(color.to_rgba().to_rgba8()), Affine::IDENTITY, None),
            Paint::Pattern(pattern) => {
                let of_path = *self.scene.transform();
                let area = self.painted_area(bounds(), is_stroke);
                match pattern.as_ref() {
                    Pattern::Shading(shading) => {
                        let (paint, transform) = self.shading_paint(shading, area);
                        (paint, of_path.inverse() * transform, shading.shading.clip_path.clone())
                    }
                    Pattern::Tiling(tiling) => match self.tiling_paint(tiling, area, is_stroke) {
                        Some((image, transform)) => {
                            (PaintType::Image(image), of_path.inverse() * transform, None)
                        }
                        None => (solid([0; 4]), Affine::IDENTITY, None),
                    },
                }
            }
        };
        self.scene.set_paint_transform(transform);
        self.scene.set_paint(paint);
        clip
    }

    /// The area that a shape with these bounds paints, in pixels.
    fn painted_area(&self, bounds: Rect, is_stroke: bool) -> Rect {
        let transform = self.scene.transform();
        let mut area = transform.transform_rect_bbox(bounds);
        if is_stroke {
            let (x, y) = x_y_advances(transform);
            let width = x.length().max(y.length()) * self.scene.stroke().width;
            area = area.inflate(width, width);
        }
        let (width, height) = (f64::from(self.scene.width()), f64::from(self.scene.height()));
        area.intersect(Rect::new(0.0, 0.0, width, height))
    }

    fn shading_paint(&self, shading: &ShadingPattern, area: Rect) -> (PaintType, Affine) {
        const TOLERANCE: f32 = 0.01;
        let gradient = |encoded: &EncodedShadingPattern| match &encoded.shading_type {
            EncodedShadingType::RadialAxial(gradient) => gradient.as_svg_gradient(encoded, area, TOLERANCE),
            _ => None,
        };
        let is_mesh = !matches!(
            shading.shading.shading_type.as_ref(),
            hayro::hayro_interpret::shading::ShadingType::RadialAxial { .. }
        );
        let mut encoded = None;
        if !is_mesh {
            let made = shading.encode();
            if let Some(native) = gradient(&made) {
                let transform = Affine::translate((-0.5, -0.5)) * native.transform;
                let color = |color| DynamicColor::from_alpha_color(AlphaColor::<Srgb>::new(color));
                let stops: Vec<ColorStop> = native
                    .stops
                    .iter()
                    .map(|stop| ColorStop { offset: stop.offset, color: color(stop.color) })
                    .collect();
                let gradient = match native.kind {
                    SvgGradientKind::Linear { start, end } => Gradient::new_linear(start, end),
                    SvgGradientKind::Radial { start_center, start_radius, end_center, end_radius } => {
                        Gradient::new_two_point_radial(start_center, start_radius, end_center, end_radius)
                    }
                };
                let gradient = gradient.with_extend(Extend::Pad).with_stops(stops.as_slice());
                return (PaintType::Gradient(gradient), transform);
            }
            encoded = Some(made);
        }
        // Only what the clip shows is sampled, on the same grid, with a margin because samples are interpolated.
        let visible = self.visible();
        let from = |start: f64, shown: f64| start + ((shown - start).floor() - 1.0).max(0.0);
        let area = Rect::new(
            from(area.x0, visible.x0),
            from(area.y0, visible.y0),
            area.x1.min(visible.x1.ceil() + 2.0),
            area.y1.min(visible.y1.ceil() + 2.0),
        );
        let make = || {
            let encoded = encoded.unwrap_or_else(|| shading.encode());
            Some(vec![sampled(&encoded, area)])
        };
        let bits = f64::to_bits;
        let background = u64::from(shading.shading.background.is_some());
        let key: Key = (
            Kind::Shading,
            shading.cache_key(),
            [bits(area.x0), bits(area.y0), bits(area.x1), bits(area.y1), background, 0, 0, 0],
        );
        // The key does not contain the transfer function.
        let pictures = match &shading.transfer_function {
            None => self.shared.pixmaps.get_or_make(key, make),
            Some(_) => make(),
        };
        let Some(picture) = pictures.and_then(|pictures| pictures.into_iter().next()) else {
            return (solid([0; 4]), Affine::IDENTITY);
        };
        let sampler = ImageSampler {
            x_extend: Extend::Repeat,
            y_extend: Extend::Repeat,
            quality: picture.quality,
            alpha: 1.0,
        };
        let image = Image { image: ImageSource::Pixmap(picture.pixmap), sampler };
        (PaintType::Image(image), picture.transform)
    }
}

fn solid([r, g, b, a]: [u8; 4]) -> PaintType {
    AlphaColor::from_rgba8(r, g, b, a).into()
}

/// A shading as a picture of an area.
fn sampled(encoded: &EncodedShadingPattern, area: Rect) -> Picture {
    let (width, height) = texture_dimensions(area, 1.0);
    let mut data = Vec::with_capacity(width as usize * height as usize * 4);
    let mut may_have_transparency = false;
    let (width, height, transform) = encoded.sample_texture(area, 1.0, |sample| {
        let pixel = AlphaColor::<Srgb>::new(sample).premultiply().to_rgba8();
        may_have_transparency |= pixel.a != 255;
        data.extend_from_slice(&[pixel.r, pixel.g, pixel.b, pixel.a]);
    });
    let metadata = PixelMetadata { may_have_transparency, ..PixelMetadata::default() };
    let pixmap = Pixmap::from_parts(data, width as u16, height as u16, metadata);
    Picture { pixmap: Arc::new(pixmap), quality: ImageQuality::Medium, transform }
}
