//! Computes the page for an image and its position on it, in points.

use recto_interface::options::{InvalidOption, PageMargin, PageSize, Strategy};

/// The density of images that do not declare one, in pixels per inch: that of CSS pixels.
pub(super) const DEFAULT_DENSITY: f64 = 96.0;

/// The page size, margin and strategy.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageSetup {
    /// The size of the page in portrait orientation.
    width: f64,
    height: f64,
    margin: f64,
    strategy: Strategy,
}

/// A page size and the position of the image, in points from the lower left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub page_width: f64,
    pub page_height: f64,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl PageSetup {
    /// # Errors
    /// [`InvalidOption`] when the margin leaves no room for an image.
    pub fn new(
        size: PageSize,
        margin: Option<PageMargin>,
        strategy: Strategy,
    ) -> Result<Self, InvalidOption> {
        const MM: f64 = 72.0 / 25.4;
        let (width, height) = match size {
            PageSize::A4 => (210.0 * MM, 297.0 * MM),
            PageSize::Letter => (612.0, 792.0),
        };
        let points = margin.map_or(0.0, |margin| margin.margin * margin.unit.points());
        if 2.0 * points >= width - 1.0 {
            let given = margin.map(|margin| format!("{} {}", margin.margin, margin.unit)).unwrap_or_default();
            return Err(InvalidOption::new(
                "pageMargin.margin",
                format!(
                    "a margin of {given} on both sides leaves no room for the image on a page {:.1} cm wide",
                    width / 72.0 * 2.54
                ),
            ));
        }
        Ok(Self { width, height, margin: points, strategy })
    }

    /// Centres an image of this size in points on a page, shrunk if it does not fit.
    ///
    /// No image is enlarged: a scan keeps its physical size. The strategies differ in the orientation of the page:
    /// `Auto` uses landscape for every image that is wider than high; `ShrinkToPage` only for an image that is too
    /// large for a portrait page and larger on a landscape page; `ShrinkToPortrait` never.
    pub fn place(&self, width: f64, height: f64) -> Placement {
        let portrait = self.place_on(self.width, self.height, width, height);
        let landscape = self.place_on(self.height, self.width, width, height);
        let use_landscape = match self.strategy {
            Strategy::Auto => width > height,
            Strategy::ShrinkToPage => landscape.width > portrait.width,
            Strategy::ShrinkToPortrait => false,
        };
        if use_landscape { landscape } else { portrait }
    }

    fn place_on(&self, page_width: f64, page_height: f64, width: f64, height: f64) -> Placement {
        let room = |page: f64| page - 2.0 * self.margin;
        let scale = (room(page_width) / width).min(room(page_height) / height).min(1.0);
        let (width, height) = (width * scale, height * scale);
        let (x, y) = ((page_width - width) / 2.0, (page_height - height) / 2.0);
        Placement { page_width, page_height, x, y, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_interface::options::Unit;

    fn setup(strategy: Strategy) -> PageSetup {
        PageSetup::new(PageSize::Letter, None, strategy).unwrap()
    }

    #[test]
    fn an_image_that_fits_keeps_its_size_and_is_centred() {
        for strategy in Strategy::ALL {
            let placed = setup(*strategy).place(100.0, 200.0);
            assert_eq!((placed.width, placed.height, placed.x, placed.y), (100.0, 200.0, 256.0, 296.0));
        }
    }

    #[test]
    fn auto_turns_the_page_to_the_image() {
        let page = |width, height| {
            let placed = setup(Strategy::Auto).place(width, height);
            (placed.page_width, placed.page_height)
        };
        assert_eq!(page(200.0, 100.0), (792.0, 612.0));
        assert_eq!(page(100.0, 200.0), (612.0, 792.0));
        assert_eq!(page(100.0, 100.0), (612.0, 792.0));
    }

    #[test]
    fn shrink_to_page_turns_the_page_only_where_the_image_becomes_larger() {
        let page = |width, height| setup(Strategy::ShrinkToPage).place(width, height).page_width;
        assert_eq!(page(200.0, 100.0), 612.0);
        assert_eq!(page(2000.0, 1000.0), 792.0);
        assert_eq!(page(1000.0, 2000.0), 612.0);
    }

    #[test]
    fn shrink_to_portrait_never_turns_the_page() {
        let placed = setup(Strategy::ShrinkToPortrait).place(2000.0, 1000.0);
        assert_eq!((placed.page_width, placed.width, placed.height), (612.0, 612.0, 306.0));
    }

    #[test]
    fn the_margin_stays_free() {
        let margin = Some(PageMargin { margin: 1.0, unit: Unit::In });
        let placed = PageSetup::new(PageSize::Letter, margin, Strategy::Auto).unwrap().place(9000.0, 9000.0);
        assert_eq!((placed.x, placed.width), (72.0, 468.0));
    }

    #[test]
    fn a_margin_wider_than_the_page_is_refused() {
        let margin = Some(PageMargin { margin: 10.5, unit: Unit::Cm });
        let error = PageSetup::new(PageSize::A4, margin, Strategy::Auto).unwrap_err();
        assert_eq!(error.field, "options.pageMargin.margin");
    }
}
