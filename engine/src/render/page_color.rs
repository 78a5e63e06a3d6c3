//! Finds which colours a page uses, without rendering the page.

use super::pages::PageView;
use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, Paint, SoftMask, interpret_page,
};
use hayro::hayro_syntax::object::{Array, Name, Object, Stream};
use hayro::kurbo::{Affine, BezPath, Rect};

/// The colours that a page uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageColor {
    /// The page is a scan: it consists of bilevel images only.
    Bilevel {
        /// The density of the image with the highest density, in pixels per 1000 units of the page.
        density: u32,
    },
    /// All colours are CMYK or gray.
    Cmyk,
    /// The colours are gray or RGB. Only the rendered pixels show which of the two.
    Other,
}

/// Finds the colours of everything that a page paints.
pub(crate) fn color_of_page(view: &PageView<'_>) -> PageColor {
    let page = view.page();
    let (width, height) = page.render_dimensions();
    let target = Rect::new(0.0, 0.0, width.into(), height.into());
    let cache = InterpreterCache::new();
    let mut context =
        Context::new(Affine::IDENTITY, target, &cache, page.xref(), InterpreterSettings::default());
    let mut seen = Seen::default();
    interpret_page(page, &mut context, &mut seen);
    match seen {
        Seen { bilevel: true, other_marks: false, cmyk: false, rgb: false, density } => {
            PageColor::Bilevel { density }
        }
        Seen { cmyk: true, rgb: false, .. } => PageColor::Cmyk,
        _ => PageColor::Other,
    }
}

#[derive(Default)]
struct Seen {
    bilevel: bool,
    other_marks: bool,
    rgb: bool,
    cmyk: bool,
    density: u32,
}

impl Seen {
    fn paint(&mut self, paint: &Paint<'_>) {
        match paint {
            Paint::Color(color) => {
                let [r, g, b, _] = color.to_rgba().to_rgba8();
                match color.components().len() {
                    4 => self.cmyk = true,
                    _ if r == g && g == b => {}
                    _ => self.rgb = true,
                }
            }
            // The colours of a pattern are in the pattern's own stream, which is not read here. RGB is assumed, because
            // RGB can show all colours.
            Paint::Pattern(_) => self.rgb = true,
        }
    }

    fn mark(&mut self, paint: &Paint<'_>) {
        self.other_marks = true;
        self.paint(paint);
    }

    fn image(&mut self, stream: &Stream<'_>, transform: Affine) {
        let dict = stream.dict();
        let bits = dict.get::<u32>(b"BitsPerComponent").or_else(|| dict.get::<u32>(b"BPC"));
        match family(stream) {
            Family::Cmyk => self.cmyk = true,
            Family::Gray if bits == Some(1) => self.scan(transform),
            Family::Gray => self.other_marks = true,
            Family::Rgb => self.rgb = true,
        }
    }

    fn scan(&mut self, transform: Affine) {
        // The transform maps the image's pixels to the page.
        let [a, b, c, d, _, _] = transform.as_coeffs();
        let density = |length: f64| (1000.0 / length.max(0.001)) as u32;
        self.bilevel = true;
        self.density = self.density.max(density(a.hypot(b))).max(density(c.hypot(d)));
    }
}

enum Family {
    Gray,
    Rgb,
    Cmyk,
}

/// The family of an image's colour space, as the image's dictionary states it. If only the encoded data states the
/// colour space, the family is RGB.
fn family(stream: &Stream<'_>) -> Family {
    let dict = stream.dict();
    let space = dict.get::<Object<'_>>(b"ColorSpace").or_else(|| dict.get::<Object<'_>>(b"CS"));
    space.map_or(Family::Rgb, |space| family_of_space(&space, 4))
}

fn family_of_space(space: &Object<'_>, depth: u8) -> Family {
    let by_name = |name: &[u8]| match name {
        b"DeviceGray" | b"G" | b"CalGray" => Family::Gray,
        b"DeviceCMYK" | b"CMYK" => Family::Cmyk,
        _ => Family::Rgb,
    };
    if depth == 0 {
        return Family::Rgb;
    }
    match space {
        Object::Name(name) => by_name(name),
        Object::Array(array) => family_of_array(array, depth).unwrap_or(Family::Rgb),
        _ => Family::Rgb,
    }
}

fn family_of_array(array: &Array<'_>, depth: u8) -> Option<Family> {
    let mut items = array.flex_iter();
    let name = items.next::<Name<'_>>()?;
    match &*name {
        b"ICCBased" => match items.next::<Stream<'_>>()?.dict().get::<u32>(b"N")? {
            1 => Some(Family::Gray),
            4 => Some(Family::Cmyk),
            _ => Some(Family::Rgb),
        },
        b"Indexed" | b"I" => Some(family_of_space(&items.next::<Object<'_>>()?, depth - 1)),
        b"Separation" | b"DeviceN" => {
            items.next::<Object<'_>>()?;
            Some(family_of_space(&items.next::<Object<'_>>()?, depth - 1))
        }
        _ => Some(family_of_space(&Object::Name(name), depth - 1)),
    }
}

impl<'a> Device<'a> for Seen {
    fn draw_path(&mut self, _: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        if !matches!(mode, DrawMode::Invisible) {
            self.mark(&props.paint);
        }
    }

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        if !matches!(mode, DrawMode::Invisible) {
            self.mark(&props.paint);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        match image {
            Image::Stencil(stencil) => {
                let mut paint = None;
                stencil.with_stencil(|_, of_image| paint = Some(of_image.clone()), Some((1, 1)));
                if let Some(paint) = paint {
                    let [r, g, b, _] = match &paint {
                        Paint::Color(color) => color.to_rgba().to_rgba8(),
                        Paint::Pattern(_) => [1, 2, 3, 4],
                    };
                    self.paint(&paint);
                    match [r, g, b] {
                        [0, 0, 0] | [255, 255, 255] => self.scan(props.transform),
                        _ => self.other_marks = true,
                    }
                }
            }
            Image::Raster(raster) => self.image(raster.stream(), props.transform),
        }
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
