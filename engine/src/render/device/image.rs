//! Images: decodes an image, reduces it to the pixels that it covers on the page, and paints it.

use super::Painter;
use super::pixmaps::{Key, Kind, Picture, Pictures};
use super::resize::{Colors, Size, premultiplied};
use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{
    CacheKey, FillRule, Image, ImageData, ImageDrawProps, LumaData, Paint, RasterImage, StencilImage,
};
use hayro::hayro_syntax::object::Name;
use hayro::kurbo::{Affine, Rect, Shape};
use hayro::vello_cpu::peniko::{BlendMode, Compose, Extend, Fill, ImageQuality, ImageSampler, Mix};
use hayro::vello_cpu::{Image as ImagePaint, ImageSource, PixelMetadata, Pixmap};
use std::sync::Arc;

/// The longest side of a reduced image, in pixels.
const LONGEST: f32 = (u16::MAX / 2) as f32;

impl Painter<'_> {
    pub(super) fn paint_image<'a>(&mut self, image: &Image<'a, '_>, props: &ImageDrawProps<'a>) {
        let (width, height) = (f64::from(image.width()), f64::from(image.height()));
        let bounds = props.transform.transform_rect_bbox(Rect::new(0.0, 0.0, width, height));
        if self.is_invisible(bounds) {
            return;
        }
        self.apply_mask(props.soft_mask.as_ref());
        self.scene.set_blend_mode(super::blend_mode(props.blend_mode));
        self.scene.set_paint_transform(Affine::IDENTITY);
        self.scene.set_aliasing_threshold(Some(1));
        let (x, y) = x_y_advances(&props.transform);
        let wanted = ((x.length() * width).ceil() as u32, (y.length() * height).ceil() as u32);
        match image {
            Image::Stencil(stencil) => self.paint_stencil(stencil, wanted, props.transform, bounds),
            Image::Raster(raster) => {
                let pictures = self.raster_pictures(raster, wanted, props.transform);
                self.paint_pictures(&pictures.unwrap_or_default(), props.transform, bounds);
            }
        }
        self.scene.set_aliasing_threshold(self.shared.aliasing_threshold);
    }

    fn raster_pictures(
        &self,
        image: &RasterImage<'_>,
        wanted: (u32, u32),
        transform: Affine,
    ) -> Option<Pictures> {
        let padded = self.in_type3_glyph;
        let shown = scale_of(transform);
        let make = || {
            let mut pictures = None;
            image.with_rgba(|image, alpha| pictures = pictures_of(image, alpha, shown, padded), Some(wanted));
            pictures
        };
        // A key does not contain the transfer function, nor the colour space that a name in the resources means.
        if self.shared.pixmaps.has_transfer_functions() || has_named_color_space(image) {
            return make();
        }
        let key = image_key(Kind::Raster, image.cache_key(), wanted, shown, [0; 3], padded);
        self.shared.pixmaps.get_or_make(key, make)
    }

    fn paint_stencil(
        &mut self,
        stencil: &StencilImage<'_, '_>,
        wanted: (u32, u32),
        transform: Affine,
        bounds: Rect,
    ) {
        let id = stencil.cache_key();
        let shown = scale_of(transform);
        // The paint of a stencil is only known after decoding.
        let paint = |mask: LumaData, paint: &Paint<'_>| {
            let size = Rect::new(0.0, 0.0, mask.width.into(), mask.height.into());
            let (x, y) = (f64::from(mask.scale_factors.0), f64::from(mask.scale_factors.1));
            let scale = Affine::scale_non_uniform(x, y);
            let color = match paint {
                Paint::Color(color) => color.to_rgba().to_rgba8(),
                Paint::Pattern(_) => [255; 4],
            };
            let [red, green, blue, alpha] = color;
            let solid = [red, green, blue];
            let padded = self.in_type3_glyph;
            let key = image_key(Kind::Stencil, id, wanted, shown, solid, padded);
            let picture = self.shared.pixmaps.get_or_make(key, || {
                let interpolate = mask.interpolate;
                let dimensions = Size { width: mask.width, height: mask.height };
                let colors = Colors::Solid(solid);
                let picture = picture(
                    colors,
                    Some(mask.data),
                    dimensions,
                    interpolate,
                    (shown.0 * x, shown.1 * y),
                    padded,
                )?;
                Some(vec![Picture { transform: scale * picture.transform, ..picture }])
            });
            let Some(picture) = picture.and_then(|pictures| pictures.into_iter().next()) else { return };
            match paint {
                Paint::Color(_) => {
                    let blend = self.scene.blend_mode();
                    let in_layer = alpha != 255 || blend != BlendMode::default();
                    if in_layer {
                        let opacity = f32::from(alpha) / 255.0;
                        self.scene.push_layer(None, Some(blend), Some(opacity), None, None);
                    }
                    self.paint_picture(&picture, transform);
                    if in_layer {
                        self.scene.pop_layer();
                    }
                }
                Paint::Pattern(_) => {
                    self.push_area(bounds, self.scene.blend_mode());
                    self.scene.set_transform(transform * scale);
                    let clip = self.set_paint(paint, || size, false);
                    if let Some(clip) = &clip {
                        self.clip(clip, FillRule::NonZero);
                    }
                    self.scene.fill_rect(&size);
                    if clip.is_some() {
                        self.scene.pop_clip();
                    }
                    self.scene.set_paint_transform(Affine::IDENTITY);
                    self.keep_within(&picture, transform);
                    self.scene.pop_layer();
                }
            }
        };
        stencil.with_stencil(paint, Some(wanted));
    }

    /// Paints an image: one picture, or a picture and its mask.
    fn paint_pictures(&mut self, pictures: &Pictures, transform: Affine, bounds: Rect) {
        match pictures.as_slice() {
            [picture] => self.paint_picture(picture, transform),
            [picture, mask] => {
                self.push_area(bounds, BlendMode::default());
                self.paint_picture(picture, transform);
                self.keep_within(mask, transform);
                self.scene.pop_layer();
            }
            _ => {}
        }
    }

    /// Begins a layer for an image with these bounds. A layer without a clip would cost work on the whole page.
    fn push_area(&mut self, bounds: Rect, blend: BlendMode) {
        const MARGIN: f64 = 4.0;
        let page = Rect::new(0.0, 0.0, self.scene.width().into(), self.scene.height().into());
        let area = bounds.inflate(MARGIN, MARGIN).intersect(page.inflate(MARGIN, MARGIN)).expand();
        self.scene.set_transform(Affine::IDENTITY);
        self.scene.set_fill_rule(Fill::NonZero);
        self.scene.push_layer(Some(&area.to_path(0.1)), Some(blend), None, None, None);
    }

    /// Erases everything in the current layer that is outside a mask.
    fn keep_within(&mut self, mask: &Picture, transform: Affine) {
        let within = BlendMode::new(Mix::Normal, Compose::DestIn);
        self.scene.push_layer(None, Some(within), None, None, None);
        self.paint_picture(mask, transform);
        self.scene.pop_layer();
    }

    fn paint_picture(&mut self, picture: &Picture, transform: Affine) {
        let (width, height) = (picture.pixmap.width(), picture.pixmap.height());
        let sampler = ImageSampler {
            x_extend: Extend::Pad,
            y_extend: Extend::Pad,
            quality: picture.quality,
            alpha: 1.0,
        };
        self.scene.set_fill_rule(Fill::NonZero);
        self.scene.set_transform(transform * picture.transform);
        self.scene.set_paint(ImagePaint { image: ImageSource::Pixmap(picture.pixmap.clone()), sampler });
        self.scene.fill_rect(&Rect::new(0.0, 0.0, width.into(), height.into()));
    }
}

fn image_key(
    kind: Kind,
    id: u128,
    wanted: (u32, u32),
    (x, y): Scale,
    [red, green, blue]: [u8; 3],
    padded: bool,
) -> Key {
    let wanted = u64::from(wanted.0) << 32 | u64::from(wanted.1);
    let color = u64::from(u32::from_be_bytes([0, red, green, blue]));
    (kind, id, [wanted, x.to_bits(), y.to_bits(), color, padded.into(), 0, 0, 0])
}

/// The scale of an image with this transform.
fn scale_of(transform: Affine) -> Scale {
    let (x, y) = x_y_advances(&transform);
    (x.length(), y.length())
}

/// Whether the image's colour space is a name of the resources.
fn has_named_color_space(image: &RasterImage<'_>) -> bool {
    const DEVICE: [&[u8]; 6] = [b"DeviceGray", b"DeviceRGB", b"DeviceCMYK", b"G", b"RGB", b"CMYK"];
    let dict = image.stream().dict();
    let name = dict.get::<Name<'_>>(b"ColorSpace").or_else(|| dict.get::<Name<'_>>(b"CS"));
    name.is_some_and(|name| !DEVICE.contains(&&*name))
}

/// The pictures of an image with this scale.
fn pictures_of(image: ImageData, alpha: Option<LumaData>, shown: Scale, padded: bool) -> Option<Pictures> {
    let (x, y) = image.scale_factors();
    let scale = Affine::scale_non_uniform(x.into(), y.into());
    let size = Size { width: image.width(), height: image.height() };
    let interpolate = image.interpolate();
    let colors = match image {
        ImageData::Rgb(image) => Colors::Rgb(image.data),
        ImageData::Luma(image) => Colors::Luma(image.data),
    };
    let placed =
        |picture: Picture, scale: Affine| Picture { transform: scale * picture.transform, ..picture };
    let is_alike = |mask: &LumaData| {
        mask.width == size.width && mask.height == size.height && mask.interpolate == interpolate
    };
    let mask = match alpha {
        Some(mask) if !is_alike(&mask) => mask,
        alpha => {
            let alpha = alpha.map(|mask| mask.data);
            let picture = picture(
                colors,
                alpha,
                size,
                interpolate,
                (shown.0 * f64::from(x), shown.1 * f64::from(y)),
                padded,
            )?;
            return Some(vec![placed(picture, scale)]);
        }
    };
    let (mask_x, mask_y) = (
        f64::from(x) * f64::from(size.width) / f64::from(mask.width),
        f64::from(y) * f64::from(size.height) / f64::from(mask.height),
    );
    let of_mask = Affine::scale_non_uniform(mask_x, mask_y);
    let mask_size = Size { width: mask.width, height: mask.height };
    let image =
        picture(colors, None, size, interpolate, (shown.0 * f64::from(x), shown.1 * f64::from(y)), padded)?;
    let black = Colors::Solid([0; 3]);
    let mask = picture(
        black,
        Some(mask.data),
        mask_size,
        mask.interpolate,
        (shown.0 * mask_x, shown.1 * mask_y),
        padded,
    )?;
    Some(vec![placed(image, scale), placed(mask, of_mask)])
}

/// The width and height of a pixel of an image on the page, in pixels of the page.
type Scale = (f64, f64);

/// A picture of an image with this scale.
fn picture(
    colors: Colors,
    alpha: Option<Vec<u8>>,
    size: Size,
    interpolate: bool,
    scale: Scale,
    padded: bool,
) -> Option<Picture> {
    let (x, y) = (scale.0 as f32, scale.1 as f32);
    let mut quality = if interpolate { ImageQuality::Medium } else { ImageQuality::Low };
    let mut to_image = Affine::IDENTITY;
    let mut shown = size;
    let mut may_have_transparency = alpha.is_some();
    let mut pixels = if x < 1.0 || y < 1.0 {
        let side = |side: u32, scale: f32| {
            let scaled = (side as f32 * scale).ceil();
            // A scale that is not a number gives a side of 1 too.
            if scaled > 1.0 { scaled.min(LONGEST) as u32 } else { 1 }
        };
        shown = Size { width: side(size.width, x), height: side(size.height, y) };
        if padded {
            quality = ImageQuality::High;
        }
        to_image = Affine::scale_non_uniform(
            f64::from(size.width) / f64::from(shown.width),
            f64::from(size.height) / f64::from(shown.height),
        );
        premultiplied(colors, alpha, size, Some(shown))?
    } else {
        premultiplied(colors, alpha, size, None)?
    };
    if padded {
        // At the border of an image, its outermost pixels are continued. Glyphs would look bold.
        const FRAME: u32 = 2;
        pixels = framed(&pixels, shown, FRAME);
        shown = Size { width: shown.width + 2 * FRAME, height: shown.height + 2 * FRAME };
        to_image *= Affine::translate((-f64::from(FRAME), -f64::from(FRAME)));
        may_have_transparency = true;
    }
    let metadata = PixelMetadata { may_have_transparency, ..PixelMetadata::default() };
    let (width, height) = (u16::try_from(shown.width).ok()?, u16::try_from(shown.height).ok()?);
    let pixmap = Arc::new(Pixmap::from_parts(pixels, width, height, metadata));
    Some(Picture { pixmap, quality, transform: to_image })
}

/// The pixels with a transparent frame.
fn framed(pixels: &[u8], size: Size, frame: u32) -> Vec<u8> {
    let (width, side) = (size.width as usize * 4, frame as usize * 4);
    let edge = (width + 2 * side) * frame as usize;
    let mut framed = vec![0; edge];
    for row in pixels.chunks_exact(width) {
        framed.resize(framed.len() + side, 0);
        framed.extend_from_slice(row);
        framed.resize(framed.len() + side, 0);
    }
    framed.resize(framed.len() + edge, 0);
    framed
}
