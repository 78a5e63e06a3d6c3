//! Soft masks: renders a mask once for a page.

use super::{Painter, Shared, child_scene};
use hayro::hayro_interpret::{CacheKey, MaskType, SoftMask};
use hayro::kurbo::Rect;
use hayro::vello_cpu::color::palette::css::BLACK;
use hayro::vello_cpu::color::{AlphaColor, PremulRgba8, Srgb};
use hayro::vello_cpu::{Mask, Pixmap, RenderSettings, Resources};

impl Painter<'_> {
    pub(super) fn apply_mask(&mut self, mask: Option<&SoftMask<'_>>) {
        match mask.map(|mask| self.mask(mask)) {
            Some(mask) => self.scene.set_mask(mask),
            None => self.scene.reset_mask(),
        }
    }

    pub(super) fn mask(&mut self, mask: &SoftMask<'_>) -> Mask {
        let (settings, size) = (*self.scene.render_settings(), (self.scene.width(), self.scene.height()));
        let shared = self.shared;
        self.masks.entry(mask.cache_key()).or_insert_with(|| render(mask, &settings, size, shared)).clone()
    }
}

fn render(mask: &SoftMask<'_>, settings: &RenderSettings, size: (u16, u16), shared: &Shared<'_>) -> Mask {
    let (width, height) = size;
    let mut scene = child_scene(settings, width, height, shared.aliasing_threshold);
    let mut painter = Painter::new(&mut scene, shared);
    let background = mask.background_color().to_rgba();
    let has_background = background.to_rgba8() != BLACK.to_rgba8().to_u8_array();
    if has_background {
        painter.scene.set_paint(AlphaColor::<Srgb>::new(background.components()));
        painter.scene.fill_rect(&Rect::new(0.0, 0.0, width.into(), height.into()));
        painter.scene.push_layer(None, None, None, None, None);
    }
    mask.interpret(&mut painter);
    if has_background {
        painter.scene.pop_layer();
    }
    let mut pixmap = Pixmap::new(width, height);
    scene.flush();
    scene.render(&mut pixmap, &mut Resources::default());
    let mut values: Vec<u8> = match mask.mask_type() {
        MaskType::Luminosity => pixmap.data().iter().map(luminosity).collect(),
        MaskType::Alpha => pixmap.data().iter().map(|pixel| pixel.a).collect(),
    };
    if let Some(function) = mask.transfer_function() {
        function.apply_to(&mut values);
    }
    Mask::from_parts(values, width, height)
}

/// The luminosity of a pixel with the weights of sRGB, which vello's own masks have too. Integers are several times
/// faster, and a mask has as many pixels as the page.
fn luminosity(pixel: &PremulRgba8) -> u8 {
    const WEIGHTS: [u32; 3] = [13_933, 46_871, 4_732];
    let [red, green, blue] = [pixel.r, pixel.g, pixel.b].map(u32::from);
    let sum = WEIGHTS[0] * red + WEIGHTS[1] * green + WEIGHTS[2] * blue;
    ((sum + (1 << 15)) >> 16) as u8
}
